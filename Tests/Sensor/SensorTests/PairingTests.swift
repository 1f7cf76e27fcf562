import DBus
import Foundation
import Reactor
import TestSupport
import Testing

@testable import vitals_sensor

/// The orders of signals are those of the recordings of BlueZ 5.66 with an attribute that needs encryption.
@Suite("The stand-in, where pairing is needed")
struct PairingTests {
    private static let question = "RequestAuthorization \(BusClient.device)"
    private let rows = ["0,70,10,36.6", "3600,80,12,36.7"]

    private func bench(_ part: EncryptedPart = .vendor, change: (inout StandInSettings) -> Void = { _ in }) throws
        -> Bench
    {
        try Bench(rows: rows, profile: .strap.encrypting(part), change: change)
    }

    /// Reads the steps without waiting for the answer.
    private func beginRead(_ bench: Bench) -> Answer<String> {
        let answer = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call(
                "org.bluez", BusClient.device + "/" + Path.steps, "org.bluez.GattCharacteristic1", "ReadValue",
                [.properties([:])], limit: limit
            ) { answer.set($0.outcome) }
        }
        return answer
    }

    @Test("a read asks the agent, and is answered when there is a bond; the next link has it from the start")
    func read() throws {
        let bench = try bench()
        let agent = AgentDouble(bench.client, answers: .yes)
        try bench.connect()
        #expect(bench.client.read(Path.location).outcome == "ok")
        #expect(agent.asked.all == [])
        bench.client.clear()
        #expect(bench.client.read(Path.steps) == .success([.bytes([0, 0, 0, 0])]))
        #expect(agent.asked.all == [Self.question])
        #expect(bench.client.events.first == "dev Bonded=true Paired=true")
        #expect(bench.command("status").first?.contains(": connected, bonded, ") == true)
        bench.command("drop")
        try bench.reconnect()
        #expect(bench.client.read(Path.temperature).outcome == "ok")
        #expect(agent.asked.all.count == 1)
    }

    @Test("StartNotify and AcquireNotify ask, too")
    func listening() throws {
        let bench = try bench(.measurements)
        let agent = AgentDouble(bench.client, answers: .yes)
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service000e/char000f Value=0e460000")
        #expect(agent.asked.all == [Self.question])
        #expect(bench.client.adapter("RemoveDevice", [.path(BusClient.device)]).outcome == "ok")
        try bench.connect()
        let reply = try bench.client.characteristic(Path.battery, "AcquireNotify", [.properties([:])]).get()
        close(try #require(reply.first?.asDescriptor))
        #expect(agent.asked.all.count == 1)
        let second = try bench.client.characteristic(Path.heartRate, "AcquireNotify", [.properties([:])]).get()
        close(try #require(second.first?.asDescriptor))
        #expect(agent.asked.all == [Self.question, Self.question])
    }

    @Test(
        "a pairing that nobody allows leaves the read unanswered, and the device goes without a word",
        arguments: [false, true])
    func refused(hasAgent: Bool) throws {
        let bench = try bench { $0.forgetAfter = .milliseconds(100) }
        let agent = hasAgent ? AgentDouble(bench.client, answers: .no) : nil
        try bench.connect()
        bench.client.clear()
        let read = beginRead(bench)
        let events = bench.client.wait(for: "removed dev Device1 Battery1")
        #expect(agent?.asked.all ?? [Self.question] == [Self.question])
        #expect(events.allSatisfy { $0.hasPrefix("removed dev") })
        #expect(read.wait(atMost: .milliseconds(1)) == nil)
        // It can be found again, as a stranger.
        try bench.discover()
        try bench.reconnect()
        #expect(bench.client.property(BusClient.device, "org.bluez.Device1", "Paired") == .bool(false))
    }

    @Test("after a pairing that failed the link carries no other request either")
    func stuck() throws {
        let bench = try bench()
        let agent = AgentDouble(bench.client, answers: .no)
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        let read = beginRead(bench)
        agent.asked.first { $0 == Self.question }
        let answer = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            let path = BusClient.device + "/" + Path.location
            connection.call(
                "org.bluez", path, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([:])],
                limit: .milliseconds(50)
            ) { answer.set($0.outcome) }
        }
        #expect(answer.wait(atMost: limit)?.contains("NoReply") == true)
        // The link itself works: values continue, and it can be ended, which ends the waiting.
        bench.command("heart-rate 71")
        bench.client.wait(for: "dev/service000e/char000f Value=0647")
        #expect(bench.client.device("Disconnect").outcome == "ok")
        #expect(read.wait(atMost: limit) == "Failed: Operation failed with ATT error: 0x0e")
    }

    @Test("an agent that never answers costs the link, and is told so")
    func noAnswer() throws {
        let bench = try bench { $0.pairingTimeout = .milliseconds(50) }
        let agent = AgentDouble(bench.client, answers: .none)
        try bench.connect()
        bench.client.clear()
        #expect(bench.client.read(Path.steps).outcome == "Failed: Operation failed with ATT error: 0x0e")
        bench.client.wait(for: "dev ServicesResolved=false Connected=false")
        try agent.asked.wait { $0 == [Self.question, "Cancel"] }
    }

    @Test("a link that is lost while the agent thinks ends the pairing")
    func lostMeanwhile() throws {
        let bench = try bench()
        let agent = AgentDouble(bench.client, answers: .none)
        try bench.connect()
        let read = beginRead(bench)
        agent.asked.first { $0 == Self.question }
        bench.command("drop")
        #expect(read.wait(atMost: limit) == "Failed: Operation failed with ATT error: 0x0e")
        try agent.asked.wait { $0 == [Self.question, "Cancel"] }
    }

    @Test("an agent that leaves the bus has said no")
    func agentLeaves() throws {
        let bench = try bench { $0.forgetAfter = .milliseconds(50) }
        let other = try BusClient(bench.bus.address, on: bench.loop)
        let agent = AgentDouble(other, answers: .none)
        try bench.connect()
        _ = beginRead(bench)
        agent.asked.first { $0 == Self.question }
        other.close()
        bench.client.wait(for: "removed dev Device1 Battery1")
    }

    @Test("Pair connects and needs an agent, but does not ask it; the services are known when it is answered")
    func pair() throws {
        let bench = try bench()
        try bench.discover()
        #expect(bench.client.device("Pair").outcome == "AuthenticationFailed: Authentication Failed")
        #expect(bench.client.device("Disconnect").outcome == "ok")
        let agent = AgentDouble(bench.client, answers: .no)
        bench.client.clear()
        #expect(bench.client.device("Pair").outcome == "ok")
        let events = bench.client.events
        let told = events.filter { $0.hasPrefix("dev ") }
        #expect(told == ["dev Connected=true", "dev Bonded=true", "dev ServicesResolved=true Paired=true"])
        #expect(agent.asked.all == [])
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(bench.client.device("Pair").outcome == "AlreadyExists: Already Exists")
        #expect(bench.client.device("CancelPairing").outcome == "DoesNotExist: Does Not Exist")
    }

    @Test("Pair waits for a device as Connect does, and can be cancelled")
    func pairOutOfReach() throws {
        let bench = try bench { $0.connectTimeout = .milliseconds(100) }
        try bench.discover()
        bench.command("drop 60")
        #expect(bench.client.device("Pair").outcome == "ConnectionAttemptFailed: Page Timeout")
        let pair = Answer<String>()
        let cancelled = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Pair", limit: limit) { result in
                pair.set(result.outcome)
            }
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "CancelPairing", limit: limit) {
                cancelled.set($0.outcome)
            }
        }
        #expect(pair.wait(atMost: limit) == "AuthenticationCanceled: Authentication Canceled")
        #expect(cancelled.wait(atMost: limit) == "ok")
    }

    @Test("a sensor that lost its bond ends each new link, and BlueZ still calls it paired")
    func lostBond() throws {
        let bench = try bench()
        let agent = AgentDouble(bench.client, answers: .yes)
        try bench.connect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(bench.command("forget-bond") == ["ok"])
        bench.command("drop")
        bench.client.wait(for: "removed dev Battery1")
        bench.client.clear()
        #expect(bench.client.device("Connect").outcome == "Failed: le-connection-abort-by-local")
        #expect(bench.client.wait(for: "dev Connected=false") == ["dev Connected=true", "dev Connected=false"])
        #expect(bench.client.property(BusClient.device, "org.bluez.Device1", "Paired") == .bool(true))
        // Pair is not even answered.
        let pair = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Pair", limit: .milliseconds(50)) {
                pair.set($0.outcome)
            }
        }
        #expect(pair.wait(atMost: limit)?.contains("NoReply") == true)
        // The way out of it.
        #expect(bench.client.adapter("RemoveDevice", [.path(BusClient.device)]).outcome == "ok")
        try bench.connect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(agent.asked.all == [Self.question, Self.question])
    }
}
