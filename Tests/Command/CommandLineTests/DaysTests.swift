import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals, for days", .timeLimit(.minutes(60)))
struct DaysTests {
    /// A terminal that shows more than ASCII.
    static let utf8 = ["LANG": "en_GB.UTF-8"]

    /// A day with steps and what follows from them; without if they are nil.
    private static func day(_ day: String, _ steps: Int64?, goal: Int64 = 10_000) -> JSON {
        let value = Double(steps ?? 0)
        func progress(_ target: Int64, _ value: Double) -> JSON {
            let percent = (value * 1000 / Double(target)).rounded() / 10
            return [
                "target": .integer(target), "value": .number(value), "percent": .number(percent),
                "reached": .bool(value >= Double(target)),
            ]
        }
        return .object(present: [
            "day": .string(day), "steps": steps.map(JSON.integer),
            "distance_m": steps.map { .number(Double($0) * 0.7) },
            "energy_kcal": steps.map { .integer($0 / 30) },
            "goals": ["steps": progress(goal, value), "distance_m": progress(8000, value * 0.7)],
        ])
    }

    private static let summary: JSON = [
        "recorded_days": 6, "steps": ["total": 42_791, "mean": .number(7131.8), "max": 12_310],
        "heart_rate": ["mean": .number(66.25), "min": 44, "max": 151, "resting": 51],
        "goals": ["steps": ["reached": 2, "target": 5000]],
    ]

    private static let week: JSON = [
        "from": "2026-11-16", "to": "2026-11-22",
        "days": [
            day("2026-11-16", 8042), day("2026-11-17", 12_310), day("2026-11-18", nil), day("2026-11-19", 40),
            day("2026-11-20", 9999), day("2026-11-21", 10_000), day("2026-11-22", 2400, goal: 5000),
        ],
        "summary": summary,
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private func expect(_ outcome: (status: Int32?, output: String, errors: String), _ drawing: String) {
        #expect(outcome.output == drawing)
    }

    @Test("today: what there is, how far the goals are, and nothing of what is not known")
    func today() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/today", ["day": "2026-11-21", "goals": [:]])
        #expect(try consumer.vitals("today").output == "Saturday, 21 November 2026\nnothing yet\n")
        var day = Self.day("2026-11-21", 12_042)
        if case .object(let members) = day {
            day = .object(
                members + [
                    JSON.Member(
                        "temperature_c",
                        ["mean": .number(36.62), "min": .number(36.4), "max": 37, "last": .number(36.75)]),
                    JSON.Member(
                        "heart_rate",
                        [
                            "mean": .number(72.4), "min": 48, "max": 151, "resting": 52, "recorded_s": 40_805,
                            "zones_s": [36_000, 4800, 0, 0, 5],
                        ]),
                ])
        }
        consumer.answer("statistics/today", day)
        let outcome = try consumer.vitals("today", environment: Self.utf8)
        #expect(outcome.errors == "" && outcome.status == 0)
        expect(outcome, Drawings.today)
        #expect(try consumer.last().fields == [:])
        let json = try consumer.vitals("today", "--json").output
        #expect(try JSON(payload: Array(json.dropLast().utf8))["steps"] == 12_042)
    }

