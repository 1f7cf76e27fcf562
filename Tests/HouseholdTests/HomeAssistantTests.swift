import Foundation
import TestSupport
import Testing

@Suite("Home Assistant in a home without accounts", .timeLimit(.minutes(60)))
struct HomeAssistantTests {
    private static let root = "vitals/v1"
    private static let (device, day) = (
        "homeassistant/device/vitals_people/demo/config", "\(root)/home-assistant/demo/today"
    )

    /// Hears all that the broker lets Home Assistant hear.
    private func everything(_ household: Household) throws -> RunningProgram {
        try household.subscribe("#", ["-F", "heard %t %p"] + household.credentials("homeassistant"))
    }

    @Test("shows whom the settings name, until that person says something else, and hears nothing else of anybody")
    func shown() throws {
        let household = try Household(
            consumerSettings: "home_assistant: { people: [\"demo\"] },", isForHomeAssistant: true)
        try household.broker.start()
        let heard = try everything(household)
        let consumer = try household.credentials("consumer")
        try household.startConsumer()
        try household.startGateway()
        try household.waitForHealth { $0.contains(#""recorded_sensors":["strap"]"#) }
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "60", "--loop"])
        #expect(heard.line(containing: "heard \(Self.device) {") != nil)
        #expect(heard.wait { $0.contains { $0.hasPrefix("heard \(Self.day) {") && $0.contains("heart_rate") } })
        #expect(heard.line(containing: "heard \(Self.root)/stores/") != nil)
        for topic in ["users/demo/today", "gateways/home/blocks", "home-assistant/demo/other"] {
            #expect(try household.publish("\(Self.root)/\(topic)", "secret", consumer).exitStatus() == 0)
        }
        let asked = try household.publish(
            "\(Self.root)/users/demo/requests/consent/set", #"{"home_assistant":false}"#, consumer)
        #expect(asked.exitStatus() == 0)
        #expect(heard.wait { $0.contains("heard \(Self.device) ") && $0.contains("heard \(Self.day) ") })
        #expect(!heard.lines.contains { $0.contains("secret") || $0.contains("/users/") || $0.contains("/blocks") })
    }

    @Test(
        "and nobody but the consumer describes people there",
        arguments: [
            ("consumer", device, true), ("consumer", "homeassistant/device/home/config", false),
            ("homeassistant", device, false), ("home", device, false), (nil, device, false),
            ("homeassistant", day, false), ("home", day, false), (nil, day, false),
            ("homeassistant", "homeassistant/status", true),
            ("homeassistant", "homeassistant/device/home/config", true),
            ("consumer", "homeassistant/status", false),
        ] as [(String?, String, Bool)])
    func describing(user: String?, topic: String, isAllowed: Bool) throws {
        let household = try Household(isForHomeAssistant: true)
        try household.broker.start()
        let heard = try everything(household)
        let marker = UUID().uuidString
        #expect(try household.publish(topic, marker, user.map(household.credentials) ?? []).exitStatus() == 0)
        // What comes after it has come: so has the other, or it never will.
        let after = try household.publish(Self.day, "after-\(marker)", household.credentials("consumer"))
        #expect(after.exitStatus() == 0 && heard.line(containing: "after-\(marker)") != nil)
        #expect(heard.lines.contains("heard \(topic) \(marker)") == isAllowed)
    }
}
