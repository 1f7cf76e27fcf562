import DBus
import Foundation
import Reactor
import TestSupport
import Testing

@testable import vitals_sensor

/// The expected orders and names are those of recordings of BlueZ 5.66.
@Suite("The stand-in, as an adapter with a device")
struct StandInTests {
    static let deviceProperties = [
        "Adapter", "Address", "AddressType", "Alias", "Blocked", "Bonded", "Connected", "LegacyPairing", "Name",
        "Paired",
        "RSSI", "ServicesResolved", "Trusted", "UUIDs",
    ]

    @Test("has the objects and properties of a fresh BlueZ")
    func freshObjects() throws {
        let bench = try Bench()
        let objects = try bench.client.managedObjects()
        #expect(objects.keys.sorted() == ["/org/bluez", "/org/bluez/hci0"])
        let managers = Set(try #require(objects["/org/bluez"]).keys)
        #expect(managers.isSuperset(of: ["org.bluez.AgentManager1", "org.bluez.ProfileManager1"]))
        let adapter = try #require(objects[BusClient.adapter]?["org.bluez.Adapter1"])
        #expect(
            adapter.keys.sorted() == [
                "Address", "AddressType", "Alias", "Class", "Discoverable", "DiscoverableTimeout", "Discovering",
                "Modalias",
                "Name", "Pairable", "PairableTimeout", "Powered", "Roles", "UUIDs",
            ])
    }