    @Test("any day is shown as today is, by its date or a word")
    func oneDay() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/day", Self.day("2026-11-20", 8042))
        let shown = try consumer.vitals("day", "2026-11-20")
        #expect(shown.output.hasPrefix("Friday, 20 November 2026\nSteps "), "\(shown)")
        #expect(try consumer.last().fields == ["day": "2026-11-20"])
        let ways: JSON = [
            "day": "2026-11-20", "distance_m": 106_500, "distances_m": ["foot": 13_700, "bicycle": 92_800],
            "heart_rate": ["mean": 72, "min": 48, "max": 151, "resting": 58, "resting_of": "day", "recorded_s": 40_805],
        ]
        consumer.answer("statistics/day", ways)
        let lines = try consumer.vitals("day", "2026-11-20").output.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines == [
                "Friday, 20 November 2026", "Distance 106.50 km", "on foot 13.70 km", "by bicycle 92.80 km",
                "Heart rate 72 bpm, 48 bpm to 151 bpm", "Resting 58 bpm, by day", "Recorded 11 h 20 min",
            ])
        consumer.answer("statistics/day", ["day": "2026-11-20", "goals": [:]])
        #expect(try consumer.vitals("day", "yesterday").output == "Friday, 20 November 2026\nnothing recorded\n")
        guard case .string(let day) = try consumer.last().fields["day"] else { throw TestFailure("no day") }
        #expect(day.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil)
    }

    @Test("a week: a bar for each day, its goal as a line, and a gap where nothing was recorded")
    func week() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/week", Self.week)
        expect(try consumer.vitals("week"), Drawings.weekPlain)
        #expect(try consumer.last().fields == [:])
        expect(try consumer.vitals("week", "2026-11-21", environment: Self.utf8), Drawings.week)
        #expect(try consumer.last().fields == ["day": "2026-11-21"])
        let narrow = ["COLUMNS": "50", "LANG": "C.UTF-8"]
        expect(try consumer.vitals("week", "--of", "distance", environment: narrow), Drawings.weekNarrow)
        #expect(try consumer.vitals("week", "last").status == 0)
        #expect(try consumer.last().fields["day"] != nil)
    }

    @Test("a month: a column for each day, and a calendar; what is not reached is not rounded up to it")
    func month() throws {
        let consumer = try signedIn()
        let days = (1...30).map { number -> JSON in
            let day = "2026-11-" + (number < 10 ? "0" : "") + "\(number)"
            return Self.day(day, number == 3 ? nil : number == 4 ? 9990 : Int64((number * 7919) % 14_000))
        }
        consumer.answer("statistics/month", ["month": "2026-11", "days": .array(days), "summary": Self.summary])
        expect(try consumer.vitals("month", environment: Self.utf8), Drawings.month)
        let narrow = try consumer.vitals("month", "2026-11", environment: ["COLUMNS": "60"])
        expect(narrow, Drawings.monthPlain)
        #expect(try consumer.last().fields == ["month": "2026-11"])
        #expect(narrow.output.split(separator: "\n").allSatisfy { $0.count <= 60 })
        let empty = try consumer.vitals("month", "--of", "temperature")
        #expect(empty.output.hasPrefix("Temperature, November 2026\nnothing recorded\n"), "\(empty)")
    }

    @Test("a year: the total of each month, or its average day, ranges as lines with a point for the mean")
    func year() throws {
        let consumer = try signedIn()
        let months = (1...12).map { number -> JSON in
            guard number < 11 else { return ["month": .string("2026-\(number)"), "recorded_days": 0] }
            let steps: JSON = [
                "total": .integer(Int64(number) * 30_000), "mean": .integer(Int64(number) * 1000), "max": 14_000,
            ]
            return [
                "month": .string("2026-0\(number)"), "recorded_days": 30, "steps": steps,
                "heart_rate": ["mean": .number(60 + Double(number)), "min": 44, "max": .integer(140 + Int64(number))],
                "goals": ["steps": ["reached": .integer(Int64(number)), "target": 8000]],
            ]
        }
        consumer.answer("statistics/year", ["year": 2026, "months": .array(months), "summary": Self.summary])
        expect(try consumer.vitals("year", "2026", environment: Self.utf8), Drawings.yearOfTotals)
        #expect(try consumer.last().fields == ["year": 2026])
        expect(try consumer.vitals("year", "--average", environment: Self.utf8), Drawings.year)
        expect(try consumer.vitals("year", "--of", "heart-rate", "--average", environment: Self.utf8), Drawings.yearOfHearts)
        let hearts = try consumer.vitals("year", "--of", "heart-rate", environment: Self.utf8)
        expect(hearts, Drawings.yearOfHearts)
        expect(try consumer.vitals("year", "--of", "heart-rate"), Drawings.yearOfHeartsPlain)
    }

    @Test("years: the total of each, or its average day")
    func years() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/years", ["years": []])
        #expect(try consumer.vitals("years").output == "Steps a year\nnothing recorded\n")
        let years = [2025, 2026].map { year -> JSON in
            let steps: JSON = ["total": .integer(Int64(year) * 1000), "mean": .integer(Int64(year) * 4), "max": 14_000]
            return [
                "year": .integer(Int64(year)), "recorded_days": 250, "steps": steps,
                "goals": ["steps": ["reached": 100, "target": 8000]],
            ]
        }
        consumer.answer("statistics/years", ["years": .array(years)])
        expect(try consumer.vitals("years"), Drawings.yearsOfTotals)
        expect(try consumer.vitals("years", "--average"), Drawings.years)
        #expect(try consumer.last().fields == [:])
    }

    @Test("a summary of any days: totals, averages, extremes, and how often goals were reached")
    func summary() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/summary", Self.summary)
        let shown = try consumer.vitals("summary", "--from", "2026-11-01", "--to", "2026-11-21")
        expect(shown, Drawings.summary)
        #expect(try consumer.last().fields == ["from": "2026-11-01", "to": "2026-11-21"])
        consumer.answer("statistics/summary", ["recorded_days": 0])
        let nothing = try consumer.vitals("summary", "--from", "2026-11-20", "--to", "2026-11-21")
        #expect(nothing.output == "20 to 21 November 2026\nnothing recorded\n", "\(nothing)")
        let reversed = try consumer.vitals("summary", "--from", "2026-11-21", "--to", "2026-11-20")
        #expect(reversed.status == 64 && reversed.errors.contains("swap --from and --to"), "\(reversed)")
        #expect(try consumer.vitals("summary", "--from", "2026-11-21").errors.contains("--to is missing"))
    }

    @Test("goals reached, by month with a bar for each, and by day with a mark for each")
    func goalsReached() throws {
        let consumer = try signedIn()
        func row(_ member: String, _ name: String, _ steps: (Int64, Int64)?) -> JSON {
            let counts = steps.map { steps -> JSON in ["reached": .integer(steps.0), "days": .integer(steps.1)] }
            return .object([
                JSON.Member(member, .string(name)), JSON.Member("goals", .object(present: ["steps": counts])),
            ])
        }
        consumer.answer(
            "goals/reached",
            ["rows": [row("month", "2026-09", nil), row("month", "2026-10", (12, 30)), row("month", "2026-11", (3, 6))]])
        let words = ["goals", "reached", "--from", "2026-09-01", "--to", "2026-11-06"]
        expect(try consumer.vitals(words, environment: Self.utf8), Drawings.goalsReachedByMonth)
        #expect(try consumer.last().fields == ["by": "month", "from": "2026-09-01", "to": "2026-11-06"])
        let days = [(29, false), (30, true), (31, true)].map { row("day", "2026-10-\($0)", ($1 ? 1 : 0, 1)) }
        consumer.answer(
            "goals/reached",
            ["rows": .array(days + [row("day", "2026-11-01", nil), row("day", "2026-11-02", (1, 1))])])
        let byDay = ["goals", "reached", "--by", "day", "--from", "2026-10-29", "--to", "2026-11-02"]
        expect(try consumer.vitals(byDay), Drawings.goalsReachedByDay)
        #expect(try consumer.vitals(byDay + ["--json"]).output.hasPrefix("{\"rows\":[{\"day\":\"2026-10-29\""))
        consumer.answer("goals/reached", ["rows": []])
        // Today is the consumer's, where the person's zone is known.
        consumer.answer("statistics/today", ["day": "2031-02-03"])
        #expect(try consumer.vitals("goals", "reached").status == 0)
        #expect(try consumer.last().fields == ["by": "month", "from": "2031-01-01", "to": "2031-02-03"])
        #expect(try consumer.vitals(words).output.hasSuffix("no goals on these days\n"))
        #expect(try consumer.last().fields["by"] == "month")
    }

    @Test("past days counted with the profile of today: ten in a request, and only if one is sure")
    func recount() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/today", ["day": "2026-11-21"])
        consumer.answer("statistics/recount", ["changed": 4])
        let words = ["days", "recount", "--from", "2026-10-31"]
        #expect(try consumer.vitals(words).errors.contains("add --yes"))
        #expect(consumer.requests.all.filter { $0.name == "statistics/recount" }.isEmpty)
        let done = try consumer.vitals(words + ["--yes"])
        #expect(done.output == "12 days changed, from 2026-10-31 to 2026-11-21\n", "\(done)")
        let asked = consumer.requests.all.filter { $0.name == "statistics/recount" }.map(\.fields)
        #expect(
            asked == [
                ["from": "2026-10-31", "to": "2026-11-09"], ["from": "2026-11-10", "to": "2026-11-19"],
                ["from": "2026-11-20", "to": "2026-11-21"],
            ], "\(asked)")
        let later = try consumer.vitals("days", "recount", "--from", "2026-11-22", "--yes")
        #expect(later.status == 64 && later.errors.contains("not after 2026-11-21"), "\(later)")
    }

    @Test("a week, a month and a year with nothing to draw say so, and draw nothing")
    func nothing() throws {
        let consumer = try signedIn()
        let days = (16...22).map { Self.day("2026-11-\($0)", nil) }
        let months = (1...12).map { number -> JSON in ["month": .string("2025-\(number)"), "recorded_days": 0] }
        consumer.answer("statistics/week", ["days": .array(days), "summary": ["recorded_days": 0]])
        consumer.answer("statistics/month", ["days": .array(days), "summary": ["recorded_days": 0]])
        consumer.answer(
            "statistics/year", ["year": 2025, "months": .array(months), "summary": ["recorded_days": 0]])
        #expect(
            try consumer.vitals("week", "--of", "temperature").output
                == "Temperature, 16 to 22 November 2026\nnothing recorded\n")
        #expect(
            try consumer.vitals("month", "last").output
                == "Steps, November 2026, goal 10,000\nnothing recorded\n")
        #expect(try consumer.vitals("year", "last").output == "Steps a month, 2025\nnothing recorded\n")
    }

    @Test("colours are for terminals, and drawings as wide as those")
    func terminal() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/week", Self.week)
        let outcome = try consumer.terminal("week", [])
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("\u{1B}[33m"), "\(outcome.text)")
        #expect(try !consumer.vitals("week").output.contains("\u{1B}"))
    }

    @Test("nobody is asked if nobody is signed in, and a refusal by the consumer is printed")
    func refusals() throws {
        let consumer = try ScriptedConsumer()
        #expect(try consumer.vitals("today").status == 77)
        try consumer.signIn()
        consumer.refuse("statistics/week", ReplyError(.invalid, "No such day", field: "day"))
        #expect(try consumer.vitals("week") == (65, "", "vitals: No such day\n"))
        consumer.answer("statistics/month", ["days": []])
        let empty = try consumer.vitals("month")
        #expect(empty.status == 76 && empty.errors.contains("no days"), "\(empty)")
    }

    @Test("goals: their progress, new targets, and none at all")
    func goals() throws {
        let consumer = try signedIn()
        let goals: JSON = [
            "goals": [
                "steps": ["target": 12_000, "value": 8042, "percent": 67, "reached": false],
                "distance_m": ["target": 8000, "value": .number(8123.4), "percent": .number(101.5), "reached": true, "on_foot": true],
            ],
            "week": [
                "from": "2026-11-16", "to": "2026-11-22", "week_days": ["target": 5, "value": 3, "reached": false],
                "week_minutes": ["value": 90, "reached": false],
            ],
        ]
        consumer.answer("goals/get", goals)
        let streaks: JSON = ["day": "2026-11-21", "days": ["distance_m": 3, "steps": 0], "weeks": ["week_days": 1, "week_minutes": 9]]
        consumer.answer("goals/streaks", streaks)
        #expect(
            try consumer.vitals("goals").output == """
                Steps       #############.......  67 %    8,042 of 12,000
                Distance    #################### 101 % *  8.12 km of 8.00 km on foot, 3 days in a row
                Week: days  ############........  60 %    3 of 5 days with all goals

                """)
        let json = try JSON(payload: Array(try consumer.vitals("goals", "--json").output.utf8.dropLast()))
        #expect(json["streaks"] == streaks && json["goals"]?["steps"]?["value"] == 8042)
        consumer.answer("goals/set", goals)
        let set = try consumer.vitals("goals", "set", "--steps", "12000", "--distance", "8km", "--energy", "none")
        #expect(set.status == 0 && set.output.hasPrefix("Steps "), "\(set)")
        #expect(try consumer.last().fields == ["distance_m": 8000, "energy_kcal": .null, "steps": 12_000])
        // 8 what?
        let bare = try consumer.vitals("goals", "set", "--distance", "8")
        #expect(
            bare.status == 64
                && bare.errors.hasPrefix(
                    "vitals: --distance: expected a distance with its unit such as 8km, 8000m or 5mi, or none; found 8\n"
                ), "\(bare)")
        for (text, metres) in [("8000m", 8000), ("7.5 km", 7500), ("5mi", 8047), ("900M", 900)] as [(String, Int64)] {
            #expect(try consumer.vitals("goals", "set", "--json", "--distance", text).status == 0)
            #expect(try consumer.last().fields == ["distance_m": .integer(metres)])
        }
        let week = try consumer.vitals("goals", "set", "--week-days", "5", "--week-minutes", "none", "--distance", "8km", "--on-foot")
        #expect(week.status == 0, "\(week)")
        #expect(
            try consumer.last().fields == [
                "distance_m": 8000, "distance_on_foot": true, "week_days": 5, "week_minutes": .null,
            ])
        #expect(try consumer.vitals("goals", "set", "--on-foot").errors.contains("--on-foot: it needs a goal, such as --distance 8km"))
        #expect(try consumer.vitals("goals", "set", "--week-days", "8").errors.contains("--week-days: expected 1 to 7, or none; found 8"))
        for words in [
            ["--steps", "many"], ["--steps", "-5"], ["--energy", "0"], ["--distance", "1e3"], [], ["--week-minutes", "10081"],
            ["--week-minutes", "1.5"], ["--distance", "none", "--on-foot"],
        ] {
            #expect(try Program(["goals", "set"] + words).finish().status == 64, "\(words)")
        }
        consumer.answer("goals/get", ["goals": [:]])
        consumer.answer("goals/streaks", ["days": [:], "weeks": [:]])
        #expect(
            try consumer.vitals("goals").output
                == "no goals: vitals --port \(consumer.broker.port) goals set --steps 10000\n")
    }

    @Test("a goal to share: a text, a link, a picture in a file")
    func share() throws {
        let consumer = try signedIn()
        consumer.answer(
            "goals/share", ["text": "12,310 steps today!", "svg": "<svg/>", "link": "https://example.org/vitals"])
        let file = consumer.home.path("today.svg")
        let outcome = try consumer.vitals("goals", "share", "--of", "distance", "--day", "2026-11-20", "--svg", file)
        #expect(outcome.output == "12,310 steps today!\nhttps://example.org/vitals\n")
        #expect(outcome.errors == "vitals: \(file): the picture\n" && outcome.status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "<svg/>")
        #expect(try consumer.last().fields == ["day": "2026-11-20", "goal": "distance"])
        let nowhere = try consumer.vitals("goals", "share", "--svg", "/nowhere/today.svg")
        #expect(nowhere.status == 74 && nowhere.errors.contains("cannot be written"), "\(nowhere)")
    }

    @Test("one's own sensors are read through the consumer, any that can or the one that is named")
    func ownSensors() throws {
        let consumer = try signedIn()
        consumer.answer("steps/read", ["sensor": "attic/strap", "time": 1_760_000_000_000, "steps": 8042])
        let any = try consumer.vitals("read", "steps", "--mine")
        #expect(any == (0, "8042 steps (attic/strap) at 2025-10-09 08:53:20\n", ""))
        #expect(try consumer.last().fields == [:])
        let one = try consumer.vitals("read", "steps", "--mine", "attic/strap")
        #expect(one.output == "8042 steps at 2025-10-09 08:53:20\n")
        #expect(try consumer.last().fields == ["sensor": "attic/strap"])
        consumer.answer("temperature/read", ["sensor": "attic/t", "time": 1, "celsius": .number(36.75), "site": "ear"])
        #expect(try consumer.vitals("read", "temperature", "--mine", "--json").output.contains("36.75"))
        consumer.refuse("temperature/read", ReplyError(.sensorOffline, "attic/t is not connected"))
        let offline = try consumer.vitals("read", "temperature", "--mine")
        #expect(offline == (69, "", "vitals: attic/t is not connected\n"))
        #expect(try consumer.vitals("read", "steps", "--mine", "strap").status == 64)
    }
}
