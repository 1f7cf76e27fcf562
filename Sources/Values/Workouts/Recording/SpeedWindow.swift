/// The speed over some ten seconds: between two positions a second apart it would be noise. It takes one distance at a
/// time, and keeps some forty of them at most.
struct SpeedWindow: Hashable, Sendable {
    /// How long the window is, in milliseconds.
    static let length: Int64 = 10_000
    /// After a longer silence it is not known how fast it is now, in milliseconds.
    static let longestGap: Int64 = 30_000
    /// What comes sooner than this after the one before is passed over, in milliseconds.
    private static let grain: Int64 = 250

    private struct Mark: Hashable, Sendable {
        var time: Int64
        var metres: Double
    }

    private var marks: [Mark] = []

    /// Nothing yet.
    init() {}

    /// When the speed was last known to be so, in Unix milliseconds.
    var time: Int64? { marks.last?.time }

    /// Metres a second; nil until the window is filled.
    var metresPerSecond: Double? {
        guard let first = marks.first, let last = marks.last, last.time - first.time >= Self.length else { return nil }
        return (last.metres - first.metres) / (Double(last.time - first.time) / 1000)
    }

    /// Takes how far it is from the beginning, in metres, at a time in Unix milliseconds; returns the speed if it has
    /// changed.
    @discardableResult
    mutating func add(metres: Double, at time: Int64) -> Double? {
        if let last = marks.last {
            guard time - last.time >= Self.grain else { return nil }
            if time - last.time > Self.longestGap { cut() }
        }
        marks.append(Mark(time: time, metres: metres))
        // The window begins with the latest one that is ten seconds old.
        while marks.count > 1, marks[1].time <= time - Self.length { marks.removeFirst() }
        return metresPerSecond
    }

    /// Begins another piece of the path.
    mutating func cut() { marks = [] }
}
