import Daemon
import DaysSupport
import Files
import Fitness
import Foundation
import HouseholdSupport
import Records
import TestSupport
import Testing

@testable import Days

@Suite("Histories", .timeLimit(.minutes(60)))
struct HistoryTests {
    private func day(_ diary: Diary, _ time: String) throws -> String {
        "\(try diary.days.histories.history(of: diary.user).localDays.day(of: utc(time)))"
    }

    @Test("begin with the consumer's zone, and with the profile's where there is one before anything is kept")
    func beginnings() throws {
        let diary = try Diary(zone: "Asia/Tokyo")
        #expect(try day(diary, "2026-11-20T20:00:00Z") == "2026-11-21")
        #expect(try diary.parts.count("documents") == 0)
        try diary.save(profile(zone: "America/New_York"), now: utc("2026-11-20T22:00:00Z"))
        #expect(try day(diary, "2026-11-20T04:00:00Z") == "2026-11-19")
    }

    @Test("let who moves have moved from that moment on; who comes right within ten minutes never went")
    func moves() throws {
        let diary = try Diary(zone: "Europe/Berlin")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 0), count(noon + 9 * 3_600_000, 100), count(noon + 18 * 3_600_000, 300)])
        #expect(try diary.steps("2026-11-03") == 100 && diary.steps("2026-11-04") == 200)
        try diary.save(profile(zone: "Europe/Berlin"), now: noon + 86_400_000)
        try diary.save(profile(zone: "Asia/Tokyo"), now: noon + 2 * 86_400_000)
        #expect(try diary.steps("2026-11-03") == 100 && diary.steps("2026-11-04") == 200)
        #expect(try day(diary, "2026-11-05T11:59:59Z") == "2026-11-05")
        #expect(try day(diary, "2026-11-05T16:00:00Z") == "2026-11-06")
        try diary.save(profile(zone: "America/New_York"), now: noon + 2 * 86_400_000 + 60_000)
        #expect(try day(diary, "2026-11-05T16:00:00Z") == "2026-11-05")
        try diary.save(profile(zone: "Europe/Berlin"), now: noon + 2 * 86_400_000 + 120_000)
        #expect(try diary.days.histories.history(of: diary.user).zones.map(\.name) == ["Europe/Berlin"])
    }

    @Test("have readings whose clock was ahead move with their person")
    func ahead() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 0), count(noon + 10 * 3_600_000, 100)], now: noon)
        #expect(try diary.steps("2026-11-03") == 100)
        try diary.save(profile(zone: "Asia/Tokyo"), now: noon + 60_000)
        #expect(try diary.steps("2026-11-03") == 0 && diary.steps("2026-11-04") == 100 && diary.isExact())
    }

    @Test("of somebody who was there before histories were, begin with their profile")
    func before() throws {
        let diary = try Diary(zone: "UTC")
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            guard let old = try? profile(zone: "Asia/Tokyo", height: 200, gender: .female) else { return }
            try Documents(store: diary.parts.store, keys: diary.parts.keys).write(old.json, "profile", of: diary.user)
        }
        let evening = try utc("2026-11-03T20:00:00Z")
        try diary.take([count(evening, 0), count(evening + 1000, 1000)])
        #expect(try diary.steps("2026-11-04") == 1000 && diary.totals("2026-11-04").metres == 826)
        // The consumer's zone may be another one day: what was is not changed by it.
        let other = Histories(diary.parts.store, diary.parts.keys, zone: "America/New_York")
        #expect(try other.history(of: diary.user) == diary.days.histories.history(of: diary.user))
    }

    @Test("move those who do not say where they live with the consumer, from then on")
    func consumerMoves() throws {
        let diary = try Diary(zone: "Europe/Berlin")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 0)])
        let other = Histories(diary.parts.store, diary.parts.keys, zone: "Asia/Tokyo")
        let history = try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try other.keep(diary.user, now: noon + 3_600_000)
        }
        #expect(history.zones.map(\.name) == ["Europe/Berlin", "Asia/Tokyo"])
        #expect(history.zones.last?.from == noon + 3_600_000)
        #expect(try diary.days.histories.history(of: diary.user) == history)
    }

    @Test("know who somebody was on a day: body, age and goals")
    func bodies() throws {
        let diary = try Diary(zone: "UTC")
        try diary.save(profile(zone: nil), now: utc("2026-11-03T12:00:00Z"))
        try diary.save(profile(zone: nil, weight: 71.5, gender: .other), now: utc("2026-12-20T12:00:00Z"))
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.days.histories.setTargets(
                GoalTargets([.energy: 300]), of: diary.user, from: CalendarDay(daysSince1970: 20_800), now: 0)
        }
        let history = try diary.days.histories.history(of: diary.user)
        func person(_ day: String) throws -> Person { try history.person(on: calendarDay(day)) }
        #expect(
            try person("2020-01-01")
                == Person(sex: .male, ageYears: 29, heightCentimetres: 175, weightKilograms: 70))
        #expect(
            try person("2026-12-19") == Person(sex: .male, ageYears: 36, heightCentimetres: 175, weightKilograms: 70))
        #expect(try person("2026-12-20") == Person(ageYears: 36, heightCentimetres: 175, weightKilograms: 71.5))
        #expect(history.targets(on: CalendarDay(daysSince1970: 20_799)) == .first)
        #expect(history.targets(on: CalendarDay(daysSince1970: 20_800)) == GoalTargets([.energy: 300]))
    }

    @Test("of somebody who weighs themself every day for decades keep the beginning and the newest, and open")
    func long() throws {
        let diary = try Diary(zone: "UTC")
        diary.days.histories.maximumLength = 2000
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            for day in 0..<200 as Range<Int64> {
                guard let profile = try? profile(zone: nil, weight: 60 + Double(day) / 10) else { return }
                _ = try diary.days.histories.take(profile, of: diary.user, now: start + day * 86_400_000)
            }
        }
        let history = try diary.days.histories.history(of: diary.user)
        #expect(history.person(on: CalendarDay(daysSince1970: 0)).weightKilograms == 60)
        let last = try calendarDay("2099-01-01")
        #expect(history.person(on: last).weightKilograms == 60 + 199.0 / 10)
        #expect((30..<100).contains(history.bodies?.entries.count ?? 0))
    }

    @Test("are by default in the machine's zone, as the C library finds it")
    func machine() throws {
        let folder = try TemporaryFolder()
        let (link, name) = (folder.path("localtime"), folder.path("timezone"))
        #expect(ZoneRules.machinesZone(link: link, name: name) == "UTC")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
        #expect(ZoneRules.machinesZone(link: link, name: name) == "Europe/Berlin")
        try FileManager.default.removeItem(atPath: link)
        _ = try folder.write("whatever", to: "localtime")
        #expect(ZoneRules.machinesZone(link: link, name: name) == nil)
        _ = try folder.write("Asia/Tokyo\n", to: "timezone")
        #expect(ZoneRules.machinesZone(link: link, name: name) == "Asia/Tokyo")
        #expect(ZoneRules(known: "UTC")?.offset(at: 1_800_000_000) == 0)
    }
}
