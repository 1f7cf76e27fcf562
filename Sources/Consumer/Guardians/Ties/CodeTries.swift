import Accounts
import Daemon
import Desk
import Telemetry

// How fast verification codes can be tried. After each failure a guardian has to wait before the next try of theirs, 1, 2, 4 …
// seconds and at most a quarter of an hour, whomever they try to connect with. For each address or number there are thirty
// tries at once, and then six an hour, of all guardians together and whether or not it belongs to somebody; so many accounts
// find no code either.
//
// What a stranger can use up is that a new guardian is connected at that hour, and nothing else. The dependent signs in and
// does everything as before, their guardians see what they saw, and the dependent is told.

/// Failed tries by guardian and by dependent. Belongs to the session's thread.
struct CodeTries {
    private var guardians = Attempts()
    private var addresses = Allowance<[UInt8]>(perSecond: 6.0 / 3600, burst: 30)
    /// How many tries for a dependent have failed since they were last told, and when they were.
    private var failures: [ID: (count: Int, told: Int64?)] = [:]

    /// After how many failures a dependent is told, and how long they are not told again, in milliseconds.
    private static let (worthTelling, quiet): (Int, Int64) = (10, 86_400_000)
    private static let capacity = 10_000

    /// Begins a try.
    /// - Parameters:
    ///   - lookup: the keyed hash of the dependent's address or number.
    ///   - clock: milliseconds of a clock that never runs backwards.
    mutating func begin(_ guardian: ID, _ lookup: [UInt8], clock: UInt64) throws(ReplyError) {
        let name = Array(guardian.text.utf8)
        if case .wait(let seconds)? = guardians.refusal(name, failures: nil, locks: false, now: clock) {
            throw ReplyError(
                .rateLimited, "too many tries: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        if let seconds = addresses.take(lookup, now: clock) {
            let words = "too many have tried to connect with this person: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        guardians.began(name)
    }

    mutating func succeeded(_ guardian: ID) { guardians.succeeded(Array(guardian.text.utf8)) }

    /// The try came to no result.
    mutating func abandoned(_ guardian: ID) { guardians.abandoned(Array(guardian.text.utf8)) }

    /// The try has failed.
    /// - Parameters:
    ///   - dependent: nil if the address or number belongs to nobody.
    ///   - now: Unix milliseconds.
    /// - Returns: how many tries have failed, if the dependent is to be told.
    mutating func failed(_ guardian: ID, for dependent: ID?, clock: UInt64, now: Int64) -> Int? {
        guardians.failed(Array(guardian.text.utf8), now: clock)
        guard let dependent else { return nil }
        if failures[dependent] == nil, failures.count >= Self.capacity { failures = [:] }
        var entry = failures[dependent] ?? (0, nil)
        entry.count += 1
        let isDue = entry.count >= Self.worthTelling && now >= (entry.told ?? -Moment.limit) + Self.quiet
        let count = entry.count
        if isDue { entry = (0, now) }
        failures[dependent] = entry
        return isDue ? count : nil
    }
}
