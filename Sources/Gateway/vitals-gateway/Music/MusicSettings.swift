import Daemon
import MQTT
import MusicPlayer

/// `music`: Music Player Daemon, on this machine or at home.
struct MusicSettings {
    /// Where it listens.
    let player: PlayerAddress
    /// A file whose first line is its password; nil if it needs none.
    let passwordFile: String?

    /// Where Debian's listens.
    private static let usual = "/run/mpd/socket"

    init(_ section: Section) throws(SettingsError) {
        let text = try section.string("player", default: Self.usual)
        guard let address = PlayerAddress(text) else {
            throw section.refusal(
                of: "player", "\"\(text)\" is neither a socket nor an address at home",
                hint: "such as \"\(Self.usual)\", \"127.0.0.1:6600\" or \"192.168.1.7:6600\"")
        }
        player = address
        passwordFile = try section.path("password_file", default: nil)
    }

    /// The password, as the file says it now.
    func password() throws(MQTTError) -> String? {
        guard let passwordFile else { return nil }
        return try PasswordFile.read(passwordFile)
    }
}
