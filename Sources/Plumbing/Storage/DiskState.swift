public import Files

/// Whether a disk accepts what a program writes, and when to tell people: when it stops, when it refuses for another
/// reason, once an hour for as long as that lasts, and when it works again, however often it is tried in between.
///
/// A full disk often accepts a little for a while, such as what fits into a log that was just emptied. So it counts as
/// working again only when it has accepted something and refused nothing for ten seconds.
public struct DiskState: Sendable {
    /// What is wrong with it.
    public enum Condition: String, Sendable {
        /// Nothing.
        case ok
        /// It has no space left.
        case full
        /// It refuses for another reason, such as a damaged card or a read-only file system.
        case failing
        /// Nothing: another program holds the database's lock for too long.
        case locked
    }

    /// What is wrong now.
    public private(set) var condition = Condition.ok
    /// Since when something has been wrong, Unix milliseconds; nil if nothing is.
    public private(set) var since: Int64?
    /// Whether it has accepted the latest write.
    public private(set) var hasTaken = true
    private var lastRefusal: UInt64 = 0
    private var lastTold: UInt64?
    /// The reason that was reported last.
    private var toldReason: VaultError.Reason?

    /// How long it must refuse nothing, in milliseconds.
    private static let calm: UInt64 = 10_000
    private static let betweenChanges: UInt64 = 60_000
    /// How long until the same problem is reported again, in milliseconds.
    private static let betweenReminders: UInt64 = 3_600_000

    /// A disk that works.
    public init() {}

    /// Something was not written.
    /// - Parameters:
    ///   - now: milliseconds of a clock that never runs backwards.
    ///   - wall: Unix milliseconds.
    /// - Returns: whether that is news that people should be told.
    public mutating func refused(_ reason: VaultError.Reason, now: UInt64, wall: Int64) -> Bool {
        let found: Condition =
            switch reason {
            case .diskFull: .full
            case .locked: .locked
            default: .failing
            }
        (lastRefusal, hasTaken) = (now, false)
        let isFirst = condition == .ok
        if isFirst { since = wall }
        // A full disk answers in more than one way: another reason is not news within a minute, nor is the same one
        // within an hour.
        let pause = reason == toldReason ? Self.betweenReminders : Self.betweenChanges
        let isNews = isFirst || now >= (lastTold ?? 0) + pause
        // A full disk explains more than any other error that follows from it.
        if isNews || found == .full { condition = found }
        if isNews { (lastTold, toldReason) = (now, reason) }
        return isNews
    }

    /// Something was written. Call it again later, if nothing else is written: it takes ten seconds until the disk
    /// counts as working.
    /// - Returns: for how many seconds the disk had refused, if it counts as working again now; nil otherwise.
    public mutating func took(now: UInt64, wall: Int64) -> Int? {
        hasTaken = true
        guard condition != .ok, now >= lastRefusal + Self.calm else { return nil }
        let seconds = Int(max(0, wall - (since ?? wall)) / 1000)
        (condition, since) = (.ok, nil)
        return seconds
    }
}
