import Daemon
import Glibc
import Telemetry
import Vault

/// `vitals-consumer`: the service, and what operators run beside it.
enum ConsumerCommand {
    /// The command line.
    static let declaration = Command(
        name: "vitals-consumer",
        summary: "Receives sealed blocks of readings from gateways, and keeps them.",
        discussion: """
            Without a command it runs as a service, until SIGTERM or SIGINT. It waits for a broker that is not there. \
            Under systemd it says when it is ready, and gives signs of life. At SIGHUP it reads the settings again, and \
            applies people, gateways and log.

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
        subcommands: [
            identity,
            readings,
            check,
            backup,
            restore,
            rotate,
            rotateRoot,
            forget,
            export,
            brokerRules,
            PeopleCommand.declaration,
            ResetPasswordCommand.declaration,
            UnlockCommand.declaration,
            enrolCode,
            gateways,
        ],
        runsAlone: true)

    private static let identity = Command(
        name: "identity",
        summary: "Prints the public key that gateways are enrolled with: Ed25519, base64.",
        discussion: """
            Makes the root key's file and the keys where there are none. Keep the root key apart from the data: whoever \
            has both can open everything, and without it nothing can be opened.
            """,
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

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

    private static let check = Command(
        name: "check",
        summary: "Opens all that is stored, counts it again and compares; prints one JSON object.",
        discussion: "It works while the service runs, and ends with an error where something does not agree.",
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let backup = Command(
        name: "backup",
        summary: "Copies both databases into a new folder, each into a folder of its own in it.",
        discussion: """
            It works while the service runs. Keep DIR/data and DIR/keys apart, and the root key apart from both. What is \
            forgotten here is forgotten only when the last backup of the keys is gone, too.
            """,
        arguments: [.required("DIR", "a folder that is empty or does not exist yet")],
        examples: [Example("vitals-consumer backup /media/backup/2026-11-21")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let restore = Command(
        name: "restore",
        summary: "Makes a backup the state of this consumer; the service must not be running.",
        discussion: """
            There must be no databases in the state folder: nothing is overwritten. The backup is checked with the root key \
            before anything is put in place. Gateways then send again what they keep, and the service takes what it has not. Who \
            was forgotten after the backup, by the list of the forgotten, is forgotten again.
            """,
        options: [
            .value("data", "DIR", "the folder of vitals.db, where it is not DIR/data"),
            .value("keys", "DIR", "the folder of keys.db, where it is not DIR/keys"),
            .value("forgotten", "FILE", "a list of the forgotten, beside those in the backup and in the state folder"),
        ],
        arguments: [.optional("DIR", "what backup has written")],
        examples: [
            Example("vitals-consumer restore /media/backup/2026-11-21"),
            Example("vitals-consumer restore --data /media/backup/data --keys /media/stick/keys"),
        ],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let rotate = Command(
        name: "rotate",
        summary: "Makes a new secret for a person; what is stored stays readable with the old one.",
        discussion:
            "Then tell a running service with SIGHUP (systemctl reload): it opens new streams for their sensors.",
        options: [.value("user", "ID", "the person")],
        examples: [Example("vitals-consumer rotate --user demo")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let brokerRules = Command(
        name: "broker-rules",
        summary: "Writes the file of the broker's dynamic-security plugin.",
        discussion: """
            To be run before the broker starts, with what the settings and the database have: FILE is written where it is \
            missing or damaged, or says something else, and is its owner's only. Clients, groups and roles in it that are an \
            operator's own are kept. A broker that runs does not see it: it writes its own copy at the next change.
            """,
        arguments: [.required("FILE", "the plugin's config_file")],
        examples: [Example("vitals-consumer broker-rules /var/lib/mosquitto/vitals.json")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let rotateRoot = Command(
        name: "rotate-root",
        summary: "Changes the root key: wraps every key anew under another one.",
        discussion: """
            It works while the service runs. The new key takes the old one's place at root_key_file; readings, persons' \
            secrets and the identity stay the same. Where the root key is a credential of systemd's, --new-key names the new one: run \
            this with the old credential, give the service the new one, and restart it.

            Backups of the keys from before still need the old root key, and it opens them: keep a copy of it, apart, for as \
            long as you keep them, or make a new backup and destroy both.
            """,
        options: [
            .value("new-key", "FILE", "a key to take, 32 bytes as base64, instead of a random one")
        ],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let forget = Command(
        name: "forget",
        summary: "Forgets a person: deletes all that is stored of them, and the keys to it.",
        discussion: """
            Nobody can bring it back. The account stays, with its devices and claims, unless --account takes it along. Where the \
            service runs, the person is put on the list of the forgotten, and the service does the rest at SIGHUP (systemctl \
            reload) or at its next start. A backup from before that is restored is made to forget them, too.
            """,
        options: [
            .value("user", "ID", "the person"),
            .flag("account", "with their account"),
            .flag("yes", "does not ask"),
        ],
        examples: [Example("vitals-consumer forget --user demo")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let enrolCode = Command(
        name: "enrol-code",
        summary: "Prints a code that enrols one gateway, once, within an hour.",
        discussion: """
            For a gateway that no person owns; people get codes of their own by `vitals enrol`. Type it where `vitals-gateway \
            enrol` asks for it. It works while the service runs, which has to have accounts.
            """,
        options: [.value("gateway", "ID", "what the gateway is to be called in topics (default: drawn at random)")],
        examples: [Example("vitals-consumer enrol-code --gateway attic")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    private static let gateways = Command(
        name: "gateways",
        summary: "Lists the gateways that are enrolled, as one JSON object a line, or removes one.",
        discussion: """
            With whose they are, and which of their sensors people have claimed. Nothing of a gateway that is removed is accepted \
            any more, and the claims of its sensors end; then tell a running service with SIGHUP (systemctl reload).
            """,
        options: [.value("remove", "ID", "removes a gateway that was enrolled by a code")],
        exitCodes: [.ok, .failure, .usage, .configuration])

    private static let export = Command(
        name: "export",
        summary: "Writes all that is stored of a person into a new folder, opened: JSON, CSV and their picture.",
        discussion: "It works while the service runs. What it writes is in the clear.",
        options: [.value("user", "ID", "the person")],
        arguments: [.required("DIR", "a folder that does not exist yet")],
        examples: [Example("vitals-consumer export --user demo /media/stick/demo")],
        exitCodes: [.ok, .failure, .usage, .temporary, .configuration])

    /// Does what the command line asks for.
    static func execute(_ arguments: Arguments) throws -> ExitCode {
        switch arguments.command.first {
        case "identity":
            let settings = try settings(arguments)
            // Where there are no keys yet, nothing else may come to be there meanwhile.
            let isNew = access(settings.state + "/keys.db", F_OK) != 0
            let folder = isNew ? try StateFolder(settings.state) : nil
            defer { withExtendedLifetime(folder) {} }
            let keys = try Keys(settings, .create)
            print(KeyFile.text(of: keys.identity.publicKey))
            return .ok
        case "readings":
            let command = try ReadingsCommand(arguments)
            return try command.run(settings(arguments), output: 1)
        case "check": return try CheckCommand().run(settings(arguments), output: 1)
        case "backup": return try BackupCommand(folder: arguments.string("DIR")).run(settings(arguments), output: 1)
        case "restore":
            let command = try RestoreCommand(arguments)
            return try command.run(settings(arguments), now: unixMilliseconds(), output: 1)
        case "broker-rules":
            return try BrokerRulesCommand(path: arguments.string("FILE")).run(settings(arguments), output: 1)
        case "people": return try PeopleCommand(arguments).run(settings(arguments), output: 1)
        case "reset-password":
            let command = try ResetPasswordCommand(arguments)
            return try command.run(settings(arguments), now: unixMilliseconds(), output: 1)
        case "unlock": return try UnlockCommand(arguments).run(settings(arguments))
        case "enrol-code":
            let command = EnrolCodeCommand(gateway: try arguments.optionalID("gateway").map { try ID($0) })
            return try command.run(settings(arguments), now: unixMilliseconds(), output: 1)
        case "gateways":
            let command = GatewaysCommand(removed: try arguments.optionalID("remove").map { try ID($0) })
            return try command.run(settings(arguments), output: 1)
        case "rotate": return try rotate(ID(arguments.id("user")), settings(arguments))
        case "rotate-root": return try rotateRoot(arguments.optionalString("new-key"), settings(arguments))
        case "export":
            let command = ExportCommand(user: try ID(arguments.id("user")), folder: try arguments.string("DIR"))
            return try command.run(settings(arguments), output: 1)
        case "forget": return try ForgetCommand(arguments).run(settings(arguments), output: 1)
        default:
            // Before the first thread starts, so that all of them have the mask.
            Signals.block()
            return try serve(arguments)
        }
    }

    private static func settings(_ arguments: Arguments) throws -> ConsumerSettings {
        let settings = try read(arguments)
        log.level = settings.logLevel
        return settings
    }

    private static func read(_ arguments: Arguments) throws -> ConsumerSettings {
        try Settings.read(arguments.string("settings"), ConsumerSettings.init)
    }

    private static func rotate(_ user: ID, _ settings: ConsumerSettings) throws -> ExitCode {
        let keys = try Keys(settings, .write)
        guard let version = try Failure.explaining({ () throws(VaultError) in try keys.rotate(user) }) else {
            throw Failure(
                .failure, "there is no person \(user)",
                hint: "the settings name them under \"people\"; a new one is known after the service has started")
        }
        print("\(user) has version \(version) of their secret; a running service takes it at SIGHUP")
        return .ok
    }

    private static func rotateRoot(_ file: String?, _ settings: ConsumerSettings) throws -> ExitCode {
        guard file != nil || settings.rootKeyFile != nil else {
            throw Failure(
                .configuration, "the root key is a credential, and cannot be replaced from here",
                hint: "make a new key, name it with --new-key, and give the service that one instead")
        }
        let given = try Failure.explaining { () throws(VaultError) in
            try file.map { (file) throws(VaultError) in try KeyFile.load(file) }
        }
        let keys = try Keys(settings, .write)
        guard try Failure.explaining({ () throws(VaultError) in try keys.rotateRoot(to: given) }) else {
            throw Failure(
                .temporary, "the root key was changed, but keys.db still has pages from before: somebody reads it",
                hint:
                    "when the backup or check that reads it has ended, run `vitals-consumer identity`, which overwrites them"
            )
        }
        print("the root key was changed; backups of the keys from before need the old one")
        if settings.rootKeyFile == nil { print("give the service the new credential root-key, and restart it") }
        return .ok
    }

    private static func serve(_ arguments: Arguments) throws -> ExitCode {
        let readiness = Readiness()
        let consumer = try Consumer(settings(arguments), readiness: readiness) { Signals.fail($0) }
        consumer.start()
        defer { consumer.stop() }
        while try Signals.wait() == .hangUp {
            do { consumer.reload(try read(arguments)) } catch {
                log.error("the settings were not read again: \(error)")
            }
        }
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

    /// A database whose schema has another version than this program's, and that may only be read.
    init(olderOrNewer path: String, _ found: Int, knows: Int) {
        self.init(
            .configuration, "\(path) has version \(found) of the schema, this program knows \(knows)",
            hint: found > knows
                ? "install at least the version that wrote this file, or restore a backup from before the upgrade"
                : "start the service of this version once")
    }

    /// What `body` returns; an error of the vault's becomes the program's.
    static func explaining<Value>(_ body: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error) }
    }
}
