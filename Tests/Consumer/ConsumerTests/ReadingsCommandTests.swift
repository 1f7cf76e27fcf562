import DaysSupport
import HouseholdSupport
import Telemetry
import Testing

@Suite("The command that prints readings", .timeLimit(.minutes(60)))
struct ReadingsCommandTests {
    @Test("prints what is stored of a kind, from a time on and before another")
    func ranges() throws {
        let household = try Household()
        var parts = try household.open()
        let session = try parts.session(household)
        let steps = Reading(at: beat(1000, 0).moment, .steps(StepCount(42)))
        _ = try parts.take(
            session.keyBlock, session.block(beat(0, 60), beat(1000, 61), beat(2000, 62)), session.block(steps))
        #expect(try household.readings() == [line(0, 60), line(1000, 61), line(2000, 62)])
        #expect(try household.readings(from: start + 1000, to: start + 2000) == [line(1000, 61)])
        #expect(try household.readings(.steps) == ["{\"time\":\(start + 1000),\"steps\":42}"])
    }
}
