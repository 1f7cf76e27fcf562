import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("A heartbeat, from the sensor to a sealed row")
struct HeartbeatTests {
    /// The rows of a recording that have a heart rate: seconds since its start, beats per minute, steps.
    private func rows(of name: String) throws -> [(elapsed: Double, bpm: Int, steps: Int)] {
        let lines = try String(contentsOfFile: Household.recording(name), encoding: .utf8).split(separator: "\n")
        return lines.dropFirst().compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let elapsed = Double(fields[1]), let bpm = Int(fields[2]) else { return nil }
            return (elapsed, bpm, Int(fields[4]) ?? 0)
        }
    }

    @Test("every heart rate of a recording is stored once, equal in value and order, near its time")
    func stored() throws {
        let speed = 240.0
        let household = try Household()
        try household.start()
        let capture = try household.captureBlocks()
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "\(speed)", "--once"])
        #expect(household.sensor?.line(containing: "replayed 2808 heart rates", within: .seconds(60)) != nil)
        try household.waitUntilStored()

        let expected = try rows(of: "run-9km.csv")
        let stored = try household.stored("heart-rate")
        #expect(expected.count == 2808)
        #expect(stored.map { $0["bpm"] as? Int } == expected.map(\.bpm))
        // Against the replay's own start, which no reading precedes: the earliest that any reading allows.
        let offsets = zip(stored, expected).map { reading, row in
            (reading["time"] as? Double ?? 0) - row.elapsed * 1000 / speed
        }
        let start = try #require(offsets.min())
        #expect(offsets.allSatisfy { $0 - start <= 250 })

        try household.expectNothingInTheClear(capture)
    }

    @Test("steps and temperature are read on request, as the recording has them, and stored")
    func reads() throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "60", "--loop"])
        let live = try household.subscribe("vitals/v1/gateways/home/sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm") != nil)

        // The recording's steps at the last row notified: between what was notified before and after the read.
        let expected = try rows(of: "run-9km.csv")
        let before = live.lines.count { $0.hasPrefix("vitals/") }
        let reply = try household.ask("sensors/strap/steps/get")
        let after = live.lines.count { $0.hasPrefix("vitals/") }
        let data = try #require(reply["data"] as? [String: Any])
        let steps = try #require(data["steps"] as? Int)
        #expect(reply["status"] as? String == "ok")
        // The subscriber may have missed what was notified before it came, and be a little behind.
        #expect(expected[(before - 1)...].prefix(after - before + 200).contains { $0.steps == steps })

        let temperature = try household.ask("sensors/strap/temperature/get")
        let celsius = try #require((temperature["data"] as? [String: Any])?["celsius"] as? Double)
        household.sensor?.send("quit")
        try household.waitUntilStored()
        #expect(try household.stored("steps").map { $0["steps"] as? Int } == [steps])
        #expect(try household.stored("temperature").map { $0["celsius"] as? Double } == [celsius])
    }

    @Test("a client of MQTT 3.1.1 gets its reply at the listed topic, with its id")
    func olderClient() throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--synthesise"])
        let replies = try household.subscribe(
            "vitals/v1/gateways/home/sensors/strap/steps/response", ["-V", "mqttv311"])
        let live = try household.subscribe("vitals/v1/gateways/home/sensors/strap/heart-rate")
        #expect(live.line(containing: "bpm") != nil)
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv311", "-p", "\(household.broker.port)", "-q", "1", "-t",
                "vitals/v1/gateways/home/sensors/strap/steps/get", "-m", #"{"id":"mine"}"#,
            ])
        #expect(asker.exitStatus() == 0)
        let reply = try #require(replies.line(containing: #""status":"ok""#))
        #expect(reply.contains(#""id":"mine""#) && reply.contains(#""steps":"#))
    }

    @Test(
        "every failed read gets an error that says why",
        arguments: [
            ("drop 60", "sensor-offline"), ("fail ReadValue org.bluez.Error.NotSupported", "not-supported"),
            ("fail ReadValue org.bluez.Error.Failed", "refused"), ("hang on", "timeout"),
            ("temperature nan", "no-value"),
        ])
    func failedReads(command: String, code: String) throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--synthesise"])
        let availability = try household.subscribe("vitals/v1/gateways/home/sensors/strap/+")
        #expect(availability.line(containing: #"capabilities"#) != nil)
        #expect(household.sensor?.obeys(command) == true)
        if code == "sensor-offline" { #expect(availability.line(containing: "availability offline") != nil) }
        let reply = try household.ask("sensors/strap/temperature/get")
        let error = try #require(reply["error"] as? [String: Any])
        #expect(reply["status"] as? String == "error")
        #expect(error["code"] as? String == code)
        #expect((error["message"] as? String)?.isEmpty == false)
        #expect(try household.stored("temperature").isEmpty)
    }

    @Test(
        "requests that are none are refused: an unknown sensor, a payload that is no object, a foreign response topic")
    func badRequests() throws {
        let household = try Household()
        try household.start()
        func code(_ reply: [String: Any]) -> String? { (reply["error"] as? [String: Any])?["code"] as? String }
        #expect(code(try household.ask("sensors/watch/steps/get")) == "unknown-sensor")
        #expect(code(try household.ask("sensors/strap/steps/get", payload: "[1]")) == "bad-request")
        #expect(code(try household.ask("sensors/strap/steps/get", payload: "not json")) == "bad-request")

        // The reply goes to the listed topic instead: nobody makes the gateway publish elsewhere.
        let everything = try household.subscribe("vitals/v1/gateways/home/#")
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-p", "\(household.broker.port)", "-t",
                "vitals/v1/gateways/home/sensors/strap/steps/get",
                "-m", "{}", "-D", "publish", "response-topic", "vitals/v1/gateways/home/status",
            ])
        #expect(asker.exitStatus() == 0)
        let reply = try #require(everything.line(containing: "bad-request"))
        #expect(reply.contains("sensors/strap/steps/response"))
    }

    @Test("a gateway that is killed loses nothing that it had for 50 ms, and stores nothing twice")
    func gatewayKilled() throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "30", "--loop"])
        let live = Record<Int64>()
        for _ in 0..<3 {
            let subscriber = try household.subscribe("vitals/v1/gateways/home/sensors/strap/heart-rate")
            #expect(subscriber.line(after: 160) != nil)
            household.gateway?.end(SIGKILL)
            let times = subscriber.lines.compactMap { line in
                line.range(of: #""time":"#).flatMap { Int64(line[$0.upperBound...].prefix { $0.isNumber }) }
            }
            // What was published live within the last 50 ms before the kill may be lost.
            for time in times where time < (times.last ?? 0) - 50 { live.append(time) }
            try household.startGateway()
        }
        household.sensor?.send("quit")
        try household.waitUntilStored()
        let stored = try household.stored("heart-rate")
        let times = stored.compactMap { $0["time"] as? Int64 }
        #expect(times == times.sorted())
        #expect(Set(times).isSuperset(of: live.all))
        #expect(live.all.count > 150)
        // What is stored is the recording with gaps where the gateway was dead: a block stored twice would not fit in.
        var recording = try rows(of: "run-9km.csv").map(\.bpm)[...]
        for reading in stored {
            guard let bpm = reading["bpm"] as? Int, let found = recording.firstIndex(of: bpm) else {
                Issue.record("\(reading) is not what the recording goes on with")
                break
            }
            // Each of the three gaps is shorter than this.
            #expect(found - recording.startIndex < 300)
            recording = recording[(found + 1)...]
        }
    }

    @Test("each program starts in any order, and says what it waits for")
    func anyOrder() throws {
        let household = try Household()
        try household.startGateway()
        #expect(household.gateway?.line(containing: "waiting for bluetoothd") != nil)
        #expect(household.gateway?.line(containing: "connection refused (is mosquitto running") != nil)
        try household.startSensor(["--synthesise"])
        #expect(household.gateway?.line(containing: "sensor strap: connected") != nil)
        try household.startConsumer()
        try household.broker.start()
        #expect(household.gateway?.line(containing: "sensor strap: recorded") != nil)
        // A broker that has forgotten everything hears everything again.
        household.broker.kill()
        try household.broker.start()
        let retained = try household.subscribe("vitals/v1/gateways/home/#")
        for text in [
            "status {\"state\":\"online\"", "info {\"version\"", "strap/availability online", "strap/grant ", "health ",
        ] {
            #expect(retained.line(containing: text) != nil, "\(text)")
        }
    }

    @Test("a gateway that ends says that it is offline; one that is killed has its will say so")
    func offline() throws {
        let household = try Household()
        try household.start()
        let status = try household.subscribe("vitals/v1/gateways/home/status")
        #expect(status.line(containing: #"{"state":"online""#) != nil)
        household.gateway?.end()
        #expect(household.gateway?.exitStatus() == 0)
        #expect(status.line(containing: #"{"state":"offline","time""#) != nil)
        let before = status.lines.count
        try household.startGateway()
        #expect(status.line(after: before) != nil)
        household.gateway?.end(SIGKILL)
        #expect(status.line(containing: #"{"state":"offline"}"#) != nil)
    }
}
