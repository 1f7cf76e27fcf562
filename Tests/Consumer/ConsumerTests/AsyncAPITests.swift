import Contract
import Daemon
import Desk
import Foundation
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Social
@testable import vitals_consumer

@Suite("The AsyncAPI document")
struct AsyncAPITests {
    private let path = "\(projectFolder)/deploy/asyncapi.json"

    /// Every verb of the desk.
    private func verbs() throws -> [Verb] {
        let household = try Household()
        let settings = try household.settings(port: 1, more: "accounts: {}, broker_rules: {},")
        _ = try Keys(settings, .create)
        return try Consumer(settings, readiness: Readiness()) { Issue.record($0) }.desk.verbs
    }

    /// What the code makes: topics of gateways, those of every feature, and every verb of the desk.
    private func made() throws -> NSDictionary {
        let verbs = try verbs()
        let topics = try Topics()
        let channels =
            try Channel.gateways(topics)
            + Channel.homeAssistant(HomeAssistantTopics(), topics, showing: HomeAssistantDays.schema)
            + Feature.all.topics.map { .person($0.filter, qos: $0.qos, isRetained: $0.isRetained, topics, $0.payload) }
            + verbs.map { .verb($0.name, $0.contract, maximumLength: $0.maximumLength, topics) }
        let bytes = AsyncAPI(channels, version: version).json.bytes
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    /// With VITALS_WRITE_ASYNCAPI in the environment, it writes the file.
    @Test("in deploy/ is what the code makes: otherwise VITALS_WRITE_ASYNCAPI=yes deploy/test --filter AsyncAPITests")
    func committed() throws {
        let made = try made()
        if ProcessInfo.processInfo.environment["VITALS_WRITE_ASYNCAPI"] != nil {
            let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try JSONSerialization.data(withJSONObject: made, options: options).write(to: URL(fileURLWithPath: path))
        }
        let committed = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(made.isEqual(committed))
    }

    @Test("says something of every topic that features publish on, and has every verb")
    func whole() throws {
        #expect(Feature.all.topics.allSatisfy { $0.payload != .anything })
        let channels = try #require(try made()["channels"] as? [String: [String: Any]])
        let addresses = Set(channels.values.compactMap { $0["address"] as? String })
        for address in [
            "vitals/v1/gateways/{gateway}/sensors/{sensor}/heart-rate", "vitals/v1/users/{user}/goals/{goal}",
            "vitals/v1/users/{user}/friends/{friend}/today", "vitals/v1/users/{user}/requests/devices/list",
            "vitals/v1/users/{user}/responses/devices/list", "vitals/v1/accounts/sign-up",
            "vitals/v1/gateways/{gateway}/requests/scan", "vitals/v1/stores/{store}/consumers/{instance}",
            "vitals/v1/home-assistant/{user}/today", "homeassistant/status", "homeassistant/device/{gateway}/config",
            "homeassistant/device/{gateway}/{sensor}/config", "homeassistant/device/vitals_people/{user}/config",
        ] {
            #expect(addresses.contains(address), "\(address)")
        }
    }

    @Test("says what every request asks and answers: each field, and each reply, is of some type")
    func requests() throws {
        let verbs = try verbs()
        #expect(verbs.count > 90)
        for verb in verbs {
            #expect(!verb.contract.words.isEmpty && verb.contract.answers != .anything, "\(verb.name)")
        }
        let components = try #require(try made()["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        for (name, schema) in schemas {
            // What is always one word, or one of several types, has no type of its own.
            let fields = schema["properties"] as? [String: [String: Any]] ?? [:]
            let vague = fields.filter { $0.value.keys.allSatisfy { !["type", "$ref", "const", "oneOf"].contains($0) } }
            #expect(vague.isEmpty, "\(name): \(vague.keys)")
        }
        // One of each kind: with a limit, without anything to ask, of guests.
        let steps = try #require((schemas["GoalsSetRequest"]?["properties"] as? [String: [String: Any]])?["steps"])
        let number = try #require((steps["oneOf"] as? [[String: Any]])?.first)
        #expect(number["minimum"] as? Int == 1 && number["maximum"] as? Int == 200_000)
        #expect((schemas["GoalsGetRequest"]?["properties"] as? [String: Any])?.keys.sorted() == ["id"])
        #expect(schemas["SignUpRequest"]?["required"] as? [String] == ["password"])
        #expect(schemas["WorkoutsShowReply"] != nil && schemas["WorkoutDetail"] != nil)
    }
}
