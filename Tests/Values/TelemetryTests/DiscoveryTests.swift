import TestSupport
import Testing

@testable import Telemetry

@Suite("What Home Assistant is told")
struct DiscoveryTests {
    private let topics: Topics
    private let (home, strap): (ID, ID)

    init() throws {
        topics = try Topics()
        (home, strap) = (try ID("home"), try ID("strap"))
    }

    private func payload(_ info: SensorInfoPayload..., isLive: Bool = true) -> JSON {
        var sensor = DiscoveredSensor(strap)
        for info in info { sensor.take(info, isLive: isLive) }
        return DiscoveryPayload(sensor, of: home, topics, version: "1").json
    }

    private func names(_ json: JSON?) -> [String] {
        guard case .object(let members)? = json else { return [] }
        return members.map(\.name)
    }

    @Test("a sensor has an entity for each thing that it can do, and a button for what is read on request")
    func entities() {
        let all = payload(
            SensorInfoPayload(
                name: "Chest strap", manufacturer: "Maker", model: "M1", firmware: "3.1.1", battery: 80,
                capabilities: ["heart-rate", "steps", "temperature", "location"]))
        #expect(
            names(all["cmps"]) == [
                "connectivity", "battery", "heart_rate", "steps", "read_steps", "temperature", "read_temperature",
            ])
        #expect(
            all["dev"] == [
                "ids": ["vitals_home_strap"], "name": "Chest strap", "mf": "Maker", "mdl": "M1", "sw": "3.1.1",
                "via_device": "vitals_home",
            ])
        #expect(all["avty_mode"] == "all")
        #expect(all["cmps"]?["heart_rate"]?["stat_t"] == "vitals/v1/gateways/home/sensors/strap/heart-rate")
        #expect(all["cmps"]?["heart_rate"]?["uniq_id"] == "vitals_home_strap_heart_rate")
        #expect(all["cmps"]?["read_steps"]?["cmd_t"] == "vitals/v1/gateways/home/sensors/strap/steps/get")
        #expect(all["cmps"]?["steps"]?["stat_t"] == "vitals/v1/gateways/home/sensors/strap/steps/response")
        #expect(
            names(payload(SensorInfoPayload(capabilities: ["running", "cycling", "power"]))["cmps"])
                == ["connectivity", "speed", "cadence", "wheel", "crank", "power"])
        // What is published nowhere is not shown.
        #expect(
            names(payload(SensorInfoPayload(capabilities: ["heart-rate", "steps", "power"]), isLive: false)["cmps"])
                == ["connectivity", "steps", "read_steps"])
    }

    @Test("a sensor that has not been read yet keeps what it had; what it no longer has is taken back")
    func changes() {
        let full = SensorInfoPayload(name: "A", firmware: "1", battery: 80, capabilities: ["heart-rate", "steps"])
        let restarted = payload(full, SensorInfoPayload(name: "B"))
        #expect(
            names(restarted["cmps"]) == ["connectivity", "battery", "heart_rate", "steps", "read_steps"])
        #expect(restarted["dev"]?["sw"] == "1")
        #expect(restarted["dev"]?["name"] == "B")
        let less = payload(full, SensorInfoPayload(capabilities: ["heart-rate"]))
        #expect(less["cmps"]?["steps"] == ["p": "sensor"])
        #expect(less["cmps"]?["read_steps"] == ["p": "button"])
        let more = payload(full, SensorInfoPayload(capabilities: ["heart-rate"]), full)
        #expect(more["cmps"]?["steps"]?["uniq_id"] == "vitals_home_strap_steps")
    }

    @Test("what a sensor sends is shown in one short line, and is part of no template")
    func hostile() throws {
        let code = "{{ states('x') }}"
        let name = "\u{202E}a\u{0}\n\"\\\u{85}\t \u{2028}b\(String(repeating: "é", count: 200))"
        let hostile = payload(
            SensorInfoPayload(
                name: name, manufacturer: "\u{1B}\u{200B}", model: code, firmware: code, capabilities: [code, "steps"]))
        #expect(hostile["dev"]?["name"] == .string("a \"\\ b" + String(repeating: "é", count: 29)))
        #expect(hostile["dev"]?["mf"] == nil)
        #expect(try JSON(payload: hostile.bytes)["dev"]?["mdl"] == .string(code))
        guard case .object(let components)? = hostile["cmps"] else { throw TestFailure("no components") }
        for component in components { #expect(!PayloadTests.text(component.value.bytes).contains("states")) }
        #expect(components.count == 3)
        #expect(payload(SensorInfoPayload(name: "\n \u{0}"))["dev"]?["name"] == "strap")
        // Half an emoji is none.
        let family = "👨‍👩‍👧‍👦"
        let families = payload(SensorInfoPayload(name: String(repeating: family, count: 9)))
        #expect(families["dev"]?["name"] == .string(family + family))
    }

    @Test("what is remembered of a sensor is read back, without what only a later version knows")
    func memory() throws {
        var sensor = DiscoveredSensor(strap)
        sensor.take(SensorInfoPayload(name: "A", battery: 1, capabilities: ["heart-rate"]), isLive: true)
        sensor.take(SensorInfoPayload(name: "A", capabilities: ["steps"]), isLive: true)
        #expect(try DiscoveredSensor(payload: sensor.bytes) == sensor)
        let later = #"{"id":"strap","name":"A\n{{x}}","entities":["steps","wings"],"gone":["tail"]}"#
        let read = try DiscoveredSensor(payload: Array(later.utf8))
        #expect(read.entities == [.steps] && read.gone.isEmpty && read.name == "A {{x}}")
        #expect(throws: MalformedValue.self) {
            try DiscoveredSensor(payload: Array(#"{"id":"A/#","entities":[],"gone":[]}"#.utf8))
        }
    }

    @Test("a gateway is a device of its own, at a topic beside those of its sensors")
    func gateway() throws {
        let gateway = DiscoveryPayload(gateway: home, topics, version: "1").json
        #expect(gateway["dev"]?["ids"] == ["vitals_home"])
        #expect(names(gateway["cmps"]) == ["connectivity", "connected_sensors", "outbox"])
        let discovery = try HomeAssistantTopics()
        #expect(discovery.device(home) == "homeassistant/device/home/config")
        #expect(discovery.device(home, strap) == "homeassistant/device/home/strap/config")
        #expect(discovery.status == "homeassistant/status")
        for bad in ["", String(repeating: "a", count: 65), "/", "a/", "/a", "a//b", "$SYS", "+", "a/#", "a\u{0}"] {
            #expect(throws: MalformedValue.self, "\(bad)") { try HomeAssistantTopics(prefix: bad) }
        }
        let prefixes = [("vitals", true), ("vitals/v1/users", true), ("vitals/v1x", false), ("vitals/v", false)]
        for (prefix, isMixed) in prefixes {
            #expect(try HomeAssistantTopics(prefix: prefix).overlaps(topics) == isMixed)
        }
    }

    private func person(_ name: String?, _ goals: Set<DiscoveredFigure> = []) throws -> DiscoveryPayload {
        let store = StoreID(high: 0, low: 1)
        return DiscoveryPayload(
            person: try ID("ada"), called: name, with: goals, topics, presence: try .presence(of: store), version: "1")
    }

    @Test("a person has an entity for each figure of the day, and for each goal that they have")
    func person() throws {
        let ada = try person("Ada", [.stepsGoal]).json
        #expect(
            ada["dev"] == ["ids": ["vitals-person_ada"], "name": "Ada", "mf": "Vitals", "mdl": "Person", "sw": "1"])
        #expect(
            ada["avty"] == [
                [
                    "t": "vitals/v1/stores/00000000000000000000000000000001/consumers/main",
                    "val_tpl":
                        "{% if value_json is defined and value_json.state is defined %}{{ value_json.state }}{% endif %}",
                ]
            ])
        #expect(names(ada["cmps"]) == DiscoveredFigure.allCases.map(\.rawValue))
        #expect(ada["cmps"]?["steps"]?["stat_t"] == "vitals/v1/home-assistant/ada/today")
        #expect(ada["cmps"]?["steps"]?["uniq_id"] == "vitals-person_ada_steps")
        #expect(ada["cmps"]?["steps_goal"]?["unit_of_meas"] == "%")
        // A goal that the person does not have, or no longer, is taken back.
        #expect(ada["cmps"]?["energy_goal"] == ["p": "sensor"])
        // Yesterday's value does not stay.
        #expect(
            ada["cmps"]?["resting_heart_rate"]?["val_tpl"]
                == .string(
                    "{% if value_json is defined and value_json.heart_rate is defined and value_json.heart_rate.resting is defined %}"
                        + "{{ value_json.heart_rate.resting }}{% else %}None{% endif %}"))
        let discovery = try HomeAssistantTopics()
        let topic = discovery.device(person: try ID("ada"))
        #expect(topic == "homeassistant/device/vitals_people/ada/config")
        #expect(discovery.person(at: topic)?.text == "ada")
        for other in [
            discovery.device(home), discovery.device(home, strap), "homeassistant/device/vitals_people/config",
            "homeassistant/device/vitals_people/ada/x/config", "homeassistant/device/vitals_people/Ada/config",
            "homeassistant/device/vitals_peoplex/ada/config", "homeassistant/device/vitals_people/ada/x", "",
        ] {
            #expect(discovery.person(at: other) == nil, "\(other)")
        }
        let shown = Topic.homeAssistant(try ID("ada"))
        #expect(topics[shown] == "vitals/v1/home-assistant/ada/today" && topics.parse(topics[shown]) == shown)
        for other in [
            "home-assistant/ada", "home-assistant/ada/x", "home-assistant/Ada/today", "home-assistant/ada/today/x",
        ] {
            #expect(topics.parse("vitals/v1/\(other)") == nil, "\(other)")
        }
    }

    @Test("what a person calls themselves is shown in one short line, and is part of no template, topic or id")
    func hostilePerson() throws {
        let code = "{{ states('x') }}"
        let name = "\u{202E}\(code)\u{0}\n\"/#+\\\u{2028}\(String(repeating: "é", count: 200))"
        let hostile = try person(name, Set(DiscoveredFigure.allCases)).json
        guard case .string(let shown)? = hostile["dev"]?["name"] else { throw TestFailure("no name") }
        #expect(shown.hasPrefix("\(code) \"/#+\\ é") && shown.utf8.count <= 64)
        let plain = try person("Ada", Set(DiscoveredFigure.allCases)).json
        for part in ["cmps", "avty", "o"] { #expect(hostile[part] == plain[part], "\(part)") }
        #expect(hostile["dev"]?["ids"] == plain["dev"]?["ids"])
        for nothing in ["\n \u{0}", "", nil] { #expect(try person(nothing).json["dev"]?["name"] == "ada") }
    }

    @Test("a description is known again by its root, whatever else the broker may have kept")
    func recognised() throws {
        let (ada, other) = (try ID("ada"), try Topics(root: "other/v1"))
        let bytes = try person("Ada").bytes
        #expect(DiscoveryPayload.isOurs(bytes, of: ada, topics))
        #expect(!DiscoveryPayload.isOurs(bytes, of: ada, other))
        #expect(!DiscoveryPayload.isOurs(bytes, of: try ID("bob"), topics))
        for garbage in ["", "{", "[]", "{}", #"{"cmps":{"steps":[]}}"#, #"{"cmps":{"steps":{"stat_t":1}}}"#] {
            #expect(!DiscoveryPayload.isOurs(Array(garbage.utf8), of: ada, topics), "\(garbage)")
        }
    }
}
