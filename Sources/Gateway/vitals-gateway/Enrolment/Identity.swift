import Daemon
import Files
import Glibc
import Vault

/// This gateway's identity: an Ed25519 key of its own, made when it is first needed. The consumer gets the public
/// half.
struct Identity {
    let key: Ed25519.SigningKey

    /// Its name in the state folder.
    static let file = "identity.key"

    /// The identity in a state folder; made if there is none.
    init(in state: String) throws {
        try Self.makeFolder(state)
        key = try Ed25519.SigningKey(seed: KeyFile.createIfMissing("\(state)/\(Self.file)"))
    }

    /// The state folder, for its owner only.
    static func makeFolder(_ state: String) throws(Failure) {
        do throws(VaultError) {
            try Folder.make(state)
        } catch  where error.code == EEXIST {
        } catch {
            throw Failure(
                .configuration, "cannot make the folder \(state): \(error.said)",
                hint: "make it, or set a different one as `state` in the settings")
        }
    }

    /// In base64, as settings files hold it.
    var publicKeyText: String { KeyFile.text(of: key.publicKey) }
}
