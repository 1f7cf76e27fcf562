import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Groups

@Suite("A challenge")
struct ChallengeTests {
    private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test("of a week has seven days, and that of a month ends before the day of the same number, or with the next month")
    func lengths() throws {
        for (period, from, to) in [
            ("week", "2026-11-21", "2026-11-27"), ("week", "2026-12-28", "2027-01-03"),
            ("month", "2026-11-21", "2026-12-20"), ("month", "2026-12-01", "2026-12-31"),
            ("month", "2026-12-15", "2027-01-14"), ("month", "2027-01-31", "2027-02-28"),
            ("month", "2028-01-31", "2028-02-29"), ("month", "2027-01-29", "2027-02-28"),
        ] {
            let period = try #require(Challenge.Period(rawValue: period))
            let days = try day(from)...day(to)
            #expect(Challenge(.steps, period, from: days.lowerBound, target: nil).days == days)
        }
    }

    @Test("is over when its last day is over in the farthest west, and final two days later")
    func states() throws {
        let challenge = Challenge(.steps, .week, from: try day("2026-11-21"), target: nil)
        // 2026-11-28T12:00:00Z, which is midnight twelve hours west of Greenwich.
        let over: Int64 = 1_795_867_200_000
        #expect(challenge.over == over && challenge.final == over + 172_800_000)
        let states = [over - 1, over, over + 172_799_999, over + 172_800_000].map { challenge.state(at: $0) }
        #expect(states == [.isOn, .isOver, .isOver, .isFinal])
        // The day in the west, by the rules of a real zone.
        let west = LocalDays(try #require(ZoneRules(known: "Etc/GMT+12")))
        #expect("\(west.day(of: over - 1))" == "2026-11-27" && "\(west.day(of: over))" == "2026-11-28")
    }

    @Test("has something to be done for it until everybody's place is kept")
    func due() throws {
        var group = try Group.madeUp()
        #expect(group.due == nil)
        var challenge = Challenge(.steps, .week, from: try day("2026-11-21"), target: nil)
        group.add(challenge)
        #expect(group.due == challenge.over)
        challenge.isTold = true
        group.change(challenge)
        #expect(group.due == challenge.final)
        challenge.isKept = true
        group.change(challenge)
        #expect(group.due == nil)
    }

    @Test("is the same after it was kept")
    func kept() throws {
        var challenge = Challenge(.distance, .month, from: try day("2026-11-21"), target: 100_000)
        challenge.isTold = true
        #expect(Challenge(kept: challenge.kept) == challenge)
        for member in ["measure", "period", "from", "to"] {
            guard case .object(let members) = challenge.kept else { throw TestFailure("\(challenge.kept)") }
            #expect(Challenge(kept: .object(members.filter { $0.name != member })) == nil, "\(member)")
        }
    }
}
