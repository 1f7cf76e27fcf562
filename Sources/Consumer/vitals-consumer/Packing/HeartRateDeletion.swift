import Daemon
import Desk
import Files
import Records
import Telemetry

/// Counts the heart rates that a range hides and that were visible before. Belongs to the thread of its store and keys.
///
/// Where a packed row lies completely in the range, only its outline is read.
struct HiddenCount {
    let user: ID
    private let range: Range<Int64>
    /// The ranges that were hidden before.
    private let before: DeletedRanges
    private var walk: HeartRateWalk
    private(set) var number = 0
    private var milliseconds: UInt64 = 0
    let completion: (Result<Int, VaultError>) -> Void

    /// Counting ends after this much work, in milliseconds: the number is then what was found until then.
    static let limit: UInt64 = 5000

    init(
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
    mutating func goOn(until end: UInt64) throws(VaultError) -> Bool {
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
                isInside(block, page.corrections),
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

    /// Whether all of a row lies in the range, wherever its readings are moved, and none of it in earlier ranges.
    private func isInside(_ block: StoredBlock, _ corrections: Corrections) -> Bool {
        let first = (block.firstHour + corrections.slack.lowerBound) * 3_600_000
        let last = (block.firstHour + block.hoursMore + 1 + corrections.slack.upperBound) * 3_600_000
        return range.lowerBound <= first && last <= range.upperBound && !before.overlaps(first..<last)
    }
}

/// `heart-rate/delete`: a person has a range of their heart rate deleted. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class HeartRateDeletion: @unchecked Sendable {
    private let context: PeopleContext
    private let deletions: Deletions
    private let packing: Packing

    init(_ context: PeopleContext, _ deletions: Deletions, _ packing: Packing) {
        self.context = context
        self.deletions = deletions
        self.packing = packing
    }

    /// What people may ask.
    var verbs: [Verb] {
        [Verb("heart-rate/delete", .later { [self] request in request.answering { try delete(request) } })]
    }

    private func delete(_ request: PeopleRequest) throws {
        let user = try request.user
        let (from, to) = (try Self.time("from", request), try Self.time("to", request))
        guard from < to else { throw ReplyError(.badRequest, "\"from\" has to be before \"to\"", field: "from") }
        guard to <= context.now() else {
            throw ReplyError(.invalid, "what is yet to come cannot be deleted", field: "to")
        }
        guard let before = try deletions.hide(from..<to, of: user) else {
            throw ReplyError(.invalid, "too many ranges that do not touch: delete a longer one", field: "from")
        }
        let count = try HiddenCount(user, from..<to, before: before, context.store, context.keys) {
            switch $0 {
            case .success(let number):
                request.done(["from": .integer(from), "to": .integer(to), "deleted": .integer(Int64(number))])
            case .failure(let error): request.refuse(error)
            }
        }
        packing.remove(count)
    }

    private static func time(_ name: String, _ request: PeopleRequest) throws(ReplyError) -> Int64 {
        guard case .integer(let time)? = request.fields[name], time.magnitude <= Moment.limit.magnitude else {
            throw ReplyError(.badRequest, "\"\(name)\" has to be a time in Unix milliseconds", field: name)
        }
        return time
    }
}
