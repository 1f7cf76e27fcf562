import Bluetooth
import DBus
import Reactor
import TestSupport
import Testing

extension Record<Central.Event> {
    /// Why the agent refused, once it has.
    fileprivate func refusal() -> (String, String)? {
        let event = first { if case .pairingRefused = $0 { true } else { false } }
        guard case .pairingRefused(let device, let why) = event else { return nil }
        return (device.address, why)
    }
}

@Suite("A central's agent")
struct AgentTests {
    private static let device = Value.path(BlueZ.strap)

    @Test("says yes if the device may be paired")
    func accepts() throws {
        let bench = try BlueZBench(mayPair: { $0.address == "C0:FF:EE:00:00:01" })
        #expect(try bench.peer().askAgent("RequestAuthorization", [Self.device]) == "ok")
        #expect(!bench.events.all.contains { if case .pairingRefused = $0 { true } else { false } })
    }

    @Test(
        "says no if a number is to be compared, or if the device wants to use a service of this machine",
        arguments: [
            ("RequestConfirmation", [device, .uint32(123_456)], "compared"),
            ("AuthorizeService", [device, .string("00001124-0000-1000-8000-00805f9b34fb")], "nothing here"),
        ])
    func rejectsMore(member: String, arguments: [Value], why: String) throws {
        let bench = try BlueZBench(mayPair: { _ in true })
        let words = try bench.peer().askAgent(member, arguments)
        #expect(words.contains(why) && words.hasSuffix("(org.bluez.Error.Rejected)"))
    }

    @Test("says no to a device that nobody asked for, and tells")
    func rejectsStrangers() throws {
        let bench = try BlueZBench(mayPair: { $0.address == "C0:FF:EE:00:00:02" })
        let words = try bench.peer().askAgent("RequestAuthorization", [Self.device])
        #expect(words == "nobody here has asked for it (org.bluez.Error.Rejected)")
        let refusal = try #require(bench.events.refusal())
        #expect(refusal == ("C0:FF:EE:00:00:01", "nobody here has asked for it"))
    }

    @Test("says no to a device that it does not know")
    func rejectsUnknown() throws {
        let bench = try BlueZBench(mayPair: { _ in true })
        let words = try bench.peer().askAgent("RequestAuthorization", [.path("/org/bluez/hci0/dev_99")])
        #expect(words.hasSuffix("(org.bluez.Error.Rejected)"))
    }

    @Test(
        "has no passkey and no PIN, and tells which was wanted",
        arguments: [
            ("RequestPasskey", [device], "passkey"), ("RequestPinCode", [device], "PIN code"),
            ("DisplayPasskey", [device, .uint32(1), .uint16(0)], "passkey"),
            ("DisplayPinCode", [device, .string("0000")], "PIN code"),
        ])
    func rejectsPasskeys(member: String, arguments: [Value], wanted: String) throws {
        let bench = try BlueZBench(mayPair: { _ in true })
        let words = try bench.peer().askAgent(member, arguments)
        #expect(words.contains(wanted) && words.hasSuffix("(org.bluez.Error.Rejected)"))
        #expect(try #require(bench.events.refusal()).1.contains(wanted))
    }

    @Test("lets BlueZ take back what it asked, and knows no other method or object")
    func otherCalls() throws {
        let blueZ = try BlueZBench(mayPair: { _ in true })
        #expect(try blueZ.peer().askAgent("Cancel", []) == "ok")
        #expect(try blueZ.peer().askAgent("Release", []) == "ok")
        #expect(try blueZ.peer().askAgent("Dance", []).hasSuffix("(\(DBusError.Name.unknownMethod))"))
        let elsewhere = try blueZ.peer().askAgent("RequestAuthorization", [Self.device], path: "/org/vitals")
        #expect(elsewhere.hasSuffix("(\(DBusError.Name.unknownMethod))"))
    }

    @Test("answers nobody but BlueZ")
    func onlyBlueZ() throws {
        let bench = try BlueZBench(mayPair: { _ in true })
        _ = try bench.peer().askAgent("Cancel", [])
        let stranger = try RunningProgram(
            "/usr/bin/dbus-send",
            [
                "--bus=\(bench.bus.addressText)", "--print-reply", "--dest=\(try bench.peer().central)",
                "/org/vitals/agent", "org.bluez.Agent1.RequestAuthorization", "objpath:\(BlueZ.strap)",
            ])
        #expect(stranger.exitStatus() == 1)
        #expect(stranger.text.contains("only BlueZ may ask"))
    }

    @Test("is registered and made the default with each BlueZ that appears")
    func eachBlueZ() throws {
        let bench = try BlueZBench(mayPair: { _ in true })
        #expect(try bench.peer().askAgent("RequestAuthorization", [Self.device]) == "ok")
        #expect(try bench.peer().calls.all.first == "RegisterAgent /org/vitals/agent")
        try bench.restartBlueZ()
        #expect(try bench.peer().askAgent("RequestAuthorization", [Self.device]) == "ok")
    }

