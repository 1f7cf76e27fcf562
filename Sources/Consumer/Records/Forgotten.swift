import Daemon
package import Files
import Glibc
package import Storage
package import Telemetry

// The list of people who were forgotten.
//
// An older backup still knows what was forgotten since. So the list of the forgotten is kept in several places, and any
// program that opens or restores one of them applies all of them: the file `forgotten` in the state folder, a second
// file on another medium if the settings name one (forgotten_file), a table in each database, and with them a copy
// in each part of each backup. If one of them has lost something, another has it.
//
// The files have one line for each person and for each of their streams, and are only ever added to:
//
//     person USER VERSION TIME reset|account CODE     every secret up to this version is gone, and so is what it opened
//     stream ID CODE                                  it was sealed to such a secret
//
// CODE is a keyed hash of what comes before it, under the lookup key: nobody can have a person forgotten by writing a
// line, and a line that a power cut tore does not count. Such lines are left out.

/// A person who was forgotten.
package struct Forgotten: Hashable {
    package let user: ID
    /// Every secret up to this version.
    package var version: Int64
    /// When the forgetting began, Unix milliseconds.
    package var time: Int64
    /// Whether the account is forgotten, too, or only what it had.
    package var isWithAccount: Bool

    package init(user: ID, version: Int64, time: Int64, isWithAccount: Bool) {
        self.user = user
        self.version = version
        self.time = time
        self.isWithAccount = isWithAccount
    }
}

/// The list of the forgotten.
package struct ForgottenList: Equatable {
    package private(set) var people: [ID: Forgotten] = [:]
    package private(set) var streams: Set<StreamID> = []
    /// How many lines were torn, or not written with this lookup key.
    package private(set) var strange = 0

    package init() {}

    package var isEmpty: Bool { people.isEmpty && streams.isEmpty }

    /// All of it in the order of time.
    package var inOrder: [Forgotten] { people.values.sorted { ($0.time, $0.user.text) < ($1.time, $1.user.text) } }

    package mutating func add(_ person: Forgotten) {
        guard var known = people[person.user] else {
            people[person.user] = person
            return
        }
        known.version = max(known.version, person.version)
        known.time = max(known.time, person.time)
        known.isWithAccount = known.isWithAccount || person.isWithAccount
        people[person.user] = known
    }

    package mutating func add(_ stream: StreamID) { streams.insert(stream) }

    package mutating func formUnion(_ other: ForgottenList) {
        for person in other.people.values { add(person) }
        streams.formUnion(other.streams)
    }

    /// What this list has and another has not.
    package func missing(in other: ForgottenList) -> ForgottenList {
        var missing = ForgottenList()
        for person in people.values {
            var both = other
            both.add(person)
            if both.people[person.user] != other.people[person.user] { missing.add(person) }
        }
        missing.streams = streams.subtracting(other.streams)
        return missing
    }
}

// MARK: Files

extension ForgottenList {
    /// No list is longer, in bytes: half a million people.
    package static let maximumLength = 64 << 20
    private static let purpose = "forgotten"

    /// What a file says; nothing if there is none.
    package init(_ path: String, _ keys: Keys) throws(VaultError) {
        for line in try LineFile.read(path, atMost: Self.maximumLength) ?? [] {
            guard try take(line, keys) else {
                strange += 1
                continue
            }
        }
    }

    /// Adds all of it to a file; it is on the disk when this returns.
    package func append(to path: String, _ keys: Keys) throws(VaultError) {
        guard !isEmpty else { return }
        var lines: [String] = []
        for person in inOrder {
            let what = person.isWithAccount ? "account" : "reset"
            lines.append(try Self.line("person \(person.user) \(person.version) \(person.time) \(what)", keys))
        }
        for stream in streams.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            lines.append(try Self.line("stream \(stream)", keys))
        }
        try LineFile.append(lines, to: path)
    }

    private static func line(_ text: String, _ keys: Keys) throws(VaultError) -> String {
        "\(text) \(StreamID(stored: Array(try keys.lookup(purpose, text).prefix(16))))"
    }

    /// Takes a line; returns whether it is valid.
    private mutating func take(_ line: String, _ keys: Keys) throws(VaultError) -> Bool {
        guard let end = line.lastIndex(of: " "), try Self.line(String(line[..<end]), keys) == line else { return false }
        let words = line[..<end].split(separator: " ").map(String.init)
        if words.count == 2, words[0] == "stream", let stream = StreamID(words[1]) {
            add(stream)
            return true
        }
        guard words.count == 5, words[0] == "person", let version = Int64(words[2]), let time = Int64(words[3]),
            let user = decoded({ () throws(MalformedValue) in try ID(words[1]) })
        else { return false }
        add(Forgotten(user: user, version: version, time: time, isWithAccount: words[4] == "account"))
        return true
    }
}

