import Telemetry
import Vault

/// Opens the stored blocks of one stream. Belongs to one thread.
struct StreamReader {
    let stream: StoredStream
    private let person: Keys.Person
    private let store: Store
    private var sessions: [Int64: OpenSession] = [:]

    init(_ stream: StoredStream, _ person: Keys.Person, _ store: Store) {
        self.stream = stream
        self.person = person
        self.store = store
    }

    /// A block's plaintext; nil where it cannot be opened.
    mutating func body(of block: StoredBlock) throws(VaultError) -> [UInt8]? {
        guard let session = try session(block.session) else { return nil }
        do {
            return try session.blocks.open(block.sealed, seq: block.sequence, aad: block.header(session, stream).bytes)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    /// All bytes of a block as they came; nil where its session is not there.
    mutating func bytes(of block: StoredBlock) throws(VaultError) -> [UInt8]? {
        guard let session = try session(block.session) else { return nil }
        return block.header(session, stream).bytes + block.sealed
    }

    /// The readings of a readings block or a loose one, each with its boot; nil where it cannot be opened. Of a loose block
    /// those whose records were first seen in it.
    mutating func readings(of block: StoredBlock) throws(VaultError) -> [(reading: Reading, boot: BootID)]? {
        guard let body = try body(of: block), let session = try session(block.session) else { return nil }
        guard block.type == .loose else {
            let readings = decoded { () throws(MalformedValue) in try ReadingColumns.decode(body) }
            return readings?.map { ($0, session.boot) }
        }
        guard let loose = decoded({ () throws(MalformedValue) in try LooseBody(bytes: body) }),
            let stored = try store.session(loose.session, of: stream), let old = try self.session(stored.number)
        else { return nil }
        var readings: [(Reading, BootID)] = []
        for record in loose.records where try store.block(ofRecord: record.number, old.number) == block.number {
            do {
                readings += (try old.reading(of: record) ?? []).map { ($0, old.boot) }
            } catch {
                guard error.isUnreadable else { throw error }
                return nil
            }
        }
        return readings
    }

    private mutating func session(_ number: Int64) throws(VaultError) -> OpenSession? {
        if let known = sessions[number] { return known }
        guard let stored = try store.session(number: number),
            let opened = try SessionKeys.open(stored, stream, person)
        else { return nil }
        if sessions.count >= 256 { sessions.removeAll() }
        sessions[number] = opened
        return opened
    }
}

extension StoredBlock {
    fileprivate func header(_ session: OpenSession, _ stream: StoredStream) -> BlockHeader {
        BlockHeader(type, BlockIdentity(stream: stream.id, session: session.session, sequence: sequence))
    }
}
