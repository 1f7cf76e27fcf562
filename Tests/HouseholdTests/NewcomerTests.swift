import Foundation
import Glibc
import TestSupport
import Testing

/// A household as `deploy/up --accounts` runs it: nobody has an account, the gateway is not enrolled, the sensor is
/// nobody's.
private final class NewHousehold {
    let folder: TemporaryFolder
    let broker: Broker
    let bus: PrivateBus
    private(set) var programs: [RunningProgram] = []

    /// - Parameter household: who sees live readings, as the settings spell it.
    init(household: String = "anyone") throws {
        folder = try TemporaryFolder()
        broker = try Broker.ruled()
        bus = try PrivateBus()
        try folder.write(
            """
            {
              state: "gateway", broker: { port: \(broker.port) }, bluetooth: { bus: "\(bus.addressText)" },
              sensors: { strap: { name: "Vitals HRM" } }, outbox: { block_interval: "200 ms", flush_interval: "200 ms" },
            }
            """, to: "gateway.json5")
        let settings = try folder.write(
            """
            {
              state: "consumer", root_key_file: "root.key", accounts: {}, broker_rules: { household: "\(household)" },
              broker: {
                port: \(broker.port), username: "consumer", password_file: "\(broker.folder.path("consumer.password"))",
              },
            }
            """, to: "consumer.json5")
        try RunningProgram.run("vitals-consumer", ["identity", "--settings", settings])
        try broker.writeRules(settings)
        try broker.start()
        let consumer = try start("vitals-consumer", ["--settings", settings])
        try #require(consumer.line(containing: "connected to the broker") != nil, "\(consumer.text)")
        let sensor = try start("vitals-sensor", ["stand-in", "--bus", "\(bus.addressText)", "--synthesise"])
        try #require(sensor.line(containing: "ready") != nil)
    }

    deinit {
        for program in programs.reversed() { program.end() }
        broker.stop()
    }

    func start(_ name: String, _ arguments: [String]) throws -> RunningProgram {
        let program = try RunningProgram(name, arguments)
        programs.append(program)
        return program
    }

    /// One person's terminal, on a machine with a home of their own.
    func vitals(_ home: TemporaryFolder, _ words: [String], input: [String] = []) throws -> (
        status: Int32?, text: String
    ) {
        let program = try RunningProgram(
            "vitals", ["--port", "\(broker.port)"] + words, environment: ["HOME": home.path, "XDG_CONFIG_HOME": ""])
        for line in input { program.send(line) }
        program.closeInput()
        let status = program.exitStatus(within: .seconds(60))
        return (status, program.text)
    }

    /// Runs what `vitals-gateway claim-code` has printed, as somebody.
    func claim(_ home: TemporaryFolder) throws -> (status: Int32?, text: String) {
        // A warning about this machine's clock goes to standard error.
        let made = try RunningProgram(
            "vitals-gateway", ["claim-code", "strap", "--settings", folder.path("gateway.json5")], output: .apart)
        try #require(made.exitStatus() == 0, "\(made.errors)")
        let words = made.text.split(whereSeparator: \.isWhitespace).map(String.init)
        try #require(words.first == "vitals", "\(made.text)")
        return try vitals(home, Array(words.dropFirst()))
    }

    func user(_ home: TemporaryFolder) throws -> String {
        let account = try json(try vitals(home, ["account", "--json"]).text)
        return try #require(account["user"] as? String)
    }

    func json(_ text: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// The heart rates that the consumer has of a person.
    func heartRates(of user: String) throws -> Int {
        try RunningProgram.run(
            "vitals-consumer",
            ["readings", "--settings", folder.path("consumer.json5"), "--user", user, "--kind", "heart-rate"]
        ).split(separator: "\n").count
    }

    /// Waits until the consumer has heart rates of a person: whether it has is looked at whenever it answers the
    /// gateway.
    func waitUntilRecorded(_ user: String, _ control: RunningProgram) throws {
        var seen = 0
        while try heartRates(of: user) == 0 {
            // Those that were not seen yet, or come within half a minute.
            let isMore = control.wait(within: .seconds(30)) { $0.count { $0.contains("/control ") } > seen }
            guard isMore else { throw TestFailure("nothing of \(user) is recorded: \(programs.map(\.text))") }
            seen = control.lines.count { $0.contains("/control ") }
        }
    }

    /// Subscribes as the consumer, which sees everything; when this returns, the broker has granted it.
    func look(at topic: String) throws -> RunningProgram {
        let password = try String(contentsOfFile: broker.folder.path("consumer.password"), encoding: .utf8)
        let subscriber = try start(
            "/usr/bin/stdbuf",
            [
                "-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", topic, "-u", "consumer", "-P",
                password.trimmingCharacters(in: .whitespacesAndNewlines), "-F", "%t %l",
            ])
        try #require(subscriber.line(containing: "Subscribed") != nil, "\(subscriber.text)")
        return subscriber
    }
}

@Suite("A newcomer", .timeLimit(.minutes(60)))
struct NewcomerTests {
    private static let password = "Lovelace-1815!"
    /// A PNG of one pixel.
    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

