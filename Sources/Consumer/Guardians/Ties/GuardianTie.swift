import Files
import Records
package import Telemetry

/// What a dependent may let a guardian see.
package enum Sight: String, CaseIterable, Sendable {
    /// Where they are.
    case location
    /// Whether they stand still, walk, run, cycle or drive, and how much they exercise.
    case motion
    /// How many steps they made today, and how far they went.
    case steps
    /// Whether their heart rate is out of a range: alerts only.
    case heartRate = "heart_rate"
}

/// A guardian, as their dependent has them.
package struct GuardianTie: Equatable, Sendable {
    package let guardian: ID
    /// When they were connected, in Unix milliseconds.
    package let since: Int64
    /// Nothing, until the dependent says so.
    package var allowed: Set<Sight> = []

    package init(guardian: ID, since: Int64, allowed: Set<Sight> = []) {
        (self.guardian, self.since, self.allowed) = (guardian, since, allowed)
    }
}

/// A person's guardians: the document "guardians". However full, it stays below the 64 KiB of a document.
package struct GuardianList: Equatable {
    package static let document = "guardians"
    package static let most = 16
    package static let mostBlocked = 50

    /// In the order in which they were connected, which is the one in which they are alerted.
    package internal(set) var ties: [GuardianTie] = []
    /// People who cannot become guardians.
    package internal(set) var blocked: [ID] = []

    package func tie(_ guardian: ID) -> GuardianTie? { ties.first { $0.guardian == guardian } }

    mutating func allow(_ sights: [Sight: Bool], _ guardian: ID) {
        for index in ties.indices where ties[index].guardian == guardian {
            for (sight, isAllowed) in sights {
                if isAllowed { ties[index].allowed.insert(sight) } else { ties[index].allowed.remove(sight) }
            }
        }
    }

    mutating func remove(_ guardian: ID) { ties.removeAll { $0.guardian == guardian } }
}

// MARK: The document

extension GuardianList {
    init(kept json: JSON?) {
        if case .array(let entries)? = json?["guardians"] { ties = entries.compactMap(GuardianTie.init) }
        if case .array(let entries)? = json?["blocked"] { blocked = entries.compactMap(ID.init(kept:)) }
    }

    var json: JSON {
        .object(present: [
            "guardians": .array(ties.map(\.json)),
            "blocked": blocked.isEmpty ? nil : .array(blocked.map { .string($0.text) }),
        ])
    }
}

extension GuardianTie {
    fileprivate init?(_ json: JSON) {
        guard let guardian = json["guardian"].flatMap(ID.init(kept:)), case .integer(let since)? = json["since"] else {
            return nil
        }
        self.init(guardian: guardian, since: since, allowed: Set(Sight.allCases.filter { json[$0.rawValue] == true }))
    }

    fileprivate var json: JSON {
        .object([JSON.Member("guardian", .string(guardian.text)), JSON.Member("since", .integer(since))] + consents)
    }

    /// What is allowed and what is not, as requests spell it.
    var consents: [JSON.Member] { Sight.allCases.map { JSON.Member($0.rawValue, .bool(allowed.contains($0))) } }
}
