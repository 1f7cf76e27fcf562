import Daemon
import Fitness
import Telemetry

// `vitals heart-rate night`: the figures of a night, as the consumer has them, and what they were made of: the beats one after the other,
// and how much the time between them varies, in windows of five minutes.

/// Draws a night's tachogram and variability.
struct HeartRateNight {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// A night as the consumer has it, and its beats.
    private struct Night {
        let figures: JSON
        let times: Range<Int64>
        let beats: [BeatInterval]
        let windows: [NightVariability.Window]

        init(_ figures: JSON, _ times: Range<Int64>, _ beats: [BeatInterval]) {
            (self.figures, self.times, self.beats) = (figures, times, beats)
            var night = NightVariability()
            for reading in BeatInterval.readings(beats) { night.add(reading.intervals, at: reading.time) }
            night.finish()
            windows = night.windows
        }

        /// The times of the windows without figures, neighbours together.
        var missing: [Range<Int64>] {
            var (missing, next): ([Range<Int64>], Int64) = ([], times.lowerBound)
            for window in windows {
                if next < window.from { missing.append(next..<window.from) }
                next = max(next, window.from + NightVariability.windowMilliseconds)
            }
            return next < times.upperBound ? missing + [next..<times.upperBound] : missing
        }
    }

    func draw() throws -> ExitCode {
        let day = try arguments.optionalDay("DAY")
        let fields: [(String, JSON?)] = [
            ("day", day.map { .string("\($0)") }), ("begin", .string(try clock("from"))), ("end", .string(try clock("to"))),
        ]
        let night = try Office.visit(call) { office -> Night? in
            let figures = try office.ask("heart-rate/night", fields)
            guard let from = figures.whole("from"), let to = figures.whole("to"), from < to else { return nil }
            let times = Int64(from)..<Int64(to)
            return Night(figures, times, try office.intervals(times.lowerBound, times.upperBound))
        }
        guard let night else {
            Output.note("there was no such night: the calendar left that day out")
            return .ok
        }
        guard !call.isJSON else {
            try Output.write(Self.json(night).line)
            return .ok
        }
        let words = "\(LocalTime.full(night.times.lowerBound)) to \(LocalTime.full(night.times.upperBound))"
        if night.beats.isEmpty { Output.note(BeatInterval.areMissing(words)) }
        try Output.write(Self.text(night, words, Paper()))
        return .ok
    }

    /// A time of day, as `22:00`.
    private func clock(_ option: String) throws -> String {
        let text = try arguments.string(option)
        guard text.wholeMatch(of: #/([01][0-9]|2[0-3]):[0-5][0-9]/#) != nil else {
            throw arguments.refusal(of: option, "expected a time of day such as 22:00, found \(escaped(text))")
        }
        return text
    }

    // MARK: Showing

    private static func json(_ night: Night) -> JSON {
        func rounded(_ value: Double?) -> JSON? { value.map { .number(($0 * 10).rounded() / 10) } }
        let windows = night.windows.map { window in
            JSON.object(present: [
                "from": .integer(window.from), "beats": .integer(Int64(window.summary.beats)),
                "mean_rr_ms": rounded(window.summary.meanMilliseconds), "rmssd_ms": rounded(window.summary.rmssd),
                "sdnn_ms": rounded(window.summary.sdnn),
            ])
        }
        let missing = night.missing.map { JSON.object(present: ["from": .integer($0.lowerBound), "to": .integer($0.upperBound)]) }
        guard case .object(let figures) = night.figures else { return night.figures }
        return .object(
            figures.filter { $0.name != "windows" }
                + [JSON.Member("windows", .array(windows)), JSON.Member("missing", .array(missing))])
    }

    private static func text(_ night: Night, _ words: String, _ paper: Paper) -> String {
        func graph(_ title: String, _ pieces: [Graph.Piece], longestGap: Int64) -> String {
            let graph = Graph(
                from: night.times.lowerBound, to: night.times.upperBound, pieces: pieces, longestGap: longestGap)
            return paper.style.bold(title) + "\n" + graph.drawn(on: paper) + "\n"
        }
        func piece(_ from: Int64, _ length: Int64, _ value: Double) -> Graph.Piece {
            Graph.Piece(from: from, to: from + length, min: value, mean: value, max: value)
        }
        func pieces(_ value: (HeartRateVariability.Summary) -> Double?) -> [Graph.Piece] {
            night.windows.compactMap { window in
                value(window.summary).map { piece(window.from, NightVariability.windowMilliseconds, $0) }
            }
        }
        var text = ""
        if !night.beats.isEmpty {
            let beats = night.beats.map { piece($0.time, Int64($0.milliseconds), Double($0.milliseconds)) }
            text += graph("Time between beats (ms), \(words)", beats, longestGap: 60_000)
        }
        for (name, found) in [("RMSSD", pieces(\.rmssd)), ("SDNN", pieces(\.sdnn))] where !found.isEmpty {
            text += graph("\(name) (ms), in windows of 5 min", found, longestGap: 0)
        }
        text += lines(rows(night))
        let gaps = night.missing.map { gap in
            "\(LocalTime.timeOfDay(gap.lowerBound).prefix(5)) to \(LocalTime.timeOfDay(gap.upperBound).prefix(5))"
        }
        guard !gaps.isEmpty, !night.beats.isEmpty else { return text }
        let most = 12
        let more = gaps.count > most ? ["and \(gaps.count - most) more"] : []
        return text + "Missing, because beats cover less than half of these times:\n"
            + paper.wrapped(Array(gaps.prefix(most)) + more)
    }

    private static func rows(_ night: Night) -> [(String, String?)] {
        let figures = night.figures
        func milliseconds(_ field: String) -> String? { figures.double(field).map { "\(decimal($0, 1)) ms" } }
        func beats(_ value: Double?) -> String? { value.map { "\(decimal($0, 1)) bpm" } }
        guard let recorded = figures.whole("recorded_s") else {
            return [("Figures", "none: less than \(NightFigures.least / 3600) hours of heart rate are recorded")]
        }
        let lowest = figures["lowest"]
        let when = lowest?.whole("time").map { ", half an hour from \(LocalTime.timeOfDay(Int64($0)).prefix(5)) on" }
        return [
            ("Recorded", spell(seconds: recorded)), ("Mean", beats(figures.double("mean"))),
            ("Lowest", beats(lowest?.double("bpm")).map { $0 + (when ?? "") }),
            ("Below the day", figures.double("dip_percent").map { "\(decimal($0, 1)) %" }),
            ("RMSSD", milliseconds("rmssd_ms").map { "\($0), median of the windows" }),
            ("7 nights", milliseconds("rmssd_trend_ms")), ("SDNN", milliseconds("sdnn_ms").map { "\($0), mean of the windows" }),
            ("Windows", figures.whole("windows").map { "\($0)" }),
        ]
    }
}