    @Test("whose request the consumer reads too late, because it was stopped, is refused, and nothing is done")
    func stoppedConsumer() throws {
        let household = try NewHousehold()
        let consumer = try #require(household.programs.first)
        let topic = "vitals/v1/accounts/responses/" + String(repeating: "0123456789abcdef", count: 2)
        let port = "\(household.broker.port)"
        let replies = try household.start(
            "/usr/bin/stdbuf", ["-oL", "mosquitto_sub", "-d", "-V", "mqttv5", "-p", port, "-t", topic])
        try #require(replies.line(containing: "Subscribed") != nil, "\(replies.text)")
        consumer.signal(SIGSTOP)
        try RunningProgram.run(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-q", "1", "-p", port, "-t", "vitals/v1/accounts/sign-up", "-m",
                #"{"email":"ada@example.org","password":"\#(Self.password)"}"#, "-D", "publish", "response-topic",
                topic,
                "-D", "publish", "message-expiry-interval", "3",
            ])
        // Nothing can come while it is stopped, and by then the asker has given up.
        #expect(replies.line(containing: #""status""#, within: .seconds(5)) == nil)
        consumer.signal(SIGCONT)
        #expect(replies.line(containing: #""status""#)?.contains(#""code":"timeout""#) == true, "\(replies.text)")
        let ada = try TemporaryFolder()
        let signUp = try household.vitals(ada, ["sign-up", "ada@example.org"], input: [Self.password])
        #expect(signUp.status == 0, "\(signUp)")
    }

    @Test("signs up, enrols the gateway, claims the sensor and watches; what is recorded is what their profile says")
    func fiveCommands() throws {
        let household = try NewHousehold()
        let settings = household.folder.path("gateway.json5")
        let gateway = try household.start("vitals-gateway", ["--settings", settings])
        try #require(gateway.line(containing: "not enrolled: waiting for `vitals enrol`") != nil)
        let ada = try TemporaryFolder()

        let early = try household.vitals(ada, ["enrol", "--gateway-settings", settings])
        #expect(early.status == 77 && early.text.contains("not signed in"), "\(early)")

        let signUp = try household.vitals(ada, ["sign-up", "ada@example.org"], input: [Self.password])
        try #require(signUp.status == 0, "\(signUp)")
        let enrol = try household.vitals(ada, ["enrol", "--name", "Attic", "--gateway-settings", settings])
        try #require(enrol.status == 0, "\(enrol)")
        #expect(gateway.line(containing: "sensor strap: connected", within: .seconds(30)) != nil, "\(gateway.text)")
        let claim = try household.claim(ada)
        try #require(claim.status == 0, "\(claim)")
        #expect(claim.text.contains("is yours. Recorded: steps, temperature"), "\(claim)")
        let watch = try household.vitals(ada, ["watch", "--count", "3", "--json"])
        #expect(watch.status == 0 && watch.text.contains(#""bpm":"#), "\(watch)")

        // Live only: heart rates have come to the gateway since it has the grant, and none was recorded.
        let user = try household.user(ada)
        let health = try household.look(at: "vitals/v1/gateways/+/health")
        #expect(health.line(containing: "health", within: .seconds(30)) != nil)
        #expect(try household.heartRates(of: user) == 0)

        let control = try household.look(at: "vitals/v1/gateways/+/control")
        let profile = try household.vitals(
            ada,
            [
                "profile", "set", "--name", "Ada Lovelace", "--date-of-birth", "1985-12-10", "--gender", "female",
                "--weight-kg", "61.5", "--height-cm", "168", "--continuous-heart-rate", "on",
            ])
        #expect(profile.status == 0 && profile.text == "Data Saved Successfully\n", "\(profile)")
        try household.waitUntilRecorded(user, control)

        let gateways = try household.json(try household.vitals(ada, ["gateways", "--json"]).text)
        #expect(gateways["name"] as? String == "Attic")
        gateway.end()
        #expect(gateway.exitStatus() == 0)
    }

