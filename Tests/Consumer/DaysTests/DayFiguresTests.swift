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

@Suite("What a day's steps come to", .timeLimit(.minutes(60)))
struct DayFiguresTests {
    private let diary: Diary
    private let noon: Int64
    private let day: Int64 = 86_400_000

    /// Somebody of 200 cm and 70 kg with a thousand steps on each of three days.
    init() throws {
        diary = try Diary(zone: "UTC")
        noon = try utc("2026-11-03T12:00:00Z")
        try diary.save(profile(zone: nil, height: 200), now: noon)
        for number in 0..<3 as Range<Int64> {
            let time = noon + number * day
            try diary.take([count(time, 0), count(time + 3_600_000, 1000)])
        }
    }

    private var rows: DayRows { DayRows(store: diary.parts.store, keys: diary.parts.keys) }

    private func figures(_ text: String) throws -> DayFigures? {
        try rows.record(of: diary.user, on: calendarDay(text))?.figures
    }

    private func metres(_ days: [String]) throws -> [Double?] { try days.map { try diary.totals($0).metres } }

    private func recount(_ first: String, _ last: String) throws -> Int {
        let days = try calendarDay(first)...calendarDay(last)
        let changed = try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.days.recount(days, of: diary.user, now: noon + 2 * day)
        }
        diary.days.committed()
        return changed
    }

    private static let three = ["2026-11-03", "2026-11-04", "2026-11-05"]

    @Test("is kept with the day, sealed, with the number of the formulas")
    func kept() throws {
        let figures = try #require(try figures("2026-11-03"))
        #expect(figures.formulas == 2 && figures.metres == [.foot: 830] && figures.kilocalories != nil)
        let totals = try diary.totals("2026-11-03")
        #expect(totals.metres == 830 && totals.kilocalories == figures.kilocalories)
        let sealed = try diary.parts.store.database.query("SELECT sealed FROM days") { row throws(VaultError) in
            try row.blob("sealed")
        }
        let bits = figures.metres[.foot].map { value in
            var bytes: [UInt8] = []
            bytes.appendVarint(value.bitPattern)
            return bytes
        }
        let needle = try #require(bits)
        #expect(sealed.count == 3 && !sealed.contains { $0.firstRange(of: needle) != nil })
        #expect(try diary.isExact())
    }

    @Test("stays when the profile changes, except for today")
    func otherProfile() throws {
        try diary.save(profile(zone: nil, height: 100), now: noon + 2 * day + 7_200_000)
        #expect(try metres(Self.three) == [830, 830, 415])
        #expect(try figures("2026-11-05")?.allMetres == 415 && diary.isExact())
        // Late steps of a day that is over count with the profile of that day.
        try diary.take([count(noon + day + 7_200_000, 2000)], now: noon + 2 * day + 7_300_000)
        #expect(try metres(Self.three) == [830, 1660, 415])
    }

    @Test("is counted with the profile of today if somebody asks for it, and then only on the days that they name")
    func asked() throws {
        try diary.save(profile(zone: nil, height: 100), now: noon + 2 * day)
        #expect(try recount("2026-11-04", "2026-11-04") == 1)
        #expect(try metres(Self.three) == [830, 415, 415])
        #expect(try recount("2026-11-04", "2026-11-04") == 0)
        // What is computed again later is computed in the same way.
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.parts.store.markStale(diary.user, noon - day..<noon + 3 * day)
        }
        try diary.settle()
        #expect(try metres(Self.three) == [830, 415, 415] && diary.isExact())
        try diary.take([count(noon + day + 7_200_000, 2000)], now: noon + 2 * day)
        #expect(try metres(Self.three) == [830, 830, 415])
        #expect(try recount("2026-01-01", "2026-11-05") == 1)
        #expect(try metres(Self.three) == [415, 830, 415])
    }

    @Test("stays by the formulas of its time, until the steps change or somebody asks for it")
    func otherFormulas() throws {
        let first = try calendarDay("2026-11-03")
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            guard var record = try rows.record(of: diary.user, on: first) else { return }
            record.figures = DayFigures(formulas: 1, metres: [.foot: 7], kilocalories: nil)
            try rows.write(record, of: diary.user, on: first)
            try diary.parts.store.markStale(diary.user, noon - day..<noon + day)
        }
        try diary.settle()
        let totals = try diary.totals("2026-11-03")
        #expect(totals.metres == 7 && totals.kilocalories == nil && totals.steps?.total == 1000)
        // The operator's recount takes it as it is stored.
        #expect(try diary.isExact())
        try diary.take([count(noon + 7_200_000, 1500)], now: noon + 2 * day)
        #expect(try figures("2026-11-03")?.formulas == 2 && metres(["2026-11-03"]) == [1245])
    }

    @Test("of days before the first profile is kept as soon as there is one")
    func beforeProfile() throws {
        let diary = try Diary(zone: "UTC")
        try diary.take([count(noon, 0), count(noon + 3_600_000, 1000)])
        let rows = DayRows(store: diary.parts.store, keys: diary.parts.keys)
        let first = try calendarDay("2026-11-03")
        let before = try #require(try rows.record(of: diary.user, on: first))
        #expect(before.steps?.total == 1000 && before.figures == nil)
        #expect(try diary.totals("2026-11-03").metres == nil)
        try diary.save(profile(zone: nil, height: 200), now: noon + 3 * day)
        #expect(try rows.record(of: diary.user, on: first)?.figures?.allMetres == 830)
        #expect(try diary.totals("2026-11-03").metres == 830 && diary.isExact())
    }
}
