package import Records
package import Telemetry
package import Vault

/// A session whose key is known: opens its blocks and its journal records.
package final class OpenSession {
    /// Number of its row.
    package let number: Int64
    package let stream: StoredStream
    package let session: SessionID
    package let boot: BootID
    /// Opens the session's blocks.
    package let blocks: BlockCipher
    private let key: SessionKey
    private var madeJournal: BlockCipher?
    private var madeLive: BlockCipher?

    fileprivate init(
        _ number: Int64, _ stream: StoredStream, _ session: SessionID, _ boot: BootID, _ key: SessionKey
    ) throws(VaultError) {
        self.number = number
        self.stream = stream
        self.session = session
        self.boot = boot
        self.key = key
        blocks = BlockCipher(key: try key.blockKey(stream: stream.id.bytes, session: session.bytes))
    }

    /// The reading of one of the session's journal records.
    /// - Throws: `.notAuthentic` or `.malformed` if it is not such a record.
    package func reading(of record: LooseBody.Record) throws(VaultError) -> [Reading]? {
        let journal: BlockCipher
        if let madeJournal {
            journal = madeJournal
        } else {
            journal = BlockCipher(key: try key.journalKey(stream: stream.id.bytes, session: session.bytes))
            madeJournal = journal
        }
        let plaintext = try journal.open(record.sealed, seq: record.number, aad: stream.id.bytes + session.bytes)
        return decoded { () throws(MalformedValue) in try ReadingColumns.decode(plaintext) }
    }

    /// The reading of one of the session's live blocks; nil if it has none, or several.
    /// - Throws: `.notAuthentic` or `.malformed` if it is not such a block.
    func reading(ofLive block: [UInt8], _ header: BlockHeader) throws(VaultError) -> Reading? {
        let live: BlockCipher
        if let madeLive {
            live = madeLive
        } else {
            live = BlockCipher(key: try key.liveKey(stream: stream.id.bytes, session: session.bytes))
            madeLive = live
        }
        let plaintext = try live.open(block: block, header: BlockHeader.length, seq: header.identity.sequence)
        let readings = decoded { () throws(MalformedValue) in try ReadingColumns.decode(plaintext) } ?? []
        return readings.count == 1 ? readings.first : nil
    }
}

/// What a session is called in blocks.
struct SessionName: Hashable {
    let stream: StreamID
    let session: SessionID
}

/// The sessions in use, opened: a bounded number of them, the least recently used go first. Belongs to one thread.
package struct SessionKeys {
    private struct Entry {
        let session: OpenSession
        /// Of its person: see PeopleLock.swift.
        let view: UInt64
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [SessionName: Entry] = [:]
    private var uses: UInt64 = 0

    package init(capacity: Int = 1024) { self.capacity = capacity }

    /// The session, from memory or from the store; nil if its key block has not come, if the person's secret is
    /// not there, or if the row was tampered with.
    package mutating func find(
        _ session: SessionID, of id: StreamID, _ store: Store, _ keys: Keys
    ) throws(VaultError) -> OpenSession? {
        let name = SessionName(stream: id, session: session)
        uses += 1
        if let known = entries[name], known.view == known.session.stream.view(in: store) {
            entries[name]?.lastUse = uses
            return known.session
        }
        guard let stream = try store.stream(id), let stored = try store.session(session, of: stream),
            let person = try keys.person(stream.user, version: stream.secretVersion),
            let opened = try Self.open(stored, stream, person)
        else { return nil }
        insert(opened, name, store)
        return opened
    }

    /// Stores a session and keeps it in memory.
    package mutating func add(
        _ session: SessionID, of stream: StoredStream, key: SessionKey, boot: BootID, person: Keys.Person,
        _ store: Store
    ) throws(VaultError) -> OpenSession {
        let sealed = try person.rows.seal(key.secret.bytes, Self.context(stream.id, session, boot))
        let number = try store.add(session, of: stream, boot: boot, sealedKey: sealed)
        let opened = try OpenSession(number, stream, session, boot, key)
        insert(opened, SessionName(stream: stream.id, session: session), store)
        return opened
    }

    /// Forgets all sessions: after a rollback some may not be in the store.
    package mutating func removeAll() { entries.removeAll() }

    /// Forgets the sessions of these sensors.
    mutating func removeAll(of sensors: Set<SensorName>) {
        let names = Set(sensors.map { "\($0)" })
        entries = entries.filter { _, entry in
            !names.contains("\(entry.session.stream.gateway)/\(entry.session.stream.sensor)")
        }
    }

    package static func open(
        _ stored: StoredSession, _ stream: StoredStream, _ person: Keys.Person
    ) throws(VaultError) -> OpenSession? {
        let context = context(stream.id, stored.session, stored.boot)
        do throws(VaultError) {
            let key = SessionKey(try SymmetricKey(person.rows.open(stored.sealedKey, context)))
            return try OpenSession(stored.number, stream, stored.session, stored.boot, key)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    /// The context that a session's key is sealed with.
    package static func context(_ stream: StreamID, _ session: SessionID, _ boot: BootID) -> RowContext {
        RowContext("session", fixed: stream.bytes + session.bytes + boot.bytes)
    }

    private mutating func insert(_ session: OpenSession, _ name: SessionName, _ store: Store) {
        uses += 1
        if entries.count >= capacity {
            // Half of them at once: sorting is then rare.
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, capacity / 2))
            for (name, _) in oldest { entries[name] = nil }
        }
        entries[name] = Entry(session: session, view: session.stream.view(in: store), lastUse: uses)
    }
}
