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

        /// Five minutes with their figures.
        var windows: [(from: Int64, figures: JSON)] {
            figures.list("windows").compactMap { window in
                window.whole("from").flatMap { times.contains(Int64($0)) ? (Int64($0), window) : nil }
            }
        }

        /// The times of the windows without figures, neighbours together.
        var missing: [Range<Int64>] {
            var (missing, next): ([Range<Int64>], Int64) = ([], times.lowerBound)
            for (from, _) in windows {
                if next < from { missing.append(next..<from) }
                next = max(next, from + NightVariability.windowMilliseconds)
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
            return Night(figures: figures, times: times, beats: try office.intervals(times.lowerBound, times.upperBound))
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
        guard case .object(let figures) = night.figures else { return night.figures }
        let missing = night.missing.map { JSON.object(present: ["from": .integer($0.lowerBound), "to": .integer($0.upperBound)]) }
        return .object(figures + [JSON.Member("missing", .array(missing))])
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
        func pieces(_ field: String) -> [Graph.Piece] {
            night.windows.compactMap { from, figures in
                figures.double(field).map { piece(from, NightVariability.windowMilliseconds, $0) }
            }
        }
        var text = ""
        if !night.beats.isEmpty {
            let beats = night.beats.map { piece($0.time, Int64($0.milliseconds), Double($0.milliseconds)) }
            text += graph("Time between beats (ms), \(words)", beats, longestGap: 60_000)
        }
        for (name, found) in [("RMSSD", pieces("rmssd_ms")), ("SDNN", pieces("sdnn_ms"))] where !found.isEmpty {
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
            ("Windows", "\(night.windows.count)"),
        ]
    }
}
