import Telemetry

/// Why a file is no catalogue, and where.
public struct CatalogueProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the file, counted from 1: for an exercise, the line on which it begins.
    public let line: Int
    /// What is wrong there, in one line without anything that could harm a terminal.
    public let reason: String

    /// Both, in one line.
    public var description: String { "line \(line): \(reason)" }
}

/// The exercises that plans are made of, in the order of their file.
public struct ExerciseCatalogue: Hashable, Sendable {
    /// A file may have so many bytes.
    public static let longestFile = 2 * 1024 * 1024
    /// One exercise in it may have so many bytes.
    public static let longestExercise = 16 * 1024
    /// A file may have so many exercises.
    public static let most = 2000

    /// All of them.
    public let exercises: [TrainingExercise]
    private let places: [String: Int]
    /// Their names in lower case: whoever looks for some does not wait for thousands of names to be made so.
    private let lowered: [String]

    /// The catalogue that a file holds: a list, in JSON, of exercises as those in `deploy/training/exercises.json` are.
    /// A file with anything wrong in it is refused.
    public init(_ bytes: [UInt8]) throws(CatalogueProblem) {
        guard bytes.count <= Self.longestFile else {
            throw CatalogueProblem(line: 1, reason: "the file is longer than \(Self.longestFile) bytes")
        }
        var elements = JSONElements(bytes, atMost: Self.longestExercise)
        var exercises: [TrainingExercise] = []
        var places: [String: Int] = [:]
        while let (line, bytes) = try Self.next(&elements) {
            guard exercises.count < Self.most else {
                throw CatalogueProblem(line: line, reason: "there are more than \(Self.most) exercises")
            }
            let exercise = try Self.exercise(bytes, line: line)
            guard places.updateValue(exercises.count, forKey: exercise.id) == nil else {
                throw CatalogueProblem(line: line, reason: "exercise \(exercise.id): this id was there before")
            }
            exercises.append(exercise)
        }
        guard !exercises.isEmpty else { throw CatalogueProblem(line: 1, reason: "there is no exercise") }
        (self.exercises, self.places, lowered) = (exercises, places, exercises.map { $0.name.lowercased() })
    }

    private static func next(_ elements: inout JSONElements) throws(CatalogueProblem) -> (line: Int, bytes: [UInt8])? {
        do throws(JSONElements.Fault) { return try elements.next() } catch {
            throw CatalogueProblem(line: error.line, reason: error.reason)
        }
    }

    private static func exercise(_ bytes: [UInt8], line: Int) throws(CatalogueProblem) -> TrainingExercise {
        var id: String?
        do throws(ExerciseFields.Wrong) {
            let fields = try ExerciseFields(bytes)
            id = fields.knownID
            return try TrainingExercise(fields)
        } catch {
            throw CatalogueProblem(line: line, reason: "exercise\(id.map { " \($0)" } ?? ""): \(error.reason)")
        }
    }

    /// The exercise of an id; nil if there is none.
    public subscript(id: String) -> TrainingExercise? { places[id].map { exercises[$0] } }

    /// The exercises that fit all that is asked, in the order of the file; nil leaves it open.
    /// - Parameters:
    ///   - muscle: one that they work, most or besides.
    ///   - text: a part of their name, in upper or lower case.
    public func exercises(
        muscle: Muscle? = nil, equipment: Equipment? = nil, level: TrainingLevel? = nil, text: String? = nil
    ) -> [TrainingExercise] {
        let text = text?.lowercased()
        return zip(exercises, lowered).filter { exercise, name in
            (muscle.map { exercise.primary.contains($0) || exercise.secondary.contains($0) } ?? true)
                && (equipment.map { exercise.equipment == $0 } ?? true) && (level.map { exercise.level == $0 } ?? true)
                && (text.map { name.contains($0) } ?? true)
        }.map(\.0)
    }
}
