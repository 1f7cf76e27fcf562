import Daemon
import Foundation
import HouseholdSupport
import TestSupport
import Testing

@testable import Sensors
@testable import vitals_consumer

@Suite("Time zones of the settings")
struct ZoneSettingsTests {
    @Test("are in a zone that the machine knows: another is refused, with words")
    func settings() throws {
        let household = try Household()
        #expect(try household.settings(more: "time_zone: \"Asia/Kathmandu\",").timeZone == "Asia/Kathmandu")
        do {
            _ = try household.settings(more: "time_zone: \"Europe/Atlantis\",")
            Issue.record("a zone that is none was taken")
        } catch let error as SettingsError {
            #expect("\(error)".contains("time_zone") && "\(error)".contains("Europe/Atlantis"))
        }
    }
}

@Suite("Reads on schedule, in the settings")
struct ReadSettingsTests {
    @Test(
        "are set as people write it, and 0 is never",
        arguments: [
            ("", 3_600_000, 60_000), ("reads: { steps: { every: \"30 min\", before_midnight: 0 } },", 1_800_000, nil),
            ("reads: { steps: { every: 0, before_midnight: \"2 min\" } },", nil, 120_000),
        ] as [(String, Int64?, Int64?)])
    func parsed(text: String, every: Int64?, before: Int64?) throws {
        let settings = try Household().settings(more: text)
        #expect(settings[ReadSettings.self] == ReadSettings(stepsEvery: every, stepsBeforeMidnight: before))
    }

    @Test("are refused where they would ask all the time")
    func refused() throws {
        let error = thrown(SettingsError.self) {
            try Household().settings(more: "reads: { steps: { every: \"5 s\" } },")
        }
        #expect(error?.description.contains("reads.steps.every") == true, "\(String(describing: error))")
    }
}
