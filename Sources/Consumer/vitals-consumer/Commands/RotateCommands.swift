import Daemon
import Records
import Telemetry
import Vault

/// `vitals-consumer rotate`: a new secret for a person.
struct RotateCommand: Subcommand {
    static let declaration = Command(
        name: "rotate",
        summary: "Makes a new secret for a person; what is stored stays readable with the old one.",
        discussion:
            "Then tell a running service with SIGHUP (systemctl reload): it opens new streams for their sensors.",
        options: [.value("user", "ID", "the person")],
        examples: [Example("vitals-consumer rotate --user demo")])

    private let user: ID

    init(_ arguments: Arguments) throws { user = try ID(arguments.id("user")) }

    /// Says what was done on `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .write)
        guard let version = try Failure.explaining({ () throws(VaultError) in try keys.rotate(user) }) else {
            throw Failure(
                .notFound, "there is no person \(user)",
                hint: "the settings name them under \"people\"; a new one is known after the service has started")
        }
        Lines.write("\(user) has version \(version) of their secret; a running service takes it at SIGHUP", to: output)
        return .ok
    }
}

/// `vitals-consumer rotate-root`: a new root key.
struct RotateRootCommand: Subcommand {
    static let declaration = Command(
        name: "rotate-root",
        summary: "Changes the root key: wraps every key again under a new one.",
        discussion: """
            It works while the service is running. The new key replaces the old one at root_key_file; readings, people's \
            secrets and the identity stay the same. If the root key is a systemd credential, --new-key names the new one: run \
            this with the old credential, give the service the new one, and restart it.

            Earlier backups of the keys still need the old root key, which opens them: keep a copy of it in a separate place for \
            as long as you keep these backups, or make a new backup and destroy both.
            """,
        options: [
            .value("new-key", "FILE", "a file with the key to use, 32 bytes in base64, instead of a random one")
        ])

    private let newKey: String?

    init(_ arguments: Arguments) throws { newKey = try arguments.optionalString("new-key") }

    /// Says what was done on `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        guard newKey != nil || settings.rootKeyFile != nil else {
            throw Failure(
                .configuration, "the root key is a credential, and cannot be replaced from here",
                hint: "make a new key, name it with --new-key, and give the service that one instead")
        }
        let rights = FileRights.takeCallers()
        let given = try Failure.explaining { () throws(VaultError) in
            try newKey.map { (file) throws(VaultError) in try KeyFile.load(file) }
        }
        rights.giveBack()
        let keys = try Keys(settings, .write)
        guard try Failure.explaining({ () throws(VaultError) in try keys.rotateRoot(to: given) }) else {
            throw Failure(
                .temporary,
                "the root key was changed, but keys.db still has old pages: another program is reading it",
                hint:
                    "when the backup or check that reads it has ended, run `vitals-consumer identity`, which overwrites them"
            )
        }
        var lines = Lines(output)
        lines.write(Array("the root key was changed; earlier backups of the keys need the old one".utf8))
        if settings.rootKeyFile == nil {
            lines.write(Array("give the service the new credential root-key, and restart it".utf8))
        }
        lines.flush()
        return .ok
    }
}
