import Daemon
import TestSupport

@testable import Accounts

extension AccountSettings {
    /// The settings `accounts` that somebody has written into a file in a folder.
    init(_ written: String, in folder: TemporaryFolder) throws {
        let file = try folder.write("{ accounts: \(written) }", to: "settings.json5")
        self = try Settings.read(file) { file throws(SettingsError) in
            try AccountSettings(file.section("accounts"))
        }
    }
}