    @Test("finds the device while somebody discovers, and forgets it some time later")
    func discovery() throws {
        let bench = try Bench { $0.forgetAfter = .milliseconds(30) }
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        bench.client.wait(for: "added dev Device1")
        let device = try #require(try bench.client.managedObjects()[BusClient.device]?["org.bluez.Device1"])
        #expect(device.keys.sorted() == Self.deviceProperties)
        #expect(device["Name"] == .string("Vitals HRM") && device["AddressType"] == .string("random"))
        #expect(device["UUIDs"] == .strings(["0000180d-0000-1000-8000-00805f9b34fb"]))
        #expect(bench.client.adapter("StopDiscovery").outcome == "ok")
        let events = bench.client.wait(for: "removed dev Device1")
        #expect(
            events.filter { !$0.hasPrefix("dev RSSI=") } == [
                "hci0 Discovering=true", "added dev Device1", "dev -RSSI", "hci0 Discovering=false",
                "removed dev Device1",
            ])
    }

    @Test(
        "forgets an unbonded device some time after its link has ended, and keeps one that is bonded",
        arguments: [false, true])
    func forgets(isBonded: Bool) throws {
        let bench = try Bench { $0.forgetAfter = .milliseconds(30) }
        try bench.connect()
        if isBonded {
            _ = AgentDouble(bench.client, answers: .yes)
            #expect(bench.client.device("Pair").outcome == "ok")
        }
        bench.client.clear()
        bench.command("drop")
        // Timers of one loop run in their order: by this one the device would have been forgotten.
        let isPast = Answer<Bool>()
        bench.loop.perform { [loop = bench.loop] in loop.after(.milliseconds(60)) { isPast.set(true) } }
        #expect(isPast.wait(atMost: limit) == true)
        #expect(try (bench.client.managedObjects()[BusClient.device] != nil) == isBonded)
        guard !isBonded else { return }
        bench.client.wait(for: "removed dev Device1")
        #expect(bench.client.device("Connect").outcome.contains("UnknownObject"))
        try bench.connect()
    }

    @Test("keeps a device while somebody waits to connect to it, and while there is a link")
    func keepsConnected() throws {
        let bench = try Bench {
            $0.forgetAfter = .milliseconds(30)
            $0.connectTimeout = .seconds(60)
        }
        try bench.connect()
        let connected = Answer<String>()
        bench.command("drop 0.1")
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Connect", limit: limit) { result in
                connected.set(result.outcome)
            }
        }
        #expect(connected.wait(atMost: limit) == "ok")
        let isPast = Answer<Bool>()
        bench.loop.perform { [loop = bench.loop] in loop.after(.milliseconds(60)) { isPast.set(true) } }
        #expect(isPast.wait(atMost: limit) == true)
        #expect(bench.client.property(BusClient.device, "org.bluez.Device1", "Connected") == .bool(true))
    }

    @Test("knows its device from the start if it is told so")
    func known() throws {
        let bench = try Bench { $0.isKnown = true }
        let device = try #require(try bench.client.managedObjects()[BusClient.device]?["org.bluez.Device1"])
        #expect(device["RSSI"] == nil)
        #expect(bench.client.device("Connect").outcome == "ok")
    }

    @Test(
        "honours a client's filter",
        arguments: [
            (["UUIDs": .strings(["180d"])], true), (["UUIDs": .strings(["180f"])], false),
            (["Transport": .string("le")], true), (["Transport": .string("bredr")], false),
            (["RSSI": .int16(-90)], true), (["RSSI": .int16(-20)], false), (["Pattern": .string("Vitals")], true),
            (["Pattern": .string("Other")], false), ([:], true),
        ] as [([String: Value], Bool)])
    func filter(properties: [String: Value], isFound: Bool) throws {
        let bench = try Bench()
        #expect(bench.client.adapter("SetDiscoveryFilter", [.properties(properties)]).outcome == "ok")
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        if isFound {
            bench.client.wait(for: "added dev Device1")
        } else {
            // Timers of one loop run in their order: by this one an advertisement was heard, and left alone.
            let heard = Answer<Bool>()
            bench.loop.perform { [loop = bench.loop] in loop.after(.milliseconds(50)) { heard.set(true) } }
            #expect(heard.wait(atMost: limit) == true)
            #expect(bench.client.events == ["hci0 Discovering=true"])
        }
    }

    @Test("refuses what BlueZ refuses, in its words")
    func adapterErrors() throws {
        let bench = try Bench()
        let client = bench.client
        #expect(client.adapter("StopDiscovery").outcome == "Failed: No discovery started")
        #expect(client.adapter("StartDiscovery").outcome == "ok")
        #expect(client.adapter("StartDiscovery").outcome == "InProgress: Operation already in progress")
        let filter = Value.properties(["Colour": .string("red")])
        #expect(
            client.adapter("SetDiscoveryFilter", [filter]).outcome
                == "InvalidArguments: Invalid arguments in method call")
        #expect(
            client.adapter("RemoveDevice", [.path("/org/bluez/hci0/dev_00")]).outcome == "DoesNotExist: Does Not Exist")
        #expect(client.setPowered(false).outcome == "ok")
        #expect(client.adapter("StartDiscovery").outcome == "NotReady: Resource Not Ready")
        #expect(client.call(BusClient.adapter, "org.bluez.Adapter1", "Fly").outcome.contains("UnknownMethod"))
        #expect(client.call("/nowhere", "org.bluez.Adapter1", "Fly").outcome.contains("UnknownObject"))
        #expect(client.property(BusClient.adapter, "org.bluez.Adapter1", "Colour") == nil)
        let name: [Value] = [.string("org.bluez.Adapter1"), .string("Name"), .variant(.string("x"))]
        let set = client.call(BusClient.adapter, "org.freedesktop.DBus.Properties", "Set", name)
        #expect(set.outcome.contains("PropertyReadOnly"))
    }

    @Test("counts discovery by client, and ends it when the last one has left the bus")
    func discoverers() throws {
        let bench = try Bench()
        let other = try BusClient(bench.bus.address, on: bench.loop)
        #expect(other.adapter("StartDiscovery").outcome == "ok")
        #expect(bench.client.adapter("StopDiscovery").outcome == "Failed: No discovery started")
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        #expect(bench.client.adapter("StopDiscovery").outcome == "ok")
        #expect(bench.client.property(BusClient.adapter, "org.bluez.Adapter1", "Discovering") == .bool(true))
        other.close()
        bench.client.wait(for: "hci0 Discovering=false")
    }

    @Test("connects in BlueZ's order: the link, the attributes, then that they are resolved, and the battery")
    func connectOrder() throws {
        let bench = try Bench()
        try bench.connect()
        let events = bench.client.events
        #expect(
            Array(events.prefix(12)) == [
                "dev Connected=true",
                "added dev/service0006 GattService1",
                "added dev/service0006/char0007 GattCharacteristic1",
                "added dev/service0006/char0007/desc0009 GattDescriptor1",
                "added dev/service0006/char000a GattCharacteristic1",
                "added dev/service0006/char000c GattCharacteristic1",
                "added dev/service000e GattService1",
                "added dev/service000e/char000f GattCharacteristic1",
                "added dev/service000e/char000f/desc0011 GattDescriptor1",
                "added dev/service000e/char0012 GattCharacteristic1",
                "added dev/service000e/char0014 GattCharacteristic1",
                "added dev/service0016 GattService1",
            ])
        #expect(events.suffix(2) == ["dev UUIDs=[7] ServicesResolved=true", "added dev Battery1"])
        let notified = try #require(
            try bench.client.managedObjects()[BusClient.device + "/" + Path.heartRate]?["org.bluez.GattCharacteristic1"]
        )
        #expect(
            notified.keys.sorted() == ["Flags", "MTU", "NotifyAcquired", "Notifying", "Service", "UUID", "Value"])
        #expect(notified["MTU"] == .uint16(517) && notified["Flags"] == .strings(["notify"]))
    }

    @Test("loses a link in one signal, and comes back without its attributes being added again")
    func dropAndReconnect() throws {
        let bench = try Bench()
        try bench.connect()
        bench.client.clear()
        #expect(bench.command("drop") == ["ok"])
        bench.client.wait(for: "removed dev Battery1")
        #expect(bench.client.events == ["dev ServicesResolved=false Connected=false", "removed dev Battery1"])
        try bench.reconnect()
        bench.client.wait(for: "dev ServicesResolved=true")
        #expect(bench.client.events == ["dev Connected=true", "added dev Battery1", "dev ServicesResolved=true"])
    }

    @Test("answers Disconnect after the services have gone, and before the link is reported to have gone")
    func disconnectOrder() throws {
        let bench = try Bench()
        try bench.connect()
        bench.client.clear()
        let order = Answer<[String]>()
        bench.loop.perform { [client = bench.client] in
            client.connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Disconnect", limit: limit) {
                _ in
                order.set(client.events)
            }
        }
        #expect(order.wait(atMost: limit) == ["removed dev Battery1", "dev ServicesResolved=false"])
        let events = bench.client.wait(for: "dev Connected=false")
        #expect(events == ["removed dev Battery1", "dev ServicesResolved=false", "dev Connected=false"])
    }

    @Test("removes a device from the inside out")
    func removal() throws {
        let bench = try Bench()
        try bench.connect()
        bench.client.clear()
        #expect(bench.client.adapter("RemoveDevice", [.path(BusClient.device)]).outcome == "ok")
        let events = bench.client.wait(for: "removed dev Device1")
        #expect(
            Array(events.prefix(9)) == [
                "removed dev Battery1", "dev ServicesResolved=false", "dev Connected=false",
                "removed dev/service0006/char0007/desc0009 GattDescriptor1",
                "removed dev/service0006/char0007 GattCharacteristic1",
                "removed dev/service0006/char000a GattCharacteristic1",
                "removed dev/service0006/char000c GattCharacteristic1", "removed dev/service0006 GattService1",
                "removed dev/service000e/char000f/desc0011 GattDescriptor1",
            ])
        #expect(try bench.client.managedObjects().keys.filter { $0.hasPrefix(BusClient.device) }.isEmpty)
    }

    @Test(
        "takes its time to disconnect: meanwhile values flow, and it is answered before the link is told to have ended")
    func slowDisconnect() throws {
        let bench = try Bench(rows: ["0,70,,", "3600,90,,"]) { $0.disconnectDelay = .seconds(60) }
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.clear()
        let outcome = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Disconnect", limit: limit) { result in
                outcome.set(result.outcome)
            }
        }
        // A later call is answered after the Disconnect has come.
        #expect(bench.client.read(Path.location).outcome == "ok")
        bench.command("heart-rate 71")
        bench.client.wait(for: "dev/service000e/char000f Value=0647")
        bench.command("drop")
        #expect(outcome.wait(atMost: limit) == "ok")
    }

    @Test("busy, it answers Connect first, and knows services before their objects are there")
    func busyOrder() throws {
        let bench = try Bench { $0.isBusy = true }
        try bench.discover()
        bench.client.clear()
        #expect(bench.client.device("Connect").outcome == "ok")
        #expect(bench.client.events == [])
        let events = bench.client.wait(for: "added dev Battery1")
        #expect(events.first == "dev UUIDs=[7] Connected=true ServicesResolved=true")
        #expect(events.dropFirst().allSatisfy { $0.hasPrefix("added dev") })
        bench.command("refuse on")
        bench.command("drop")
        #expect(bench.client.device("Connect").outcome == "Failed: br-connection-canceled")
    }

    @Test("ends links before the adapter says that it is off")
    func powerOff() throws {
        let bench = try Bench()
        try bench.connect()
        bench.client.clear()
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        bench.client.wait(for: "hci0 Discovering=true")
        bench.client.clear()
        #expect(bench.client.setPowered(false).outcome == "ok")
        bench.client.wait(for: "hci0 Powered=false Discovering=false")
        #expect(
            bench.client.events == [
                "dev ServicesResolved=false Connected=false", "removed dev Battery1",
                "hci0 Powered=false Discovering=false",
            ])
        #expect(bench.client.device("Connect").outcome == "Failed: Input/output error")
        #expect(bench.client.setPowered(true).outcome == "ok")
        try bench.reconnect()
    }

    @Test("waits with a Connect until the device is near again, or the time is up")
    func connectOutOfReach() throws {
        let bench = try Bench { $0.connectTimeout = .milliseconds(100) }
        try bench.connect()
        bench.command("drop 60")
        #expect(bench.client.device("Connect").outcome == "Failed: le-connection-abort-by-local")
        #expect(bench.command("status").first?.contains("out of reach") == true)
        bench.command("drop 0.02")
        #expect(bench.client.device("Connect").outcome == "ok")
    }

    @Test(
        "answers a Connect that waits as if all were well when the adapter goes off or away",
        arguments: ["power off", "unplug"])
    func connectWithoutAdapter(command: String) throws {
        let bench = try Bench { $0.connectTimeout = .seconds(60) }
        try bench.connect()
        bench.command("drop 60")
        let waiting = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Connect", limit: limit) { result in
                waiting.set(result.outcome)
            }
        }
        // The Connect has come once a later call is answered.
        _ = try bench.client.managedObjects()
        bench.client.clear()
        bench.command(command)
        #expect(waiting.wait(atMost: limit) == "ok")
        #expect(!bench.client.events.contains { $0.contains("Connected=true") })
    }

    @Test("keeps a device that is trusted, though it has no bond")
    func trusted() throws {
        let bench = try Bench { $0.forgetAfter = .milliseconds(30) }
        try bench.connect()
        let arguments: [Value] = [.string("org.bluez.Device1"), .string("Trusted"), .variant(.bool(true))]
        let set = bench.client.call(BusClient.device, "org.freedesktop.DBus.Properties", "Set", arguments)
        #expect(set.outcome == "ok")
        bench.command("drop")
        let isPast = Answer<Bool>()
        bench.loop.perform { [loop = bench.loop] in loop.after(.milliseconds(60)) { isPast.set(true) } }
        #expect(isPast.wait(atMost: limit) == true)
        try bench.reconnect()
    }

    @Test("a Disconnect ends a Connect that waits")
    func cancelConnect() throws {
        let bench = try Bench { $0.connectTimeout = .seconds(60) }
        try bench.connect()
        bench.command("drop 60")
        let waiting = Answer<String>()
        let second = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            for answer in [waiting, second] {
                connection.call("org.bluez", BusClient.device, "org.bluez.Device1", "Connect", limit: limit) { result in
                    answer.set(result.outcome)
                }
            }
        }
        #expect(second.wait(atMost: limit) == "Failed: Operation already in progress")
        #expect(bench.client.device("Disconnect").outcome == "ok")
        #expect(waiting.wait(atMost: limit) == "Failed: br-connection-canceled")
        #expect(bench.client.device("Disconnect").outcome == "NotConnected: Not Connected")
    }

    @Test("accepts agents and profiles, and is pairable while there is an agent")
    func agents() throws {
        let bench = try Bench()
        let agent: [Value] = [.path("/agent"), .string("NoInputNoOutput")]
        func manager(_ member: String, _ arguments: [Value]) -> String {
            bench.client.call("/org/bluez", "org.bluez.AgentManager1", member, arguments).outcome
        }
        #expect(manager("RequestDefaultAgent", [.path("/agent")]) == "DoesNotExist: Does Not Exist")
        #expect(manager("RegisterAgent", agent) == "ok")
        #expect(manager("RegisterAgent", agent) == "AlreadyExists: Already Exists")
        #expect(manager("RequestDefaultAgent", [.path("/agent")]) == "ok")
        #expect(manager("UnregisterAgent", [.path("/agent")]) == "ok")
        bench.client.wait(for: "hci0 Pairable=false")
        #expect(bench.client.events == ["hci0 Pairable=true", "hci0 Pairable=false"])
    }

    @Test("trusts and renames a device")
    func deviceProperties() throws {
        let bench = try Bench()
        try bench.discover()
        for (name, value) in [("Trusted", Value.bool(true)), ("Alias", .string("Mine"))] {
            let arguments: [Value] = [.string("org.bluez.Device1"), .string(name), .variant(value)]
            #expect(
                bench.client.call(BusClient.device, "org.freedesktop.DBus.Properties", "Set", arguments).outcome == "ok"
            )
            #expect(bench.client.property(BusClient.device, "org.bluez.Device1", name) == value)
        }
    }
}
