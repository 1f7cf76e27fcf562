import Foundation
import Glibc
import Records
import Telemetry
import TestSupport
import Testing
import Vault

/// The public page of blocks, `Blocks.md`, against what real programs send: `Interop/open_stream.py` contains nothing
/// but what the page says.
@Suite("The page of blocks")
struct PageTests {
    private static let page = "\(projectFolder)/Sources/Values/Telemetry/Telemetry.docc/Blocks.md"

    @Test("a program that knows only the page opens a captured stream, and has the consumer's readings")
    func opens() throws {
        let household = try Household()
        let capture = try household.captured()
        let opened = try household.open(capture, by: Self.page)
        for kind in ["heart-rate", "steps", "temperature"] {
            let readings = try #require(opened[kind] as? [[String: Any]])
            let stored = try household.stored(kind)
            #expect(readings as NSArray == stored as NSArray, "\(kind)")
            #expect(!stored.isEmpty, "\(kind)")
        }
        // The control: the stream had everything that the page describes, except for what needs a wrong clock or a full
        // disk.
        let seen = try #require(opened["seen"] as? [String: Int])
        for part in ["type 1", "type 2", "type 3", "type 6", "purpose 1", "purpose 4"] {
            #expect(seen[part] ?? 0 > 0, "\(part)")
        }
        // What was sent at once is stored, too, except for what the gateway had not written down when it was killed.
        #expect(seen["live only"] ?? 0 <= 2)
        let heartRates = try household.stored("heart-rate")
        for field in ["rr_ms", "energy_kj", "contact"] { #expect(heartRates.contains { $0[field] != nil }, "\(field)") }

        // With any other text on the page, nothing opens.
        let text = try String(contentsOfFile: Self.page, encoding: .utf8)
        let names = Self.names(of: text)
        #expect(names.count == 12)
        for name in names {
            let spoilt = household.folder.path("spoilt.md")
            let row = try #require(text.range(of: "\n| \(name) | `"))
            try text.replacingCharacters(in: row, with: "\n| \(name) | `x")
                .write(toFile: spoilt, atomically: true, encoding: .utf8)
            let error = thrown(TestFailure.self) { try household.open(capture, by: spoilt) }
            let reasons = ["InvalidTag", "InvalidSignature", "KeyError", "this is not the root key"]
            #expect(reasons.contains { "\(error.map { "\($0)" } ?? "")".contains($0) }, "\(name)")
        }
    }

    @Test("without a consumer's presence, as the page has it, a gateway sends no block")
    func presence() throws {
        let household = try Household()
        try household.start()
        let capture = try household.captureStream()
        let presence = try #require(capture.line(containing: "/consumers/main "))
        let topic = String(presence.prefix { $0 != " " })
        let payload = Data(hexadecimal: presence.drop { $0 != " " }.dropFirst())
        let said = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        #expect(Set(said.keys) == ["state", "time", "instance"] && said["state"] as? String == "online")

        // A consumer that is killed is offline by its will, and the broker keeps that.
        household.consumer?.end(SIGKILL)
        #expect(capture.wait { $0.count { $0.hasPrefix(topic) } == 2 })
        let will = try #require(capture.lines.last { $0.hasPrefix(topic) })
        let left = try JSONSerialization.jsonObject(with: Data(hexadecimal: will.drop { $0 != " " }.dropFirst()))
        #expect(left as? [String: String] == ["state": "offline", "instance": said["instance"] as? String ?? ""])
        try household.startSensor(["--synthesise", "--speed", "10"])
        let health = try household.subscribe("vitals/v1/gateways/home/health")
        #expect(
            health.wait(within: .seconds(60)) {
                $0.contains { !$0.contains(#""blocks":0,"#) && $0.contains(#""recorded_sensors":["strap"]"#) }
            })
        #expect(!capture.lines.contains { $0.contains("/blocks ") })

        // Anybody who says online on the store's topic is taken for a consumer, whatever the instance.
        #expect(
            try household.publish(
                topic, #"{"state":"online","time":1,"instance":"another"}"#, ["-r"] + household.credentials("consumer")
            )
            .exitStatus() == 0)
        #expect(capture.line(containing: "/blocks ") != nil)
    }

    @Test("a consumer that knows only the page gets a gateway's readings, asks for a key, and is believed")
    func secondConsumer() throws {
        let household = try Household()
        try household.broker.start()
        try household.startGateway()
        try household.startSensor(["--synthesise", "--speed", "10"])
        let live = try household.subscribe("vitals/v1/gateways/home/sensors/strap/heart-rate")
        let health = try household.subscribe("vitals/v1/gateways/home/health")
        let said = try RunningProgram.runPython([
            household.interop("second_consumer.py"), Self.page, household.folder.path("consumer/keys.db"),
            household.folder.path("root.key"), "\(household.broker.port)", "consumer",
            household.broker.folder.path("consumer.password"), "home", household.gatewayKey(), "strap", "64",
        ])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any])
        let received = try #require(answer["received"] as? [String])
        let readings = try #require(answer["readings"] as? [[String: Any]])
        // The request was answered with the grant and then the key.
        let grant = try #require(received.firstIndex(of: "grant"))
        let key = try #require(received.lastIndex(of: "key"))
        #expect(received.first == "ignored key" && grant < key)
        #expect(readings.count >= 64)
        let published = Set(live.lines.filter { $0.hasPrefix("vitals/") }.map { String($0.drop { $0 != "{" }) })
        for reading in readings {
            let time = try #require(reading["time"] as? Int64)
            let bpm = try #require(reading["bpm"] as? Int)
            #expect(published.contains { $0.hasPrefix("{\"time\":\(time),\"bpm\":\(bpm),") })
        }
        // The gateway has taken the acknowledgements: nothing of these readings waits.
        #expect(
            health.wait { lines in
                lines.contains { line in
                    let json = String(line.drop { $0 != "{" })
                    let told = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                    let outbox = told?["outbox"] as? [String: Int]
                    return outbox?["blocks"] == 0 && told?["recorded"] as? Int ?? 0 >= 64
                }
            })
    }

    /// What the page calls its texts.
    private static func names(of page: String) -> [String] {
        let section = page.components(separatedBy: "\n## Texts\n").last?.components(separatedBy: "\n## ").first ?? ""
        return section.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 3 && cells[1].hasPrefix("`") ? cells[0] : nil
        }
    }
}