// MARK: Tables

extension Keys {
    /// The list of the forgotten as keys.db has it.
    package func forgotten() throws(VaultError) -> ForgottenList { try ForgottenList(database) }

    /// The entry for a person who will be forgotten now, with every secret that they have.
    package func toForget(_ user: ID, withAccount: Bool) throws(VaultError) -> Forgotten {
        let version = max(try version(of: user) ?? 0, try forgottenVersion(of: user))
        return Forgotten(user: user, version: version, time: unixMilliseconds(), isWithAccount: withAccount)
    }

    /// Enters people into it.
    package func enter(_ people: [Forgotten]) throws(VaultError) {
        guard !people.isEmpty else { return }
        try database.transaction { () throws(VaultError) in
            for person in people { try person.enter(database) }
        }
    }

    /// Deletes every secret of a person's up to a version. Their pages are overwritten.
    package func erase(_ person: Forgotten) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            try person.enter(database)
            try database.execute(
                "DELETE FROM secrets WHERE person = ? AND version <= ?",
                [.text(person.user.text), .integer(person.version)])
        }
        forgetOpened(person.user, upTo: person.version)
    }

    /// Whether one of their secrets is still here.
    package func hasSecret(_ person: Forgotten) throws(VaultError) -> Bool {
        try database.first(
            "SELECT 1 FROM secrets WHERE person = ? AND version <= ? LIMIT 1",
            [.text(person.user.text), .integer(person.version)], row: Row.int) != nil
    }

    /// Makes sure that a person has a secret newer than those to be forgotten.
    package func renew(_ person: Forgotten) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            if let version = try version(of: person.user), version > person.version { return }
            _ = try makeSecret(of: person.user)
        }
    }
}

extension Store {
    /// The list of the forgotten as vitals.db has it.
    package func forgotten() throws(VaultError) -> ForgottenList {
        var list = try ForgottenList(database)
        try database.forEach("SELECT id FROM forgotten_streams") { row throws(VaultError) in
            list.add(StreamID(stored: try row.blob("id")))
        }
        return list
    }

    /// Enters people and streams into it.
    package func enter(_ list: ForgottenList) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            for person in list.inOrder { try person.enter(database) }
            for stream in list.streams {
                try database.execute(
                    "INSERT INTO forgotten_streams (id) VALUES (?) ON CONFLICT (id) DO NOTHING", [.blob(stream.bytes)])
            }
        }
    }
}

extension ForgottenList {
    /// The people on the list of a database.
    /// - Parameter column: the one that names the person; older versions of keys.db have another name for it.
    package init(_ database: Database, column: String = "person") throws(VaultError) {
        let sql = "SELECT \(column) AS person, version, time_ms, account FROM forgotten"
        try database.forEach(sql) { row throws(VaultError) in
            let (text, version, time) = (try row.text("person"), try row.int("version"), try row.int("time_ms"))
            let isWithAccount = try row.int("account") != 0
            guard let user = decoded({ () throws(MalformedValue) in try ID(text) }) else { return }
            add(Forgotten(user: user, version: version, time: time, isWithAccount: isWithAccount))
        }
    }
}

extension Forgotten {
    /// The stored value or the new one, whichever is greater.
    private static func greater(_ column: String) -> String {
        "CASE WHEN excluded.\(column) > forgotten.\(column) THEN excluded.\(column) ELSE forgotten.\(column) END"
    }

    /// Enters it into the table of a database, within a transaction of the caller's.
    package func enter(_ database: Database) throws(VaultError) {
        try database.execute(
            """
            INSERT INTO forgotten (person, version, time_ms, account) VALUES (?, ?, ?, ?)
            ON CONFLICT (person) DO UPDATE SET
                version = \(Self.greater("version")), time_ms = \(Self.greater("time_ms")),
                account = \(Self.greater("account"))
            """, [.text(user.text), .integer(version), .integer(time), .integer(isWithAccount ? 1 : 0)])
    }
}
