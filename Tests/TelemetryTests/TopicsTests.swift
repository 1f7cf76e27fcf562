import Testing

@testable import Telemetry

@Suite struct TopicsTests {
    static func all() throws -> [(Topic, String)] {
        let home = try ID("home")
        let strap = try ID("strap")
        let own: [(GatewayTopic, String)] = [
            (.status, "status"), (.info, "info"), (.health, "health"), (.events, "events"), (.blocks, "blocks"),
            (.control, "control"), (.grants, "grants"), (.request(try ID("scan")), "requests/scan"),
            (.response("me/1"), "responses/me/1"),
        ]
        let sensor: [(SensorTopic, String)] = [
            (.info, "info"), (.availability, "availability"), (.heartRate, "heart-rate"), (.running, "running"),
            (.cycling, "cycling"),
            (.stepsGet, "steps/get"),
            (.stepsResponse, "steps/response"), (.temperatureGet, "temperature/get"),
            (.temperatureResponse, "temperature/response"), (.grant, "grant"),
        ]
        return own.map { (.gateway(home, $0), "vitals/v1/gateways/home/\($1)") }
            + sensor.map { (.gateway(home, .sensor(strap, $0)), "vitals/v1/gateways/home/sensors/strap/\($1)") }
            + [
                (
                    .consumer(store: Sample.store, instance: try ID("a1")),
                    "vitals/v1/stores/404142434445464748494a4b4c4d4e4f/consumers/a1"
                )
            ]
    }

    @Test("spells every topic, and reads it back")
    func spelling() throws {
        let topics = try Topics()
        for (topic, text) in try Self.all() {
            #expect(topics[topic] == text)
            #expect(topics.parse(text) == topic)
            #expect(try Topics(root: "a").parse(text) == nil)
            #expect(topics.parse(text + "/") == nil || text.contains("responses"))
        }
        #expect(try topics[ID("home"), ID("strap"), .heartRate] == "vitals/v1/gateways/home/sensors/strap/heart-rate")
        #expect(try topics[ID("home"), .blocks] == "vitals/v1/gateways/home/blocks")
        #expect(
            try Set(
                Self.all().compactMap { topic, _ in
                    if case .gateway(_, .sensor(_, let sensor)) = topic { sensor } else { nil }
                }) == Set(SensorTopic.allCases))
    }

    @Test(
        "does not take other topics for ours",
        arguments: [
            "", "vitals/v1", "vitals/v1/", "vitals/v10/gateways/home/status", "vitals/v1/gateways/home",
            "vitals/v1/gateways/Home/status", "vitals/v1/gateways/+/status", "vitals/v1/gateways//status",
            "vitals/v1/gateways/home/status/x", "vitals/v1/gateways/home/sensors/strap",
            "vitals/v1/gateways/home/sensors/strap/steps", "vitals/v1/gateways/home/requests",
            "vitals/v1/gateways/home/requests/a/b", "vitals/v1/gateways/home/responses",
            "vitals/v1/gateways/home/responses/#", "vitals/v1/stores/4041/consumers/a",
            "vitals/v1/stores/404142434445464748494A4B4C4D4E4F/consumers/a", "vitals/v1/users/demo/today",
        ])
    func strangers(text: String) throws {
        #expect(try Topics().parse(text) == nil)
    }

    @Test("spells filters")
    func filters() throws {
        let topics = try Topics(root: "r")
        let home = try ID("home")
        #expect(topics.everyGateway(.blocks) == "r/gateways/+/blocks")
        #expect(topics.everySensor(of: home, .grant) == "r/gateways/home/sensors/+/grant")
        #expect(topics.everySensor(.heartRate) == "r/gateways/+/sensors/+/heart-rate")
        #expect(topics.everyRequest(to: home) == "r/gateways/home/requests/+")
        #expect(topics.everyResponse(of: home) == "r/gateways/home/responses/#")
        #expect(topics.everything(of: home) == "r/gateways/home/#")
        #expect(topics.everyConsumer() == "r/stores/+/consumers/+")
        #expect(topics.everyConsumer(of: Sample.store) == "r/stores/\(Sample.store)/consumers/+")
    }

    @Test("lets replies go only where the asker may read")
    func responses() throws {
        let topics = try Topics()
        let home = try ID("home")
        func allows(_ topic: String, _ prefixes: [String] = []) -> Bool {
            topics.allowsResponse(at: topic, of: home, prefixes: prefixes)
        }
        #expect(allows("vitals/v1/gateways/home/responses/me"))
        #expect(allows("vitals/v1/gateways/home/responses/me/42"))
        #expect(!allows("vitals/v1/gateways/home/responses/"))
        #expect(!allows("vitals/v1/gateways/home/responses"))
        #expect(!allows("vitals/v1/gateways/home/responses/+"))
        #expect(!allows("vitals/v1/gateways/home/responses/#"))
        #expect(!allows("vitals/v1/gateways/home/responsesx/me"))
        #expect(!allows("vitals/v1/gateways/other/responses/me"))
        #expect(!allows("vitals/v1/gateways/home/control"))
        #expect(allows("app/replies/1", ["app/replies"]) && allows("app/replies/1", ["app/replies/"]))
        #expect(!allows("app/replies-of-others/1", ["app/replies"]))
    }

    @Test(
        "refuses ids and roots outside their grammar",
        arguments: ["", "A", "a/b", "a+", "ä", "a b", String(repeating: "a", count: 37)])
    func wrongIDs(text: String) {
        #expect(
            fault { try ID(text) } == .notAllowed("an id is 1 to 36 of the characters a to z, 0 to 9 and -"))
        #expect(throws: Never.self) { try ID(String(repeating: "a", count: 36)) }
        for root in ["", "/a", "a/", "a//b", "+/a", "a/#", "$SYS", "a\0"] {
            #expect(fault { try Topics(root: root) } != nil)
        }
    }
}
