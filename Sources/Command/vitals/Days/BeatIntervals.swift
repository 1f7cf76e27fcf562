import Telemetry

/// The time between two beats, and when the sensor sent it.
struct BeatInterval {
    /// Unix milliseconds.
    let time: Int64
    let milliseconds: Int

    /// Why there may be none.
    static func areMissing(_ period: String) -> String {
        "no intervals between beats were recorded from \(period): does the sensor send them?"
    }

    /// The same as readings: a sensor sends several intervals at once.
    static func readings(_ all: [BeatInterval]) -> [(time: Int64, intervals: [Double])] {
        var readings: [(time: Int64, intervals: [Double])] = []
        for beat in all {
            if readings.last?.time == beat.time {
                readings[readings.count - 1].intervals.append(Double(beat.milliseconds))
            } else {
                readings.append((beat.time, [Double(beat.milliseconds)]))
            }
        }
        return readings
    }
}

extension Office {
    /// The intervals of a period of at most 24 hours, in as many requests as it takes.
    /// - Parameter each: gets those of each reply; what it throws ends it.
    func intervals(_ from: Int64, _ to: Int64, each: ([BeatInterval]) throws -> Void) throws {
        var from = from
        while true {
            let part = try ask("heart-rate/intervals", [("from", .integer(from)), ("to", .integer(to))])
            try each(
                zip(part.list("time"), part.list("rr_ms")).compactMap { time, interval in
                    guard case .integer(let time) = time, case .integer(let interval) = interval else { return nil }
                    return BeatInterval(time: time, milliseconds: Int(interval))
                })
            guard let next = part.whole("next").map(Int64.init), from < next, next < to else { return }
            from = next
        }
    }

    /// The same, all of them together.
    func intervals(_ from: Int64, _ to: Int64) throws -> [BeatInterval] {
        var all: [BeatInterval] = []
        try intervals(from, to) { all += $0 }
        return all
    }
}
