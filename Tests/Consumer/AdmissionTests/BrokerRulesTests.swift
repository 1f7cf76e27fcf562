import Foundation
import MQTT
import Telemetry
import TestSupport
import Testing

@testable import Admission

/// The broker's rules, changed at a real broker. Who may do what is the access matrix's to show: Tests/Rigs/access.py.
@Suite("The broker's rules")
struct BrokerRulesTests {
    @Test("let a device in and out again, and each is told once the broker has done it")
    func devices() throws {
        try Ruled.with { ruled in
            try ruled.change { $0.add(device: try ID("adaphone"), of: try ID("ada"), password: "a", $1) }
            let phone = try #require(ruled.signIn("adaphone", "a"))
            defer { phone.stop() }
            #expect(ruled.signIn("adaphone", "b") == nil)
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/users/ada/#"))
            #expect(try !ruled.subscription("adaphone", "a", "vitals/v1/users/bob/#"))
            try ruled.change { $0.remove(try ID("adaphone"), $1) }
            #expect(phone.states.first { if case .waiting = $0 { true } else { false } } != nil)
            #expect(ruled.signIn("adaphone", "a") == nil)
            // It is gone already.
            try ruled.change { $0.remove(try ID("adaphone"), $1) }
        }
    }

    @Test("let a gateway in, its owner's devices see it, and a new password takes the place of the old one")
    func gateways() throws {
        try Ruled.with { ruled in
            let (ada, gateway) = (try ID("ada"), try ID("gwada"))
            try ruled.change { $0.add(device: try ID("adaphone"), of: ada, password: "a", $1) }
            try ruled.roster.insert(device: "adaphone", of: "ada")
            #expect(try !ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#"))
            try ruled.change { $0.add(gateway: gateway, owner: ada, isHousehold: true, password: "g", $1) }
            #expect(try ruled.subscription("gwada", "g", "vitals/v1/gateways/gwada/#"))
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#"))
            try ruled.change { $0.add(gateway: gateway, owner: ada, isHousehold: true, password: "h", $1) }
            #expect(ruled.signIn("gwada", "g") == nil)
            #expect(try ruled.subscription("gwada", "h", "vitals/v1/gateways/gwada/#"))
            // Clients that have a role lose it before it goes: Mosquitto 2.0.11 crashes otherwise, when one of them goes. That is looked at
            // on the session's thread, so nothing else is asked of the broker before.
            let (left, file) = (Record<Result<Int?, any Error>>(), ruled.broker.rulesFile)
            ruled.perform { rules in
                rules.remove(gateway: gateway) { error in
                    left.append(
                        Result<Int?, any Error> { () throws -> Int? in
                            if let error { throw error }
                            return try Ruled.rules(ofRole: "household-gwada", in: file)
                        })
                }
            }
            #expect(try left.wait(for: 1)[0].get() == 0)
            #expect(ruled.signIn("gwada", "h") == nil)
            #expect(try !ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#"))
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/users/ada/#"))
            try ruled.waitUntilInLine(times: 2)
            #expect(try ruled.rules(ofRole: "household-gwada") == nil)
        }
    }

    @Test("end a person's devices, and nobody else's")
    func persons() throws {
        try Ruled.with { ruled in
            let (ada, bob) = (try ID("ada"), try ID("bob"))
            for (device, user) in [("adaphone", ada), ("adawatch", ada), ("bobphone", bob)] {
                try ruled.change { $0.add(device: try ID(device), of: user, password: device, $1) }
            }
            try ruled.change { $0.remove(person: ada, devices: [try ID("adaphone"), try ID("adawatch")], $1) }
            #expect(ruled.signIn("adaphone", "adaphone") == nil && ruled.signIn("adawatch", "adawatch") == nil)
            #expect(try ruled.subscription("bobphone", "bobphone", "vitals/v1/users/bob/#"))
        }
    }

    @Test("wait for the broker, and are done in their order")
    func waiting() throws {
        try Ruled.with(isConnected: false) { ruled in
            let done = Record<String>()
            for device in ["one", "two", "three"] {
                ruled.perform { rules in
                    rules.add(device: try ID(device), of: try ID("ada"), password: device) {
                        done.append("\(device) \($0.map { "\($0)" } ?? "in")")
                    }
                }
            }
            ruled.perform { $0.remove(try ID("two")) { done.append("two \($0.map { "\($0)" } ?? "out")") } }
            try ruled.start()
            #expect(try done.wait(for: 4) == ["one in", "two in", "three in", "two out"])
            #expect(ruled.signIn("one", "one") != nil && ruled.signIn("two", "two") == nil)
        }
    }

