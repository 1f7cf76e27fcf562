package import Daemon
import ProgramSettings
import Readings
package import Telemetry

/// `home_assistant`: people may show their day in Home Assistant.
///
/// ```
/// home_assistant: { people: ["demo"], discovery_prefix: "homeassistant" },
/// ```
package struct HomeAssistantSettings: FeatureSettings {
    package static let key = "home_assistant"
    package static let isTakenAtOnce = false
    /// Where people are described; nil if nobody is.
    package let topics: HomeAssistantTopics?
    /// Those of the settings' people who are shown unless they have said something else: an operator speaks for them.
    package let people: Set<ID>

    package init(_ settings: Section) throws(SettingsError) {
        let own = try settings.topics()
        topics = try settings.homeAssistant(besides: own)
        guard let topics, let section = try settings.section(Self.key, default: nil) else {
            people = []
            return
        }
        let known = Set(try settings.sectionsByID("people") { id, _ in id })
        var people: Set<ID> = []
        for name in try section.strings("people", default: []) {
            guard known.contains(name) else {
                throw section.refusal(
                    of: "people", "\"\(name)\" is none of the settings' people",
                    hint: "people with an account say so themselves: `vitals consent --home-assistant on`")
            }
            people.insert(try section.validID(name))
        }
        self.people = people
        guard let rules = try settings.section("broker_rules", default: nil) else { return }
        let allowed = try rules.homeAssistant(besides: own)
        guard allowed == topics else {
            throw settings.refusal(
                of: Self.key, "the broker's rules \(allowed == nil ? "know no Home Assistant" : "have another prefix")",
                hint: "say the same in broker_rules: { home_assistant: {} }")
        }
    }
}
