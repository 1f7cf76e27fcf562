package import Files
package import Packed
package import Records
package import Telemetry

/// Opens the stored blocks of one stream. Belongs to one thread.
package struct StreamReader {
    package let stream: StoredStream
    private let person: Keys.Person
    private let store: Store
    private var sessions: [Int64: OpenSession] = [:]

    package init(_ stream: StoredStream, _ person: Keys.Person, _ store: Store) {
        self.stream = stream
        self.person = person
        self.store = store
    }

    /// A block's plaintext; nil if it cannot be opened.
    package mutating func body(of block: StoredBlock) throws(VaultError) -> [UInt8]? {
        guard let session = try session(block.session) else { return nil }
        guard let header = block.header(session, stream) else { return nil }
        do {
            return try session.blocks.open(block.sealed, seq: block.sequence, aad: header.bytes)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    /// All bytes of a block as they came; nil if its session is not there.
    package mutating func bytes(of block: StoredBlock) throws(VaultError) -> [UInt8]? {
        guard let session = try session(block.session), let header = block.header(session, stream) else { return nil }
        return header.bytes + block.sealed
    }

    /// A reading, and the block that it came in.
    package struct Found {
        package let reading: Reading
        package let boot: BootID
        /// Number of the row of the block's session.
        package let session: Int64
        package let sequence: UInt64
        package let isLoose: Bool
    }

    /// The readings of a readings block, a loose one or a packed group; nil if it cannot be opened. For a loose
    /// block, those whose records were first seen in it.
    package mutating func readings(of block: StoredBlock) throws(VaultError) -> [Found]? {
        if let group = PackedGroup(block, of: stream.number) { return try packed(group)?.found }
        return try units(of: block).map { units in
            units.flatMap { unit in
                unit.readings.map {
                    Found(
                        reading: $0, boot: unit.boot, session: block.session, sequence: block.sequence,
                        isLoose: block.isLoose)
                }
            }
        }
    }

    /// A group of packed readings; nil if it cannot be opened.
    package func packed(_ group: PackedGroup) throws(VaultError) -> PackedReadings? {
        try store.readings(group, person, stream)
    }

    /// What a group says about itself, without its readings; nil if it cannot be opened.
    func outline(_ group: PackedGroup) throws(VaultError) -> PackedReadings.Outline? {
        try store.outline(group, person, stream)
    }

    /// The parts of a block that is not packed: all its readings, or those of each record.
    package mutating func units(of block: StoredBlock) throws(VaultError) -> [(readings: [Reading], boot: BootID)]? {
        guard let body = try body(of: block), let session = try session(block.session) else { return nil }
        guard block.isLoose else {
            let readings = decoded { () throws(MalformedValue) in try ReadingColumns.decode(body) }
            return readings.map { [($0, session.boot)] }
        }
        guard let loose = decoded({ () throws(MalformedValue) in try LooseBody(bytes: body) }),
            let stored = try store.session(loose.session, of: stream), let old = try self.session(stored.number)
        else { return nil }
        return try records(loose, of: old) { record throws(VaultError) in
            try store.block(ofRecord: record, old.number) == block.number
        }
    }

    /// Readings of a loose block's records that came in another block before; empty if the block is not loose, or
    /// does not open.
    mutating func repeats(in block: StoredBlock) throws(VaultError) -> [(reading: Reading, boot: BootID)] {
        guard block.isLoose, let body = try body(of: block),
            let loose = decoded({ () throws(MalformedValue) in try LooseBody(bytes: body) }),
            let stored = try store.session(loose.session, of: stream), let old = try self.session(stored.number)
        else { return [] }
        let units = try records(loose, of: old) { record throws(VaultError) in
            try store.block(ofRecord: record, old.number) != block.number
        }
        return (units ?? []).flatMap { unit in unit.readings.map { (reading: $0, boot: unit.boot) } }
    }

    /// The readings of some records of a loose block; nil if one does not open.
    private func records(
        _ loose: LooseBody, of old: OpenSession, where isWanted: (UInt64) throws(VaultError) -> Bool
    ) throws(VaultError) -> [(readings: [Reading], boot: BootID)]? {
        var units: [([Reading], BootID)] = []
        for record in loose.records where try isWanted(record.number) {
            do {
                units.append((try old.reading(of: record) ?? [], old.boot))
            } catch {
                guard error.isUnreadable else { throw error }
                return nil
            }
        }
        return units
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
    /// Nil if the block is packed.
    fileprivate func header(_ session: OpenSession, _ stream: StoredStream) -> BlockHeader? {
        guard case .came(let kind) = form else { return nil }
        return BlockHeader(kind, BlockIdentity(stream: stream.id, session: session.session, sequence: sequence))
    }
}

extension PackedReadings {
    /// In the order of the blocks, and within each block in its own order.
    fileprivate var found: [StreamReader.Found] {
        segments.flatMap { segment in
            segment.units.flatMap { unit in
                unit.readings.map {
                    StreamReader.Found(
                        reading: $0, boot: segment.boot, session: segment.session, sequence: unit.sequence,
                        isLoose: segment.isLoose)
                }
            }
        }
    }
}