    @Test("a gateway that is let in while the rules are brought in line is not taken for one that is gone")
    func meanwhile() throws {
        try Ruled.with { ruled in
            let (ada, gateway) = (try ID("ada"), try ID("gwada"))
            try ruled.change { $0.add(device: try ID("adaphone"), of: ada, password: "a", $1) }
            try ruled.roster.insert(device: "adaphone", of: "ada")
            let (done, roster) = (Record<RulesError?>(), ruled.roster)
            ruled.perform { rules in
                rules.add(gateway: gateway, owner: ada, isHousehold: true, password: "g") { error in
                    do { try roster.insert(gateway: "gwada", of: "ada", isHousehold: true) } catch {
                        Issue.record(error)
                    }
                    done.append(error)
                }
                // SIGHUP.
                rules.reload(rules.settings)
            }
            #expect(try done.wait(for: 1)[0] == nil)
            try ruled.waitUntilInLine(times: 2)
            #expect(try ruled.subscription("gwada", "g", "vitals/v1/gateways/gwada/#"))
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#"))
        }
    }

    @Test("have a gateway's owner see what it publishes, or no longer, as often as the owner says so")
    func household() throws {
        try Ruled.with { ruled in
            let (ada, gateway) = (try ID("ada"), try ID("gwada"))
            try ruled.change { $0.add(device: try ID("adaphone"), of: ada, password: "a", $1) }
            try ruled.roster.insert(device: "adaphone", of: "ada")
            try ruled.change { $0.add(gateway: gateway, owner: ada, isHousehold: false, password: "g", $1) }
            try ruled.roster.insert(gateway: "gwada", of: "ada", isHousehold: false)
            for isHousehold in [true, false, true, true] {
                ruled.perform { [roster = ruled.roster] _ in roster.setHousehold(isHousehold, of: "gwada") }
                try ruled.change { $0.setHousehold(of: gateway, owner: ada, $1) }
                #expect(try ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#") == isHousehold)
                #expect(try (ruled.rules(ofRole: "household-gwada") ?? 0 > 0) == isHousehold)
            }
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/users/ada/#"))
            #expect(try ruled.subscription("gwada", "g", "vitals/v1/gateways/gwada/#"))
            // Enrolled again: the household's role has lost its rules.
            ruled.perform { [roster = ruled.roster] _ in roster.setHousehold(false, of: "gwada") }
            try ruled.change { $0.setHousehold(of: gateway, owner: ada, $1) }
            ruled.perform { [roster = ruled.roster] _ in roster.setHousehold(true, of: "gwada") }
            try ruled.change { $0.add(gateway: gateway, owner: ada, isHousehold: true, password: "h", $1) }
            #expect(try ruled.subscription("adaphone", "a", "vitals/v1/gateways/gwada/#"))
        }
    }

    @Test("are brought in line once more where the broker has not confirmed that somebody is out")
    func unconfirmed() throws {
        try Ruled.with(deadline: .seconds(2)) { ruled in
            try ruled.change { $0.add(device: try ID("adaphone"), of: try ID("ada"), password: "a", $1) }
            ruled.broker.signal(SIGSTOP)
            defer { ruled.broker.signal(SIGCONT) }
            let done = Record<RulesError?>()
            ruled.perform { $0.remove(try ID("adaphone")) { done.append($0) } }
            #expect(try done.wait(for: 1)[0]?.reason == .noAnswer)
            ruled.broker.signal(SIGCONT)
            try ruled.waitUntilInLine(times: 2)
            #expect(ruled.signIn("adaphone", "a") == nil)
        }
    }

    @Test("settings that come while the rules are brought in line are not lost")
    func reloadMeanwhile() throws {
        try Ruled.with { ruled in
            ruled.perform { rules in
                rules.reload(rules.settings)
                rules.reload(rules.settings)
            }
            try ruled.waitUntilInLine(times: 3)
        }
    }

