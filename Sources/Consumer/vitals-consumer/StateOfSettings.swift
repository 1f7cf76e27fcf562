import Daemon
import Records

extension Keys {
    /// Opens the keys with the root key that the settings name.
    /// - Parameters:
    ///   - folder: where keys.db is, if not in the settings' state folder.
    ///   - mayBeOlder: whether an older schema is good enough to read.
    convenience init(
        _ settings: ConsumerSettings, _ access: Access, folder: String? = nil, mayBeOlder: Bool = false
    ) throws(Failure) {
        try self.init(
            state: settings.state, rootKeyFile: settings.rootKeyFile, access, folder: folder, mayBeOlder: mayBeOlder)
    }
}
