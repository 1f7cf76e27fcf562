import Fitness
import Foundation
import TestSupport

/// A case of the files in FitnessTests' `Vectors`: a function, its arguments, and what is expected of it.
struct Vector {
    let name: String
    let arguments: [Any]
    let expected: Any

    /// The cases of a function in a file, such as `of_runs` in `heart-rate`.
    static func of(_ function: String, in file: String) throws -> [Vector] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../FitnessTests/Vectors")
        let data = try Data(contentsOf: folder.appendingPathComponent("\(file).json"))
        guard let rows = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw TestFailure("\(file): not a list of cases")
        }
        let vectors = try rows.compactMap { row -> Vector? in
            guard let name = row["name"] as? String, let given = row["given"] as? [String: Any],
                let arguments = given["args"] as? [Any], let expected = row["expected"]
            else { throw TestFailure("\(file): not a case: \(row)") }
            guard given["call"] as? String == function else { return nil }
            return Vector(name: name, arguments: arguments, expected: expected)
        }
        guard !vectors.isEmpty else { throw TestFailure("\(file) has no case of \(function)") }
        return vectors
    }

    /// An argument as a list of rows of numbers; none if there is no such argument.
    func rows(_ index: Int) throws -> [[Double]] {
        guard index < arguments.count else { return [] }
        guard let rows = arguments[index] as? [[Double]] else { throw TestFailure("\(name): not rows of numbers") }
        return rows
    }

    /// An argument as numbers and others by their names.
    func named(_ index: Int) throws -> [String: Any] {
        guard index < arguments.count, let named = arguments[index] as? [String: Any] else {
            throw TestFailure("\(name): nothing by name")
        }
        return named
    }

    /// An argument as a person.
    func person(_ index: Int) throws -> Person {
        let given = try named(index)
        let sexes: [String: Person.Sex] = ["male": .male, "female": .female]
        return Person(
            sex: (given["sex"] as? String).flatMap { sexes[$0] }, ageYears: given["age"] as? Double,
            heightCentimetres: given["cm"] as? Double, weightKilograms: given["kg"] as? Double)
    }

    /// A number that is expected, by its name; nil if there is to be none.
    subscript(key: String) -> Double? { (expected as? [String: Any])?[key] as? Double }
}
