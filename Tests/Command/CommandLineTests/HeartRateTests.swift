import Foundation
import Telemetry
import TestSupport
import Testing

@testable import vitals

@Suite("vitals, for heart rates", .timeLimit(.minutes(60)))
struct HeartRateTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private func expect(_ outcome: (status: Int32?, output: String, errors: String), _ drawing: String) {
        #expect(outcome.output == drawing)
    }

    /// 2026-11-21 13:00:00 UTC
    private static let from: Int64 = 1_795_266_000_000

    /// A run of half an hour in the middle of an hour, and a gap in which nothing was worn.
    private static func graph(width: Int64, count: Int64, hasSpan: Bool = true) -> JSON {
        let indices = (0..<count).filter { !(count * 3 / 4..<count * 7 / 8).contains($0) }
        let means = indices.map { index -> Double in
            let part = Double(index) / Double(count)
            let run = 1 / (1 + exp(-30 * (part - 0.2))) - 1 / (1 + exp(-30 * (part - 0.65)))
            return ((64 + 90 * run + 6 * sin(part * 90)) * 10).rounded() / 10
        }
        let span: JSON = ["mean": .number(101.5), "min": 49, "max": 170, "recorded_s": 3150]
        return .object(present: [
            "span": hasSpan ? span : nil, "from": .integer(from), "to": .integer(from + width * count), "width_ms": .integer(width),
            "tier": "samples", "index": .array(indices.map(JSON.integer)), "mean": .array(means.map(JSON.number)),
            "min": .array(means.map { .integer(Int64($0) - 9) }), "max": .array(means.map { .integer(Int64($0) + 12) }),
        ])
    }

    @Test("a graph: the mean as a line, the rest as a shade, a gap where nothing was recorded")
    func graph() throws {
        let consumer = try signedIn()
        consumer.answer("heart-rate/graph", Self.graph(width: 24_000, count: 150))
        let words = ["heart-rate", "--from", "2026-11-21 13:00", "--to", "2026-11-21 14:00"]
        let fine = try consumer.vitals(
            words[0], words[1], words[2], words[3], words[4], environment: ["LANG": "C.UTF-8"])
        #expect(fine.status == 0 && fine.errors == "")
        expect(fine, Drawings.graph)
        #expect(
            try consumer.last().fields == [
                "from": .integer(Self.from), "points": 150, "to": .integer(Self.from + 3_600_000),
            ])
        let plain = try consumer.vitals(
            words[0], words[1], words[2], words[3], words[4], environment: ["COLUMNS": "60"])
        expect(plain, Drawings.graphPlain)
        #expect(try consumer.last().fields["points"] == 55)
        let json = try consumer.vitals("heart-rate", "--from", "-2h", "--json", "--points", "2000")
        #expect(json.output.contains(#""width_ms":24000"#))
        let fields = try consumer.last().fields
        guard case .integer(let from) = fields["from"], case .integer(let to) = fields["to"] else {
            throw TestFailure("\(fields)")
        }
        #expect(to - from == 7_200_000 && fields["points"] == 2000)
    }

    @Test("a graph of days has days below it, and one of nothing says so")
    func scales() throws {
        let consumer = try signedIn()
        consumer.answer("heart-rate/graph", Self.graph(width: 12_096_000, count: 150, hasSpan: false))
        let week = try consumer.vitals(
            "heart-rate", "--from", "2026-11-21T13:00", "--to", "2026-12-12 13:00", environment: ["LANG": "C.UTF-8"])
        expect(week, Drawings.graphOfWeeks)
        consumer.answer(
            "heart-rate/graph",
            ["from": 0, "to": 1000, "width_ms": 1000, "index": [], "min": [], "mean": [], "max": []])
        let nothing = try consumer.vitals("heart-rate", "--from", "2026-11-21", "--to", "2026-11-21 01:00:30")
        #expect(nothing.status == 0 && nothing.output == "")
        #expect(nothing.errors == "vitals: no heart rate was recorded from 2026-11-21 00:00:00 to 01:00:30\n")
        for (width, index, status) in [(1000, Int64.max, 0), (Int64.max, 1, 76), (0, 0, 76), (1000, -1, 0)] {
            consumer.answer(
                "heart-rate/graph",
                [
                    "from": 0, "width_ms": .integer(width), "index": [.integer(index)], "min": [60], "mean": [60],
                    "max": [60],
                ])
            let odd = try consumer.vitals("heart-rate")
            #expect(odd.output == "" && odd.status == Int32(status), "\(width), \(index): \(odd)")
        }
    }

    @Test("one heart rate, and how the time between beats varies")
    func others() throws {
        let consumer = try signedIn()
        consumer.answer(
            "heart-rate/at", ["time": .integer(Self.from), "bpm": 72, "contact": true, "rr_ms": [812, 806]])
        let one = try consumer.vitals("heart-rate", "at", "2026-11-21 13:00:00")
        #expect(one.output == "2026-11-21 13:00:00  72 bpm  contact  RR 812 806 ms\n", "\(one)")
        #expect(try consumer.last().fields == ["time": .integer(Self.from)])
        consumer.answer(
            "heart-rate/variability",
            ["beats": 4210, "mean_rr_ms": .number(812.46), "rmssd_ms": .number(38.21), "sdnn_ms": 51])
        #expect(
            try consumer.vitals("heart-rate", "variability", "--from", "-5m").output == """
                Beats    4,210
                Mean RR  812.5 ms
                RMSSD    38.2 ms
                SDNN     51.0 ms

                """)
        consumer.answer("heart-rate/variability", ["beats": 0])
        #expect(try consumer.vitals("heart-rate", "variability").errors.contains("no intervals between beats"))
    }

    @Test("the times between beats are listed in as many requests as it takes")
    func intervals() throws {
        let consumer = try signedIn()
        let (later, to) = (Self.from + 60_000, Self.from + 3_600_000)
        consumer.answer("heart-rate/intervals") { fields in
            guard fields["from"] == .integer(later) else {
                return Reply(
                    .ok([
                        "time": [.integer(Self.from), .integer(Self.from)], "rr_ms": [812, 806], "next": .integer(later),
                    ]))
            }
            return Reply(.ok(["time": [.integer(later)], "rr_ms": [790]]))
        }
        let words = ["heart-rate", "intervals", "--from", "2026-11-21 13:00", "--to", "2026-11-21 14:00"]
        let listed = try consumer.vitals(words)
        #expect(try consumer.last().fields == ["from": .integer(later), "to": .integer(to)])
        #expect(
            listed.output == """
                2026-11-21 13:00:00  812 ms
                2026-11-21 13:00:00  806 ms
                2026-11-21 13:01:00  790 ms

                """, "\(listed)")
        #expect(try consumer.vitals(words + ["--json"]).output.hasSuffix("{\"time\":\(later),\"rr_ms\":790}\n"))
        // A reply that leads nowhere does not keep it for ever.
        consumer.answer("heart-rate/intervals", ["time": [], "rr_ms": [], "next": .integer(Self.from)])
        let nothing = try consumer.vitals(words)
        #expect(nothing.output == "" && nothing.errors.contains("no intervals between beats"), "\(nothing)")
    }

    @Test("a night: beats, RMSSD and SDNN by windows of five minutes, and what is missing")
    func night() throws {
        let consumer = try signedIn()
        // From 22:00 on, a beat a second in turns of 980 and 1,020 ms; nothing in the second quarter of an hour, an extra beat,
        // and a window of which less than half is there.
        let begin = Self.from - 15 * 3_600_000
        let beats = (0..<1800 as Range<Int64>).filter { !(900..<1500).contains($0) && $0 < 1600 }.map { second in
            (time: begin + second * 1000, interval: second == 100 ? 400 : Int64(second % 2 == 0 ? 980 : 1020))
        }
        consumer.answer("heart-rate/intervals") { fields in
            guard case .integer(let from)? = fields["from"] else { return Reply(.ok([:])) }
            let part = beats.filter { $0.time >= from }
            let page = part.prefix(700)
            return Reply(
                .ok(
                    .object(present: [
                        "time": .array(page.map { .integer($0.time) }), "rr_ms": .array(page.map { .integer($0.interval) }),
                        "next": part.count > page.count ? .integer(part[page.count].time) : nil,
                    ])))
        }
        // The consumer says when the night was, its figures, and what they were made of.
        let windows = (0..<3 as Range<Int64>).map { number -> JSON in
            ["from": .integer(begin + number * 300_000), "beats": 300, "mean_rr_ms": 1000, "rmssd_ms": 40, "sdnn_ms": 20]
        }
        consumer.answer("heart-rate/night") { fields in
            let end = fields["end"] == "22:30" ? begin + 1_800_000 : begin + 10 * 3_600_000
            return Reply(
                .ok([
                    "day": "2026-11-21", "from": .integer(begin), "to": .integer(end), "recorded_s": 33_840, "mean": .number(55.2),
                    "lowest": ["bpm": .number(48.1), "time": .integer(begin + 5 * 3_600_000)], "dip_percent": .number(18.9), "windows": .array(windows),
                    "rmssd_ms": .number(41.5), "sdnn_ms": .number(60.2), "rmssd_trend_ms": .number(39.8),
                ]))
        }
        let words = ["heart-rate", "night", "2026-11-21", "--to", "22:30"]
        let refused = try consumer.vitals(words + ["--from", "25:00"])
        #expect(refused.status == 64 && refused.errors.contains("--from: expected a time of day"), "\(refused)")
        let json = try consumer.vitals(words + ["--json"])
        let data = try JSON(payload: Array(json.output.utf8))
        #expect(data["from"] == .integer(begin) && data["to"] == .integer(begin + 1_800_000), "\(json)")
        #expect(data.double("rmssd_ms") == 41.5 && data["lowest"]?.double("bpm") == 48.1)
        let asked = consumer.requests.all.filter { $0.name == "heart-rate/night" }.last?.fields
        #expect(asked == ["begin": "22:00", "day": "2026-11-21", "end": "22:30"])
        #expect(data.list("windows").map { $0["rmssd_ms"] } == [40, 40, 40] && data.list("windows").last?["from"] == windows.last?["from"], "\(data)")
        #expect(data.list("missing") == [["from": .integer(begin + 900_000), "to": .integer(begin + 1_800_000)]])
        let drawn = try consumer.vitals(words)
        expect(drawn, Drawings.night)
        // Without a day, it is the night that the consumer takes for the latest.
        _ = try consumer.vitals("heart-rate", "night")
        #expect(consumer.requests.all.last { $0.name == "heart-rate/night" }?.fields == ["begin": "22:00", "end": "08:00"])
        let first = consumer.requests.all.filter { $0.name == "heart-rate/intervals" }.last?.fields
        #expect(first?["to"] == .integer(begin + 10 * 3_600_000))
        consumer.answer("heart-rate/intervals", ["time": [], "rr_ms": []])
        let nothing = try consumer.vitals("heart-rate", "night", "2026-11-21")
        #expect(nothing.output.contains("\nRecorded ") && !nothing.output.contains("Time between beats") && nothing.errors.contains("no intervals between beats"), "\(nothing)")
        consumer.answer("heart-rate/night", ["day": "2026-11-21", "from": .integer(begin), "to": .integer(begin + 36_000_000)])
        let short = try consumer.vitals("heart-rate", "night", "2026-11-21")
        #expect(short.output.contains("none: less than 3 hours"), "\(short)")
        // A day that was skipped on the way over the date line.
        consumer.answer("heart-rate/night", ["day": "2026-11-21"])
        #expect(try consumer.vitals("heart-rate", "night", "2026-11-21").errors.contains("no such night"))
    }

    @Test("what is deleted for good is asked for first, and has a beginning and an end")
    func delete() throws {
        let consumer = try signedIn()
        consumer.answer("heart-rate/delete", ["from": 0, "to": 1, "deleted": 1301])
        let range = ["--from", "2026-11-20 13:00", "--to", "2026-11-20 14:00"]
        let unasked = try consumer.vitals("heart-rate", "delete", range[0], range[1], range[2], range[3])
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        let endless = try consumer.vitals("heart-rate", "delete", "--yes", "--from", "13:00")
        #expect(endless.status == 64 && endless.errors.contains("--to is missing"), "\(endless)")
        let no = try consumer.terminal(
            "heart-rate delete --from '2026-11-20 13:00' --to '2026-11-20 14:00'",
            [("from 2026-11-20 13:00:00 to 14:00:00 will be deleted for good. Delete them? [y/N]", "n")])
        #expect(no.status == 1 && no.text.contains("nothing was changed"), "\(no)")
        #expect(try consumer.last().name == "sign-in")
        let yes = try consumer.vitals("heart-rate", "delete", "-y", range[0], range[1], range[2], range[3])
        #expect(yes == (0, "1,301 heart rates deleted, from 2026-11-20 13:00:00 to 14:00:00\n", ""))
        #expect(
            try consumer.last().fields == [
                "from": .integer(Self.from - 86_400_000), "to": .integer(Self.from - 82_800_000),
            ])
    }

    private static let reversed =
        "--from: the range is reversed: it begins at 2026-11-21 00:00:00 and ends before that, at 2026-11-20 14:00:00; "
        + "swap --from and --to"

    @Test(
        "refuses what is not a time, and an end before the beginning",
        arguments: [
            (["--from", "soon"], "--from: expected a time such as"),
            (["--from", "25:00"], "--from: expected a time such as"),
            (["--from", "2026-02-30"], "--from: expected a time such as"),
            (["--from", "-2x"], "--from: expected a time such as"),
            (["--to", "yesterday 14:00 sharp"], "--to: expected a time such as"),
            (["--from", "-1h", "--to", "-2h"], "--from: the range is reversed: it begins at 20"),
            (["--from", "2026-11-21", "--to", "2026-11-20 14:00"], reversed),
            (
                ["--from", "2099-01-01"],
                "--from: 2099-01-01 00:00:00 is in the future, and without --to the range ends"
            ),
            (
                ["--from", "2026-11-20 14:00", "--to", "2026-11-20T14:00:00"],
                "--from: the range is empty: it begins and ends at 2026-11-20 14:00:00"
            ),
            (["--from", "2026-11-21T10:00:00+25:00"], "--from: expected a time such as"),
            (["intervals", "--from", "-25h"], "--from: has to be at most 24 hours before now"),
            (
                ["variability", "--from", "2026-11-19", "--to", "2026-11-20"],
                "--from: has to be at most 24 hours before --to"
            ),
            (["--points", "2001"], "--points: "),
            (["--points", "5", "variability"], "--points is not for variability"),
            (["variability", "--points", "5"], "unknown option \"--points\""),
            (["--from", "-2h", "delete"], "--from goes after delete"),
        ])
    func refusals(words: [String], problem: String) throws {
        let outcome = try Program(["heart-rate"] + words).finish()
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome.errors)")
    }

    @Test("a day has all of its hours, and one that is not over ends now")
    func days() throws {
        let consumer = try signedIn()
        consumer.answer("heart-rate/graph", [:])
        let berlin = ["TZ": "Europe/Berlin"]
        _ = try consumer.vitals(
            "heart-rate", "--json", "--from", "2026-03-29", "--to", "2026-03-29", environment: berlin)
        let short: JSON = ["from": 1_774_738_800_000, "to": .integer(1_774_738_800_000 + 23 * 3_600_000)]
        #expect(try consumer.last().fields == short)
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        _ = try consumer.vitals("heart-rate", "--json", "--from", "today", "--to", "today")
        guard case .integer(let to) = try consumer.last().fields["to"] else { throw TestFailure("no end") }
        #expect((before...Int64(Date().timeIntervalSince1970 * 1000)).contains(to))
    }

    @Test(
        "moments are taken as programs write them, in the zone that they name, wherever this runs",
        arguments: [
            ("2026-11-21T13:00:00Z", 0), ("2026-11-21T13:00:00.25Z", 250), ("2026-11-21 13:00Z", 0),
            ("2026-11-21T14:00:00+01:00", 0), ("2026-11-21T14:00:00,5+0100", 500), ("2026-11-20T23:30-13:30", 0),
            ("2026-11-21T14:00+01", 0),
        ])
    func iso8601(text: String, milliseconds: Int64) throws {
        let moment = try #require(LocalMoment(text, now: 0))
        #expect(moment.start == Self.from + milliseconds && moment.end == moment.start)
    }

    @Test(
        "moments are not guessed at",
        arguments: [
            "2026-11-21T13:00:00+1", "2026-11-21T13:00:00+1:00", "2026-11-21T13:00:00ZZ", "2026-11-21T13:00:00.Z",
            "2026-11-21T13:00.5Z", "13:00Z", "2026-11-21T24:00:00Z", "2026-11-21T13:00:00+01:60", "2026-11-21Z",
            "2026-11-21T13:00:00 Z", "2026-11-21T13:00:00.٣Z",
        ])
    func noMoments(text: String) { #expect(LocalMoment(text, now: Self.from) == nil) }

    @Test(
        "moments are typed as people say them",
        arguments: [
            ("now", "now", 0, 0), ("-2h", "now", -7200, -7200), ("-1h30m", "now", -5400, -5400),
            ("-90min", "now", -5400, -5400), ("-1w", "now", -604_800, -604_800), ("-30s", "now", -30, -30),
            ("12:59:30", "today", 46_770, 46_770), ("9:00", "today", 32_400, 32_400), ("today", "today", 0, 86_400),
            ("yesterday", "today", -86_400, 0), ("yesterday 13:00", "today", -39_600, -39_600),
            ("2026-11-21", "day", 0, 86_400), ("2026-11-21 13:00:05", "day", 46_805, 46_805),
            ("2026-11-21T13:00", "day", 46_800, 46_800),
        ])
    func moments(text: String, since: String, start: Int64, end: Int64) throws {
        // Wherever this runs: in November no clock is set.
        let calendar = Calendar.current
        let midnight = calendar.startOfDay(for: Date(timeIntervalSince1970: Double(Self.from) / 1000))
        let day = try #require(calendar.date(from: DateComponents(year: 2026, month: 11, day: 21)))
        let base =
            switch since {
            case "now": Self.from
            case "today": Int64(midnight.timeIntervalSince1970) * 1000
            default: Int64(day.timeIntervalSince1970) * 1000
            }
        let moment = try #require(LocalMoment(text, now: Self.from))
        #expect((moment.start, moment.end) == (base + start * 1000, base + end * 1000))
    }
}
