import OwnTracks
import Telemetry
import TestSupport
import Testing

@testable import Phones

@Suite("What is kept of what a phone says")
struct PhoneReadingsTests {
    /// A moment in 2026, Unix milliseconds and seconds.
    private let now: Int64 = 1_795_252_800_000
    private let second: Int64 = 1_795_252_800

    private func kept(
        _ message: String, since begin: Int64 = -Moment.limit
    ) throws -> (wall: Int64, value: Reading.Value)? {
        try PhoneReadings.reading(PhoneReport(payload: Array(message.utf8)), since: begin, now: now)
    }

    private func position(_ more: String) throws -> Position? {
        let message = "{\"_type\":\"location\",\"lat\":52.5163,\"lon\":13.3777,\"tst\":\(second)\(more)}"
        guard let (wall, value) = try kept(message) else { return nil }
        #expect(wall == now)
        guard case .position(let position) = value else { throw TestFailure("\(value)") }
        return position
    }

    @Test("is a position at the time of its fix")
    func location() throws {
        let found = try #require(try position(",\"acc\":12,\"alt\":34,\"vac\":3,\"vel\":5,\"batt\":80,\"t\":\"t\""))
        #expect(found.latitude == 52_516_300 && found.longitude == 13_377_700 && found.source == .phone)
        #expect(found.altitude == 340 && found.accuracy == 120)
        // The message was written later: the position is the fix's.
        #expect(try position(",\"created_at\":\(second + 60)") != nil)
    }

    @Test(
        "has no altitude where a phone says 0 and not how far off that may be",
        arguments: [
            ("", nil), (",\"alt\":0", nil), (",\"alt\":0,\"vac\":0", nil), (",\"alt\":0,\"vac\":-1", nil),
            (",\"alt\":0,\"vac\":4", 0), (",\"alt\":-3", -30),
        ] as [(String, Int32?)])
    func altitude(more: String, decimetres: Int32?) throws {
        #expect(try #require(try position(more)).altitude == decimetres)
    }

    @Test("has no accuracy where a phone says 0; a place that is not valid is refused")
    func accuracy() throws {
        #expect(try #require(try position(",\"acc\":0")).accuracy == nil)
        #expect(throws: OwnTracksError.self) { try position(",\"acc\":-1") }
    }

    @Test("is no position where a ping's time is the present, and one where the ping says that it is the fix's")
    func pings() throws {
        #expect(try position(",\"t\":\"p\"") == nil)
        #expect(try position(",\"t\":\"p\",\"created_at\":\(second)") == nil)
        #expect(try position(",\"t\":\"p\",\"created_at\":\(second + 900)") != nil)
        for trigger in ["c", "C", "b", "r", "u", "t", "v", "m", "x"] {
            #expect(try position(",\"t\":\"\(trigger)\"") != nil, "\(trigger)")
        }
    }

    @Test("is nothing where its time cannot be")
    func times() throws {
        func location(_ second: Int64) -> String { "{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":\(second)}" }
        let month: Int64 = 30 * 86_400
        #expect(try kept(location(second + 300)) != nil && kept(location(second - month)) != nil)
        #expect(throws: PhoneReadings.Refusal.future) { try kept(location(second + 301)) }
        #expect(throws: PhoneReadings.Refusal.past) { try kept(location(second - month - 1)) }
    }

    @Test("is nothing of the time before the person agreed")
    func consent() throws {
        let location = "{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":\(second - 100)}"
        let steps = "{\"_type\":\"steps\",\"steps\":9,\"from\":\(second - 100),\"to\":\(second)}"
        for message in [location, steps] {
            // Within the same second nobody can tell.
            #expect(try kept(message, since: now - 99_001) != nil && kept(message, since: -Moment.limit) != nil)
            #expect(throws: PhoneReadings.Refusal.beforeConsent) { try kept(message, since: now - 99_000) }
        }
    }

    @Test("is what the pedometer counted, at the end of the span; nothing where there is none")
    func steps() throws {
        func steps(_ count: Int64, from: Int64 = -3600, to: Int64 = 0) -> String {
            "{\"_type\":\"steps\",\"tst\":\(second),\"steps\":\(count),\"from\":\(second + from),\"to\":\(second + to)}"
        }
        let found = try #require(try kept(steps(1234)))
        #expect(found.wall == now && found.value == .pedometer(PedometerSpan(milliseconds: 3_600_000, steps: 1234)))
        #expect(try kept(steps(-1)) == nil && kept(steps(5, from: -50 * 86_400)) == nil)
        #expect(try kept(steps(0)) != nil)
        #expect(throws: PhoneReadings.Refusal.future) { try kept(steps(1, to: 301)) }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "{\"_type\":\"lwt\",\"tst\":1}", "{\"_type\":\"card\",\"name\":\"Ada\"}", "{\"_type\":\"beam\"}",
            "{\"_type\":\"waypoint\",\"desc\":\"home\",\"lat\":1,\"lon\":2,\"rad\":50,\"tst\":1}",
            "{\"_type\":\"transition\",\"event\":\"enter\",\"tst\":1795252800,\"wtst\":1,\"lat\":1,\"lon\":2,\"acc\":3}",
        ])
    func others(message: String) throws {
        #expect(try kept(message) == nil)
    }
}
