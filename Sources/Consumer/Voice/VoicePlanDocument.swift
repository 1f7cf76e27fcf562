import Files
import Records
import Telemetry
import Workouts

/// What a person wants to hear, as it is kept: the document "voice". A person who has chosen nothing has none.
struct VoicePlanDocument {
    static let name = "voice"
    let documents: Documents

    func read(_ user: ID) throws(VaultError) -> SpeakingPlan {
        try documents.read(Self.name, of: user).flatMap(SpeakingPlan.init(kept:)) ?? .usual
    }

    /// Keeps it, within a transaction.
    func write(_ plan: SpeakingPlan, of user: ID) throws(VaultError) {
        try documents.write(.object(plan.members), Self.name, of: user)
    }
}

extension SpeakingPlan {
    /// `"minutes":5`, `"kilometres":1` or `"miles":1`, and `"say":["duration",…]`.
    var members: [JSON.Member] {
        let every =
            switch interval {
            case .minutes(let count): JSON.Member("minutes", .integer(Int64(count)))
            case .kilometres(let length): JSON.Member("kilometres", .number(length))
            case .miles(let length): JSON.Member("miles", .number(length))
            }
        return [every, JSON.Member("say", .array(contents.map { .string($0.rawValue) }))]
    }

    fileprivate init?(kept json: JSON) {
        let interval: SpokenInterval
        if case .integer(let minutes)? = json["minutes"], let minutes = Int(exactly: minutes) {
            interval = .minutes(minutes)
        } else if let length = json["kilometres"]?.double {
            interval = .kilometres(length)
        } else if let length = json["miles"]?.double {
            interval = .miles(length)
        } else {
            return nil
        }
        guard case .array(let names)? = json["say"] else { return nil }
        let contents = names.compactMap { name -> SpokenContent? in
            guard case .string(let text) = name else { return nil }
            return SpokenContent(rawValue: text)
        }
        self.init(interval, contents)
    }
}
