import Telemetry

// Who is read for next. People share the threads that read, and a question may take a moment or seconds. So each person
// is charged the time that their answers took, and the person who was charged least comes first. People who were charged
// much are served on a second thread, where there is one, and so is what may take long for anybody: nobody's short answer
// waits for a long one.

/// Requests that wait to be read for. Belongs to the session's thread.
struct ReadTurns<Work> {
    /// Something that waits, and whose it is.
    private struct Entry {
        let user: ID
        let isLong: Bool
        let work: Work
    }

    /// The result of entering a request.
    enum Entered {
        case waits
        /// The latest request of somebody who had more of them in line, or was charged more, makes room.
        case displaces(Work)
        case refused
    }

    /// Charged time passes at this share of real time.
    private static var share: Double { 0.01 }
    /// Seconds that are charged at most: after that, everybody is as slow.
    private static var most: Double { 60 }
    /// From so many charged seconds on, a person is served with those whose answers take long.
    static var long: Double { 0.25 }
    /// People whose charged time is remembered.
    private static var mostPeople: Int { 10_000 }

    private let capacity: Int
    private let ownCapacity: Int
    private var waiting: [Entry] = []
    /// How many requests of each person wait or are being answered.
    private var counts: [ID: Int] = [:]
    /// Charged seconds, and when that was, in milliseconds.
    private var charged: [ID: (seconds: Double, time: UInt64)] = [:]

    /// - Parameters:
    ///   - capacity: how many may wait.
    ///   - ownCapacity: how many of one person may wait or be answered.
    init(capacity: Int, ownCapacity: Int) { (self.capacity, self.ownCapacity) = (capacity, ownCapacity) }

    /// Adds a request, if there is room.
    /// - Parameter isLong: whether its answer may take long for anybody.
    mutating func enter(_ user: ID, isLong: Bool = false, _ work: Work, now: UInt64) -> Entered {
        guard counts[user, default: 0] < ownCapacity else { return .refused }
        var displaced: Work?
        if waiting.count >= capacity {
            guard let last = displaceable(by: user, now) else { return .refused }
            let entry = waiting.remove(at: last)
            leave(entry.user)
            displaced = entry.work
        }
        waiting.append(Entry(user: user, isLong: isLong, work: work))
        counts[user, default: 0] += 1
        return displaced.map { .displaces($0) } ?? .waits
    }

    /// Where the request is that makes room for a person's: the last of the person who has most in line, or else of the person who was charged
    /// most, if that is much.
    private func displaceable(by user: ID, _ now: UInt64) -> Int? {
        let own = Dictionary(grouping: waiting, by: \.user).mapValues(\.count)
        let most = own.values.max() ?? 0
        if most > own[user, default: 0] + 1 { return waiting.lastIndex { own[$0.user] == most } }
        let charges = own.keys.map { (user: $0, seconds: seconds(of: $0, now)) }
        guard let slowest = charges.max(by: { $0.seconds < $1.seconds }),
            slowest.seconds >= Self.long, seconds(of: user, now) < Self.long
        else { return nil }
        return waiting.lastIndex { $0.user == slowest.user }
    }

    /// Takes what is answered next: of those who were charged least, what has waited longest.
    /// - Parameters:
    ///   - isLong: whether it may take long, or is of people whose answers take long, or is all other; nil for any.
    ///   - now: milliseconds of a clock that never runs backwards.
    mutating func next(isLong: Bool?, now: UInt64) -> (user: ID, work: Work)? {
        var best: (index: Int, seconds: Double)?
        for (index, entry) in waiting.enumerated() {
            let seconds = seconds(of: entry.user, now)
            guard isLong == nil || isLong == (entry.isLong || seconds >= Self.long), seconds < best?.seconds ?? .infinity else {
                continue
            }
            best = (index, seconds)
        }
        guard let best else { return nil }
        let entry = waiting.remove(at: best.index)
        return (entry.user, entry.work)
    }

    /// An answer is made.
    /// - Parameter seconds: how long it took.
    mutating func finished(_ user: ID, seconds: Double, now: UInt64) {
        leave(user)
        if charged.count >= Self.mostPeople, charged[user] == nil {
            charged = charged.filter { self.seconds(of: $0.key, now) > 0 }
            // If all are busy, a newcomer is charged from the next time on.
            guard charged.count < Self.mostPeople else { return }
        }
        charged[user] = (min(Self.most, self.seconds(of: user, now) + seconds), now)
    }

    private mutating func leave(_ user: ID) {
        counts[user] = counts[user].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private func seconds(of user: ID, _ now: UInt64) -> Double {
        guard let charged = charged[user] else { return 0 }
        return max(0, charged.seconds - Double(now &- min(now, charged.time)) / 1000 * Self.share)
    }
}
