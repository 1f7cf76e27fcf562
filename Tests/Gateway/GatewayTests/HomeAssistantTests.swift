import Foundation
import TestSupport
import Testing

/// What the real program tells Home Assistant, and takes back, at a real broker with the home's rules.
@Suite("Home Assistant is told", .timeLimit(.minutes(60)))
struct HomeAssistantTests {
    private static let setting = "home_assistant: {},"
    private static let (gateway, strap) = ("homeassistant/device/home/config", "homeassistant/device/home/strap/config")

    private func home(emulated: [String] = []) throws -> Home {
        try Home(more: Self.setting, isForHomeAssistant: true, emulated: emulated)
    }

    private func credentials(_ home: Home) throws -> [String] {
        let password = try String(contentsOfFile: home.broker.folder.path("homeassistant.password"), encoding: .utf8)
        return ["-p", "\(home.broker.port)", "-u", "homeassistant", "-P", password.trimmingCharacters(in: .newlines)]
    }

    /// What Home Assistant hears, a line each: whether the broker had kept it, the topic, the payload.
    private func listen(_ home: Home) throws -> RunningProgram {
        let words = ["-oL", "mosquitto_sub", "-d", "-q", "1", "-F", "%r %t %p", "-t", "homeassistant/device/#"]
        let listener = try RunningProgram("/usr/bin/stdbuf", words + credentials(home))
        try #require(listener.line(containing: "Subscribed") != nil)
        return listener
    }

    /// What somebody who comes now hears; the status is kept, too, and comes last.
    private func kept(_ home: Home) throws -> [String] {
        let words = [
            "-oL", "mosquitto_sub", "-q", "1", "-F", "%t %p", "-t", "homeassistant/device/#",
            "-t", "vitals/v1/gateways/home/status",
        ]
        let reader = try RunningProgram("/usr/bin/stdbuf", words + credentials(home))
        try #require(reader.wait { $0.contains { $0.hasPrefix("vitals/v1/gateways/home/status") } })
        return reader.lines.filter { $0.hasPrefix("homeassistant/") }
    }

    /// Those of a listener's lines that are messages.
    private func messages(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("0 homeassistant/") || $0.hasPrefix("1 homeassistant/") }
    }

    private func say(_ words: String, _ home: Home) throws {
        try RunningProgram.run(
            "/usr/bin/mosquitto_pub", ["-t", "homeassistant/status", "-m", words] + credentials(home))
    }

    @Test("of the gateway, then of its sensors; and after a restart of what a sensor can do before it is there again")
    func description() throws {
        let home = try home(emulated: ["--synthesise"])
        let heard = try listen(home)
        #expect(heard.line(containing: #""heart_rate""#) != nil)
        #expect(home.sensor.obeys("vanish"))
        let before = messages(heard.lines).count
        try home.restartGateway(SIGKILL)
        #expect(heard.wait { messages($0).count >= before + 2 })
        let again = Array(messages(heard.lines)[before...])
        #expect(again.first?.contains(Self.gateway) == true)
        #expect(again.dropFirst().first?.contains(Self.strap) == true)
        #expect(again.dropFirst().first?.contains(#""heart_rate""#) == true)
        #expect(again.dropFirst().first?.contains(#""read_steps""#) == true)
        #expect(try home.request("rename", #"{"sensor":"strap","name":"Chest {{ 1 }}"}"#).code == nil)
        #expect(heard.line(containing: #""name":"Chest {{ 1 }}""#) != nil)
    }

    @Test("that a sensor is gone, when it is forgotten or left out of the settings")
    func removal() throws {
        let home = try home(emulated: ["--sensors", "2"])
        let heard = try listen(home)
        let reply = try home.request("connect", #"{"device":"C0:FF:EE:00:00:02","sensor":"second"}"#)
        #expect(reply.code == nil)
        #expect(heard.line(containing: "homeassistant/device/home/second/config {") != nil)
        #expect(try home.request("forget", #"{"sensor":"second"}"#).code == nil)
        #expect(heard.wait { $0.contains("0 homeassistant/device/home/second/config ") })
        home.stopGateway()
        try home.edit("strap: {", "other: {")
        try home.restartGateway()
        #expect(heard.wait { $0.contains("0 \(Self.strap) ") })
        #expect(heard.line(containing: "homeassistant/device/home/other/config {") != nil)
        let topics = try kept(home).compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(Set(topics) == [Self.gateway, "homeassistant/device/home/other/config"])
    }

    @Test("nothing unless the settings say so; what a killed gateway has told is taken back by its next run")
    func switchedOff() throws {
        let home = try home()
        let heard = try listen(home)
        #expect(heard.line(containing: Self.strap) != nil)
        home.gateway.end(SIGKILL)
        try home.edit(Self.setting, "")
        try home.restartGateway()
        #expect(heard.wait { $0.contains("0 \(Self.strap) ") && $0.contains("0 \(Self.gateway) ") })
        #expect(try kept(home).isEmpty)
        // It is over, and not done again each time.
        let count = messages(heard.lines).count
        try home.restartGateway()
        try home.waitUntilOnline()
        #expect(messages(heard.lines).count == count)
    }

    @Test("again when it is born, or the broker has forgotten everything; not more often than every ten seconds")
    func birth() throws {
        let home = try home()
        let heard = try listen(home)
        try home.waitUntilOnline()
        func told(_ lines: [String]) -> Int { messages(lines).count { $0.contains(Self.gateway) } }
        #expect(heard.wait { told($0) == 1 })
        let others = ["offline", "", " online", "ONLINE", String(repeating: "online", count: 1000)]
        for words in others { try say(words, home) }
        let then = ContinuousClock.now
        for _ in 0..<20 { try say("online", home) }
        #expect(heard.wait { told($0) == 2 })
        for _ in 0..<5 { try say("online", home) }
        #expect(heard.wait(within: .seconds(30)) { told($0) == 3 })
        #expect(ContinuousClock.now - then > .seconds(8))
        home.broker.stop()
        try home.broker.start()
        #expect(home.gateway.wait(within: .seconds(30)) { $0.count { $0.contains("connected to the broker") } == 2 })
        #expect(try listen(home).line(containing: Self.strap) != nil)
    }

    @Test("nothing where the broker does not allow it, and the log says what to do")
    func refused() throws {
        let home = try Home(more: Self.setting)
        #expect(home.gateway.line(containing: "deploy/home-assistant.md") != nil)
        // Everything else goes on.
        try home.waitUntilOnline()
    }
}
