import Daemon
import Files
import Glibc

/// What the broker of this machine reads.
struct BrokerFiles {
    private let home: Home
    private var places: Places { home.places }

    init(_ home: Home) { self.home = home }

    /// A file of the broker's that says itself who may connect, or where: then the broker is somebody's already.
    static func foreignFile(_ places: Places) throws -> (path: String, line: String)? {
        let words = [
            "listener", "port", "bind_address", "password_file", "acl_file", "allow_anonymous", "plugin",
            "auth_plugin", "per_listener_settings",
        ]
        let folder = places.broker + "/conf.d"
        let files = try Folder.names(in: folder).filter { $0.hasSuffix(".conf") }.sorted().map { "\(folder)/\($0)" }
        for path in ["\(places.broker)/mosquitto.conf"] + files where path != places.brokerConfiguration {
            guard let bytes = try SmallFile.read(path, atMost: 1 << 20) else { continue }
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                guard let word = line.split(separator: " ").first, words.contains(String(word)) else { continue }
                return (path, String(line.prefix(100)))
            }
        }
        return nil
    }

    /// Makes a password for each user who has none, and writes what the broker knows of them.
    ///
    /// The broker's file comes first: if this is interrupted between the two, the next run makes another password.
    /// - Parameter owners: who may read the password of each user.
    func writePasswords(_ owners: [String: SmallFile.Owner]) throws -> [(path: String, fate: WantedFile.Fate)] {
        let old = try WantedFile.read(places.brokerPasswords).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = old.split(separator: "\n").map(String.init)
        let known = Set(lines.map(Self.user))
        var made: [(user: String, password: String)] = []
        for user in home.users {
            let kept = try SmallFile.read(places.password(user), atMost: 4096, isOwn: true)
            guard let kept else {
                made.append((user, Self.randomPassword()))
                continue
            }
            guard !known.contains(user) else { continue }
            let line = kept.prefix { $0 != UInt8(ascii: "\n") }
            guard !line.isEmpty, !line.contains(UInt8(ascii: ":")) else {
                throw Failure(
                    .data, "\(places.password(user)) holds no password that can be used here", hint: "remove it")
            }
            made.append((user, String(decoding: line, as: UTF8.self)))
        }
        var fates: [(String, WantedFile.Fate)] = []
        if made.isEmpty {
            fates.append((places.brokerPasswords, .same))
        } else {
            let names = Set(made.map(\.user))
            let others = lines.filter { !names.contains(Self.user($0)) }
            let text = (others + (try hashed(made))).joined(separator: "\n") + "\n"
            try SmallFile.replace(places.brokerPasswords, with: Array(text.utf8), owner: Self.owner(of: "mosquitto"))
            fates.append((places.brokerPasswords, .made))
        }
        for user in home.users {
            let file = places.password(user)
            guard access(file, F_OK) != 0, let password = made.first(where: { $0.user == user })?.password else {
                fates.append((file, .same))
                continue
            }
            try SmallFile.replace(file, with: Array((password + "\n").utf8), owner: owners[user])
            fates.append((file, .made))
        }
        return fates
    }

    /// Configuration and rules.
    func write() throws -> [(path: String, fate: WantedFile.Fate)] {
        let broker = Self.owner(of: "mosquitto")
        let files = [
            WantedFile(path: places.brokerRules, text: Array(home.brokerRules.utf8), owner: broker),
            WantedFile(path: places.brokerConfiguration, text: Array(home.brokerConfiguration.utf8), mode: 0o644),
        ]
        return try files.map { ($0.path, try $0.write()) }
    }

    /// Lines for the broker's file of passwords, made by Mosquitto's own program in a folder that only this user can
    /// look into: a password on a command line could be seen by everybody.
    private func hashed(_ users: [(user: String, password: String)]) throws -> [String] {
        let folder = "\(places.settings)/setup-\(randomText())"
        try Folder.make(folder)
        defer { try? Folder.remove(folder) }
        let file = folder + "/passwords"
        let plain = users.map { "\($0.user):\($0.password)\n" }.joined()
        try SmallFile.replace(file, with: Array(plain.utf8))
        let capture = try Capture("mosquitto_passwd", ["-U", file], within: .seconds(60))
        let lines = try SmallFile.read(file, atMost: 65_536).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let found = lines.split(separator: "\n").map(String.init)
        let isHashed = found.count == users.count && zip(found, users).allSatisfy { $0.hasPrefix("\($1.user):$") }
        guard capture.status == 0, isHashed else {
            throw Failure(
                .unavailable, "mosquitto_passwd: \(capture.complaints.first ?? "it did not hash the passwords")",
                hint: "is this Debian's mosquitto? apt policy mosquitto")
        }
        return found
    }

    private static func user(_ line: String) -> String { String(line.prefix { $0 != ":" }) }

    /// 192 bits from the system's random generator, as `deploy/broker` makes them.
    private static func randomPassword() -> String {
        (0..<3).map { _ in
            let text = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    /// The user of a service; nil if there is none, or if this program could not give files away.
    private static func owner(of user: String) -> SmallFile.Owner? {
        guard geteuid() == 0, let found = getpwnam(user) else { return nil }
        return (found.pointee.pw_uid, found.pointee.pw_gid)
    }
}
