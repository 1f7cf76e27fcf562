import Daemon
import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Desk
@testable import Insight

@Suite("Statistics")
struct StatisticsTests {
    private let household: Household
    private let user: ID

    init() throws {
        household = try Household()
        user = try ID("demo")
    }

    /// Unix milliseconds of an hour (UTC) of a day.
    private static func time(_ day: String, _ hours: Double) throws -> Int64 {
        guard let day = CalendarDay(day) else { throw TestFailure(day) }
        return day.daysSince1970 * 86_400_000 + Int64(hours * 3_600_000)
    }

    /// Noon of 2026-11-21, a Saturday.
    private static func now() throws -> Int64 { try time("2026-11-21", 12) }

    private static func steps(_ day: String, _ hours: Double, _ count: UInt32) throws -> Reading {
        Reading(at: Moment(wall: try time(day, hours), monotonic: 5), .steps(StepCount(count)))
    }

    /// A person of 180 cm and 70 kg in Berlin with some days of readings.
    private func lived() throws -> Parts {
        var days: Days?
        var parts = try household.open(now: 0) { store, keys in
            let made = Days(store, keys, Histories(store, keys, zone: "UTC"))
            days = made
            return [made, HeartRateMinutes(store, keys)]
        }
        guard
            let profile = Profile(kept: [
                "name": "Somebody", "date_of_birth": "1996-02-29", "gender": "male", "weight_kg": 70, "height_cm": 180,
                "time_zone": "Europe/Berlin",
            ])
        else { throw TestFailure("no profile") }
        try parts.store.change(user) { () throws(VaultError) in
            try days?.take(profile, of: user, now: 0)
            try Documents(store: parts.store, keys: parts.keys).write(profile.json, "profile", of: user)
        }
        let session = try parts.session(household)
        // 23:30 in UTC is the next day in Berlin.
        let steps = try [
            Self.steps("2025-12-31", 12, 0), Self.steps("2025-12-31", 20, 3000), Self.steps("2026-11-16", 12, 100),
            Self.steps("2026-11-16", 20, 10_100), Self.steps("2026-11-17", 20, 12_100),
            Self.steps("2026-11-19", 23.5, 50),
            Self.steps("2026-11-20", 8, 6050),
        ]
        let temperatures = try [36_600, 37_200].enumerated().map { index, thousandths in
            Reading(
                at: Moment(wall: try Self.time("2026-11-17", Double(index)), monotonic: 5),
                .temperature(try Temperature(thousandths: Int64(thousandths))))
        }
        let noon = try Self.time("2024-07-01", 12)
        let beats = (0..<60).map { second in
            Reading(
                at: Moment(wall: noon + Int64(second) * 1000, monotonic: 5),
                .heartRate(HeartRateMeasurement(beatsPerMinute: 100 + UInt16(second % 2))))
        }
        _ = try parts.take(session.keyBlock)
        let answers = try parts.take(
            all: session.blocks(steps + temperatures + beats), wall: try Self.now()
        ).answers
        #expect(answers.count == 1)
        return parts
    }

    private func ask(_ parts: Parts, _ name: String, _ fields: JSON = [:]) throws -> JSON {
        let request = PeopleRequest(
            asker: .person(user), name: "statistics/\(name)", fields: fields, identity: nil, answer: { _ in })
        let question = try StatisticsQuestion(request)
        return try Statistics(of: user, parts.store, parts.keys, zone: "UTC", now: try Self.now()).answer(question)
    }

