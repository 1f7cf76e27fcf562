import Accounts
import Daemon
import Desk
import Telemetry

// How fast verification codes can be tried. After each failure a guardian has to wait before the next try of theirs, 1, 2, 4 …
// seconds and at most a quarter of an hour, whomever they try to connect with.
//
// For each address or number, of all guardians together and whether or not it belongs to somebody, there are two shares:
//
// - for accounts that have failed three times there within a day, 30 tries at once and then three an hour;
// - for all others, 200 at once and then three an hour.
//
// So a stranger who goes on trying uses up the first share only, and a guardian who comes with the right code is heard at once. All
// accounts of the world have 144 tries a day: of a code of six digits, that is one in 7,000. Somebody who has made some seventy
// accounts can use up both shares. Against that, the dependent sets a code for one guardian: nobody else is connected with it, and
// that guardian's tries have a share of their own, 30 at once and then three an hour. It is the number's and not the account's: an
// account that is deleted and made again, with the same address, goes on where it was.
//
// What a stranger can use up is that a new guardian is connected at that hour, and nothing else. The dependent signs in and
// does everything as before, their guardians see what they saw, and the dependent is told.

/// Failed tries by guardian and by dependent. Belongs to the session's thread.
struct CodeTries {
    private struct Pair: Hashable {
        let guardian: ID
        let lookup: [UInt8]
    }

    private var guardians = Attempts()
    private var newcomers = Allowance<[UInt8]>(perSecond: 3.0 / 3600, burst: 200)
    private var others = Allowance<[UInt8]>(perSecond: 3.0 / 3600, burst: 30)
    private var expected = Allowance<[UInt8]>(perSecond: 3.0 / 3600, burst: 30)
    /// How often accounts have failed at an address or number within a day, and when first, in milliseconds of the clock.
    private var failedThere: [Pair: (count: Int, since: UInt64)] = [:]
    /// How many tries for a dependent have failed since they were last told, and when they were.
    private var failures: [ID: (count: Int, told: Int64?)] = [:]

    /// After how many failures within how many milliseconds an account is no newcomer at an address or number.
    private static let (patience, memory): (Int, UInt64) = (3, 86_400_000)
    /// After how many failures a dependent is told, and how long they are not told again, in milliseconds.
    private static let (worthTelling, quiet): (Int, Int64) = (10, 86_400_000)
    private static let capacity = 10_000

    /// Begins a try.
    /// - Parameters:
    ///   - lookup: the keyed hash of the dependent's address or number.
    ///   - isExpected: whether the dependent's code is for this guardian alone.
    ///   - clock: milliseconds of a clock that never runs backwards.
    mutating func begin(
        _ guardian: ID, _ lookup: [UInt8], isExpected: Bool = false, clock: UInt64
    ) throws(ReplyError) {
        let name = Array(guardian.text.utf8)
        if case .wait(let seconds)? = guardians.refusal(name, failures: nil, locks: false, now: clock) {
            throw ReplyError(
                .rateLimited, "too many tries: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        let pair = Pair(guardian: guardian, lookup: lookup)
        if let seconds = isExpected ? expected.take(lookup, now: clock) : takeShare(of: pair, clock) {
            let words =
                "too many have tried to connect with this person: try again in \(seconds) s, or ask for a code that is for you alone"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        guardians.began(name)
    }

    /// - Returns: how many seconds to wait; nil if the try may come now.
    private mutating func takeShare(of pair: Pair, _ clock: UInt64) -> Int? {
        guard let known = failedThere[pair], clock < known.since + Self.memory, known.count >= Self.patience else {
            return newcomers.take(pair.lookup, now: clock)
        }
        return others.take(pair.lookup, now: clock)
    }

    mutating func succeeded(_ guardian: ID) { guardians.succeeded(Array(guardian.text.utf8)) }

    /// The try came to no result.
    mutating func abandoned(_ guardian: ID) { guardians.abandoned(Array(guardian.text.utf8)) }

    /// The try has failed.
    /// - Parameters:
    ///   - lookup: as at its beginning.
    ///   - dependent: nil if the address or number belongs to nobody.
    ///   - now: Unix milliseconds.
    /// - Returns: how many tries have failed, if the dependent is to be told.
    mutating func failed(
        _ guardian: ID, _ lookup: [UInt8], for dependent: ID?, clock: UInt64, now: Int64
    ) -> Int? {
        guardians.failed(Array(guardian.text.utf8), now: clock)
        remember(Pair(guardian: guardian, lookup: lookup), clock)
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

    private mutating func remember(_ pair: Pair, _ clock: UInt64) {
        if failedThere[pair] == nil, failedThere.count >= Self.capacity {
            failedThere = failedThere.filter { clock < $0.value.since + Self.memory }
            // Those who are forgotten have the newcomers' share again, which is no larger for that.
            if failedThere.count >= Self.capacity { failedThere = [:] }
        }
        if let known = failedThere[pair], clock < known.since + Self.memory {
            failedThere[pair] = (known.count + 1, known.since)
        } else {
            failedThere[pair] = (1, clock)
        }
    }
}
