import Daemon
import Glibc
import Records
import Vault

/// `vitals-consumer identity`: prints the identity that gateways should believe, and makes keys if there are none.
struct IdentityCommand: Subcommand {
    static let declaration = Command(
        name: "identity",
        summary: "Prints the public key that gateways are enrolled with: Ed25519, base64.",
        discussion: """
            Makes the root key's file and the keys if there are none. Keep the root key apart from the data: anybody who \
            has both can open everything, and without it nothing can be opened.
            """)

    init(_ arguments: Arguments) {}

    /// Writes to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        // If there are no keys yet, no other process may make any in the meantime.
        let isNew = access(settings.state + "/keys.db", F_OK) != 0
        let folder = isNew ? try StateFolder(settings.state) : nil
        defer { withExtendedLifetime(folder) {} }
        let keys = try Keys(settings, .create)
        Lines.write(KeyFile.text(of: keys.identity.publicKey), to: output)
        return .ok
    }
}
