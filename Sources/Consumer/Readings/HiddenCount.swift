import Daemon
package import Files
import Packed
package import Records
package import Telemetry

/// Counts the heart rates that a range hides and that were visible before. Belongs to the thread of its store and keys.
///
/// If a packed row is completely in the range, only its outline is read.
package struct HiddenCount {
    package let user: ID
    private let range: Range<Int64>
    /// The ranges that were hidden before.
    private let before: DeletedRanges
    private var walk: HeartRateWalk
    package private(set) var number = 0
    private var milliseconds: UInt64 = 0
    package let completion: (Result<Int, VaultError>) -> Void

    /// Counting ends after this much work, in milliseconds: the number is then what was found until then.
    package static let limit: UInt64 = 5000

    package init(
        _ user: ID, _ range: Range<Int64>, before: DeletedRanges, _ store: Store, _ keys: Keys,
        completion: @escaping (Result<Int, VaultError>) -> Void
    ) throws(VaultError) {
        self.user = user
        self.range = range
        self.before = before
        self.completion = completion
        walk = try HeartRateWalk(user, DeletedRanges([range]), store, keys)
    }

    /// - Parameter end: milliseconds of the monotonic clock.
    /// - Returns: whether there is more.
    package mutating func goOn(until end: UInt64) throws(VaultError) -> Bool {
        let begun = millisecondsSinceBoot()
        defer { milliseconds += millisecondsSinceBoot() - begun }
        repeat {
            guard milliseconds + (millisecondsSinceBoot() - begun) < Self.limit, let page = try walk.next() else {
                return false
            }
            try count(page)
        } while millisecondsSinceBoot() < end
        return true
    }

    private mutating func count(_ page: HeartRateWalk.Page) throws(VaultError) {
        let foreign = try walk.store.foreignTimes(of: page.stream)
        var reader = StreamReader(page.stream, page.person, walk.store)
        for block in page.blocks {
            if let group = PackedGroup(block, of: page.stream.number), foreign.isEmpty,
                isInside(block, page.slack),
                let outline = try reader.outline(group)
            {
                number += outline.parts.reduce(0) { $0 + ($1.kind == .heartRate ? $1.count : 0) }
                continue
            }
            for found in try reader.readings(of: block) ?? [] where found.reading.kind == .heartRate {
                let wall = page.corrections.corrected(found.reading.moment, of: found.boot)
                guard range.contains(wall), !before.contains(wall), !foreign.contains(where: { $0.contains(wall) })
                else { continue }
                number += 1
            }
        }
    }

    /// Whether all of a row is in the range, wherever its readings are moved, and none of it in earlier ranges.
    private func isInside(_ block: StoredBlock, _ slack: ClosedRange<Int64>) -> Bool {
        let first = (block.firstHour + slack.lowerBound) * 3_600_000
        let last = (block.firstHour + block.hoursMore + 1 + slack.upperBound) * 3_600_000
        return range.lowerBound <= first && last <= range.upperBound && !before.overlaps(first..<last)
    }
}
