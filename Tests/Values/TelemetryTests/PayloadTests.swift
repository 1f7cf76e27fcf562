import Testing

@testable import Telemetry

@Suite struct PayloadTests {
    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("writes live heart rate as documented, and the quick way writes the same")
    func heartRate() throws {
        let full = HeartRateMeasurement(
            beatsPerMinute: 72, contact: .detected, energyKilojoules: 128, rrIntervals: [831, 825])
        #expect(
            Self.text(HeartRatePayload.bytes(full, at: 1_767_225_600_000))
                == #"{"time":1767225600000,"bpm":72,"contact":true,"rr_ms":[812,806],"energy_kj":128}"#)
        #expect(
            Self.text(HeartRatePayload.bytes(.init(beatsPerMinute: 0), at: 0)) == #"{"time":0,"bpm":0}"#)
        #expect(
            Self.text(
                HeartRatePayload.bytes(
                    .init(beatsPerMinute: 170, contact: .notDetected, rrIntervals: [141, 65535]), at: -1))
                == #"{"time":-1,"bpm":170,"contact":false,"rr_ms":[138,63999]}"#)
        // An interval of 0 is not a beat.
        #expect(
            Self.text(HeartRatePayload.bytes(.init(beatsPerMinute: 70, rrIntervals: [0, 831, 0]), at: 1))
                == #"{"time":1,"bpm":70,"rr_ms":[812]}"#)
        #expect(
            Self.text(HeartRatePayload.bytes(.init(beatsPerMinute: 70, rrIntervals: [0]), at: 1)) == #"{"time":1,"bpm":70}"#)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let measurement = HeartRateMeasurement(
                beatsPerMinute: .random(in: 0...300, using: &random),
                contact: .init(rawValue: .random(in: 0...2, using: &random)) ?? .detected,
                energyKilojoules: Bool.random(using: &random) ? .random(in: 0...(.max), using: &random) : nil,
                rrIntervals: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    .random(in: 0...(.max), using: &random)
                })
            let time = Int64.random(in: .min...(.max), using: &random)
            let payload = HeartRatePayload(measurement, at: time)
            #expect(HeartRatePayload.bytes(measurement, at: time) == payload.bytes)
            #expect(try HeartRatePayload(payload: payload.bytes) == payload)
        }
    }

    @Test("writes and reads what a gateway says of itself")
    func gateway() throws {
        #expect(Self.text(StatusPayload(.online, time: 5).bytes) == #"{"state":"online","time":5}"#)
        #expect(Self.text(StatusPayload.will.bytes) == #"{"state":"offline"}"#)
        #expect(try StatusPayload(payload: StatusPayload.will.bytes) == .will)
        #expect(try StatusPayload(payload: Array(#"{"state":"online","new":[1]}"#.utf8)) == .init(.online))
        #expect(
            fault { try StatusPayload(payload: Array(#"{"state":"asleep"}"#.utf8)) }
                == .notAllowed("\"state\" is not allowed"))
        #expect(fault { try StatusPayload(payload: Array(#"{}"#.utf8)) } == .notAllowed("\"state\" is missing"))
        #expect(
            fault { try StatusPayload(payload: Array(#"{"state":1}"#.utf8)) }
                == .notAllowed("\"state\" is of another type"))
        #expect(fault { try StatusPayload(payload: [0xFF]) } == .notAllowed("not JSON"))

        #expect(Self.text(Availability.online.bytes) == "online")
        #expect(try Availability(payload: Array("offline".utf8)) == .offline)
        #expect(fault { try Availability(payload: Array("offline!".utf8)) } == .notAllowed("online or offline"))

        let info = GatewayInfoPayload(version: "1", adapters: ["hci0"], settings: ["live": true, "block_s": 10])
        #expect(Self.text(info.bytes) == #"{"version":"1","adapters":["hci0"],"settings":{"live":true,"block_s":10}}"#)
        #expect(try GatewayInfoPayload(payload: info.bytes).adapters == ["hci0"])

        let sensor = SensorInfoPayload(
            name: "Strap", model: "H10", battery: 80, capabilities: ["heart-rate"], bodyLocation: "chest", bonded: false
        )
        #expect(
            Self.text(sensor.bytes)
                == #"{"name":"Strap","model":"H10","battery":80,"capabilities":["heart-rate"],"body_location":"chest","bonded":false}"#
        )
        #expect(try SensorInfoPayload(payload: sensor.bytes) == sensor)

        let paused = SensorInfoPayload(bonded: true, paused: true)
        #expect(Self.text(paused.bytes) == #"{"capabilities":[],"bonded":true,"paused":true}"#)
        #expect(try SensorInfoPayload(payload: paused.bytes) == paused)

        let event = EventPayload(.readFailed, time: 1, sensor: try ID("strap"), message: "timed \"out\"\n")
        #expect(
            Self.text(event.bytes)
                == #"{"time":1,"kind":"read-failed","sensor":"strap","message":"timed \"out\"\u000a"}"#)
        #expect(try EventPayload(payload: event.bytes) == event)
    }

    @Test("writes and reads what a scan tells")
    func scan() throws {
        let device = DevicePayload(
            address: "C0:FF:EE:00:00:01", name: "Polar H10", rssi: -61,
            services: [GATT.heartRateService, GATT.batteryService].map(GATT.serviceName), battery: 95,
            sensor: try ID("strap"))
        let found = EventPayload(.found, time: 1, message: "Device Found", device: device)
        #expect(
            Self.text(found.bytes)
                == #"{"time":1,"kind":"found","message":"Device Found","device":{"address":"C0:FF:EE:00:00:01","name":"Polar H10","#
                + #""rssi":-61,"services":["heart-rate","battery"],"battery":95,"connected":false,"bonded":false,"sensor":"strap"}}"#
        )
        #expect(try EventPayload(payload: found.bytes) == found)
        let unknown = DevicePayload(address: "C0:FF:EE:00:00:02", connected: true, bonded: true)
        #expect(
            Self.text(unknown.bytes)
                == #"{"address":"C0:FF:EE:00:00:02","services":[],"connected":true,"bonded":true}"#)
        #expect(try DevicePayload(payload: unknown.bytes) == unknown)
        let started = EventPayload(.scanStarted, time: 1, message: "Scanning Started", seconds: 10)
        #expect(
            Self.text(started.bytes)
                == #"{"time":1,"kind":"scan-started","message":"Scanning Started","seconds":10}"#)
        #expect(
            EventPayload.Kind.allCases.map(\.rawValue) == [
                "found", "connected", "disconnected", "read-failed", "scan-started", "scan-ended", "forgotten",
                "renamed", "silent", "bond-lost", "other-device", "bluetooth",
            ])
    }

    @Test("writes and reads health")
    func health() throws {
        var health = HealthPayload(time: 7)
        health.outbox = .init(journal: 1, blocks: 2, bytes: 3, limitBytes: 9, fullPercent: 33, oldestSeconds: 4)
        health.disk = .full
        health.diskSince = 6
        health.dropped = 5
        health.dead = 6
        health.notRecorded = 7
        health.recorded = 8
        health.malformed = 9
        health.memoryKilobytes = 10
        health.sensors = .init(configured: 2, connected: 1)
        health.bluetooth = "ready"
        health.brokerReconnects = 11
        health.clock = "synchronised"
        health.recordedSensors = ["strap"]
        health.consumer = .older
        #expect(
            Self.text(health.bytes)
                == #"{"time":7,"outbox":{"journal":1,"blocks":2,"bytes":3,"limit_bytes":9,"full_percent":33,"oldest_s":4},"disk":"full","disk_since":6,"#
                + #""dropped":5,"dead":6,"not_recorded":7,"#
                + #""recorded":8,"malformed":9,"memory_kb":10,"sensors":{"configured":2,"connected":1},"bluetooth":"ready","#
                + #""broker_reconnects":11,"clock":"synchronised","recorded_sensors":["strap"],"consumer":"older"}"#)
        #expect(try HealthPayload(payload: health.bytes) == health)
    }

    @Test("reads the health of a gateway that says less of its disk, or something else")
    func otherHealth() throws {
        var health = HealthPayload(time: 7)
        #expect(!Self.text(health.bytes).contains("disk"))
        #expect(try HealthPayload(payload: health.bytes) == health)
        health.disk = .ok
        let strange = Self.text(health.bytes).replacing(#""disk":"ok""#, with: #""disk":"melted""#)
        #expect(try HealthPayload(payload: Array(strange.utf8)).disk == .failing)
        health.consumer = .online
        let odd = Self.text(health.bytes).replacing(#""consumer":"online""#, with: #""consumer":"asleep""#)
        #expect(try HealthPayload(payload: Array(odd.utf8)).consumer == .offline)
    }

    @Test("takes nothing or an object for a request")
    func requests() throws {
        #expect(try Request(payload: []).id == nil)
        #expect(try Request(payload: Array("{}".utf8)).fields == [:])
        #expect(try Request(payload: Array(#"{"id":"a\"1"}"#.utf8)).id == .string("a\"1"))
        #expect(try Request(payload: Array(#" {"id": 42, "seconds": 5} "#.utf8)).id == .number(42))
        #expect(try Request(payload: Array(#"{"id":1,"seconds":5}"#.utf8)).fields["seconds"] == 5)
        let tooLong = #"{"id":""# + String(repeating: "x", count: 129) + #""}"#
        let deep = String(repeating: "[", count: 4000)
        let tooMuch = #"{"a":""# + String(repeating: "x", count: 4096) + #""}"#
        for wrong in [
            "[]", "1", "x", "null", #""id""#, #"{"id":true}"#, #"{"id":1.5}"#, #"{"id":[1]}"#, #"{"id":null}"#,
            #"{"id":1e300}"#, "{", "\u{0}", tooLong, deep, tooMuch,
        ] {
            #expect(fault { try Request(payload: Array(wrong.utf8)) } != nil, "\(wrong.prefix(20))")
        }
    }

    @Test("writes and reads replies")
    func replies() throws {
        let moment = Moment(wall: 1_767_225_600_000, monotonic: 1)
        let steps = Reply(Reading(at: moment, .steps(8042)))
        #expect(Self.text(steps.bytes) == #"{"status":"ok","data":{"time":1767225600000,"steps":8042}}"#)
        let temperature = Reply(
            Reading(at: moment, .temperature(try Temperature(thousandths: 36_970, site: .armpit))), id: .number(3))
        #expect(
            Self.text(temperature.bytes)
                == #"{"status":"ok","data":{"time":1767225600000,"celsius":36.97,"site":"armpit"},"id":3}"#)
        let derived = Reply(Reading(at: moment, .steps(StepCount(1234, isDerived: true))))
        #expect(
            Self.text(derived.bytes) == #"{"status":"ok","data":{"time":1767225600000,"steps":1234,"derived":true}}"#)
        var onItsWay = try Temperature(thousandths: 36_500)
        onItsWay.isIntermediate = true
        #expect(
            Self.text(Reply(Reading(at: moment, .temperature(onItsWay))).bytes)
                == #"{"status":"ok","data":{"time":1767225600000,"celsius":36.5,"intermediate":true}}"#)
        let error = Reply(
            .error(.init(.sensorOffline, "not connected", field: "sensor", retryAfterSeconds: 30)), id: .string("x"))
        #expect(
            Self.text(error.bytes)
                == #"{"status":"error","error":{"code":"sensor-offline","message":"not connected","field":"sensor","#
                + #""retry_after_s":30},"id":"x"}"#)
        #expect(try Reply(payload: error.bytes) == error)
        guard case .ok(let data) = try Reply(payload: temperature.bytes).outcome else {
            Issue.record("not ok")
            return
        }
        #expect(data["celsius"] == .number(36.97) && data["site"] == "armpit")
        #expect(fault { try Reply(payload: Array("{}".utf8)) } != nil)
        #expect(
            ReplyError.Code.allCases.map(\.rawValue) == [
                "sensor-offline", "timeout", "not-supported", "no-value", "malformed-value", "refused", "bad-request",
                "busy",
                "unknown-sensor", "unknown-device", "not-ready", "invalid", "already-registered",
                "wrong-credentials", "locked", "rate-limited", "not-found", "not-allowed", "expired", "internal",
            ])
        #expect(ReplyError(MalformedValue("temperature", .noValue)).code == .noValue)
        #expect(ReplyError(MalformedValue("temperature", .truncated)).code == .malformedValue)
    }

    @Test("writes every character so that Foundation reads it back")
    func characters() throws {
        var text = "ä\u{2028}\u{7F}😀/"
        for code in 0..<0x80 { text.unicodeScalars.append(Unicode.Scalar(UInt8(code))) }
        let json: JSON = ["text": .string(text), "list": [1, -5, true, .null, .number(0.5), .integer(.min), [:], []]]
        #expect(try JSON(payload: json.bytes)["text"] == .string(text))
        #expect(try JSON(payload: json.bytes)["list"] == json["list"])
        #expect(JSON.number(.nan).bytes == Array("null".utf8))
        #expect(fault { try JSON(payload: [UInt8](repeating: 0x20, count: 70_000)) } != nil)
    }

    @Test(
        "refuses names that are no strings, on which Foundation's parser of Swift 6.0 ends the process",
        arguments: [
            [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x01], Array("\\q".utf8), Array("\\u12".utf8), Array("\\ud800".utf8),
            Array("\\udc00".utf8), Array("\\ud800\\u0041".utf8), Array("\\ud83d\\ud83d".utf8), Array("\\".utf8),
        ] as [[UInt8]])
    func unsoundNames(name: [UInt8]) {
        let payload = Array("{\"".utf8) + name + Array("\":1}".utf8)
        #expect(fault { try JSON(payload: payload) } == .notAllowed("not JSON"))
        #expect(fault { try Request(payload: payload) } != nil)
        #expect(fault { try StatusPayload(payload: payload) } != nil)
    }

    @Test("reads what is nested 16 deep, and refuses more before it costs anything")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(try JSON(payload: nested(16)).bytes == nested(16))
        #expect(fault { try JSON(payload: nested(17)) } == .outOfRange("nested more than 16 deep"))
        #expect(try JSON(payload: Array(#""[[[[[[[[[[[[[[[[[[[[""#.utf8)) == "[[[[[[[[[[[[[[[[[[[[")
    }

    @Test("reads names with every escape there is")
    func escapedNames() throws {
        let text = #"{"\"\\\/\b\f\n\r\t\u0000\u20AC\ud83d\ude00":1}"#
        #expect(try JSON(payload: Array(text.utf8)) == ["\"\\/\u{8}\u{C}\n\r\t\u{0}€😀": 1])
    }

    @Test(
        "reads a number as the same after it was written",
        arguments: [
            "12340917852036854.5", "1e18", "9223372036854775807", "9223372036854775808", "-0.0", "0.1", "1e300",
        ])
    func numbers(text: String) throws {
        let number = try JSON(payload: Array(text.utf8))
        #expect(try JSON(payload: number.bytes) == number)
    }
}
