import Foundation
import TestSupport
import Testing

@Suite("The home broker's rules")
struct AccessTests {
    private static let root = "vitals/v1"

    /// Publishes as somebody, and says whether what they sent reached the consumer, which may see everything.
    private func reaches(_ household: Household, _ topic: String, as user: String?) throws -> Bool {
        let all = try household.subscribe("\(Self.root)/#", try household.credentials("consumer"))
        let marker = UUID().uuidString
        let publisher = try household.publish(topic, marker, try user.map(household.credentials) ?? [])
        #expect(publisher.exitStatus() == 0)
        // What the consumer publishes after it comes after it: when that is there, the other has come or never will.
        let after = try household.publish(
            "\(Self.root)/after", "after-\(marker)", try household.credentials("consumer"))
        #expect(after.exitStatus() == 0)
        #expect(all.line(containing: "after-\(marker)") != nil)
        return all.lines.contains { $0.hasPrefix("\(topic) ") && $0.hasSuffix(marker) }
    }

    @Test(
        "let each publish what is theirs, and nothing else",
        arguments: [
            (nil, "gateways/home/sensors/strap/steps/get", true),
            (nil, "gateways/home/sensors/strap/temperature/get", true),
            (nil, "gateways/home/requests/scan", true), (nil, "gateways/home/requests/rename", true),
            (nil, "gateways/home/requests/a/b", false), (nil, "gateways/home/requests/nonsense", false),
            (nil, "gateways/home/requests", false), (nil, "gateways/home/sensors/strap/heart-rate/get", false),
            (nil, "gateways/home/status", false),
            (nil, "gateways/home/control", false), (nil, "gateways/home/blocks", false),
            (nil, "gateways/home/live", false), ("home", "gateways/home/live", true),
            (nil, "gateways/home/sensors/strap/grant", false), (nil, "gateways/home/sensors/strap/heart-rate", false),
            (nil, "gateways/home/responses/me", false), (nil, "stores/00/consumers/main", false),
            (nil, "users/demo/today", false), ("home", "gateways/home/blocks", true),
            ("home", "gateways/home/status", true),
            ("home", "gateways/other/blocks", false), ("home", "stores/00/consumers/main", false),
            ("consumer", "gateways/home/control", true), ("consumer", "stores/00/consumers/main", true),
        ] as [(String?, String, Bool)])
    func publishing(user: String?, topic: String, isAllowed: Bool) throws {
        let household = try Household()
        try household.broker.start()
        #expect(try reaches(household, "\(Self.root)/\(topic)", as: user) == isAllowed)
    }

    @Test("let the household see live readings, and never blocks and control messages")
    func subscribing() throws {
        let household = try Household()
        try household.broker.start()
        let filters = ["-t", "\(Self.root)/gateways/+/blocks", "-t", "\(Self.root)/gateways/home/control", "-t", "#"]
        let nobody = try household.subscribe("\(Self.root)/#", filters)
        for topic in ["blocks", "live", "control", "sensors/strap/heart-rate"] {
            let publisher = try household.publish(
                "\(Self.root)/gateways/home/\(topic)", "from \(topic)", try household.credentials("home"))
            #expect(publisher.exitStatus() == 0)
        }
        #expect(nobody.line(containing: "from sensors/strap/heart-rate") != nil)
        let hidden = ["from blocks", "from live", "from control"]
        #expect(!nobody.lines.contains { line in hidden.contains { line.hasSuffix($0) } })
    }

    @Test("refuse a wrong password")
    func wrongPassword() throws {
        let household = try Household()
        try household.broker.start()
        let publisher = try household.publish("\(Self.root)/gateways/home/status", "x", ["-u", "home", "-P", "wrong"])
        #expect(publisher.exitStatus() != 0)
        #expect(
            publisher.line(containing: "not authorised") != nil || publisher.line(containing: "Not authorized") != nil)
    }
}

extension Household {
    /// How a client of Mosquitto's says who it is.
    func credentials(_ user: String) throws -> [String] {
        let password = try String(contentsOfFile: broker.folder.path("\(user).password"), encoding: .utf8)
        return ["-u", user, "-P", password.trimmingCharacters(in: .whitespacesAndNewlines)]
    }

    func publish(_ topic: String, _ payload: String, _ arguments: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-t", topic, "-m", payload] + arguments)
    }
}
