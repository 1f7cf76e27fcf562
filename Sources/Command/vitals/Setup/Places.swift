import Daemon
import Files
import Glibc
import Telemetry
import Vault

/// Where setup writes.
struct Places {
    static let (usualSettings, usualState, usualBroker) = ("/etc/vitals", "/var/lib/vitals", "/etc/mosquitto")

    let settings: String
    let state: String
    let broker: String

    init(_ arguments: Arguments) throws {
        settings = try Self.whole(arguments.optionalString("settings-folder") ?? Self.usualSettings)
        state = try Self.whole(arguments.optionalString("state-folder") ?? Self.usualState)
        broker = try Self.whole(arguments.optionalString("broker-folder") ?? Self.usualBroker)
    }

    /// Whether these are the folders of the machine's own services, which systemd starts.
    var areUsual: Bool {
        settings == Self.usualSettings && state == Self.usualState && broker == Self.usualBroker
    }

    var answers: String { settings + "/setup.json" }
    var gatewaySettings: String { settings + "/gateway.json5" }
    var consumerSettings: String { settings + "/consumer.json5" }
    var rootKey: String { settings + "/root.key" }
    var gatewayState: String { state + "/gateway" }
    var consumerState: String { state + "/consumer" }
    var brokerConfiguration: String { broker + "/conf.d/vitals.conf" }
    var brokerRules: String { broker + "/vitals.acl" }
    var brokerPasswords: String { broker + "/vitals.passwd" }

    func password(_ user: String) -> String { "\(settings)/\(user).password" }

    /// The user of a service, to whom its state folder belongs; nil if there is no such folder, or if this program could
    /// not give files away.
    static func owner(ofState folder: String) -> SmallFile.Owner? {
        (try? SmallFile.owner(of: folder + "/any")) ?? nil
    }

    /// A folder's path from the root, in the kernel's spelling: services have another working directory.
    private static func whole(_ folder: String) throws(Failure) -> String {
        guard let real = realpath(folder, nil) else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                .unavailable, "there is no folder \(folder): \(reason)",
                hint: "install the packages: deploy/packages.md; and mosquitto: sudo apt install mosquitto")
        }
        defer { free(real) }
        let path = String(cString: real)
        // A line of mosquitto.conf cannot hold it.
        guard !path.contains("\n") else { throw Failure(.usage, "the folder \(folder) has a line break in its name") }
        return path
    }
}

/// A file that setup wants to be there: made if it is not, and kept if somebody has changed it.
struct WantedFile {
    /// What became of a file.
    enum Fate: String {
        case made, same, kept
    }

    let path: String
    let text: [UInt8]
    var owner: SmallFile.Owner?
    var mode: mode_t = 0o600

    /// SHA-256 of the settings that packages have brought, in which nobody has changed anything yet.
    static let brought: Set<String> = [
        "e65dc4a46868e86c0146a14d052f318ca0d2ec264db60bf2e137ec60257291d0",
        "8c70befacbbea8a6eb8e094c17a8a6b07ee93aa4e411fbd333376272aac93009",
        "8262332b45d924d67844530b2799fbdcd93c266c0aab0e9306bfca50922e1c0b",
        "b6049eb2c0448894e4b2f532ff0ada9883a3b594365dc2ee1348081a00ca8810",
    ]

    /// Whether a file holds something that only the operator can have written; false if there is no file.
    static func isOperators(_ bytes: [UInt8]) throws(VaultError) -> Bool {
        try !brought.contains(hexadecimal(SHA256.digest(bytes)))
    }

    /// What is at a path; nil if there is nothing.
    static func read(_ path: String) throws(VaultError) -> [UInt8]? {
        try SmallFile.read(path, atMost: 1 << 20, isOwn: true)
    }

    /// Makes the file, unless it is there. After a power cut it is the old one or the new one.
    func write() throws(VaultError) -> Fate {
        var (owner, mode) = (owner, mode)
        if let found = try Self.read(path) {
            if found == text { return .same }
            if try Self.isOperators(found) { return .kept }
            // The package's own file has the owner and the mode that it needs.
            var status = stat()
            if lstat(path, &status) == 0 {
                mode = status.st_mode & 0o777
                if geteuid() == 0 { owner = (status.st_uid, status.st_gid) }
            }
        }
        let attempted = "write \(path)"
        let temporary = try SmallFile.writeTemporary(path, text, attempted, owner: owner)
        guard chmod(temporary, mode) == 0, rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            throw VaultError.system(attempted, errno: number)
        }
        try Folder.makeNamesDurable(of: path, attempted)
        return .made
    }
}
