import Daemon
import DaysSupport
import Fitness
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import vitals_consumer

@Suite("totals and recount", .timeLimit(.minutes(60)))
struct TotalsCommandTests {
    private func diary() throws -> Diary {
        let diary = try Diary(zone: "UTC", adding: Feature.all.schema)
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 0), count(noon + 3_600_000, 8042), temperature(noon, 36_500)])
        try diary.save(profile(zone: "UTC"), now: noon)
        return diary
    }

    private func recount(_ diary: Diary, user: ID? = nil) throws -> JSON {
        var text: [String] = []
        text = try output { descriptor in
            let settings = try diary.household.written()
            do { _ = try RecountCommand(user: user).run(settings, output: descriptor) } catch is Failure {}
        }
        return try JSON(payload: Array(text.joined().utf8))
    }

    @Test("prints a day beside a service that has it open, and says who is not there")
    func totals() throws {
        let diary = try diary()
        let day = try calendarDay("2026-11-03")
        let printed = try output { descriptor in
            _ = try TotalsCommand(user: diary.user, day: day).run(diary.household.written(), output: descriptor)
        }
        #expect(
            printed == [
                """
                {"day":"2026-11-03","steps":8042,"distance_m":5841,"energy_kcal":204,"formulas":2,"temperature_c":{"mean":36.5,"min":36.5,"max":36.5,\
                "last":36.5},"goals":{"steps":{"target":10000,"value":8042,"percent":80.4,"reached":false}}}
                """
            ])
        let nobody = try ID("nobody")
        let settings = try diary.household.written()
        #expect(throws: Failure.self) { try TotalsCommand(user: nobody, day: day).run(settings, output: 2) }
    }

    @Test(
        "finds a day that does not follow from its readings, and one that is missing; compares nobody whose hours wait")
    func recount() throws {
        let diary = try diary()
        #expect(try recount(diary)["differing"] == 0)
        #expect(try recount(diary, user: diary.user)["kept"] == 1)
        let database = diary.parts.store.database
        try database.execute("UPDATE days SET day = day + 1")
        #expect(try recount(diary)["differing"] == 1)
        #expect(throws: Failure.self) {
            try RecountCommand().run(diary.household.written(), output: open("/dev/null", O_WRONLY))
        }
        try database.execute("DELETE FROM days")
        #expect(try recount(diary)["differing"] == 1)
        let hour = HourSpan.hour(try utc("2026-11-03T12:00:00Z"))
        try diary.parts.store.markStale(diary.user, hour...hour + 1)
        #expect(try recount(diary)["waiting"] == 1 && recount(diary)["differing"] == 0)
        try diary.settle()
        #expect(try recount(diary)["differing"] == 0 && recount(diary)["kept"] == 1)
    }
}
