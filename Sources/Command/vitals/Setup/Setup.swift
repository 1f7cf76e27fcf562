import Daemon
import Files
import Glibc
import MQTT
import Telemetry

// `vitals setup` makes a home on one machine: a gateway, a consumer and Debian's Mosquitto, for this machine alone. The
// gateway is enrolled and the sensor is given to a person by settings, without accounts.
//
// It goes in steps, and each of them can be repeated: what is there already stays, so a run that was interrupted, or
// that has stopped at a problem, is continued by the next one. After each step the doctor looks at what the step was
// for, and setup stops at a problem. A file that the operator has changed is never written again.

/// `vitals setup`.
struct Setup {
    private let call: Call
    private let arguments: Arguments
    private let places: Places
    private let hasSystemd: Bool

    static let command = Command(
        name: "setup",
        summary: "Sets up a gateway, a consumer and a broker on this machine, and checks each step.",
        discussion: """
            It makes a home for one person: it asks whose readings are kept and how the sensor is called, writes the settings of \
            the gateway and the consumer, makes passwords, sets up Debian's Mosquitto for this machine alone, and starts the services. \
            After each step it checks what `vitals doctor` checks, and stops at a problem: it says what is wrong and what to do. \
            Run it again after that. A second run changes nothing that is there, and files that you have changed stay as they are.

            Run it as root: sudo vitals setup. It takes the packages vitals, vitals-gateway, vitals-consumer and mosquitto. Where \
            systemd does not run, it says what to start.

            It ends with 69 if there is a problem. With --json, each file and each finding is one object on one line.
            """,
        options: [
            .flag("yes", short: "y", "asks nothing, and takes the defaults for what the command line leaves out"),
            .value("person", "ID", "whose readings are kept (default: the user who has called sudo, or me)"),
            .value(
                "sensor", "NAME",
                "the name that the sensor advertises (default: none; vitals scan finds it, and vitals connect adds it)"),
            .value("bus", "ADDRESS", "the message bus with BlueZ (default: system)"),
            .value("settings-folder", "DIR", "where settings and passwords go (default: \(Places.usualSettings))"),
            .value("state-folder", "DIR", "where the services keep their data (default: \(Places.usualState))"),
            .value("broker-folder", "DIR", "where Mosquitto's settings are (default: \(Places.usualBroker))"),
        ],
        examples: [
            Example("sudo vitals setup"),
            Example("sudo vitals setup --yes --person ada --sensor 'Polar H10 12345678'", "without a terminal"),
        ])

    init(_ call: Call, _ arguments: Arguments) throws {
        (self.call, self.arguments) = (call, arguments)
        places = try Places(arguments)
        hasSystemd = places.areUsual && access("/run/systemd/system", F_OK) == 0
    }

    func run() throws -> ExitCode {
        try checkMachine()
        let kept = try Answers(kept: places.answers)
        let answers = try Answers(arguments, call, kept: kept)
        let home = Home(answers: answers, places: places)
        let broker = BrokerFiles(home)
        var fates: [(path: String, fate: WantedFile.Fate)] = []
        func tell(_ new: [(path: String, fate: WantedFile.Fate)]) throws {
            fates += new
            for (path, fate) in new { try Output.write(line(path, fate)) }
        }
        func isMade(_ paths: [String]) -> Bool { fates.contains { $0.fate == .made && paths.contains($0.path) } }

        let settings = ServiceSettings(home, within: call.timeout)
        // Answers that the programs do not take are not kept.
        let keys = try settings.keys()
        if kept == nil { try tell([(places.answers, WantedFile(path: places.answers, text: answers.bytes).write())]) }
        try tell(settings.write(keys))
        guard try passes(["gateway settings", "consumer settings", "gateway version", "consumer version"]) else {
            return .unavailable
        }

        try tell(broker.write())
        try tell(broker.writePasswords(owners(of: answers.person)))
        let secrets: Set = [
            "gateway folder", "consumer folder", "gateway password", "consumer password", "consumer root key",
        ]
        guard try passes(secrets) else { return .unavailable }
        let services = Services(places, hasSystemd: hasSystemd)
        // A run that stopped may have written files that what runs has not read.
        let isDue = hasSystemd && !answers.isFinished
        let brokers = [places.brokerConfiguration, places.brokerRules, places.brokerPasswords]
        guard try passes(services.startBroker(isChanged: isDue || isMade(brokers))),
            try passes(["gateway broker", "consumer broker"]), try passes(strangerFinding(answers))
        else { return .unavailable }

        let gateway = [places.gatewaySettings, places.password(Home.gateway)]
        let consumer = [places.consumerSettings, places.password(Home.consumer)]
        guard try passes(services.start("vitals-consumer", isChanged: isDue || isMade(consumer))),
            try passes(services.start("vitals-gateway", isChanged: isDue || isMade(gateway))),
            try passes(["consumer process", "gateway process", "gateway enrolment"]),
            try passes(["consumer presence", "gateway status"], waits: true),
            try passes(["gateway bus", "gateway bluetooth"], waits: true)
        else { return .unavailable }
        if !answers.isFinished { try finish(answers) }
        try say(changed: fates.contains { $0.fate == .made }, answers)
        return .ok
    }

    /// Notes that this run has come to its end.
    private func finish(_ answers: Answers) throws(VaultError) {
        var answers = answers
        answers.isFinished = true
        try SmallFile.replace(places.answers, with: answers.bytes)
    }

