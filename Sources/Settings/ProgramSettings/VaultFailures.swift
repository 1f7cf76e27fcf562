public import Daemon
public import Files

extension Failure {
    /// An error of the vault's, as the failure with which a program ends: what an operator can mend in the settings is
    /// a fault of the configuration, and a lock may be gone at the next try.
    public init(_ error: VaultError) {
        let code: ExitCode =
            switch error.reason {
            case .missing, .permissions, .foreign, .newer: .configuration
            case .locked: .temporary
            case .diskFull, .readOnly, .inputOutput: .inputOutput
            case .notAuthentic, .malformed, .corrupt: .data
            case .crypto, .constraint, .misuse: .internalError
            }
        self.init(code, "could not \(error.attempted): \(error.said)", hint: error.hint)
    }

    /// What `body` returns; an error of the vault's becomes the program's.
    public static func explaining<Value>(_ body: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error) }
    }
}
