import Daemon
import Telemetry
import TestSupport
import Testing

@testable import Admission

/// What the broker has to know, of settings and a roster.
@Suite("What the broker has to know")
struct BrokerAccessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("gives nobody else the rights of a household", arguments: BrokerRulesSettings.Household.allCases)
    func households(_ who: BrokerRulesSettings.Household) throws {
        let roster = MadeUpRoster()
        try roster.insert(device: "adaphone", of: "ada")
        try roster.insert(device: "bobphone", of: "bob")
        try roster.insert(gateway: "gwada", of: "ada", isHousehold: true)
        try roster.insert(gateway: "gwbob", of: "bob", isHousehold: false)
        let access = try BrokerAccess(AdmissionSettings(in: folder, household: who), roster)
        let (ada, bob) = (access.clients["adaphone"]?.roles, access.clients["bobphone"]?.roles)
        switch who {
        case .anyone:
            #expect(access.anonymous == ["guest", "household"])
            #expect(ada == ["person-ada", "household"] && bob == ["person-bob", "household"])
        case .owners:
            #expect(access.anonymous == ["guest"])
            #expect(ada == ["person-ada", "household-gwada"] && bob == ["person-bob"])
        case .nobody:
            #expect(access.anonymous == ["guest"])
            #expect(ada == ["person-ada"] && bob == ["person-bob"])
        }
    }

    @Test(
        "lets gateways describe themselves to Home Assistant, and the consumer people, only where the settings say so")
    func homeAssistant() throws {
        let roster = MadeUpRoster()
        try roster.insert(gateway: "gwada", of: "ada", isHousehold: true)
        func outside(_ homeAssistant: HomeAssistantTopics?) throws -> [String: Set<String>] {
            let settings = try AdmissionSettings(in: folder, homeAssistant: homeAssistant)
            return try BrokerAccess(settings, roster).roles.mapValues { role in
                let rules = role.rules.filter { !$0.filter.hasPrefix("vitals/v1/") && !$0.filter.hasPrefix("$") }
                return Set(rules.map { "\($0.isAllowed ? "" : "not ")\($0.action.rawValue) \($0.filter)" })
            }.filter { !$0.value.isEmpty }
        }
        #expect(try outside(nil).isEmpty)
        func gateway(_ id: String) -> Set<String> {
            ["publishClientSend ha/device/\(id)/#", "publishClientReceive ha/status", "subscribePattern ha/status"]
        }
        let found = try outside(HomeAssistantTopics(prefix: "ha"))
        #expect(found["gateway-home"] == gateway("home") && found["gateway-gwada"] == gateway("gwada"))
        #expect(
            found["home-assistant"] == [
                "publishClientReceive ha/#", "subscribePattern ha/#", "publishClientSend ha/#",
                "not publishClientSend ha/device/vitals_people/#",
            ])
        let people = "ha/device/vitals_people/#"
        #expect(
            found["consumer"] == [
                "publishClientSend \(people)", "publishClientReceive \(people)", "subscribePattern \(people)",
                "publishClientReceive ha/status", "subscribePattern ha/status",
            ])
        #expect(found.count == 4)
    }

    @Test("is refused where two clients would have one name")
    func names() throws {
        let settings = try AdmissionSettings(in: folder, consumer: "home")
        #expect(throws: Failure.self) { try BrokerAccess(settings, nil) }
    }
}
