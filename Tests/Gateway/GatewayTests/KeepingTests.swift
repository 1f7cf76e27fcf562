import Foundation
import TestSupport
import Testing

/// Which device a sensor is, and what keeps it connected: of the real program.
@Suite("Sensors that are kept", .timeLimit(.minutes(60)))
struct KeepingTests {
    @Test("a sensor streams even if a busy BlueZ tells of its services before their characteristics")
    func lateAttributes() throws {
        let home = try Home(emulated: ["--busy", "--synthesise"])
        let live = try home.subscribe("sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm") != nil)
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: #""model":"Emulated HRM""#) != nil)
    }

    @Test("another device with the name of a known one is not mistaken for it, not even when that one is away")
    func otherDevice() throws {
        let home = try Home(
            emulated: ["--sensors", "2", "--same-name", "--connect-timeout", "200ms"], telling: ["#2 vanish"])
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        #expect(home.sensor.obeys("#2 appear"))
        let availability = try home.subscribe("sensors/strap/availability")
        #expect(home.sensor.obeys("#1 drop 3600"))
        #expect(availability.line(containing: "availability offline", within: .seconds(30)) != nil)
        // A scan lets the gateway see it.
        let scan = try home.request("scan", #"{"seconds":3}"#)
        #expect((scan.data["devices"] as? [[String: Any]])?.map { $0["address"] as? String } == ["C0:FF:EE:00:00:02"])
        #expect(events.line(containing: "other-device") != nil)
        #expect(!events.lines.contains { $0.contains("Device Connected") })
        try home.restartGateway()
        _ = try home.request("scan", #"{"seconds":3}"#)
        #expect(!events.lines.contains { $0.contains("Device Connected") })
        // Unless somebody says so.
        _ = try home.request("forget", #"{"sensor":"strap"}"#)
        #expect(events.line(containing: "Device Connected", within: .seconds(30)) != nil)
    }

    @Test(
        "a sensor that keeps its link and says nothing is subscribed to again, then connected to again, and told once")
    func silent() throws {
        let home = try Home(
            sensors: #"{ strap: { name: "Vitals HRM", silence: "1 s" } }"#, emulated: ["--synthesise"])
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        let live = try home.subscribe("sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm") != nil)
        #expect(home.sensor.obeys("silent on"))
        #expect(events.line(containing: #""kind":"silent""#) != nil)
        #expect(events.line(containing: "it is still silent") != nil)
        #expect(events.lines.count { $0.contains(#""kind":"silent""#) } == 1)
        #expect(home.sensor.obeys("silent off"))
        let after = try home.subscribe("sensors/strap/heart-rate")
        #expect(after.line(containing: "bpm", within: .seconds(30)) != nil)
    }

    @Test(
        "if nothing is heard for long, discovery is restarted, then the adapter is switched off and on, then this is reported"
    )
    func recovery() throws {
        let home = try Home(
            bluetooth: #"quiet_limit: "1 s""#, emulated: ["--connect-timeout", "100ms"], telling: ["vanish"])
        let events = try home.subscribe("events")
        for words in ["starts its discovery again", "switched off and on", "hears nothing after"] {
            #expect(events.line(containing: words, within: .seconds(20)) != nil, "\(home.gateway.text)")
        }
        #expect(home.sensor.obeys("appear"))
        try home.waitUntilOnline()
    }

    @Test("an adapter that was switched off by a gateway that was then killed is switched on by the next one")
    func cycledAndKilled() throws {
        let home = try Home(
            bluetooth: #"quiet_limit: "1 s""#, emulated: ["--connect-timeout", "100ms"], telling: ["vanish"])
        #expect(home.gateway.line(containing: "waiting for adapter", within: .seconds(20)) != nil)
        try home.restartGateway(SIGKILL)
        #expect(home.gateway.line(containing: "Bluetooth: ready", within: .seconds(20)) != nil)
        // A person who switches it off for good is obeyed.
        #expect(home.sensor.obeys("appear"))
        try home.waitUntilOnline()
        #expect(home.sensor.obeys("power off"))
        let health = try home.subscribe("health")
        #expect(health.line(containing: "waiting for adapter") != nil)
    }

    @Test("an adapter that hears others is left alone, whatever sensor is missing")
    func othersAreHeard() throws {
        let home = try Home(
            sensors: #"{ strap: { name: "Polar H10" } }"#, bluetooth: #"quiet_limit: "1 s""#,
            emulated: ["--sensors", "2"])
        let events = try home.subscribe("events")
        #expect(events.line(containing: #""kind":"bluetooth""#, within: .seconds(20)) == nil, "\(home.gateway.text)")
    }

    @Test("an adapter that goes off later than it should is switched on again")
    func slowlyOff() throws {
        let home = try Home(
            bluetooth: #"quiet_limit: "2 s""#, emulated: ["--connect-timeout", "100ms"], telling: ["vanish"])
        let events = try home.subscribe("events")
        #expect(events.line(containing: "starts its discovery again", within: .seconds(20)) != nil)
        home.sensor.signal(SIGSTOP)
        #expect(home.gateway.line(containing: "cannot switch the Bluetooth adapter off", within: .seconds(30)) != nil)
        home.sensor.signal(SIGCONT)
        #expect(home.gateway.line(containing: "waiting for adapter") != nil)
        // A sensor is connected to only by an adapter that is on.
        #expect(home.sensor.obeys("appear"))
        try home.waitUntilOnline()
    }

    @Test("a sensor without a bond whose address changes, and that was added by its name, is found again")
    func privateAddress() throws {
        let home = try Home(
            sensors: "{}", emulated: ["--private-address", "--synthesise"])
        let reply = try home.request("connect", #"{"device":"Vitals HRM","sensor":"watch"}"#)
        #expect(reply.data["sensor"] as? String == "watch")
        let events = try home.subscribe("events")
        #expect(home.sensor.obeys("drop 1"))
        // Not only when BlueZ has given the earlier address up, after 30 s or 41 s.
        #expect(events.line(containing: "Device Connected", within: .seconds(20)) != nil, "\(home.gateway.text)")
    }

    @Test("a link that was ended from here, and is about to go, is not mistaken for somebody else's")
    func dyingLink() throws {
        let home = try Home(sensors: #"{ strap: { name: "Vitals HRM", silence: "1 s" } }"#)
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        #expect(home.sensor.obeys("silent on"))
        #expect(events.line(containing: "it is still silent") != nil)
        #expect(events.line(containing: "Device Connected") != nil)
        #expect(!home.gateway.lines.contains { $0.contains("the link was lost") }, "\(home.gateway.text)")
    }

    @Test("after a crash, a sensor that has gone in the meantime is not online")
    func crashed() throws {
        let home = try Home(emulated: ["--connect-timeout", "200ms"])
        try home.waitUntilOnline()
        home.gateway.end(SIGKILL)
        #expect(home.sensor.obeys("vanish"))
        try home.restartGateway(SIGKILL)
        let availability = try home.subscribe("sensors/strap/availability")
        #expect(availability.line(containing: "availability offline") != nil, "\(availability.text)")
    }

    @Test("what is remembered and damaged is put aside; the sensors of the settings are found")
    func damagedMemory() throws {
        let home = try Home()
        try home.waitUntilOnline()
        home.gateway.end()
        _ = try home.folder.write(#"{"sensors":[{"id":7}]}"#, to: "gateway/sensors.json")
        try home.restartGateway()
        #expect(home.gateway.line(containing: "It was put aside") != nil)
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        #expect(home.sensor.obeys("drop 0"))
        #expect(events.line(containing: "Device Connected") != nil)
    }
}
