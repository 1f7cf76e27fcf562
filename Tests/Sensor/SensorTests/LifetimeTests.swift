import DBus
import Foundation
import Reactor
import TestSupport
import Testing

@testable import vitals_sensor

/// The expected orders are those of recordings of BlueZ 5.66.
@Suite("The stand-in, when BlueZ or the adapter goes and comes back")
struct LifetimeTests {
    /// Without attributes and signal strengths.
    private func coarse(_ events: [String]) -> [String] {
        events.filter { !$0.contains("/service") && !$0.contains("RSSI") }
    }

    private func isPaired(_ bench: Bench) -> Bool {
        bench.client.property(BusClient.device, "org.bluez.Device1", "Paired") == .bool(true)
    }

    /// A bench whose device is connected, bonded, trusted and has a name of its own.
    private func bondedBench() throws -> (Bench, AgentDouble) {
        let bench = try Bench(rows: ["0,70,,", "3600,90,,"], profile: .strap.encrypting(.vendor))
        let agent = AgentDouble(bench.client, answers: .yes)
        try bench.connect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        let arguments: [Value] = [.string("org.bluez.Device1"), .string("Alias"), .variant(.string("Mine"))]
        _ = bench.client.call(BusClient.device, "org.freedesktop.DBus.Properties", "Set", arguments)
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        bench.client.wait(for: "hci0 Discovering=true")
        bench.client.clear()
        return (bench, agent)
    }