    // MARK: Before anything is written

    private func checkMachine() throws {
        for folder in [places.settings, places.broker, places.broker + "/conf.d"] where access(folder, W_OK) != 0 {
            let reason = String(cString: strerror(errno))
            throw Failure(.refused, "nothing can be written in \(folder): \(reason)", hint: "run: sudo vitals setup")
        }
        if let (file, line) = try BrokerFiles.foreignFile(places) {
            throw Failure(
                .configuration, "the broker of this machine has settings already: \(file) says \"\(line)\"",
                hint: "set this broker up by hand, as deploy/access.md says, or move the file away")
        }
        let enrolment = places.gatewayState + "/enrolment.json"
        guard access(enrolment, F_OK) != 0 else {
            throw Failure(
                .configuration, "this gateway was enrolled by somebody with an account: \(enrolment)",
                hint: "this home has its accounts elsewhere; vitals doctor checks it")
        }
    }

    /// Who may read which password: the owners of the state folders, and the person who has called sudo.
    private func owners(of person: String) -> [String: SmallFile.Owner] {
        var owners: [String: SmallFile.Owner] = [:]
        owners[Home.gateway] = Places.owner(ofState: places.gatewayState)
        owners[Home.consumer] = Places.owner(ofState: places.consumerState)
        if geteuid() == 0, let user = variable("SUDO_UID").flatMap({ UInt32($0) }),
            let group = variable("SUDO_GID").flatMap({ UInt32($0) })
        {
            owners[person] = (user, group)
        }
        return owners
    }

    // MARK: Checks

    /// Prints what the doctor finds, except for what is well.
    /// - Parameters:
    ///   - names: of checks, such as `gateway settings`.
    ///   - waits: whether a problem may go away while the services start: then each is looked at again until the time
    ///     limit.
    /// - Returns: whether there is no problem.
    private func passes(_ names: Set<String>, waits: Bool = false) throws -> Bool {
        let deadline = ContinuousClock.now + call.timeout
        while true {
            let checks = try Installation(
                call, gateway: places.gatewaySettings, consumer: places.consumerSettings, backups: nil
            ).checks.filter { names.contains("\($0.subject.rawValue) \($0.name)") }
            let findings = checks.compactMap { check in check.look().map { (check, $0) } }
            let isWell = findings.allSatisfy { $0.1.severity != .problem }
            guard isWell || !waits || ContinuousClock.now >= deadline else {
                usleep(250_000)
                continue
            }
            for (check, finding) in findings { try tell(check, finding) }
            return isWell
        }
    }

    /// Prints a finding about the broker or a service.
    private func passes(_ finding: Finding) throws -> Bool {
        try tell(Check(.machine, "services") { finding }, finding)
        return finding.severity != .problem
    }

    private func tell(_ check: Check, _ finding: Finding) throws {
        guard finding.severity != .ok || call.isJSON else { return }
        // Where nothing is started by systemd, its command helps nobody.
        var finding = finding
        if check.name == "process", finding.severity == .problem, !hasSystemd {
            finding = .problem(
                finding.text, "start it, and run vitals setup again",
                run: Services(places, hasSystemd: false).command("vitals-\(check.subject.rawValue)"))
        }
        try Output.write(call.isJSON ? check.line(finding) : check.text(finding))
    }

    /// Whether the broker turns away a name that nobody has. If it does not, it has not read the files yet.
    private func strangerFinding(_ answers: Answers) -> Finding {
        var options = MQTT.Options(host: "127.0.0.1", port: answers.port, clientID: "vitals-setup-" + randomText())
        options.username = "nobody-" + randomText()
        let stranger = BrokerView(call.at(options, call.topics, gateway: nil), consumers: false, asGuest: true)
        guard stranger.connection().severity != .problem else {
            return .ok("the broker knows its names")
        }
        return .problem(
            "the broker on port \(answers.port) lets in a name that nobody has: it has not read its new settings",
            "restart it, and run vitals setup again",
            run: Services(places, hasSystemd: hasSystemd).brokerCommand)
    }

    // MARK: Words

    private func line(_ path: String, _ fate: WantedFile.Fate) -> String {
        guard !call.isJSON else {
            return JSON.object(present: ["file": .string(path), "fate": .string(fate.rawValue)]).line
        }
        let word = fate.rawValue.padded(to: 9)
        switch fate {
        case .made: return word + escaped(path) + "\n"
        case .same: return ""
        case .kept: return word + escaped("\(path): it differs from what setup writes, and stays as it is") + "\n"
        }
    }

    private func say(changed: Bool, _ answers: Answers) throws {
        guard !call.isJSON else { return }
        guard changed else {
            try Output.write("Nothing was changed: this machine is set up, and all is well.\n")
            return
        }
        let flag = answers.port == 1883 ? "" : "--port \(answers.port) "
        let password = shellQuoted(places.password(answers.person))
        var lines = ["This machine is set up. Try:"]
        if answers.sensor == nil {
            lines += ["  vitals \(flag)scan", "  vitals \(flag)connect DEVICE --sensor \(Home.sensor)"]
        }
        lines += [
            "  vitals \(flag)watch",
            "  vitals \(flag)--username \(answers.person) --password-file \(password) today",
            "Keep a copy of \(places.rootKey) in another place: without it, no backup can be opened.",
        ]
        try Output.write(lines.map { escaped($0) + "\n" }.joined())
    }
}
