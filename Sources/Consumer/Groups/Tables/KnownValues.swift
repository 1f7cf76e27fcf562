import Telemetry

/// What people have done in challenges, as far as it was read.
struct KnownValues {
    /// What a value is of: two challenges of the same days and the same measure have the same.
    struct Span: Hashable, Sendable {
        let measure: Challenge.Measure
        let first: Int64
        let last: Int64

        init(_ challenge: Challenge) {
            measure = challenge.measure
            (first, last) = (challenge.days.lowerBound.daysSince1970, challenge.days.upperBound.daysSince1970)
        }
    }

    private struct Known {
        var value: Int64
        /// Whether nothing has changed since it was read.
        var isFresh: Bool
    }

    private var known: [ID: [Span: Known]] = [:]
    /// How many values of a person are remembered: those of challenges that are over are not read again.
    private static let most = 4 * MembershipList.most
    /// How often something about a person has changed.
    private var changes: [ID: Int] = [:]

    /// A value, which may be a little old; nil if none was read.
    func value(of user: ID, in challenge: Challenge) -> Int64? { known[user]?[Span(challenge)]?.value }

    func isFresh(_ user: ID, in challenge: Challenge) -> Bool { known[user]?[Span(challenge)]?.isFresh ?? false }

    /// Goes with a value that is about to be read.
    func changes(of user: ID) -> Int { changes[user] ?? 0 }

    /// Takes a value that was read.
    /// - Parameter before: how often something had changed before.
    mutating func take(_ value: Int64, of user: ID, in challenge: Challenge, before: Int) {
        if known[user]?.count ?? 0 >= Self.most { known[user] = nil }
        known[user, default: [:]][Span(challenge)] = Known(value: value, isFresh: before == changes(of: user))
    }

    /// Something about a person has changed: what is known of them may be old.
    mutating func changed(_ user: ID) {
        changes[user, default: 0] += 1
        for span in known[user]?.keys ?? [:].keys { known[user]?[span]?.isFresh = false }
    }

    /// Nothing is remembered of a person any longer. What is being read of them at this moment is old.
    mutating func forget(_ user: ID) {
        known[user] = nil
        changes[user, default: 0] += 1
    }
}
