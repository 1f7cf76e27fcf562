import Daemon
import Vault

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
