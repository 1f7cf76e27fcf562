import Files
import Telemetry

/// A reply to `workouts/list`: lines, the latest first, as many as there may be, and as long as they may be.
struct LinesPage {
    private let limit: Int
    private let fields: LineFields?
    private let gear: GearList
    private var lines = [UInt8(ascii: "[")]
    private var count = 0
    /// When those that follow began, at the latest, and a millisecond; nil if none follow.
    private var next: Int64?

    /// - Parameters:
    ///   - limit: how many lines there are at most.
    ///   - fields: which fields of each; all of them if it is nil.
    ///   - gear: that of the person.
    init(limit: Int, fields: LineFields?, gear: GearList) {
        (self.limit, self.fields, self.gear) = (limit, fields, gear)
    }

    /// Adds a line, unless it cannot be read.
    /// - Returns: false if there was no room for it.
    mutating func add(_ line: WorkoutLine, _ asked: WorkoutHistory.Asked) throws(VaultError) -> Bool {
        guard let bytes = try bytes(line, asked) else { return true }
        guard count < limit, lines.count + bytes.count < WorkoutHistory.longestReply else {
            next = line.started + 1
            return false
        }
        if count > 0 { lines.append(UInt8(ascii: ",")) }
        lines += bytes
        count += 1
        return true
    }

    /// What is wanted of a line; nil if it cannot be read.
    private func bytes(_ line: WorkoutLine, _ asked: WorkoutHistory.Asked) throws(VaultError) -> [UInt8]? {
        var figures = line.figures
        if figures == nil { figures = try asked.figures(line.id)?.bytes[...] }
        guard let figures else { return nil }
        let whole = gear.json(of: line.gear).map { JSON.written(Array(figures)).with("gear", $0).bytes[...] } ?? figures
        guard let fields else { return Array(whole) }
        var bytes: [UInt8] = []
        do throws(StrictJSON.Fault) { try fields.append(whole, to: &bytes) } catch { return nil }
        return bytes
    }

    /// `{"workouts":[…],"next_to":…}`
    var json: JSON {
        .object(present: [
            "workouts": .written(lines + [UInt8(ascii: "]")]), "next_to": next.map { .integer($0) },
        ])
    }
}
