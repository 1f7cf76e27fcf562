import Daemon
import Fitness
import Telemetry

// `vitals heart-rate night`: the beats of a night one after the other, and how much the time between them varies, in windows of five
// minutes (Task Force of the ESC and NASPE 1996). The consumer sends the intervals; which of them are valid is decided as in
// `heart-rate/variability`.

/// Draws a night's tachogram and variability.
struct HeartRateNight {
    /// Five minutes of a night.
    private struct Window {
        let from: Int64
        let to: Int64
        var sums = HeartRateVariability.Sums()

        /// Its figures; nil if valid beats cover less than half of it.
        var summary: HeartRateVariability.Summary? {
            let summary = sums.summary
            guard let mean = summary.meanMilliseconds, Double(summary.beats) * mean * 2 >= Double(to - from) else {
                return nil
            }
            return summary
        }
    }

    private static let window: Int64 = 300_000

    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func draw() throws -> ExitCode {
        let night = try night()
        let intervals = try Office.visit(call) { try $0.intervals(night.lowerBound, night.upperBound) }
        let windows = Self.windows(night, intervals)
        guard !call.isJSON else {
            try Output.write(Self.json(night, intervals, windows).line)
            return .ok
        }
        let words = "\(LocalTime.full(night.lowerBound)) to \(LocalTime.full(night.upperBound))"
        guard !intervals.isEmpty else {
            Output.note(BeatInterval.areMissing(words))
            return .ok
        }
        try Output.write(Self.text(night, words, intervals, windows, Paper()))
        return .ok
    }

    // MARK: Which night

    /// From the evening before the day that the command line names until its morning.
    private func night() throws -> Range<Int64> {
        guard let day = try arguments.optionalDay("DAY") ?? CalendarDay.today else {
            throw Failure(.usage, "this machine's clock shows no day", hint: "name it: vitals heart-rate night 2026-11-21")
        }
        let (begin, end) = (try clock("from"), try clock("to"))
        // From 01:00 to 05:00 is all on one day.
        let evening = begin < end ? day : day.advanced(by: -1)
        guard let from = LocalMoment("\(evening) \(begin)", now: 0)?.start,
            let to = LocalMoment("\(day) \(end)", now: 0)?.start, from < to
        else { throw arguments.refusal(of: "from", "is not a time before --to") }
        return from..<to
    }

    /// A time of day, as `22:00`.
    private func clock(_ option: String) throws -> String {
        let text = try arguments.string(option)
        guard text.wholeMatch(of: #/([01][0-9]|2[0-3]):[0-5][0-9]/#) != nil else {
            throw arguments.refusal(of: option, "expected a time of day such as 22:00, found \(escaped(text))")
        }
        return text
    }

    // MARK: Figures

    private static func windows(_ night: Range<Int64>, _ intervals: [BeatInterval]) -> [Window] {
        var windows = stride(from: night.lowerBound, to: night.upperBound, by: Int64.Stride(window)).map { from in
            Window(from: from, to: min(from + window, night.upperBound))
        }
        for reading in BeatInterval.readings(intervals) where night.contains(reading.time) {
            windows[Int((reading.time - night.lowerBound) / window)].sums.add(reading.intervals, at: reading.time)
        }
        return windows
    }

    private static func summary(_ intervals: [BeatInterval]) -> HeartRateVariability.Summary {
        var sums = HeartRateVariability.Sums()
        for reading in BeatInterval.readings(intervals) { sums.add(reading.intervals, at: reading.time) }
        return sums.summary
    }

    /// Neighbouring windows without figures, from the first to the last.
    private static func missing(_ windows: [Window]) -> [Range<Int64>] {
        var missing: [Range<Int64>] = []
        for window in windows where window.summary == nil {
            if let last = missing.last, last.upperBound == window.from {
                missing[missing.count - 1] = last.lowerBound..<window.to
            } else {
                missing.append(window.from..<window.to)
            }
        }
        return missing
    }

