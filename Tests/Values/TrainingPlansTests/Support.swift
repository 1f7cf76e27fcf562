import Fitness
import Foundation
import TestSupport
import Testing

@testable import TrainingPlans

/// The bytes of the project's catalogue.
let catalogueBytes: [UInt8] =
    (try? Data(contentsOf: URL(filePath: "\(projectFolder)/deploy/training/exercises.json")))
    .map(Array.init) ?? []

private let ownCatalogue = Result { try ExerciseCatalogue(catalogueBytes) }

/// The project's catalogue.
func catalogue() throws -> ExerciseCatalogue { try ownCatalogue.get() }

/// When these tests begin, in Unix milliseconds.
let epoch: Int64 = 1_795_692_000_000

/// A request for a plan, which has to be one.
func request(
    _ kind: TrainingKind = .weights, minutes: Int = 30, seed: UInt32 = 1, number: Int = 0,
    level: TrainingLevel = .beginner, equipment: Set<Equipment> = [], favoured: [Muscle] = [],
    limits: PlanLimits = PlanLimits()
) throws -> PlanRequest {
    try #require(
        PlanRequest(
            kind, minutes: minutes, seed: seed, number: number, level: level, equipment: equipment,
            favoured: favoured, limits: limits))
}