    private func text(_ json: JSON?) -> String { json.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing" }

    private func elements(_ json: JSON?) -> [JSON] { if case .array(let elements)? = json { elements } else { [] } }

    @Test("of a day are what is known of it, and its goals")
    func day() throws {
        let parts = try lived()
        #expect(
            text(try ask(parts, "day", ["day": "2026-11-16"]))
                == #"{"day":"2026-11-16","steps":10000,"distance_m":7470,"#
                + #""energy_kcal":261,"formulas":2,"goals":{"steps":{"target":10000,"value":10000,"percent":100.0,"reached":false}}}"#
        )
        #expect(
            text(try ask(parts, "today")) == #"{"day":"2026-11-21","goals":{"steps":{"target":10000,"reached":false}}}"#
        )
        let warm = try ask(parts, "day", ["day": "2026-11-17"])
        #expect(
            text(warm["temperature_c"]) == #"{"mean":36.9,"min":36.6,"max":37.2,"last":37.2}"# && warm["steps"] == 2000)
        // Read in Berlin at half past midnight: where counting begins, and then what was counted.
        #expect(try ask(parts, "day", ["day": "2026-11-20"])["steps"] == 6000)
        #expect(try ask(parts, "day", ["day": "2026-11-19"])["steps"] == nil)
    }

    @Test("of a week are its seven days from Monday on, and what they come to")
    func week() throws {
        let parts = try lived()
        let week = try ask(parts, "week")
        #expect(week["from"] == "2026-11-16" && week["to"] == "2026-11-22")
        let days = elements(week["days"])
        #expect(days.map { $0["day"] } == (16...22).map { .string("2026-11-\($0)") })
        #expect(days.map { $0["steps"] } == [10_000, 2000, nil, nil, 6000, nil, nil])
        #expect(days.allSatisfy { $0["goals"]?["steps"]?["target"] == 10_000 })
        #expect(
            text(week["summary"]) == #"{"recorded_days":3,"steps":{"total":18000,"mean":6000,"max":10000},"#
                + #""distance_m":{"total":13446,"mean":4482,"max":7470},"energy_kcal":{"total":471,"mean":157,"max":261},"#
                + #""temperature_c":{"mean":36.9,"min":36.6,"max":37.2},"goals":{"steps":{"reached":0,"target":10000}}}"#
        )
        #expect(
            try ask(parts, "week", ["day": "2026-11-16"]) == week && ask(parts, "week", ["day": "2026-11-22"]) == week)
        let turn = try ask(parts, "week", ["day": "2026-01-01"])
        #expect(turn["from"] == "2025-12-29" && turn["summary"]?["steps"]?["total"] == 3000)
    }

    @Test("of a month are its days; of a year its months; of all years those of which there is anything")
    func longer() throws {
        let parts = try lived()
        let month = try ask(parts, "month")
        #expect(month["month"] == "2026-11" && elements(month["days"]).count == 30)
        #expect(month["summary"]?["steps"]?["total"] == 18_000)
        #expect(elements(try ask(parts, "month", ["month": "2024-02"])["days"]).count == 29)
        let year = try ask(parts, "year")
        let months = elements(year["months"])
        #expect(year["year"] == 2026 && months.count == 12 && months[10]["month"] == "2026-11")
        #expect(months[10]["steps"]?["total"] == 18_000 && months[0]["steps"] == nil && months[0]["recorded_days"] == 0)
        #expect(year["summary"]?["recorded_days"] == 3)
        let old = try ask(parts, "year", ["year": 2024])
        #expect(
            text(elements(old["months"])[6]["heart_rate"])
                == #"{"mean":100.5,"min":100,"max":101,"zones_s":[60,0,0,0,0],"#
                + #""recorded_s":60}"#)
        #expect(try ask(parts, "year", ["year": 1999])["summary"]?["recorded_days"] == 0)
        let years = elements(try ask(parts, "years")["years"])
        #expect(years.map { $0["year"] } == [2024, 2025, 2026])
        #expect(years.map { $0["recorded_days"] } == [1, 1, 3])
    }

    @Test("of any days are what they come to")
    func summary() throws {
        let parts = try lived()
        let all = try ask(parts, "summary", ["from": "2024-01-01", "to": "2026-12-31"])
        #expect(all["from"] == "2024-01-01" && all["to"] == "2026-12-31" && all["recorded_days"] == 5)
        #expect(all["steps"]?["total"] == 21_000 && all["heart_rate"]?["max"] == 101)
        let one = try ask(parts, "summary", ["from": "2026-11-16", "to": "2026-11-16"])
        #expect(one["steps"]?["total"] == 10_000 && one["temperature_c"] == nil)
    }

    @Test("of somebody without any are empty, and no error")
    func nothing() throws {
        let parts = try household.open(now: 0)
        #expect(try ask(parts, "years") == ["years": []])
        #expect(elements(try ask(parts, "week")["days"]).count == 7)
        #expect(try ask(parts, "year")["summary"]?["recorded_days"] == 0)
    }

    @Test(
        "are refused for what is no day, month or year",
        arguments: [
            ("day", [:], "day"), ("day", ["day": "2026-02-29"], "day"), ("day", ["day": 5], "day"),
            ("week", ["day": "Monday"], "day"), ("month", ["month": "2026-13"], "month"),
            ("month", ["month": "2026-11-01"], "month"), ("year", ["year": 0], "year"),
            ("year", ["year": "2026"], "year"),
            ("year", ["year": 10_000], "year"), ("summary", ["from": "2026-01-02", "to": "2026-01-01"], "to"),
            ("summary", ["from": "2026-01-02"], "to"), ("summary", ["from": "1900-01-01", "to": "2026-01-01"], "from"),
        ] as [(String, JSON, String)])
    func refusals(name: String, fields: JSON, field: String) throws {
        let parts = try household.open(now: 0)
        do {
            let told = try ask(parts, name, fields)
            Issue.record("\(told)")
        } catch let error as ReplyError {
            #expect(error.code == .badRequest && error.field == field)
        }
    }
}
