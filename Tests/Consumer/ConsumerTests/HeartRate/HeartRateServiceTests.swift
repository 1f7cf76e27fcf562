import HouseholdSupport
import Telemetry
import Testing

@Suite("Questions about hearts, with a broker", .timeLimit(.minutes(60)))
struct HeartRateServiceTests {
    @Test("through a broker: each asks of their own, and is told what is wrong with what they ask")
    func service() throws {
        try AccountService.with { service in
            let phone = try service.device(try service.signUp("ada@example.org"))
            defer { phone.stop() }
            let whole: JSON = ["from": .integer(start), "to": .integer(start + 1000)]
            let graph = try phone.done("heart-rate/graph", whole)
            #expect(graph["tier"] == "samples" && graph["index"] == .array([]) && graph["width_ms"] == 2)
            #expect(try phone.done("heart-rate/variability", whole) == ["beats": 0])
            #expect(try phone.done("heart-rate/intervals", whole) == sorted(["rr_ms": [], "time": []]))
            #expect(try phone.refused("heart-rate/at", ["time": .integer(start)]).code == .notFound)
            let limit = Moment.limit
            let wrong: [(JSON, ReplyError.Code, String)] = [
                ([:], .badRequest, "from"), (["from": 1], .badRequest, "to"),
                (["from": 1, "to": "2"], .badRequest, "to"),
                (["from": .number(1.5), "to": 2], .badRequest, "from"),
                (["from": .number(1e300), "to": 2], .badRequest, "from"),
                (["from": .integer(.min), "to": 2], .invalid, "from"),
                (["from": 0, "to": .integer(limit + 1)], .invalid, "to"),
                (["from": 2, "to": 2], .invalid, "to"), (["from": 2, "to": 1], .invalid, "to"),
                (["from": 1, "to": 2, "points": 0], .invalid, "points"),
                (["from": 1, "to": 2, "points": 2001], .invalid, "points"),
                (["from": 1, "to": 2, "points": .integer(.max)], .invalid, "points"),
                (["from": 1, "to": 2, "points": "9"], .badRequest, "points"),
            ]
            for (fields, code, field) in wrong {
                let error = try phone.refused("heart-rate/graph", fields)
                #expect(error.code == code && error.field == field, "\(fields): \(error)")
            }
            let far: JSON = ["from": .integer(-limit), "to": .integer(limit), "points": 2000]
            #expect(try phone.done("heart-rate/graph", far)["tier"] == "hours")
            for name in ["intervals", "variability"] {
                let error = try phone.refused("heart-rate/\(name)", ["from": 0, "to": 86_400_001])
                #expect(error.code == .invalid && error.field == "to")
            }
            #expect(try phone.refused("heart-rate/at", ["time": .integer(limit + 1)]).code == .invalid)
            #expect(try phone.refused("heart-rate/at", ["time": .integer(limit)]).code == .notFound)
        }
    }

    /// As what was read comes.
    private func sorted(_ json: JSON) -> JSON {
        guard case .object(let members) = json else { return json }
        return .object(members.sorted { $0.name < $1.name })
    }
}
