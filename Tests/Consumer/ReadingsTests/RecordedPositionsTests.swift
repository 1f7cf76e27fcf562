import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("Positions from gateways", .timeLimit(.minutes(60)))
struct RecordedPositionsTests {
    @Test("are acknowledged and not kept where they are not to be recorded, in blocks and in loose records")
    func consent() throws {
        let household = try Household()
        for (kinds, kept) in [(#""heart-rate", "position""#, 2), (#""heart-rate""#, 0)] {
            var parts = try household.open(people: "demo: { sensors: [\"home/strap\"], kinds: [\(kinds)] }")
            let session = try parts.session(household)
            let old = try parts.session(household, boot: 2)
            let before = try parts.printed(.position).count
            func position(_ second: Int64) throws -> Reading {
                let place = try #require(Position(latitude: 48, longitude: 11, source: .receiver))
                let wall = start + second * 1000 + (kept == 0 ? 500 : 0)
                return Reading(at: Moment(wall: wall, monotonic: 1_000_000), .position(place))
            }
            let loose = try session.loose(old, [old.record(0, position(5))])
            let answers = try parts.take(session.keyBlock, old.keyBlock, session.block(position(0)), loose)
            let acknowledged = answers.flatMap { answer -> [BlockIdentity] in
                if case .acknowledge(_, let identities) = answer { identities } else { [] }
            }
            #expect(acknowledged.count == 4)
            #expect(try parts.printed(.position).count - before == kept)
        }
    }
}
