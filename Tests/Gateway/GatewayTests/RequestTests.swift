import Foundation
import TestSupport
import Testing

/// Scan, connect, disconnect, forget, rename: as clients ask for them, of the real program.
@Suite("Requests about the gateway", .timeLimit(.minutes(60)))
struct RequestTests {
    private static let first = "C0:FF:EE:00:00:01"

    @Test("a scan reports each device as it is found, and all of them at its end")
    func scan() throws {
        let home = try Home(sensors: "{}", emulated: ["--sensors", "2"])
        let events = try home.subscribe("events")
        let reply = try home.request("scan", #"{"seconds":2}"#)
        let devices = try #require(reply.data["devices"] as? [[String: Any]])
        #expect(devices.compactMap { $0["name"] as? String }.sorted() == ["Vitals HRM", "Vitals HRM 2"])
        for device in devices {
            #expect(device["services"] as? [String] == ["heart-rate"])
            #expect((-100...0).contains(device["rssi"] as? Int ?? 1))
            #expect(device["connected"] as? Bool == false)
        }
        #expect(reply.data["help"] == nil)
        #expect(events.line(containing: "Scanning Started") != nil)
        #expect(events.line(containing: "scan-ended") != nil)
        #expect(events.lines.count { $0.contains("Device Found") } == 2)
    }

    @Test("if no device fits, the help says what was heard and what to do")
    func nothingFound() throws {
        let home = try Home(sensors: "{}")
        let thermometers = try home.request("scan", #"{"seconds":2,"services":["health-thermometer"]}"#)
        let help = try #require(thermometers.data["help"] as? [String])
        #expect(help.first?.contains("One device was heard") == true)
        #expect(help.contains { $0.contains("battery") })
        #expect(home.sensor.obeys("vanish"))
        let nothing = try home.request("scan", #"{"seconds":1,"services":[]}"#)
        #expect((nothing.data["help"] as? [String])?.first?.contains("Nothing at all") == true)
    }

    @Test("a scan that cannot be, or that Bluetooth ends, is refused with what to do; four at a time; at most 254 s")
    func scanRefused() throws {
        let home = try Home(sensors: "{}")
        #expect(try home.request("scan", #"{"seconds":255}"#).field == "seconds")
        #expect(try home.request("scan", #"{"services":["hart-rate"]}"#).field == "services")
        let events = try home.subscribe("events")
        let replies = try home.subscribe("responses/scan")
        for _ in 0..<4 {
            let long = try RunningProgram(
                "/usr/bin/mosquitto_pub",
                [
                    "-V", "mqttv5", "-p", "\(home.broker.port)", "-t", "\(Home.topics)/requests/scan", "-m",
                    #"{"seconds":60}"#,
                ])
            #expect(long.exitStatus() == 0)
        }
        #expect(events.wait { $0.count { $0.contains("Scanning Started") } == 4 })
        #expect(try home.request("scan", "{}").code == "busy")
        #expect(home.sensor.obeys("power off"))
        #expect(replies.wait { $0.count { $0.contains("not-ready") } == 4 })
        let off = try home.request("scan", "{}")
        #expect(off.code == "not-ready")
        #expect(((off["error"] as? [String: Any])?["message"] as? String)?.contains("hci0") == true)
    }

    @Test(
        "a device is connected to by its name, and again after a restart; disconnected it stays so, until it is asked for"
    )
    func connect() throws {
        let home = try Home(sensors: "{}", emulated: ["--synthesise", "--speed", "20"])
        let live = try home.subscribe("sensors/+/heart-rate")
        let reply = try home.request("connect", #"{"device":"Vitals HRM","sensor":"chest","name":"Chest strap"}"#)
        #expect(reply.data["sensor"] as? String == "chest")
        #expect(reply.data["message"] as? String == "Device Connected")
        #expect(reply.data["address"] as? String == Self.first)
        #expect(live.line(containing: "sensors/chest/heart-rate {") != nil)

        try home.restartGateway(SIGKILL)
        try home.waitUntilOnline("chest")
        let info = try home.subscribe("sensors/chest/info")
        #expect(info.line(containing: "Chest strap") != nil)

        #expect(
            try home.request("disconnect", #"{"sensor":"chest"}"#).data["message"] as? String == "Device Disconnected")
        #expect(info.line(containing: #""paused":true"#) != nil)
        try home.restartGateway()
        #expect(info.line(containing: #""paused":true"#) != nil)
        // It could be connected to, and is not: the scan sees it free.
        let scan = try home.request("scan", #"{"seconds":2}"#)
        let device = try #require((scan.data["devices"] as? [[String: Any]])?.first)
        #expect(device["connected"] as? Bool == false)
        #expect(device["sensor"] as? String == "chest")
        #expect(try home.request("connect", #"{"sensor":"chest"}"#).data["message"] as? String == "Device Connected")
    }

    @Test("a sensor that is added does not get the id of the satellite receiver, which is shown as offline")
    func receiverIsNoSensor() throws {
        let home = try Home(
            sensors: "{}", more: #"receiver: { id: "vitals-hrm", port: 1 },"#, emulated: ["--synthesise"])
        let availability = try home.subscribe("sensors/vitals-hrm/availability")
        #expect(availability.line(containing: "availability offline") != nil)
        #expect(
            try home.request("connect", #"{"device":"Vitals HRM","sensor":"vitals-hrm"}"#).code == "bad-request")
        let reply = try home.request("connect", #"{"device":"Vitals HRM"}"#)
        #expect(reply.data["sensor"] as? String == "vitals-hrm-2")
        #expect(home.gateway.line(containing: "gpsd at 127.0.0.1:1: Connection refused") != nil)
    }

    @Test("a sensor that was added is forgotten with its topics; one of the settings is found again")
    func forget() throws {
        let home = try Home(emulated: ["--sensors", "2"])
        try home.waitUntilOnline()
        #expect(
            try home.request("connect", #"{"device":"C0:FF:EE:00:00:02"}"#).data["sensor"] as? String == "vitals-hrm-2")
        #expect(
            try home.request("forget", #"{"sensor":"vitals-hrm-2"}"#).data["message"] as? String == "Device Forgotten")
        #expect(try home.request("forget", #"{"sensor":"vitals-hrm-2"}"#).code == "unknown-sensor")
        let events = try home.subscribe("events")
        #expect(try home.request("forget", #"{"sensor":"strap"}"#).data["message"] as? String == "Device Forgotten")
        #expect(events.line(containing: "Device Connected") != nil)
        let kept = try home.subscribe("sensors/#")
        #expect(kept.line(containing: "strap/availability online") != nil)
        #expect(!kept.lines.contains { $0.contains("vitals-hrm-2") })
    }

    @Test("a name that people gave is shown, kept over restarts, and taken back")
    func rename() throws {
        let home = try Home()
        try home.waitUntilOnline()
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: #""name":"Vitals HRM""#) != nil)
        #expect(try home.request("rename", #"{"sensor":"strap","name":"Mine"}"#).data["name"] as? String == "Mine")
        #expect(info.line(containing: #""name":"Mine""#) != nil)
        try home.restartGateway(SIGKILL)
        let again = try home.subscribe("sensors/strap/info")
        #expect(again.line(containing: #""name":"Mine""#) != nil)
        try home.waitUntilOnline()
        #expect(try home.request("rename", #"{"sensor":"strap","name":""}"#).data["name"] as? String == "Vitals HRM")
        for name in ["7", #""a\u202eb""#, #""a\u2028b""#, #""a\u200bb""#, #""a\tb""#] {
            #expect(try home.request("rename", #"{"sensor":"strap","name":\#(name)}"#).field == "name", "\(name)")
        }
    }

    @Test("a device that is not there, and a request that is not allowed, are refused with a reason")
    func refused() throws {
        let home = try Home(bluetooth: "sensors: 1", emulated: ["--sensors", "2"])
        try home.waitUntilOnline()
        #expect(try home.request("connect", #"{"device":"C0:FF:EE:00:00:02"}"#).code == "refused")
        #expect(try home.request("connect", #"{"sensor":"watch"}"#).code == "unknown-sensor")
        #expect(try home.request("connect", #"{"sensor":"Watch!"}"#).field == "sensor")
        #expect(try home.request("connect", "{}").field == "device")
        #expect(try home.request("disconnect", "{}").field == "sensor")
        // It is the strap already.
        let strap = try home.request("connect", #"{"device":"C0:FF:EE:00:00:01"}"#)
        #expect(strap.data["sensor"] as? String == "strap")
    }

    @Test("a device that is nowhere is looked for as long as the request waits, and not longer")
    func nowhere() throws {
        let home = try Home(sensors: "{}")
        // Before it is asked: the answer comes half a second later.
        let replies = try home.subscribe("responses/connect")
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-p", "\(home.broker.port)", "-t", "\(Home.topics)/requests/connect",
                "-m", #"{"device":"Polar H10"}"#, "-D", "publish", "message-expiry-interval", "1",
            ])
        #expect(asker.exitStatus() == 0)
        #expect(replies.line(containing: "unknown-device") != nil)
    }

    @Test(
        "a gateway that was stopped while it was asked answers no request late, and those who still wait with a value")
    func stopped() throws {
        let home = try Home()
        try home.waitUntilOnline()
        let replies = try home.subscribe("responses/#")
        home.gateway.signal(SIGSTOP)
        try home.ask("hasty", expirySeconds: 4)
        try home.ask("patient", expirySeconds: 60)
        // Nothing can come while it is stopped, and then the first has given up.
        #expect(replies.line(containing: "responses/hasty", within: .seconds(6)) == nil)
        home.gateway.signal(SIGCONT)
        #expect(replies.line(containing: "responses/hasty {")?.contains(#""code":"timeout""#) == true)
        #expect(replies.line(containing: "responses/patient {")?.contains(#""steps":"#) == true)
    }

    @Test("a request waits for its own time, and not for less")
    func wholeMinute() throws {
        let home = try Home()
        try home.waitUntilOnline()
        let replies = try home.subscribe("responses/#")
        #expect(home.sensor.obeys("hang on"))
        try home.ask("slow", expirySeconds: 55)
        #expect(replies.line(containing: "responses/slow", within: .seconds(50)) == nil)
        #expect(replies.line(containing: "responses/slow {", within: .seconds(8))?.contains("timeout") == true)
    }

    @Test("a sensor that is being forgotten takes no other request; a sensor of the settings is then found again")
    func whileForgotten() throws {
        let home = try Home()
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        let replies = try home.subscribe("responses/#")
        home.sensor.signal(SIGSTOP)
        try home.publish("forget", #"{"sensor":"strap"}"#, replyAt: "one")
        try home.publish("disconnect", #"{"sensor":"strap"}"#, replyAt: "two")
        try home.publish("connect", #"{"sensor":"strap"}"#, replyAt: "three")
        #expect(replies.line(containing: "responses/two {")?.contains("busy") == true)
        #expect(replies.line(containing: "responses/three {")?.contains("busy") == true)
        home.sensor.signal(SIGCONT)
        #expect(replies.line(containing: "Device Forgotten") != nil)
        #expect(events.line(containing: "Device Connected") != nil)
    }

    @Test("a sensor that was added, and written into the settings since, is not gone when it is forgotten")
    func addedAndSet() throws {
        let home = try Home()
        try home.waitUntilOnline()
        home.gateway.end()
        _ = try home.folder.write(#"{"sensors":[{"id":"strap","isAdded":true}]}"#, to: "gateway/sensors.json")
        try home.restartGateway()
        try home.waitUntilOnline()
        let events = try home.subscribe("events")
        #expect(try home.request("forget", #"{"sensor":"strap"}"#).data["message"] as? String == "Device Forgotten")
        #expect(events.line(containing: "Device Connected") != nil)
    }

    @Test("a client that waits for a device or for a connection is answered when the gateway stops")
    func stopping() throws {
        let home = try Home(emulated: ["--connect-timeout", "200ms"], telling: ["vanish"])
        let replies = try home.subscribe("responses/#")
        try home.publish("connect", #"{"device":"Nobody"}"#, replyAt: "search")
        try home.publish("connect", #"{"sensor":"strap"}"#, replyAt: "wait")
        // Requests are taken in order: both are under way when the third is answered.
        try home.publish("rename", #"{"sensor":"strap","name":"x"}"#, replyAt: "third")
        #expect(replies.line(containing: "responses/third {") != nil)
        home.gateway.end()
        #expect(replies.line(containing: "responses/search {") != nil)
        #expect(replies.line(containing: "responses/wait {") != nil)
    }
}
