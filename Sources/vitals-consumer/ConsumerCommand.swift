import Daemon
import Glibc
import Vault

/// `vitals-consumer`: the service, and what operators run beside it.
enum ConsumerCommand {
    /// The command line.
    static let declaration = Command(
        name: "vitals-consumer",
        summary: "Receives sealed blocks of readings from gateways, and keeps them.",
        discussion: """
            Without a command it runs as a service, until SIGTERM or SIGINT. It waits for a broker that is not there. \
            Under systemd it says when it is ready, and gives signs of life.

            The settings file names the gateways that are enrolled, and whose stream each sensor is.
            """,
        options: [
            .value(
                "settings", short: "s", "FILE", "the settings, JSON5", default: "/etc/vitals/consumer.json5")
        ],
        examples: [
            Example("vitals-consumer --settings consumer.json5", "Runs the service."),
            Example(
                "vitals-consumer readings --settings consumer.json5 --user demo --kind heart-rate",
                "Prints what is stored of a person's heart rate."),
        ],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration],
        subcommands: [identity, readings],
        runsAlone: true)

    private static let identity = Command(
        name: "identity",
        summary: "Prints the public key that gateways are enrolled with: Ed25519, base64.",
        discussion: """
            Makes the root key's file and the keys where there are none. Keep the root key apart from the data: whoever \
            has both can open everything, and without it nothing can be opened.
            """,
        exitCodes: [.ok, .failure, .usage, .configuration])

    private static let readings = Command(
        name: "readings",
        summary: "Prints stored readings, opened, as one JSON object a line, in order of time.",
        discussion: """
            A time is Unix milliseconds or UTC such as 2026-11-21T10:00:00Z. It works while the service runs.
            """,
        options: [
            .value("user", "ID", "the person"),
            .value("kind", "KIND", "heart-rate, steps or temperature"),
            .value("from", "TIME", "not before this time"),
            .value("to", "TIME", "only before this time"),
        ],
        examples: [
            Example("vitals-consumer readings --user demo --kind steps --from 2026-11-21T00:00:00Z")
        ],
        exitCodes: [.ok, .failure, .usage, .configuration])

    /// Does what the command line asks for.
    static func execute(_ arguments: Arguments) throws -> ExitCode {
        switch arguments.command.first {
        case "identity":
            let keys = try Keys(settings(arguments), .create)
            print(KeyFile.text(of: keys.identity.publicKey))
            return .ok
        case "readings":
            let command = try ReadingsCommand(arguments)
            return try command.run(settings(arguments), output: 1)
        default:
            // Before the first thread starts, so that all of them have the mask.
            Signals.block()
            return try serve(settings(arguments))
        }
    }

    private static func settings(_ arguments: Arguments) throws -> ConsumerSettings {
        let settings = try Settings.read(arguments.string("settings"), ConsumerSettings.init)
        log.level = settings.logLevel
        return settings
    }

    private static func serve(_ settings: ConsumerSettings) throws -> ExitCode {
        let readiness = Readiness()
        let consumer = try Consumer(settings, readiness: readiness) { Signals.fail($0) }
        consumer.start()
        defer { consumer.stop() }
        while try Signals.wait() == .hangUp {}  // Settings are read at the start only.
        readiness.stopping()
        log.notice("stopping")
        return .ok
    }
}

extension Failure {
    /// An error of the vault's, as the program's end: what an operator can mend in the settings is a fault of the
    /// configuration, and a lock may be gone at the next try.
    init(_ error: VaultError) {
        let code: ExitCode =
            switch error.reason {
            case .missing, .permissions, .foreign, .newer: .configuration
            case .locked: .temporary
            default: .failure
            }
        self.init(code, "could not \(error.attempted): \(error.said)", hint: error.hint)
    }

    /// What `body` returns; an error of the vault's becomes the program's.
    static func explaining<Value>(_ body: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error) }
    }
}