    @Test("unplugged, it takes all with it; plugged in, what was known and bonded is there again")
    func unplug() throws {
        let (bench, agent) = try bondedBench()
        #expect(bench.command("unplug") == ["ok"])
        bench.client.wait(for: "removed hci0 Adapter1")
        #expect(
            coarse(bench.client.events) == [
                "hci0 Powered=false Discovering=false", "dev ServicesResolved=false Connected=false",
                "removed dev Battery1", "removed dev Device1", "removed hci0 Adapter1",
            ])
        #expect(try bench.client.managedObjects().keys.sorted() == ["/org/bluez"])
        #expect(bench.command("status").first?.contains(": no adapter, ") == true)
        bench.client.clear()
        #expect(bench.command("plug") == ["ok"])
        bench.client.wait(for: "added dev Device1")
        #expect(bench.client.events == ["added hci0 Adapter1", "added dev Device1"])
        let objects = try bench.client.managedObjects()
        #expect(objects[BusClient.adapter]?["org.bluez.Adapter1"]?["Powered"] == .bool(true))
        #expect(objects[BusClient.device]?["org.bluez.Device1"]?["Alias"] == .string("Mine"))
        #expect(isPaired(bench))
        try bench.reconnect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(agent.asked.all.count == 1)
        // Nobody listens until somebody says so again.
        bench.command("heart-rate 71")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.command("heart-rate 72")
        let events = bench.client.wait(for: "dev/service000e/char000f Value=0648")
        #expect(!events.contains { $0.contains("0647") })
    }

    @Test("plugged in by itself after a while, a device that was only heard is forgotten")
    func unplugForAWhile() throws {
        let bench = try Bench()
        try bench.discover()
        bench.client.clear()
        #expect(bench.command("unplug 0.02") == ["ok"])
        bench.client.wait(for: "added hci0 Adapter1")
        #expect(try bench.client.managedObjects().keys.sorted() == ["/org/bluez", "/org/bluez/hci0"])
        try bench.discover()
    }

    @Test(
        "told to end, BlueZ takes its objects off one by one; then it is there again, and knows the bond but no agent")
    func restart() throws {
        let (bench, agent) = try bondedBench()
        #expect(bench.command("restart 0.02") == ["ok"])
        bench.client.wait(for: "hci0 Powered=true")
        #expect(
            coarse(bench.client.events) == [
                "dev ServicesResolved=false Connected=false", "removed dev Battery1",
                "hci0 Powered=false Discovering=false", "removed /org/bluez AgentManager1 ProfileManager1",
                "removed dev Device1", "removed hci0 Adapter1", "name gone", "name taken",
                "added /org/bluez AgentManager1 ProfileManager1", "added hci0 Adapter1", "added dev Device1",
                "hci0 Powered=true",
            ])
        #expect(agent.asked.first { $0 == "Release" } != nil)
        #expect(agent.manager("RequestDefaultAgent", [.path(AgentDouble.path)]) == "DoesNotExist: Does Not Exist")
        #expect(isPaired(bench))
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        try bench.reconnect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
    }

    @Test("killed, BlueZ says nothing; calls under way fail, and the new one shows a link that then ends")
    func crash() throws {
        let (bench, agent) = try bondedBench()
        bench.command("hang on")
        let read = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            let path = BusClient.device + "/" + Path.steps
            connection.call(
                "org.bluez", path, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([:])], limit: limit
            ) { read.set($0.outcome) }
        }
        // The call has reached the stand-in once a later one is answered.
        _ = try bench.client.managedObjects()
        bench.command("hang off")
        bench.client.clear()
        #expect(bench.command("crash 0") == ["ok"])
        #expect(read.wait(atMost: limit)?.contains("NoReply") == true)
        bench.client.wait(for: "dev Connected=false")
        #expect(
            bench.client.events == [
                "name gone", "name taken", "added /org/bluez AgentManager1 ProfileManager1", "added hci0 Adapter1",
                "added dev Device1", "dev Connected=false",
            ])
        #expect(agent.asked.all.filter { $0 == "Release" || $0 == "Cancel" } == [])
        #expect(isPaired(bench))
        #expect(bench.client.property(BusClient.adapter, "org.bluez.Adapter1", "Powered") == .bool(true))
        try bench.reconnect()
        agent.register()
        #expect(bench.client.read(Path.steps).outcome == "ok")
    }

    @Test("an adapter that was pulled out is still out when BlueZ comes back")
    func unpluggedRestart() throws {
        let bench = try Bench()
        bench.command("unplug")
        #expect(bench.command("crash 0") == ["ok"])
        bench.client.wait(for: "added /org/bluez AgentManager1 ProfileManager1")
        #expect(try bench.client.managedObjects().keys.sorted() == ["/org/bluez"])
        bench.command("plug")
        bench.client.wait(for: "added hci0 Adapter1")
    }

    @Test("a private address is another one with each appearance, and the identity once there is a bond")
    func privateAddress() throws {
        let bench = try Bench(profile: .strap.encrypting(.vendor), isPrivate: true) { $0.forgetAfter = .seconds(60) }
        let agent = AgentDouble(bench.client, answers: .yes)
        func discover() throws -> String {
            bench.client.clear()
            #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
            let events = bench.client.wait("a device") { $0.contains { $0.hasSuffix(" Device1") } }
            #expect(bench.client.adapter("StopDiscovery").outcome == "ok")
            let event = try #require(events.first { $0.hasSuffix(" Device1") })
            return String(event.dropFirst("added ".count).dropLast(" Device1".count))
                .replacingOccurrences(of: "hci0", with: BusClient.adapter)
        }
        func device(_ path: String, _ member: String) -> String {
            bench.client.call(path, "org.bluez.Device1", member).outcome
        }
        let first = try discover()
        let firstAddress = bench.client.property(first, "org.bluez.Device1", "Address")?.asString ?? ""
        #expect(UInt8(firstAddress.prefix(2), radix: 16).map { $0 >> 6 } == 1)
        #expect(bench.client.property(first, "org.bluez.Device1", "AddressType") == .string("random"))
        #expect(device(first, "Connect") == "ok")
        bench.command("drop 0.01")
        let second = try discover()
        #expect(second != first)
        // A client that knows the first one never hears from it again.
        #expect(device(first, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(device(second, "Connect") == "ok")
        bench.client.wait("its services") { $0.contains { $0.contains("ServicesResolved=true") } }
        let steps = second + "/" + Path.steps
        #expect(
            bench.client.call(steps, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([:])]).outcome == "ok")
        #expect(agent.asked.all == ["RequestAuthorization \(second)"])
        // The object stays where it is until BlueZ makes it again.
        #expect(bench.client.property(second, "org.bluez.Device1", "Address") == .string("C0:FF:EE:00:00:01"))
        bench.client.wait("the bond") {
            $0.contains { $0.hasSuffix(" Address=C0:FF:EE:00:00:01 AddressType=random Bonded=true Paired=true") }
        }
        bench.command("drop 0.01")
        #expect(device(second, "Connect") == "ok")
        bench.command("unplug 0")
        bench.client.wait(for: "added dev Device1")
        try bench.reconnect()
        #expect(bench.client.read(Path.steps).outcome == "ok")
    }
}