    @Test("deny what no rule allows, whatever the broker was told before")
    func defaultAccess() throws {
        let spoil = { (file: inout PluginFile) in
            file.defaultACLAccess = ["subscribe": true, "publishClientSend": true]
        }
        try Ruled.with(isConnected: false, spoiltBy: spoil) { ruled in
            #expect(try ruled.subscription(nil, nil, "anything"))
            try ruled.start()
            #expect(try !ruled.subscription(nil, nil, "anything"))
        }
    }

    @Test("a broker without the plugin is told from one that refuses, and both from one that is away")
    func errors() throws {
        let plain = try Broker()
        try plain.start()
        defer { plain.stop() }
        let error = try Ruled.failure(plain)
        #expect(error.reason == .noAnswer && "\(error)".contains("is the dynamic-security plugin in mosquitto.conf"))

        let spoil = { (file: inout PluginFile) in
            for (index, role) in (file.roles ?? []).enumerated() where role.rolename == "consumer" {
                file.roles?[index].acls?.removeAll { $0.topic.hasPrefix("$CONTROL") }
            }
        }
        try Ruled.with(isConnected: false, spoiltBy: spoil) { ruled in
            let error = try Ruled.failure(ruled.broker)
            #expect(error.reason == .notAllowed && "\(error)".contains("vitals-consumer broker-rules"))
        }
    }

    @Test("clients that only their password could make are told of, and nothing else is left out")
    func differences() throws {
        let folder = try TemporaryFolder()
        let roster = MadeUpRoster()
        try roster.insert(device: "adaphone", of: "ada")
        let wanted = try BrokerAccess(AdmissionSettings(in: folder), roster)
        let all = BrokerDifferences(from: BrokerState(), to: wanted)
        #expect(all.missing == ["adaphone"])
        #expect(all.commands.filter { $0.name == "createClient" }.count == 2)
        #expect(all.commands.filter { $0.name == "createRole" }.count == wanted.roles.count)
        var state = BrokerState()
        for role in wanted.roles.values { state.roles[role.name] = role.rules }
        for (name, client) in wanted.clients { state.clients[name] = client.roles }
        state.groups = [BrokerAccess.anonymousGroup: wanted.anonymous]
        state.anonymousGroup = BrokerAccess.anonymousGroup
        #expect(BrokerDifferences(from: state, to: wanted).commands.isEmpty)
        state.clients["bobphone"] = ["person-bob"]
        state.clients["homeassistant"] = ["household"]
        state.clients["adaphone"] = ["person-ada", "person-bob"]
        state.roles["person-ada"] = []
        let some = BrokerDifferences(from: state, to: wanted)
        #expect(some.commands.map(\.name) == ["deleteClient", "modifyRole", "modifyClient"])
        #expect(some.removed == ["bobphone"])
        // Roles of gateways that are gone go, too; an operator's client keeps its role, without rules.
        state.clients["display"] = ["household-gwbob"]
        state.clients["bobphone"] = ["person-bob", "household-gwold"]
        for gateway in ["gwbob", "gwold"] {
            state.roles["household-\(gateway)"] = try BrokerRole.household(of: ID(gateway), Topics(root: "vitals")).rules
        }
        let others = BrokerDifferences(from: state, to: wanted).commands.suffix(2)
        #expect(others.map(\.name) == ["modifyRole", "deleteRole"])
        #expect(others.first == .modifyRole(.household(ofRemoved: try ID("gwbob"))))
    }
}

/// A broker with the plugin, and rules on a session that is the consumer's.
final class Ruled {
    let broker: Broker
    let roster = MadeUpRoster()
    private let session: Session
    private let rules: BrokerRules
    private let settled = Record<RulesError?>()

