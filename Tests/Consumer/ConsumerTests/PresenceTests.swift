import Telemetry
import Testing

@testable import vitals_consumer

@Suite("Presence")
struct PresenceTests {
    let predecessor = Presence(instance: "a")
    let newcomer = Presence(instance: "c")
    let presence = Presence(instance: "b")

    private func online(_ presence: Presence) -> [UInt8] { presence.payload(.online, time: 1) }
    private func offline(_ presence: Presence) -> [UInt8] { presence.payload(.offline, time: nil) }

    @Test("is a status that any reader understands")
    func payload() throws {
        #expect(try StatusPayload(payload: online(presence)) == StatusPayload(.online, time: 1, instance: "b"))
        #expect(try StatusPayload(payload: offline(presence)) == StatusPayload(.offline, instance: "b"))
    }

    @Test("does not mind what those before it have left, and speaks up after their late wills")
    func predecessors() {
        var presence = presence
        #expect(presence.received(online(predecessor)) == .none)
        #expect(presence.received(online(presence)) == .none)
        #expect(presence.received(offline(predecessor)) == .sayOnlineAgain)
        #expect(presence.received(online(predecessor)) == .none)
        #expect(presence.received(StatusPayload.will.bytes) == .sayOnlineAgain)
    }

    @Test(
        "speaks up when somebody has put nonsense or nothing in its status's place",
        arguments: [[], [0], Array("{}".utf8)])
    func replaced(payload: [UInt8]) {
        var presence = presence
        #expect(presence.received(payload) == .none, "what lay there before it said anything")
        #expect(presence.received(online(presence)) == .none)
        #expect(presence.received(payload) == .sayOnlineAgain)
    }

    @Test("leaves its own goodbye as the last word")
    func goodbye() {
        var presence = presence
        #expect(presence.received(online(presence)) == .none)
        presence.leave()
        #expect(presence.received(offline(presence)) == .none)
        #expect(presence.received(online(newcomer)) == .none)
    }

    @Test("does not mind what a predecessor left and what comes late, after a connection that was cut")
    func lateRetained() {
        var presence = presence
        // The first connection ended before the retained status came, and before anything was said.
        #expect(presence.received(offline(presence)) == .none, "its own will")
        #expect(presence.received(online(predecessor)) == .none)
        presence.saidOnline()
        #expect(presence.received(online(predecessor)) == .none)
        #expect(presence.received(offline(predecessor)) == .sayOnlineAgain)
        #expect(presence.received(online(newcomer)) == .superseded)
    }

    @Test("ends with a newcomer, by its status or by its will", arguments: [Availability.online, .offline])
    func superseded(state: Availability) {
        var presence = presence
        #expect(presence.received(offline(presence)) == .none, "its own old will, before it has said anything")
        #expect(presence.received(online(presence)) == .none)
        #expect(presence.received(newcomer.payload(state, time: nil)) == .superseded)
        #expect(presence.isSuperseded)
        #expect(presence.received(offline(newcomer)) == .none)
    }
}
