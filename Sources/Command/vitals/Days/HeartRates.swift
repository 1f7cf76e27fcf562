import Daemon
import Telemetry

// `vitals heart-rate`: what was recorded, from seconds to years, drawn as the person asks. The consumer says how many
// points it can give; the terminal says how many it can show.

/// Shows and deletes heart rates.
struct HeartRates {
    private let call: Call
    private let arguments: Arguments
    /// The longest span for intervals and their variability, in milliseconds.
    private static let longestSpan: Int64 = 24 * 3_600_000

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// A graph of the last hour, unless another time is given.
    func graph() throws -> ExitCode {
        let paper = Paper()
        let period = try Period(arguments, default: 3_600_000)
        let points = try arguments.optionalInteger("points", in: 1...2000)
        let wanted = points ?? (call.isJSON ? nil : Graph.points(on: paper))
        let data = try Office.visit(call) { office in
            try office.ask("heart-rate/graph", period.fields + [("points", wanted.map { .integer(Int64($0)) })])
        }
        guard !call.isJSON else { return try print(data.line) }
        guard let width = data.whole("width_ms"), (1...10_000_000_000_000).contains(width),
            let begin = data.whole("from"), (0...1_000_000_000_000_000).contains(begin)
        else {
            throw Failure(.protocolError, "the consumer's reply has no graph", hint: "--json shows what it has")
        }
        let pieces = Self.pieces(data, Int64(begin), Int64(width))
        guard !pieces.isEmpty else {
            Output.note("no heart rate was recorded from \(period.words)")
            return .ok
        }
        let graph = Graph(from: period.from, to: period.to, pieces: pieces)
        let span = data["span"]
        let (least, most) = (pieces.map(\.min).min() ?? 0, pieces.map(\.max).max() ?? 0)
        var numbers = ["least \(decimal(least, 0))", "most \(decimal(most, 0)) bpm", "each point \(Self.spell(milliseconds: width))"]
        if let mean = span?.double("mean") { numbers.insert("mean \(decimal(mean, 1))", at: 1) }
        if let recorded = span?.whole("recorded_s") { numbers.append("\(vitals.spell(seconds: recorded)) recorded") }
        return try print(
            paper.style.bold("Heart rate, \(period.words)") + "\n" + graph.drawn(on: paper) + paper.wrapped(numbers))
    }

    /// Those that the reply lists, column by column.
    private static func pieces(_ data: JSON, _ begin: Int64, _ width: Int64) -> [Graph.Piece] {
        let (indices, means) = (data.numbers("index"), data.numbers("mean"))
        let (least, most) = (data.numbers("min"), data.numbers("max"))
        let count = min(indices.count, means.count, least.count, most.count)
        return (0..<count).compactMap { column in
            // More points than we asked for never come; an index must not overflow, whatever comes.
            guard (0..<100_000).contains(indices[column]) else { return nil }
            let from = begin + Int64(indices[column]) * width
            return Graph.Piece(
                from: from, to: from + width, min: least[column], mean: means[column], max: most[column])
        }
    }

    private static func spell(milliseconds: Int) -> String {
        switch milliseconds {
        case ..<1000: "\(milliseconds) ms"
        case 86_400_000... where milliseconds % 86_400_000 == 0: "\(milliseconds / 86_400_000) d"
        case 60_000... where milliseconds % 60_000 != 0 && milliseconds < 3_600_000:
            "\(milliseconds / 60_000) min \(milliseconds / 1000 % 60) s"
        default: vitals.spell(seconds: milliseconds / 1000)
        }
    }

    /// What was measured at one moment, or near it.
    func at() throws -> ExitCode {
        let text = try arguments.string("TIME")
        guard let moment = LocalMoment(text, now: unixMilliseconds()) else {
            throw arguments.refusal(of: "TIME", "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        let data = try Office.visit(call) { try $0.ask("heart-rate/at", [("time", .integer(moment.start))]) }
        guard !call.isJSON else { return try print(data.line) }
        var parts = [data.time("time") ?? "-", "\(data["bpm"]?.words ?? "-") bpm"]
        if case .bool(let contact) = data["contact"] { parts.append(contact ? "contact" : "no contact") }
        if !data.list("rr_ms").isEmpty {
            parts.append("RR " + data.list("rr_ms").map(\.words).joined(separator: " ") + " ms")
        }
        return try print(parts.joined(separator: "  ") + "\n")
    }

    /// Lists the times between beats, a line each, in as many requests as it takes.
    func intervals() throws -> ExitCode {
        let period = try Period(arguments, default: 3_600_000, atMost: Self.longestSpan)
        let count = try Office.visit(call) { office in
            var count = 0
            try office.intervals(period.from, period.to) { intervals in
                count += intervals.count
                let rows = intervals.map { beat -> JSON in
                    ["time": .integer(beat.time), "rr_ms": .integer(Int64(beat.milliseconds))]
                }
                try Output.write(rows.map { call.isJSON ? $0.line : Self.interval($0) }.joined())
            }
            return count
        }
        if count == 0, !call.isJSON { Output.note(Self.hasNoIntervals(period)) }
        return .ok
    }

    private static func interval(_ row: JSON) -> String { "\(row.time("time") ?? "-")  \(row["rr_ms"]?.words ?? "-") ms\n" }

    private static func hasNoIntervals(_ period: Period) -> String { BeatInterval.areMissing(period.words) }

    func variability() throws -> ExitCode {
        let period = try Period(arguments, default: 3_600_000, atMost: Self.longestSpan)
        let data = try Office.visit(call) { try $0.ask("heart-rate/variability", period.fields) }
        guard !call.isJSON else { return try print(data.line) }
        guard let beats = data.whole("beats"), beats > 0 else {
            Output.note(Self.hasNoIntervals(period))
            return .ok
        }
        let named = [("Mean RR", "mean_rr_ms"), ("RMSSD", "rmssd_ms"), ("SDNN", "sdnn_ms")]
        return try print(
            lines(
                [("Beats", grouped(beats))]
                    + named.map { name, member in (name, data.double(member).map { "\(decimal($0, 1)) ms" }) }))
    }

    /// Deletes what was recorded in a period, for good.
    func delete() throws -> ExitCode {
        let period = try Period(arguments, default: nil)
        let isSure = try arguments.flag("yes")
        guard isSure || Secret.isTerminal else {
            throw Failure(
                .usage, "what is deleted cannot be brought back, and there is no terminal to ask at",
                hint: "if you are sure, add --yes")
        }
        _ = try Office(call)
        guard isSure || isConfirmed("All heart rates from \(period.words) will be deleted for good. Delete them?")
        else {
            throw Failure(.declined, "nothing was changed")
        }
        let data = try Office.visit(call) { try $0.ask("heart-rate/delete", period.fields) }
        guard !call.isJSON else { return try print(data.line) }
        let count =
            data.whole("deleted").map { "\(grouped($0)) \($0 == 1 ? "heart rate" : "heart rates")" } ?? "heart rates"
        return try print("\(count) deleted, from \(period.words)\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

extension JSON {
    /// A member that is a list of numbers; what else is in it is left out.
    fileprivate func numbers(_ name: String) -> [Double] {
        list(name).compactMap { element in
            switch element {
            case .integer(let value): Double(value)
            case .number(let value): value
            default: nil
            }
        }
    }
}
