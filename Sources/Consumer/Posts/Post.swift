import Exercise
import Records
import Telemetry

/// What somebody shows others: a text, a picture, and figures of their week as they were when it was posted, or a workout, whose figures
/// are its own. It is never changed afterwards, except for its thumbs.
struct Post: Equatable {
    /// A week's figures.
    struct Week: Equatable {
        var workouts: Int64 = 0
        var seconds: Int64 = 0
        /// The titles of what the person has chosen for the week.
        var selection: [String] = []
        var muscles: [String] = []
    }

    let id: ID
    let author: ID
    /// Unix milliseconds.
    let time: Int64
    var text = ""
    var week = Week()
    /// The workout that it shows instead of the week.
    var workout: WorkoutForOthers?
    /// Whether there is a picture, which has a row of its own.
    var hasPicture = false
    var isForFriends = false
    var groups: [ID] = []
    var ups: Int64 = 0
    var downs: Int64 = 0
    /// Whether the operator has looked at it and lets it stay.
    var isJudged = false
}

// MARK: Rules

extension Post {
    /// How many of a person's are kept: a new one takes the place of the oldest.
    static let most = 100
    /// How many a person may post within 24 hours.
    static let mostInDay = 10
    /// To how many groups one may go.
    static let mostGroups = 20
    /// No text is longer, in characters and in bytes.
    static let longestText = (characters: 1000, bytes: 4000)
    /// How many titles and how many muscles are kept of the week, and how many bytes of each.
    private static let (mostNames, longestName) = (20, 100)
}

extension Post.Week {
    /// The same within the limits of what a post has.
    var limited: Post.Week {
        func few(_ names: [String]) -> [String] {
            Array(names.filter { $0.utf8.count <= Post.longestName }.prefix(Post.mostNames))
        }
        return Post.Week(workouts: workouts, seconds: seconds, selection: few(selection), muscles: few(muscles))
    }
}

// MARK: As it is kept

extension Post {
    /// - Parameter time: as the row has it in the clear; nil is made of a row that somebody has given another time.
    init?(id: ID, of author: ID, at time: Int64, kept json: JSON) {
        guard case .string(let text)? = json["text"], json["time"] == .integer(time) else { return nil }
        let workout = WorkoutForOthers(kept: json["shown_workout"])
        guard workout != nil || json["workouts"] != nil && json["duration_s"] != nil else { return nil }
        func texts(_ name: String) -> [String] {
            guard case .array(let elements)? = json[name] else { return [] }
            return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        func count(_ name: String) -> Int64 { if case .integer(let count)? = json[name] { count } else { 0 } }
        self.init(
            id: id, author: author, time: time, text: text,
            week: Week(
                workouts: count("workouts"), seconds: count("duration_s"), selection: texts("selection"),
                muscles: texts("muscles")), workout: workout,
            hasPicture: json["picture"] == true, isForFriends: json["friends"] == true,
            groups: texts("groups").compactMap(ID.init(kept:)), ups: count("ups"), downs: count("downs"),
            isJudged: json["judged"] == true)
    }

    var kept: JSON {
        .object(
            figures + (workout.map { [JSON.Member("shown_workout", $0.json)] } ?? []) + [
                JSON.Member("time", .integer(time)), JSON.Member("friends", .bool(isForFriends)),
                JSON.Member("groups", .array(groups.map { .string($0.text) })), JSON.Member("judged", .bool(isJudged)),
            ])
    }

    /// What everybody who sees it sees, and the operator if it is reported; without those of a workout.
    var figures: [JSON.Member] {
        [JSON.Member("text", .string(text))] + (workout == nil ? week.members : []) + [
            JSON.Member("picture", .bool(hasPicture)), JSON.Member("ups", .integer(ups)),
            JSON.Member("downs", .integer(downs)),
        ]
    }
}

extension Post.Week {
    fileprivate var members: [JSON.Member] {
        [
            JSON.Member("workouts", .integer(workouts)), JSON.Member("duration_s", .integer(seconds)),
            JSON.Member("selection", .array(selection.map(JSON.string))),
            JSON.Member("muscles", .array(muscles.map(JSON.string))),
        ]
    }
}

extension ID {
    /// An id that was kept as text; nil if it is none.
    init?(kept text: String) { self.init(kept: JSON.string(text)) }
}
