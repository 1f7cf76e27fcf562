import DaysSupport
import HouseholdSupport
import Records
import Synchronization
import Telemetry
import Testing

@testable import Desk
@testable import Features

@Suite("What must not be done twice")
struct AnsweredTests {
    private func request(_ user: String, _ identity: [UInt8]?, _ fields: JSON = [:]) throws -> PeopleRequest {
        PeopleRequest(
            asker: .person(try ID(user)), name: "test/once", fields: fields, identity: identity, answer: { _ in })
    }

    @Test("is done once, whoever asks again within ten minutes gets the same reply, and after a restart too")
    func once() throws {
        let household = try Household()
        let calls = Mutex(0)
        func work() -> JSON {
            [
                "call": .integer(
                    Int64(
                        calls.withLock {
                            $0 += 1
                            return $0
                        }))
            ]
        }
        let (identity, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        do {
            let parts = try household.open()
            let answered = Answered(parts.store, parts.keys)
            #expect(try answered.once(request("demo", identity), now: 0, work)["call"] == 1)
            #expect(try answered.once(request("demo", identity), now: 599_999, work)["call"] == 1)
            #expect(try answered.once(request("demo", other), now: 0, work)["call"] == 2)
            // What cannot be told apart is new.
            #expect(try answered.once(request("demo", nil), now: 0, work)["call"] == 3)
            #expect(try answered.once(request("demo", nil), now: 0, work)["call"] == 4)
        }
        let parts = try household.open()
        let answered = Answered(parts.store, parts.keys)
        #expect(try answered.once(request("demo", identity), now: 1000, work)["call"] == 1)
        #expect(try parts.count("answered") == 2)
        #expect(try answered.once(request("demo", identity), now: 600_000, work)["call"] == 5)
        #expect(try answered.prune(now: 600_000))
        #expect(try parts.count("answered") == 1)
        #expect(try !answered.prune(now: 1_200_000))
        // A program that draws its correlation data badly asks for something else with the same.
        let others = try request("demo", identity, ["of": "others"])
        #expect(try answered.once(others, now: 600_000, work)["call"] == 6)
        #expect(try answered.once(others, now: 600_000, work)["call"] == 6)
        #expect(try answered.once(request("demo", identity), now: 600_000, work)["call"] == 7)
    }

    @Test("leaves nothing behind where it was refused, and may be asked again")
    func refused() throws {
        let household = try Household()
        let parts = try household.open()
        let answered = Answered(parts.store, parts.keys)
        let documents = Documents(store: parts.store, keys: parts.keys)
        let (user, request) = (try ID("demo"), try request("demo", [UInt8](repeating: 1, count: 32)))
        #expect(throws: ReplyError.self) {
            try answered.once(request, now: 0) {
                try documents.write(["half": true], "test", of: user)
                throw ReplyError(.notAllowed, "no")
            }
        }
        #expect(try documents.read("test", of: user) == nil)
        #expect(try parts.count("answered") == 0)
        #expect(try answered.once(request, now: 0) { ["done": true] } == ["done": true])
    }
}
