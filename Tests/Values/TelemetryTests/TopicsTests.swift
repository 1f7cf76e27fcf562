import Testing

@testable import Telemetry

@Suite struct TopicsTests {
    static func all() throws -> [(Topic, String)] {
        let home = try ID("home")
        let strap = try ID("strap")
        let own: [(GatewayTopic, String)] = [
            (.status, "status"), (.info, "info"), (.health, "health"), (.events, "events"), (.blocks, "blocks"),
            (.live, "live"),
            (.control, "control"), (.grants, "grants"), (.request(try ID("scan")), "requests/scan"),
            (.response("me/1"), "responses/me/1"), (.music, "music"), (.musicRequest(.play), "requests/music/play"),
            (.musicRequest(.artwork), "requests/music/artwork"),
        ]
        let sensor: [(SensorTopic, String)] = [
            (.info, "info"), (.availability, "availability"), (.heartRate, "heart-rate"), (.running, "running"),
            (.cycling, "cycling"),
            (.stepsGet, "steps/get"),
            (.stepsResponse, "steps/response"), (.temperatureGet, "temperature/get"),
            (.temperatureResponse, "temperature/response"), (.grant, "grant"),
        ]
        let ada = try ID("ada")
        let people: [(Topic, String)] = [
            (
                .user(ada, .request(resource: try ID("devices"), verb: try ID("list"))),
                "users/ada/requests/devices/list"
            ),
            (.user(ada, .response("me/1")), "users/ada/responses/me/1"), (.user(ada, .progress), "users/ada/progress"),
            (.user(ada, .published("heart-rate")), "users/ada/heart-rate"),
            (.user(ada, .published("today")), "users/ada/today"),
            (.user(ada, .published("goals/steps")), "users/ada/goals/steps"),
            (.user(ada, .published("friends/eva/today")), "users/ada/friends/eva/today"),
            (.user(ada, .notifications), "users/ada/notifications"),
            (.account(.request(try ID("sign-up"))), "accounts/sign-up"),
            (.account(.response("0123")), "accounts/responses/0123"),
        ]
        return people.map { ($0, "vitals/v1/\($1)") }
            + own.map { (.gateway(home, $0), "vitals/v1/gateways/home/\($1)") }
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
            "vitals/v1/gateways/home/requests/a/b", "vitals/v1/gateways/home/requests/music/stop",
            "vitals/v1/gateways/home/requests/music/", "vitals/v1/gateways/home/music/play",
            "vitals/v1/gateways/home/responses",
            "vitals/v1/gateways/home/responses/#", "vitals/v1/stores/4041/consumers/a",
            "vitals/v1/stores/404142434445464748494A4B4C4D4E4F/consumers/a", "vitals/v1/users/demo",
            "vitals/v1/users/demo/", "vitals/v1/users/demo/a/b/c/d/e", "vitals/v1/users/demo/friends/Eva/today",
            "vitals/v1/users/demo/friends//today", "vitals/v1/users/demo/goals/+", "vitals/v1/users/demo/requests",
            "vitals/v1/users/demo/requests/devices", "vitals/v1/users/demo/requests/a/b/c",
            "vitals/v1/users/demo/responses", "vitals/v1/users/Demo/progress", "vitals/v1/users/demo/Progress",
            "vitals/v1/accounts", "vitals/v1/accounts/", "vitals/v1/accounts/responses", "vitals/v1/accounts/Sign",
            "vitals/v1/accounts/sign-up/x", "vitals/v1/accounts/responses/+",
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
        #expect(topics.everyRequest(to: home) == "r/gateways/home/requests/#")
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

    @Test("lets no reply go where a broker would end the connection of a client that publishes there")
    func harmfulResponses() throws {
        let topics = try Topics()
        let (home, ada) = (try ID("home"), try ID("ada"))
        func allows(_ tail: String) -> [Bool] {
            [
                topics.allowsResponse(at: "vitals/v1/gateways/home/responses/" + tail, of: home),
                topics.allowsResponse(at: "vitals/v1/users/ada/responses/" + tail, toUser: ada),
                topics.allowsResponse(at: "app/replies/home/x/y/" + tail, of: home, prefixes: ["app/replies/home/x/y"]),
            ]
        }
        let forbidden = ([0x01, 0x1F, 0x7F, 0x9F, 0xFDD0, 0xFFFF, 0x1FFFE] as [UInt32]).compactMap(Unicode.Scalar.init)
        let bad = forbidden.map { "a\(Character($0))" }
        for tail in bad + ["a\0", "+", "a/#", "", Array(repeating: "a", count: 16).joined(separator: "/")] {
            #expect(allows(tail) == [false, false, false], "\(tail.utf8.map { $0 })")
        }
        for tail in ["a", "ä", " ", "a//b", "\u{FEFF}", Array(repeating: "a", count: 15).joined(separator: "/")] {
            #expect(allows(tail) == [true, true, true], "\(tail)")
        }
        let room = 1024 - "vitals/v1/users/ada/responses/".utf8.count
        for (length, isAllowed) in [(room, true), (room + 1, false), (60_000, false)] {
            let topic = "vitals/v1/users/ada/responses/" + String(repeating: "a", count: length)
            #expect(topics.allowsResponse(at: topic, toUser: ada) == isAllowed)
        }
    }

    @Test("knows a request by its place, whatever it is called, and where its reply comes")
    func requests() throws {
        let topics = try Topics()
        let (home, ada) = (try ID("home"), try ID("ada"))
        func check(_ text: String, _ expected: RequestTopic?, _ listed: String?) {
            let request = topics.request(at: "vitals/v1/\(text)")
            #expect(request == expected, "\(text)")
            #expect(request.flatMap(topics.listedResponse) == listed.map { "vitals/v1/\($0)" }, "\(text)")
        }
        check("users/ada/requests/a/b", .user(ada, name: "a/b"), "users/ada/responses/a/b")
        check("users/ada/requests/A", .user(ada, name: "A"), "users/ada/responses/A")
        check("users/ada/requests/a/b/c/d/e", .user(ada, name: "a/b/c/d/e"), "users/ada/responses/a/b/c/d/e")
        check("users/ada/requests", .user(ada, name: ""), "users/ada/responses/")
        check("users/ADA/requests/a/b", .user(nil, name: "a/b"), nil)
        check("accounts/Sign", .account(name: "Sign"), nil)
        check("accounts/responses/x", nil, nil)
        check("gateways/home/requests/a/b", .gateway(home, name: "a/b"), "gateways/home/responses/a/b")
        check("gateways/HOME/requests/scan", .gateway(nil, name: "scan"), nil)
        check(
            "gateways/home/sensors/Strap/steps/get", .sensor(home, name: "Strap", .stepsGet),
            "gateways/home/sensors/Strap/steps/response")
        for text in [
            "gateways/home/sensors/strap/steps", "gateways/home/sensors/strap/info",
            "gateways/home/sensors/a/b/steps/get",
            "gateways/home/status", "users/ada/today", "users/ada", "users", "x/ada/requests/a",
        ] {
            check(text, nil, nil)
        }
        // If the reply's topic would be too long, there is none.
        let many = Array(repeating: "a", count: 16).joined(separator: "/")
        check("users/ada/requests/\(many)", .user(ada, name: many), nil)
        let long = String(repeating: "a", count: 1000)
        check("users/ada/requests/\(long)", .user(ada, name: long), nil)
    }

    @Test("lets replies to people go only to their own topics, and to guests only where nobody else listens")
    func peoplesResponses() throws {
        let topics = try Topics()
        let ada = try ID("ada")
        func allows(_ topic: String) -> Bool { topics.allowsResponse(at: topic, toUser: ada) }
        #expect(allows("vitals/v1/users/ada/responses/phone") && allows("vitals/v1/users/ada/responses/a/b"))
        for topic in [
            "responses", "responses/", "responses/+", "responses/#", "responses/a\0", "requests/a/b", "progress",
            "responsesx/a",
        ] {
            #expect(!allows("vitals/v1/users/ada/\(topic)"), "\(topic)")
        }
        for topic in ["users/eve/responses/a", "gateways/home/responses/a", "accounts/responses/a"] {
            #expect(!allows("vitals/v1/\(topic)"), "\(topic)")
        }

        let drawn = "0123456789abcdef0123456789abcdef"
        #expect(topics.allowsGuestResponse(at: "vitals/v1/accounts/responses/\(drawn)"))
        for level in [
            "", "+", "#", "a", drawn + "0", String(drawn.dropLast()), drawn.uppercased(), "g" + drawn.dropLast(),
        ] {
            #expect(!topics.allowsGuestResponse(at: "vitals/v1/accounts/responses/\(level)"), "\(level)")
        }
        #expect(!topics.allowsGuestResponse(at: "vitals/v1/users/ada/responses/\(drawn)"))
    }

    @Test(
        "refuses ids and roots outside their grammar",
        arguments: ["", "A", "a/b", "a+", "ä", "a b", String(repeating: "a", count: 37)])
    func wrongIDs(text: String) {
        #expect(
            fault { try ID(text) } == .notAllowed("an id is 1 to 36 of the characters a to z, 0 to 9 and -"))
        #expect(throws: Never.self) { try ID(String(repeating: "a", count: 36)) }
        let tooMany = Array(repeating: "a", count: 11).joined(separator: "/")
        let tooLong = String(repeating: "a", count: 513)
        for root in ["", "/a", "a/", "a//b", "+/a", "a/#", "$SYS", "a\0", "a\u{1}", tooMany, tooLong] {
            #expect(fault { try Topics(root: root) } != nil)
        }
    }
}