    // MARK: Showing

    private static func json(_ night: Range<Int64>, _ intervals: [BeatInterval], _ windows: [Window]) -> JSON {
        func figures(_ summary: HeartRateVariability.Summary) -> [JSON.Member] {
            func rounded(_ value: Double?) -> JSON? { value.map { .number(($0 * 10).rounded() / 10) } }
            let members: KeyValuePairs<String, JSON?> = [
                "beats": .integer(Int64(summary.beats)), "mean_rr_ms": rounded(summary.meanMilliseconds),
                "rmssd_ms": rounded(summary.rmssd), "sdnn_ms": rounded(summary.sdnn),
            ]
            return members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
        }
        func span(_ from: Int64, _ to: Int64) -> [JSON.Member] {
            [JSON.Member("from", .integer(from)), JSON.Member("to", .integer(to))]
        }
        let shown = windows.compactMap { window in
            window.summary.map { JSON.object(span(window.from, window.to) + figures($0)) }
        }
        let missing = missing(windows).map { JSON.object(span($0.lowerBound, $0.upperBound)) }
        return .object(
            span(night.lowerBound, night.upperBound) + figures(summary(intervals)) + [
                JSON.Member("windows", .array(shown)), JSON.Member("missing", .array(missing)),
            ])
    }

    private static func text(
        _ night: Range<Int64>, _ words: String, _ intervals: [BeatInterval], _ windows: [Window], _ paper: Paper
    ) -> String {
        func graph(_ title: String, _ pieces: [Graph.Piece], longestGap: Int64) -> String {
            let graph = Graph(
                from: night.lowerBound, to: night.upperBound, pieces: pieces, longestGap: longestGap)
            return paper.style.bold(title) + "\n" + graph.drawn(on: paper)
        }
        func pieces(_ value: (HeartRateVariability.Summary) -> Double?) -> [Graph.Piece] {
            windows.compactMap { window in
                window.summary.flatMap(value).map {
                    Graph.Piece(from: window.from, to: window.to, min: $0, mean: $0, max: $0)
                }
            }
        }
        let beats = intervals.map { beat in
            let value = Double(beat.milliseconds)
            return Graph.Piece(from: beat.time, to: beat.time + Int64(beat.milliseconds), min: value, mean: value, max: value)
        }
        var text = graph("Time between beats (ms), \(words)", beats, longestGap: 60_000)
        for (name, found) in [("RMSSD", pieces(\.rmssd)), ("SDNN", pieces(\.sdnn))] where !found.isEmpty {
            text += "\n" + graph("\(name) (ms), in windows of 5 min", found, longestGap: 0)
        }
        let whole = summary(intervals)
        let mean = { (pieces: [Graph.Piece]) -> String? in
            pieces.isEmpty ? nil : milliseconds(pieces.reduce(0) { $0 + $1.mean } / Double(pieces.count))
        }
        text += "\n" + lines([
            ("Beats", grouped(whole.beats)), ("Mean RR", whole.meanMilliseconds.map(milliseconds)),
            ("RMSSD", mean(pieces(\.rmssd)).map { "\($0), mean of the windows" }),
            ("SDNN", mean(pieces(\.sdnn)).map { "\($0), mean of the windows" }),
            ("Windows", "\(windows.count { $0.summary != nil }) of \(windows.count)"),
        ])
        let gaps = missing(windows).map { gap in
            "\(LocalTime.timeOfDay(gap.lowerBound).prefix(5)) to \(LocalTime.timeOfDay(gap.upperBound).prefix(5))"
        }
        guard !gaps.isEmpty else { return text }
        let most = 12
        let more = gaps.count > most ? ["and \(gaps.count - most) more"] : []
        return text + "Missing, because beats cover less than half of these times:\n"
            + paper.wrapped(Array(gaps.prefix(most)) + more)
    }

    private static func milliseconds(_ value: Double) -> String { "\(decimal(value, 1)) ms" }
}