    @Test("after a password reset the commands say that the device was signed out, and signing in cures it")
    func reset() throws {
        let household = try NewHousehold()
        let ada = try TemporaryFolder()
        let signUp = try household.vitals(ada, ["sign-up", "ada@example.org"], input: [Self.password])
        try #require(signUp.status == 0, "\(signUp)")
        let code = try RunningProgram.run(
            "vitals-consumer",
            ["reset-password", "--settings", household.folder.path("consumer.json5"), "--email", "ada@example.org"]
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        let reset = try household.vitals(
            ada, ["password", "reset", "ada@example.org", "--code"], input: [code, "Babbage-1791!"])
        try #require(reset.status == 0, "\(reset)")
        for words in [["today"], ["account"], ["status"], ["watch", "--count", "1"]] {
            let outcome = try household.vitals(ada, words)
            #expect(outcome.status == 77 && outcome.text.contains("this device was signed out"), "\(words): \(outcome)")
            #expect(outcome.text.contains("sign-in"), "\(words): \(outcome)")
        }
        let signIn = try household.vitals(ada, ["sign-in", "ada@example.org"], input: ["Babbage-1791!"])
        #expect(signIn.status == 0, "\(signIn)")
        #expect(try household.vitals(ada, ["account"]).status == 0)
        // If the broker accepts it, it is not a leftover.
        let twice = try household.vitals(ada, ["sign-in", "ada@example.org"], input: ["Babbage-1791!"])
        #expect(twice.status == 64 && twice.text.contains("already signed in"), "\(twice)")
    }

    @Test("the account shows guardians and dependents with what each may see, the code and the picture")
    func account() throws {
        let household = try NewHousehold()
        let (ada, otto) = (try TemporaryFolder(), try TemporaryFolder())
        func done(_ home: TemporaryFolder, _ words: [String], _ input: [String] = []) throws {
            let outcome = try household.vitals(home, words, input: input)
            try #require(outcome.status == 0, "\(words): \(outcome)")
        }
        try done(ada, ["sign-up", "ada@example.org"], [Self.password])
        try done(otto, ["sign-up", "otto@example.org"], [Self.password])
        let (adaID, ottoID) = (try household.user(ada), try household.user(otto))
        let before = try household.vitals(otto, ["account"]).text
        #expect(
            before.contains("Picture            no\nVerification code  not set\nGuardians          none\n"), "\(before)"
        )
        try done(otto, ["guardians", "code"], ["blue-horse 7"])
        try done(ada, ["dependents", "connect", "otto@example.org"], ["blue-horse 7"])
        try done(otto, ["guardians", "allow", adaID, "--motion", "on"])
        let picture = try #require(Data(base64Encoded: Self.pixel))
        try picture.write(to: URL(fileURLWithPath: otto.path("otto.png")))
        try done(otto, ["picture", "set", otto.path("otto.png")])
        let dependent = try household.vitals(otto, ["account"]).text
        #expect(dependent.contains("Picture            yes\nVerification code  set on 20"), "\(dependent)")
        #expect(
            dependent.contains("Guardians          \(adaID) sees motion\nDependents         none\n"), "\(dependent)")
        #expect(dependent.contains("to disconnect one: vitals"), "\(dependent)")
        let guardian = try household.vitals(ada, ["account"]).text
        #expect(guardian.contains("Dependents         \(ottoID) shows you motion\n"), "\(guardian)")
        let object = try household.json(household.vitals(ada, ["account", "--json"]).text)
        let dependents = try #require(object["dependents"] as? [[String: Any]])
        #expect(dependents.count == 1 && dependents[0]["dependent"] as? String == ottoID)
        #expect(dependents[0]["motion"] as? Bool == true && dependents[0]["location"] as? Bool == false)
        #expect(object["picture"] as? Bool == false && object["code_set"] == nil)
    }

    @Test("a sign-in that took longer than its asker waited leaves no device behind")
    func late() throws {
        let household = try NewHousehold()
        let (ada, other) = (try TemporaryFolder(), try TemporaryFolder())
        let signUp = try household.vitals(ada, ["sign-up", "ada@example.org"], input: [Self.password])
        try #require(signUp.status == 0, "\(signUp)")
        let consumer = household.programs[0]
        consumer.signal(SIGSTOP)
        let late = try household.vitals(
            other, ["--timeout", "1", "sign-in", "ada@example.org"], input: [Self.password])
        #expect(late.status == 75 && late.text.contains("did not answer in 1 s"), "\(late)")
        consumer.signal(SIGCONT)
        #expect(consumer.line(containing: "nobody heard the reply to a sign-in", within: .seconds(30)) != nil)
        let devices = try household.vitals(ada, ["devices", "--json"])
        #expect(devices.status == 0 && devices.text.split(separator: "\n").count == 1, "\(devices)")
        // An asker that waits is signed in, as before.
        let signIn = try household.vitals(other, ["sign-in", "ada@example.org"], input: [Self.password])
        #expect(signIn.status == 0, "\(signIn)")
        #expect(try household.vitals(ada, ["devices", "--json"]).text.split(separator: "\n").count == 2)
    }

    @Test(
        "a sensor that somebody else claims at the gateway is theirs, and neither sees the other's; until its owner removes it"
    )
    func handedOver() throws {
        let household = try NewHousehold(household: "owners")
        let settings = household.folder.path("gateway.json5")
        let gateway = try household.start("vitals-gateway", ["--settings", settings])
        let (ada, eve) = (try TemporaryFolder(), try TemporaryFolder())
        for (home, name) in [(ada, "ada@example.org"), (eve, "+4915123456789")] {
            let signUp = try household.vitals(home, ["sign-up", name], input: [Self.password])
            try #require(signUp.status == 0, "\(signUp)")
            let profile = try household.vitals(
                home,
                [
                    "profile", "set", "--name", name, "--date-of-birth", "1985-12-10", "--gender", "female",
                    "--weight-kg", "61.5", "--height-cm", "168", "--continuous-heart-rate", "on",
                ])
            try #require(profile.status == 0, "\(profile)")
        }
        // By hand, with a code that is shown.
        let shown = try household.vitals(ada, ["enrol", "--show", "--household"])
        try #require(shown.status == 0, "\(shown)")
        let enrol = try household.vitals(
            eve, ["enrol", "--code", "--gateway-settings", settings],
            input: [String(try #require(shown.text.split(separator: "\n").first))])
        try #require(enrol.status == 0, "\(enrol)")
        #expect(gateway.line(containing: "sensor strap: connected", within: .seconds(30)) != nil, "\(gateway.text)")
        let (first, second) = (try household.user(ada), try household.user(eve))
        let control = try household.look(at: "vitals/v1/gateways/+/control")
        #expect(try household.claim(ada).status == 0)
        try household.waitUntilRecorded(first, control)
        #expect(try household.heartRates(of: second) == 0)

        let over = try household.claim(eve)
        #expect(over.status == 0 && over.text.contains("it belonged to somebody else"), "\(over)")
        let mine = try household.vitals(ada, ["claims", "--json"])
        #expect(mine.status == 0 && mine.text.isEmpty)
        try household.waitUntilRecorded(second, control)
        // Ada's are still hers.
        #expect(try household.heartRates(of: first) > 0)
        // Live readings are for the person who has enrolled the gateway, and for nobody else.
        let id = try #require(
            try household.json(try household.vitals(ada, ["gateways", "--json"]).text)["gateway"] as? String)
        let mineLive = try household.vitals(ada, ["watch", "--gateway", id, "--count", "1", "--json"])
        #expect(mineLive.status == 0 && mineLive.text.contains(#""bpm":"#), "\(mineLive)")
        let notNamed = try household.vitals(ada, ["status"])
        #expect(
            notNamed.status == 77 && notNamed.text.contains("name one of your gateways with --gateway"), "\(notNamed)")
        let notTheirs = try household.vitals(eve, ["status", "--gateway", id])
        #expect(notTheirs.status == 77 && notTheirs.text.contains("is it yours"), "\(notTheirs)")
        let nobodys = try household.vitals(eve, ["status", "--anonymous"])
        #expect(nobodys.status == 77 && nobodys.text.contains("sign-in"), "\(nobodys)")

        let refused = try household.vitals(eve, ["gateways", "remove", id])
        #expect(refused.status == 67 && refused.text.contains("you have no gateway"), "\(refused)")
        let removed = try household.vitals(ada, ["gateways", "remove", id])
        #expect(removed.status == 0, "\(removed)")
        #expect(gateway.wait { $0.contains { $0.lowercased().contains("not authori") } }, "\(gateway.text)")
        let none = try household.vitals(eve, ["claims", "--json"])
        #expect(none.status == 0 && none.text.isEmpty, "\(none)")
    }
}
