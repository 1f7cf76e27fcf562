import Daemon
package import Features
import Readings
package import Records
package import Storage
package import Telemetry
import Vault

// How a person is forgotten, step by step. Each step may be done again: after an interruption, at any instant, all of
// them are done again from the first one on, because the list of the forgotten, which is written first, says so.
//
//     account    if the account is deleted, too: its rows, and its gateways, except those on which somebody else has a
//                claim. Otherwise what is the account's own (contact, names of devices and gateways) is sealed again
//                under a new secret; every other document is deleted. Friends lose a friend, and their notifications lose
//                the person's name
//     streams    they end, their sensors get new ones under the new secret, and what is left of the old ones belongs to
//                nobody: a sensor, and a time in which what it measured is not somebody else's
//     secrets    deleted, and keys.db with its log is overwritten. From here on nothing of theirs can be opened
//     readings   their rows are deleted, a portion at a time, and the rows that say what they meant
//     log        the log of vitals.db is emptied
//     proof      what was kept in memory of the sealed rows is tried with every key that is left
//
// Secrets go before rows, because a year of readings takes time to delete: it is unreadable before it is gone.

/// The forgetting of one person. Belongs to the thread of its store and keys.
package struct Erasure {
    package enum Step: String, CaseIterable, Comparable {
        case account, streams, secrets, readings, log, proof

        package static func < (one: Step, other: Step) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    /// What the proof found.
    package struct Proof: Equatable {
        /// Sealed rows that were tried with every key there is.
        package var tried = 0
        /// How many of them opened, plus how many of the person's public keys somebody still has.
        package var opened = 0
    }

    /// Rows deleted at a time.
    package static let portion = 1000

    package let person: Forgotten
    private let store: Store
    private let keys: Keys
    private let features: [Feature]
    /// The sensors that the settings give to people.
    private let given: Set<SensorName>
    /// Brings some sensors' streams in line.
    private let settle: (Set<SensorName>) throws(VaultError) -> Void
    /// The next step; nil at the end.
    package private(set) var step: Step? = .account
    package private(set) var proof = Proof()
    /// The person's clients at the broker, if they are removed with the account.
    package private(set) var devices: [ID] = []
    private var samples: [Sample] = []
    private var publicKeys: [[UInt8]] = []

    package init(
        _ person: Forgotten, _ store: Store, _ keys: Keys, _ features: [Feature], given: Set<SensorName> = [],
        settle: @escaping (Set<SensorName>) throws(VaultError) -> Void
    ) {
        self.person = person
        self.store = store
        self.keys = keys
        self.features = features
        self.given = given
        self.settle = settle
    }

    /// The result of a part of a step.
    package enum Advance { case done, goesOn, waitsForReaders }

    /// Does a part of the next step.
    package mutating func advance() throws(VaultError) -> Advance {
        switch step {
        case .account?:
            try keys.enter([person])
            try takeSamples()
            try person.isWithAccount ? deleteAccount() : sealAgain()
        case .streams?: try endStreams()
        case .secrets?:
            try keys.erase(person)
            guard try keys.closeLogWithoutWaiting() else { return .waitsForReaders }
        case .readings?:
            guard try deletePersonal() == 0 else { return .goesOn }
            if person.isWithAccount { try store.removeLock(of: person.user) }
            guard try store.deleteForgotten(atMost: Self.portion) == 0 else { return .goesOn }
        case .log?:
            guard try store.database.checkpointWithoutWaiting() else { return .waitsForReaders }
        case .proof?: guard try prove() else { return .goesOn }
        case nil: return .done
        }
        step = step.flatMap { step in Step.allCases.firstIndex(of: step) }
            .flatMap { $0 + 1 < Step.allCases.count ? Step.allCases[$0 + 1] : nil }
        return .done
    }

    private var names: [Value] { [.text(person.user.text), .integer(person.version)] }
}

// MARK: What is left to do

extension Erasure {
    /// Whether anything is left of a person who should be forgotten, except rows of readings that no longer belong to
    /// anybody.
    package static func isPending(
        _ person: Forgotten, _ store: Store, _ keys: Keys, _ features: [Feature]
    ) throws(VaultError) -> Bool {
        let user = Value.text(person.user.text)
        if try keys.hasSecret(person) { return true }
        for table in ["streams", "documents"] + features.sealedTables.map(\.name) {
            let sql = "SELECT 1 FROM \(table) WHERE person = ? AND secret_version <= ? LIMIT 1"
            if try store.database.first(sql, [user, .integer(person.version)], row: Row.int) != nil { return true }
        }
        guard person.isWithAccount else { return false }
        let sealed = (["documents"] + features.sealedTables.map(\.name)).map { (name: $0, column: "person") }
        let others = features.tables.filter(\.goesWithAccount).map { (name: $0.name, column: $0.column) }
        for table in sealed + others {
            let sql = "SELECT 1 FROM \(table.name) WHERE \(table.column) = ? LIMIT 1"
            if try store.database.first(sql, [user], row: Row.int) != nil { return true }
        }
        return false
    }

    /// Whether nothing was left. A request that was under way at the time, such as a sign-in that the broker had yet to
    /// confirm, may have written a row after its table was emptied: then all steps are done again.
    mutating func isComplete() throws(VaultError) -> Bool {
        guard try Self.isPending(person, store, keys, features) else { return true }
        step = .account
        return false
    }

    /// Does everything that is left, waiting for readers as long as a database does.
    package mutating func finish() throws(VaultError) {
        while step != nil {
            guard try advance() == .waitsForReaders else { continue }
            switch step {
            case .secrets?: try keys.closeLog()
            default: try store.database.checkpoint()
            }
            guard try advance() != .waitsForReaders else {
                throw VaultError("forget \(person.user)", .locked, said: "somebody reads the databases")
            }
        }
    }
}

// MARK: The steps

extension Erasure {
    private mutating func deleteAccount() throws(VaultError) {
        var effects = ErasingEffects()
        try store.change(naming: try touched()) { () throws(VaultError) in
            try person.enter(store.database)
            try take(\.erasing, &effects)
            for table in features.tables.filter(\.isEmptiedWithAccount) { try deleteAll(table.name, table.column) }
            for table in features.sealedTables where table.isKeptByReset { try deleteAll(table.name) }
            try deleteAll("documents")
            try take(\.erased, &effects)
        }
        devices += effects.clients.filter { !devices.contains($0) }
        try settle(effects.sensors)
    }

    private func sealAgain() throws(VaultError) {
        if try needsSecret() {
            try keys.renew(person)
            try keys.makeDurable()
        }
        var effects = ErasingEffects()
        try store.change(naming: try touched()) { () throws(VaultError) in
            try person.enter(store.database)
            let documents = Documents(store: store, keys: keys)
            for name in features.keptDocuments {
                let version = try store.database.first(
                    "SELECT secret_version FROM documents WHERE person = ? AND name = ? AND secret_version <= ?",
                    [.text(person.user.text), .text(name), .integer(person.version)], row: Row.int)
                guard version != nil, let document = try documents.read(name, of: person.user) else { continue }
                try documents.write(document, name, of: person.user)
            }
            try take(\.erasing, &effects)
            try store.database.execute("DELETE FROM documents WHERE person = ? AND secret_version <= ?", names)
            for table in features.tables.filter(\.isEmptiedAlways) { try deleteAll(table.name, table.column) }
            try take(\.erased, &effects)
            // Nobody can open what its feature has not sealed again: if it stayed, the erasing would never end.
            for table in features.sealedTables where table.isKeptByReset {
                try store.database.execute(
                    "DELETE FROM \(table.name) WHERE person = ? AND secret_version <= ?", names)
            }
        }
        if !effects.sensors.isEmpty { try settle(effects.sensors) }
    }

    /// The person, as features know them.
    private var erased: ErasedPerson {
        ErasedPerson(
            user: person.user, version: person.version, time: person.time, isWithAccount: person.isWithAccount,
            store: store, keys: keys, given: given)
    }

    /// Takes each feature's step.
    private func take(_ step: KeyPath<Feature, ErasingStep?>, _ effects: inout ErasingEffects) throws(VaultError) {
        for feature in features { try feature[keyPath: step]?(erased, &effects) }
    }

    /// The person, and others whose rows name them.
    private func touched() throws(VaultError) -> Set<ID> {
        var people: Set = [person.user]
        for feature in features { people.formUnion(try feature.touched?(erased) ?? []) }
        return people
    }

    private func deleteAll(_ table: String, _ column: String = "person") throws(VaultError) {
        try store.database.execute("DELETE FROM \(table) WHERE \(column) = ?", [.text(person.user.text)])
    }

    /// Whether there is something that stays and must be sealed again, or streams that will have successors.
    private func needsSecret() throws(VaultError) -> Bool {
        let kept = features.sealedTables.filter(\.isKeptByReset).map(\.name)
        for table in ["streams", "documents"] + kept {
            let sql = "SELECT 1 FROM \(table) WHERE person = ? AND secret_version <= ? LIMIT 1"
            if try store.database.first(sql, names, row: Row.int) != nil { return true }
        }
        return false
    }

    /// Deletes a portion of the rows that say what readings meant, and what the person was told.
    private func deletePersonal() throws(VaultError) -> Int {
        for table in features.sealedTables where !table.isKeptByReset {
            let count = try store.change(person.user) { () throws(VaultError) in
                try table.delete(
                    store, of: person.user, upTo: person.isWithAccount ? .max : person.version, atMost: Self.portion)
            }
            if count > 0 { return count }
        }
        return 0
    }

    private func endStreams() throws(VaultError) {
        let streams = try store.streams(of: person.user).filter { $0.secretVersion <= person.version }
        var sensors: Set<SensorName> = []
        for stream in streams where stream.until == nil {
            if let name = SensorName("\(stream.gateway)/\(stream.sensor)") { sensors.insert(name) }
        }
        try settle(sensors)
        let now = unixMilliseconds()
        try store.change(person.user) { () throws(VaultError) in
            for stream in streams {
                // With the stream's public key the gateway can be told of the end until it has heard of it.
                let key = try keys.person(stream.user, version: stream.secretVersion)?.stream.publicKey
                try store.database.execute(
                    """
                    INSERT INTO forgotten_streams (id, public_key) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET
                        public_key = coalesce(excluded.public_key, forgotten_streams.public_key)
                    """, [.blob(stream.id.bytes), .blob(key)])
                try store.database.execute("DELETE FROM counts WHERE stream = ?", [.integer(stream.number)])
                try store.endForgotten(stream, now: now)
            }
        }
    }
}

// MARK: The proof

extension Erasure {
    /// A sealed row, and the context that it was sealed with.
    fileprivate struct Sample {
        let sealed: [UInt8]
        let context: RowContext
    }

    private static let sampleLimit = 256
    /// Packed rows have some kilobytes each.
    private static let packedLimit = 32
    /// How many keys are tried at a time.
    private static let tryLimit = 20_000

    private mutating func takeSamples() throws(VaultError) {
        let user = person.user
        (samples, publicKeys) = ([], [])
        var packed: [Sample] = []
        for stream in try store.streams(of: user) where stream.secretVersion <= person.version {
            samples += try store.database.query(
                "SELECT number, session, boot, sealed_key FROM sessions WHERE stream = ? ORDER BY random() LIMIT ?",
                [.integer(stream.number), .integer(Self.sampleLimit)], row: StoredSession.init
            ).map { session in
                Sample(
                    sealed: session.sealedKey, context: SessionKeys.context(stream.id, session.session, session.boot))
            }
            packed += try store.somePacked(of: stream, atMost: Self.packedLimit)
        }
        samples = Array(samples.shuffled().prefix(Self.sampleLimit))
        samples += packed.shuffled().prefix(Self.packedLimit)
        samples += try store.database.query(
            "SELECT name, secret_version, sealed FROM documents WHERE person = ? AND secret_version <= ?", names
        ) { row throws(VaultError) in
            Sample(
                sealed: try row.blob("sealed"),
                context: Documents.context(try row.text("name"), user, try row.int("secret_version")))
        }
        for table in features.sealedTables {
            try table.forEach(store, of: user, upTo: person.version, atMost: Self.sampleLimit / 8) {
                row throws(VaultError) in
                samples.append(Sample(sealed: row.sealed, context: row.context))
            }
        }
        for name in try keys.all() where name.user == user.text && name.version <= person.version {
            if let key = try keys.person(name.user, version: name.version)?.stream.publicKey { publicKeys.append(key) }
        }
    }

    /// - Returns: whether all samples were tried.
    private mutating func prove() throws(VaultError) -> Bool {
        var rowKeys = [keys.service]
        for name in try keys.all() {
            if let key = try keys.person(name.user, version: name.version)?.rows { rowKeys.append(key) }
        }
        let portion = samples.suffix(max(1, Self.tryLimit / rowKeys.count))
        for sample in portion where try Self.opens(sample, rowKeys) { proof.opened += 1 }
        proof.tried += portion.count
        samples.removeLast(portion.count)
        guard samples.isEmpty else { return false }
        for key in publicKeys where try keys.owner(of: key) != nil { proof.opened += 1 }
        return true
    }

    private static func opens(_ sample: Sample, _ rowKeys: [RowKey]) throws(VaultError) -> Bool {
        for key in rowKeys where try key.openIfReadable(sample.sealed, sample.context) != nil { return true }
        return false
    }
}

extension Store {
    /// Some of a stream's groups of packed readings.
    fileprivate func somePacked(of stream: StoredStream, atMost limit: Int) throws(VaultError) -> [Erasure.Sample] {
        try database.query(
            """
            SELECT first_hour, seq, sealed FROM blocks WHERE number IN
                (SELECT number FROM blocks WHERE stream = ? AND type = 16 ORDER BY random() LIMIT ?)
            """, [.integer(stream.number), .integer(limit)]
        ) { row throws(VaultError) in
            Erasure.Sample(
                sealed: try row.blob("sealed"),
                context: PackedGroup.context(stream.id, hour: try row.int("first_hour"), group: try row.int("seq")))
        }
    }
}