extension Household {
    /// All that a second consumer would hear.
    fileprivate func captureStream() throws -> RunningProgram {
        let others = ["live", "control", "grants", "sensors/+/grant"].flatMap { ["-t", "vitals/v1/gateways/+/\($0)"] }
        return try subscribe(
            "vitals/v1/gateways/+/blocks",
            try credentials("consumer") + others + ["-t", "vitals/v1/stores/+/consumers/+", "-F", "%t %x"])
    }

    /// The file with all that passes while a sensor is worn, steps and temperature are read, and the gateway is killed
    /// in between.
    fileprivate func captured() throws -> String {
        try broker.start()
        let capture = try captureStream()
        try startConsumer()
        try startGateway()
        try waitForHealth { $0.contains(#""recorded_sensors":["strap"]"#) }
        try askForLive(capture)
        try startSensor(["--synthesise", "--speed", "10"])
        let live = try subscribe("vitals/v1/gateways/home/sensors/strap/heart-rate")
        #expect(live.line(containing: "rr_ms") != nil)
        for topic in ["sensors/strap/steps/get", "sensors/strap/temperature/get"] {
            #expect(try ask(topic)["status"] as? String == "ok")
        }
        // A block is made of these, and what comes after them is in the journal when the gateway is killed.
        #expect(live.wait { $0.count { $0.hasPrefix("vitals/") } > 150 })
        gateway?.end(SIGKILL)
        let before = live.lines.count
        try startGateway()
        #expect(live.line(after: before + 30) != nil)
        sensor?.send("quit")
        try waitUntilStored()
        let messages = capture.lines.filter { $0.hasPrefix("vitals/") }
        let file = folder.path("capture")
        try messages.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Says to the gateway in the consumer's name, as a feature would have it said, that readings should come at once.
    private func askForLive(_ capture: RunningProgram) throws {
        let line = try #require(capture.line(containing: "/sensors/strap/grant "))
        let bytes = [UInt8](Data(hexadecimal: line.drop { $0 != " " }.dropFirst()))
        let message = try SignedControlMessage(bytes: bytes).message
        guard case .grant(var grant) = message.body else { throw TestFailure("no grant") }
        grant.serial += 1
        grant.kinds.insert(.live)
        let asking = ControlMessage(store: message.store, gateway: message.gateway, .grant(grant))
        let keys = try Keys(state: folder.path("consumer"), rootKeyFile: folder.path("root.key"), .read)
        let file = folder.path("grant")
        try Data(asking.bytes(signature: keys.identity.sign(asking.signedBytes)))
            .write(to: URL(fileURLWithPath: file))
        let publisher = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            ["-p", "\(broker.port)", "-q", "1", "-t", String(line.prefix { $0 != " " }), "-f", file]
                + credentials("consumer"))
        #expect(publisher.exitStatus() == 0)
    }

    /// What a program says that knows only this page.
    fileprivate func open(_ capture: String, by page: String) throws -> [String: Any] {
        let identity = try RunningProgram.run(
            "vitals-gateway", ["identity", "--settings", folder.path("gateway.json5")])
        let key = identity.split(separator: "\n").last.map(String.init) ?? ""
        let said = try RunningProgram.runPython([
            "\(projectFolder)/Tests/Libraries/VaultTests/Interop/open_stream.py", page, folder.path("consumer/keys.db"),
            folder.path("root.key"), "demo", "home", key, capture,
        ])
        return try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any] ?? [:]
    }

    fileprivate func interop(_ program: String) -> String {
        "\(projectFolder)/Tests/Libraries/VaultTests/Interop/\(program)"
    }

    /// The gateway's public key, as settings have it.
    fileprivate func gatewayKey() throws -> String {
        let said = try RunningProgram.run("vitals-gateway", ["identity", "--settings", folder.path("gateway.json5")])
        return said.split(separator: "\n").last.map(String.init) ?? ""
    }
}