    @Test("is not a condition for anything else: a BlueZ that refuses it is used, reported once, and asked again")
    func refused() throws {
        let failed = DBusError(name: "org.bluez.Error.Failed", message: "none")
        let bench = try BlueZBench(refusing: ["RegisterAgent": failed])
        #expect(bench.events.state { $0 == .ready })
        #expect(bench.events.first { if case .agentRefused = $0 { true } else { false } } != nil)
        // Now it is the default that is refused, which is not told again.
        let exists = DBusError(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
        try bench.peer().refuse("RequestDefaultAgent", with: failed)
        try bench.peer().refuse("RegisterAgent", with: exists)
        try bench.peer().refuse("RequestDefaultAgent", with: nil)
        #expect(try bench.peer().calls.first { $0.hasPrefix("RequestDefaultAgent") } != nil)
        let refusals = bench.events.all.compactMap { if case .agentRefused(let error) = $0 { error } else { nil } }
        #expect(refusals.map(\.attempt) == ["register an agent for pairing"])
    }
}

@Suite("A bond")
struct BondTests {
    @Test("is made, and is no failure if there is one")
    func pairs() throws {
        let bench = try BlueZBench()
        let device = try bench.device()
        #expect(bench.outcome { $0.pair(device, completion: $1) } == nil)
        #expect(try bench.peer().calls.first { $0 == "Pair \(BlueZ.strap)" } != nil)
        try bench.peer().refuse(
            "Pair", with: DBusError(name: "org.bluez.Error.AlreadyExists", message: "Already Exists"))
        #expect(bench.outcome { $0.pair(device, completion: $1) } == nil)
        try bench.peer().refuse(
            "Pair", with: DBusError(name: "org.bluez.Error.AuthenticationRejected", message: "Authentication Rejected"))
        let error = try #require(bench.outcome { $0.pair(device, completion: $1) })
        #expect(error.name == "org.bluez.Error.AuthenticationRejected")
        #expect(error.attempt == "pair with C0:FF:EE:00:00:01")
    }

    @Test("is taken away with the device, on the device's own adapter")
    func removes() throws {
        let bench = try BlueZBench()
        let device = try bench.device()
        #expect(bench.outcome { $0.remove(device, completion: $1) } == nil)
        #expect(try bench.peer().calls.first { $0 == "RemoveDevice \(BlueZ.strap)" } != nil)
        try bench.peer().refuse(
            "RemoveDevice", with: DBusError(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist"))
        #expect(bench.outcome { $0.remove(device, completion: $1) } == nil)
    }

    @Test("that there is already is not made again: BlueZ would not answer")
    func alreadyBonded() throws {
        let strap = BlueZ.device("C0:FF:EE:00:00:01", ["Bonded": .bool(true), "Paired": .bool(true)])
        let bench = try BlueZBench([BlueZ.hci0: BlueZ.adapter(), BlueZ.strap: strap])
        let device = try bench.device()
        #expect(bench.outcome { $0.pair(device, completion: $1) } == nil)
        #expect(bench.outcome { $0.remove(device, completion: $1) } == nil)
        #expect(try !bench.peer().calls.all.contains { $0.hasPrefix("Pair ") })
    }

    @Test(
        "is lost where a bonded device ends the link at once; not where it is out of reach", arguments: [true, false])
    func lost(isReached: Bool) throws {
        let strap = BlueZ.device("C0:FF:EE:00:00:01", ["Bonded": .bool(true), "Paired": .bool(true)])
        let bench = try BlueZBench([BlueZ.hci0: BlueZ.adapter(), BlueZ.strap: strap])
        let device = try bench.device()
        try bench.peer().hold("Connect")
        let failure = Answer<BluetoothError>()
        bench.central.loop.perform { [central = bench.central] in
            central.connect(device) { if case .failure(let error) = $0 { failure.set(error) } }
        }
        #expect(try bench.peer().calls.first { $0 == "Connect \(BlueZ.strap)" } != nil)
        if isReached { try bench.peer().change(BlueZ.strap, "org.bluez.Device1", ["Connected": .bool(true)]) }
        try bench.peer().release(
            with: DBusError(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local"))
        #expect(try #require(failure.wait(atMost: limit)).isBondLost == isReached)
    }

    @Test("that is refused takes the device with it: what was asked of it fails at once, since BlueZ never answers")
    func removedMeanwhile() throws {
        let bench = try BlueZBench()
        let device = try bench.device()
        try bench.peer().hold("Pair")
        let failure = Answer<BluetoothError>()
        bench.central.loop.perform { [central = bench.central] in
            central.pair(device) { if case .failure(let error) = $0 { failure.set(error) } }
        }
        #expect(try bench.peer().calls.first { $0 == "Pair \(BlueZ.strap)" } != nil)
        try bench.peer().remove(BlueZ.strap, ["org.bluez.Device1"])
        let error = try #require(failure.wait(atMost: limit))
        #expect(error.isOffline && error.message == "BlueZ has removed the device")
        try bench.peer().release(with: DBusError(name: "org.bluez.Error.Failed", message: "too late"))
        #expect(bench.outcome { $0.setPowered(true, completion: $1) } == nil)
    }

    @Test(
        "makes an address stable, as do the makers' numbers and the two top bits",
        arguments: [
            ("D0:00:00:00:00:01", "random", false, true), ("FF:00:00:00:00:01", "random", false, true),
            ("C0:00:00:00:00:01", "random", false, true), ("7A:00:00:00:00:01", "random", false, false),
            ("BF:00:00:00:00:01", "random", false, false), ("3A:00:00:00:00:01", "random", false, false),
            ("3A:00:00:00:00:01", "public", false, true), ("7A:00:00:00:00:01", "random", true, true),
        ])
    func stableAddress(address: String, type: String, isBonded: Bool, isStable: Bool) throws {
        let properties: BlueZ.Properties = [
            "AddressType": .string(type), "Bonded": .bool(isBonded), "Paired": .bool(isBonded),
            "Alias": .string("Nick"),
        ]
        let bench = try BlueZBench([BlueZ.hci0: BlueZ.adapter(), BlueZ.strap: BlueZ.device(address, properties)])
        let device = try bench.device()
        #expect(device.addressType.rawValue == type)
        #expect(device.isPaired == isBonded && device.alias == "Nick")
        #expect(device.hasStableAddress == isStable)
    }
}