    private init(_ settings: AdmissionSettings, _ broker: Broker, deadline: Duration = .seconds(10)) {
        self.broker = broker
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "ruled")
        options.username = settings.username
        options.passwordFile = settings.passwordFile
        let session = Session(options)
        self.session = session
        rules = BrokerRules(settings, roster, session, deadline: deadline)
        rules.settled = { [settled] in settled.append($0) }
    }

    /// A broker that runs, with rules in line, while `body` does.
    /// - Parameter spoil: what happens to the plugin's file before the broker starts.
    static func with(
        isConnected: Bool = true, deadline: Duration = .seconds(10),
        spoiltBy spoil: (inout PluginFile) -> Void = { _ in }, _ body: (Ruled) throws -> Void
    ) throws {
        let broker = try Broker.ruled()
        let settings = try AdmissionSettings(of: broker)
        let ruled = Ruled(settings, broker, deadline: deadline)
        var file = try PluginFile(BrokerAccess(settings, nil), keeping: nil)
        spoil(&file)
        // The broker made its folder, and reads the file as whom it runs.
        try Data(file.bytes).write(to: URL(fileURLWithPath: broker.rulesFile))
        try broker.start()
        defer { broker.stop() }
        if isConnected { try ruled.start() }
        defer { ruled.session.stop() }
        try body(ruled)
    }

    /// Why the rules of a broker that runs cannot be brought in line.
    static func failure(_ broker: Broker) throws -> RulesError {
        let folder = try TemporaryFolder()
        let isPlain = !FileManager.default.fileExists(atPath: broker.rulesFile)
        let settings = try isPlain ? AdmissionSettings(in: folder) : AdmissionSettings(of: broker)
        let ruled = Ruled(settings, broker, deadline: .milliseconds(500))
        defer { ruled.session.stop() }
        ruled.run()
        let told = try ruled.settled.wait(for: 1)
        return try #require(told[0])
    }

    /// Connects, and waits until the rules are in line.
    func start() throws {
        run()
        let told = try settled.wait(for: 1)
        if let error = told[0] { throw TestFailure("\(error)") }
    }

    /// Waits until the rules have been in line so many times.
    func waitUntilInLine(times: Int) throws {
        #expect(try settled.wait(for: times).allSatisfy { $0 == nil })
    }

    private func run() {
        session.start(
            Handlers(
                stateChanged: { [rules] state in
                    switch state {
                    case .connected: rules.connected { _ in }
                    case .waiting: rules.disconnected()
                    default: break
                    }
                }, received: { [rules] in _ = rules.received($0) }))
    }

    /// Does something on the session's thread.
    func perform(_ body: @escaping @Sendable (BrokerRules) throws -> Void) {
        session.loop.perform { [rules] in
            do { try body(rules) } catch { Issue.record(error) }
        }
    }

    /// Has a change made, which has to succeed.
    func change(_ body: @escaping @Sendable (BrokerRules, @escaping BrokerRules.Completion) throws -> Void) throws {
        let done = Record<RulesError?>()
        perform { rules in try body(rules) { done.append($0) } }
        if let error = try done.wait(for: 1)[0] { throw TestFailure("\(error)") }
    }

    /// How many rules a role has; nil if there is no such role.
    func rules(ofRole name: String) throws -> Int? { try Self.rules(ofRole: name, in: broker.rulesFile) }

    static func rules(ofRole name: String, in rulesFile: String) throws -> Int? {
        let file = try JSON(payload: Array(Data(contentsOf: URL(fileURLWithPath: rulesFile))))
        guard case .array(let roles)? = file["roles"] else { throw TestFailure("no roles") }
        guard let role = roles.first(where: { $0["rolename"] == .string(name) }) else { return nil }
        guard case .array(let rules)? = role["acls"] else { return 0 }
        return rules.count
    }

    /// A client of the broker, if it lets that in; `nil` for no name.
    func signIn(_ username: String?, _ password: String?) -> Guest? { Guest(broker, username, password) }

    /// Whether such a client may subscribe to something.
    func subscription(_ username: String?, _ password: String?, _ filter: String) throws -> Bool {
        let guest = try #require(signIn(username, password))
        defer { guest.stop() }
        return try guest.mayMake(filter)
    }
}

/// A client that remembers what became of its connection.
final class Guest: Sendable {
    let states = Record<State>()
    private let session: Session
    private let folder: TemporaryFolder

    init?(_ broker: Broker, _ username: String?, _ password: String?) {
        guard let folder = try? TemporaryFolder() else { return nil }
        self.folder = folder
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "guest-\(UUID().uuidString)")
        options.username = username
        options.passwordFile = password.flatMap { try? folder.write($0, to: "password") }
        session = Session(options)
        session.start(Handlers(stateChanged: { [states] in states.append($0) }))
        let end = states.first { state in
            switch state {
            case .connected, .waiting: true
            default: false
            }
        }
        if case .connected? = end { return }
        session.stop()
        return nil
    }

    func mayMake(_ filter: String) throws -> Bool {
        let answers = Record<Bool>()
        session.subscribe([Subscription(filter)]) { _, error in answers.append(error == nil) }
        return try answers.wait(for: 1)[0]
    }

    func stop() { session.stop() }
}
