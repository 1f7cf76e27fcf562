import Foundation
import TestSupport
import Testing

/// Sensors that want a bond: of the real program.
@Suite("Bonds", .timeLimit(.minutes(60)))
struct BondTests {
    private static let settings =
        #"{ strap: { name: "Vitals HRM", steps: { uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" } } }"#

    @Test("a sensor whose measurements need encryption is bonded with, and its info says so")
    func bonds() throws {
        let home = try Home(emulated: ["--encrypted", "measurements", "--synthesise"])
        let info = try home.subscribe("sensors/strap/info")
        let live = try home.subscribe("sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm", within: .seconds(30)) != nil, "\(home.gateway.text)")
        #expect(info.line(containing: #""bonded":true"#) != nil)
    }

    @Test("what was read of a sensor without a bond is marked, until a read makes one")
    func unbonded() throws {
        let home = try Home(sensors: Self.settings, emulated: ["--encrypted", "vendor"])
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: #""bonded":false"#) != nil)
        let replies = try home.subscribe("responses/steps")
        try home.ask("steps", expirySeconds: 30)
        #expect(replies.line(containing: #""status":"ok""#) != nil)
        #expect(info.line(containing: #""bonded":true"#) != nil)
    }

    @Test("if the settings forbid a bond, nobody gets one, and the log says why nothing comes")
    func never() throws {
        let home = try Home(
            sensors: #"{ strap: { name: "Vitals HRM", bond: "never" } }"#,
            emulated: ["--encrypted", "measurements", "--pairing-timeout", "1s"])
        let events = try home.subscribe("events")
        #expect(events.line(containing: "was refused", within: .seconds(30)) != nil, "\(home.gateway.text)")
        #expect(!events.lines.contains { $0.contains("Device Connected") })
    }

    @Test("a bonded sensor is known by its identity, whatever address it advertises, after a restart too")
    func identity() throws {
        let home = try Home(
            sensors: #"{ strap: { name: "Vitals HRM", bond: "always" } }"#,
            emulated: ["--private-address", "--synthesise"])
        try home.waitUntilOnline()
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: #""bonded":true"#) != nil)
        #expect(home.sensor.obeys("drop 1"))
        let events = try home.subscribe("events")
        #expect(events.line(containing: "Device Connected", within: .seconds(30)) != nil)
        try home.restartGateway(SIGKILL)
        // Bluetooth may be quicker than the broker, and then the event goes to nobody: values that come say the same.
        let live = try home.subscribe("sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm", within: .seconds(30)) != nil, "\(home.gateway.text)")
        #expect(!events.lines.contains { $0.contains("other-device") })
    }

    @Test("a sensor that has lost its bond is reported with what to do, and works again when that is done")
    func lost() throws {
        let home = try Home(
            sensors: #"{ strap: { name: "Vitals HRM", bond: "always" } }"#, emulated: ["--synthesise"])
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        #expect(home.sensor.obeys("forget-bond"))
        #expect(home.sensor.obeys("drop 0"))
        #expect(events.line(containing: "bond-lost", within: .seconds(60))?.contains("vitals forget strap") == true)
        #expect(!events.lines.contains { $0.contains("Device Connected") })
        #expect(try home.request("forget", #"{"sensor":"strap"}"#).data["message"] as? String == "Device Forgotten")
        #expect(events.line(containing: "Device Connected", within: .seconds(30)) != nil)
    }

    @Test("a device that cannot be connected to is not kept, and keeps the bond that it has")
    func spared() throws {
        let home = try Home(
            sensors: "{}", emulated: ["--encrypted", "measurements", "--connect-timeout", "200ms"])
        let device = #"{"device":"C0:FF:EE:00:00:01","sensor":"strap"}"#
        #expect(try home.request("connect", device).data["sensor"] != nil)
        home.gateway.end()
        try FileManager.default.removeItem(atPath: home.folder.path("gateway/sensors.json"))
        #expect(home.sensor.obeys("drop 3600"))
        try home.restartGateway()
        let replies = try home.subscribe("responses/#")
        try home.publish("connect", device, replyAt: "connect", expirySeconds: 2)
        #expect(replies.line(containing: "connect {")?.contains("timeout") == true)
        #expect(home.sensor.obeys("drop 0"))
        let scan = try home.request("scan", #"{"seconds":3}"#)
        #expect((scan.data["devices"] as? [[String: Any]])?.map { $0["bonded"] as? Bool } == [true])
        #expect(try home.request("disconnect", #"{"sensor":"strap"}"#).code == "unknown-sensor")
    }
}
