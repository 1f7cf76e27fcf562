import Daemon
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

    @Test("is refused where two clients would have one name")
    func names() throws {
        let settings = try AdmissionSettings(in: folder, consumer: "home")
        #expect(throws: Failure.self) { try BrokerAccess(settings, nil) }
    }
}
