import Daemon
import Files
import Glibc
import Telemetry

/// What a sign-in has left on this machine: the person's id at a broker, and the password of this device there.
///
///     ~/.config/vitals/accounts/127.0.0.1:1883.json       {"user":"…","device":"…"}
///     ~/.config/vitals/accounts/127.0.0.1:1883.password
///
/// One for each broker and root, readable by its owner only. The password is not a person's: it is made at random for
/// the device, and ends with it.
struct Credential: Equatable {
    let user: ID
    let device: ID

    /// Where the files of one broker are.
    struct Place {
        let folder: String
        private let name: String

        /// - Parameter address: the broker's, as people write it.
        init?(_ address: String, _ topics: Topics) {
            guard let settings = configurationFolder else { return nil }
            folder = settings + "/accounts"
            let place = topics.root == Topics.defaultRoot ? address : "\(address),\(topics.root)"
            name = place.utf8.map { Self.isPlain($0) ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }
                .joined()
        }

        var passwordFile: String { "\(folder)/\(name).password" }
        /// Answers of `vitals profile edit` that were not saved yet.
        var draftFile: String { "\(folder)/\(name).draft" }
        fileprivate var file: String { "\(folder)/\(name).json" }

        private static func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ","): true
            case UInt8(ascii: "["), UInt8(ascii: "]"): true
            default: false
            }
        }
    }

    /// The one that is kept; nil if there is none.
    static func read(_ place: Place) throws(Failure) -> Credential? {
        do {
            guard let bytes = try SmallFile.read(place.file, atMost: 4096) else { return nil }
            let json = try JSON(payload: bytes)
            guard case .string(let user) = json["user"], case .string(let device) = json["device"] else {
                throw Failure(.configuration, "it has no user, or no device")
            }
            return Credential(user: try ID(user), device: try ID(device))
        } catch {
            throw Failure(
                .configuration, "\(place.file) cannot be used: \(error)", hint: "remove it, and sign in: vitals sign-in"
            )
        }
    }

    /// Stores it, and replaces any other.
    func write(_ place: Place, password: String) throws(Failure) {
        do throws(VaultError) {
            try Self.makeFolders(place.folder)
            try SmallFile.replace(place.passwordFile, with: Array((password + "\n").utf8))
            let json: JSON = ["user": .string(user.text), "device": .string(device.text)]
            try SmallFile.replace(place.file, with: json.bytes + [UInt8(ascii: "\n")])
        } catch {
            throw Failure(.inputOutput, "signed in, but the sign-in cannot be stored here: \(error)")
        }
    }

    /// Forgets the one that is kept.
    static func remove(_ place: Place) {
        unlink(place.file)
        unlink(place.passwordFile)
        unlink(place.draftFile)
    }

    /// Makes a folder and those above it, if they are missing.
    private static func makeFolders(_ path: String) throws(VaultError) {
        guard access(path, F_OK) != 0 else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolders(String(path[..<slash]))
        }
        try Folder.make(path)
    }
}

/// Where the settings of a person's programs are; nil if there is no home.
var configurationFolder: String? {
    (variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }).map { $0 + "/vitals" }
}
