import Telemetry
import Testing

@testable import Admission

/// What a role's rules add up to. That the broker understands them in the same way is the access matrix's to show: Tests/Rigs/access.py.
@Suite("A role at the broker")
struct BrokerRoleTests {
    private static let own = "vitals/v1/users/ada"
    private static let home = "vitals/v1/gateways/gwada"

    @Test("does not let a client hear what it publishes, which would make few bytes many")
    func echoes() throws {
        let topics = try Topics()
        let (ada, gateway) = (try ID("ada"), try ID("gwada"))
        let phone = try ID("phone-x")
        let roles: [BrokerRole] = [
            .guest(topics), .person(ada, topics), .phone(phone, of: ada, topics), .household(of: gateway, topics),
            .household(of: nil, topics),
        ]
        let asked =
            ["\(Self.own)/requests/profile/get", "\(Self.home)/requests/scan", "\(Self.home)/requests/music/show"]
            + SensorTopic.requests.map { "\(Self.home)/sensors/strap/\($0.rawValue)" }
            + ["", "/cmd", "/event"].map { "\(Self.own)/phone/phone-x\($0)" }
            + BrokerRole.guestRequests.map { "vitals/v1/accounts/\($0)" }
        for role in roles {
            let sent = asked.filter { allows(role, .send, $0) }
            #expect(!sent.isEmpty, "\(role.name)")
            #expect(sent.filter { allows(role, .receive, $0) } == [], "\(role.name)")
        }
    }

    @Test("of a phone hears the commands that only the consumer sends, and one of a household what gateways say")
    func heard() throws {
        let topics = try Topics()
        let phone = BrokerRole.phone(try ID("phone-x"), of: try ID("ada"), topics)
        #expect(allows(phone, .receive, "\(Self.own)/phone/phone-x/cmd"))
        #expect(!allows(phone, .send, "\(Self.own)/phone/phone-x/cmd"))
        let household = BrokerRole.household(of: try ID("gwada"), topics)
        for name in ["status", "responses/me", "sensors/strap/heart-rate", "sensors/strap/steps/response"] {
            #expect(allows(household, .receive, "\(Self.home)/\(name)"), "\(name)")
        }
    }

    /// The rule with the highest priority holds.
    private func allows(_ role: BrokerRole, _ action: AccessRule.Action, _ topic: String) -> Bool {
        let rules = role.rules.filter { $0.action == action && covers($0.filter, topic) }
        guard let highest = rules.map(\.priority).max() else { return false }
        return rules.filter { $0.priority == highest }.allSatisfy(\.isAllowed)
    }

    private func covers(_ filter: String, _ topic: String) -> Bool {
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        let names = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            if level == "#" { return true }
            guard index < names.count, level == "+" || level == names[index] else { return false }
        }
        return levels.count == names.count
    }
}
