import Telemetry

/// One of the recordings that a workout was joined from.
struct WorkoutPart: Equatable, Sendable {
    /// Unix milliseconds.
    let start: Int64
    /// Unix milliseconds, after its last one.
    let end: Int64
    /// Whether it was imported: then what files brought counts first.
    let isImported: Bool

    init(start: Int64, end: Int64, isImported: Bool) {
        (self.start, self.end, self.isImported) = (start, end, isImported)
    }

    /// `[1764400000000,1764403600001,true]`
    var json: JSON { [.integer(start), .integer(end), .bool(isImported)] }

    init?(_ json: JSON) {
        guard case .array(let values) = json, values.count == 3, case .integer(let start) = values[0],
            case .integer(let end) = values[1], case .bool(let isImported) = values[2], start < end
        else { return nil }
        self.init(start: start, end: end, isImported: isImported)
    }

    /// What of it is between two times that belong to it; nil if nothing is.
    func clipped(_ times: ClosedRange<Int64>) -> WorkoutPart? {
        let (first, last) = (max(start, times.lowerBound), min(end, times.upperBound + 1))
        return first < last ? WorkoutPart(start: first, end: last, isImported: isImported) : nil
    }
}
