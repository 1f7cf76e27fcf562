import Compression
package import Packed
package import Records
package import Storage
package import Telemetry

// Packed readings as rows of `blocks`, type 16.
//
// The blocks of readings of one stream whose first readings are in one hour become one row, a group; very many blocks
// become several rows, so that no row grows without bound. A group is sealed under the person's row key, bound to
// stream, hour and group, and padded to 256 bytes. `seq` says which group it is, and `kinds` which kinds it has; a
// group whose readings were all deleted has none, and no query for readings finds it.
//
// A page of the database has one such row, or several pages have: an hour at 1 Hz without RR intervals takes most of
// one. It would be useless to cut them into pieces, four to a page: other rows are between those of two hours for a
// while, and the space that they leave stays empty.
//
// A group that changes is written again under a new number, before the old one goes: numbers only rise, because
// `sessions.after_block` and code that walks by numbers need that.

/// A row of packed readings.
package struct PackedGroup: Equatable {
    package let stream: Int64
    package let hour: Int64
    package let group: Int64
    /// The number of its row.
    package let number: Int64
    package let sealed: [UInt8]

    /// The value of `type`.
    package static let type: Int64 = 16
    static let padding = 256
    /// A group that has reached these limits grows no further.
    package static let (maximumUnits, maximumReadings, maximumLength) = (4096, 16_384, 128 << 10)
    /// The same limit for RR intervals: made-up intervals may take next to no space, however many they are.
    static let maximumIntervals = 1 << 18

    /// The context that a group is sealed with.
    package static func context(_ stream: StreamID, hour: Int64, group: Int64) -> RowContext {
        let bytes = [hour, group].reduce(stream.bytes) { bytes, number in
            bytes + stride(from: Int64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return RowContext("packed", fixed: bytes)
    }
}

extension PackedReadings {
    /// How many RR intervals there are.
    var intervalCount: Int { segments.reduce(0) { $0 + $1.units.reduce(0) { $0 + $1.intervalCount } } }
}

extension PackedReadings.Unit {
    /// How many RR intervals its readings have.
    var intervalCount: Int {
        readings.reduce(0) { sum, reading in
            guard case .heartRate(let heartRate) = reading.value else { return sum }
            return sum + heartRate.rrIntervals.count
        }
    }
}

extension PackedGroup {
    /// Takes a stored block that is a group; nil if the block is as it came.
    package init?(_ block: StoredBlock, of stream: Int64) {
        guard case .packed(let group) = block.form else { return nil }
        self.init(
            stream: stream, hour: block.firstHour, group: group, number: block.number, sealed: block.sealed)
    }
}

extension Store {
    /// The last group of a stream's hour; nil if there is none.
    func lastPackedGroup(of stream: Int64, hour: Int64) throws(VaultError) -> PackedGroup? {
        try database.first(
            """
            SELECT number, seq, sealed FROM blocks WHERE stream = ? AND first_hour = ? AND type = 16
            ORDER BY seq DESC LIMIT 1
            """, [.integer(stream), .integer(hour)]
        ) { row throws(VaultError) in
            PackedGroup(
                stream: stream, hour: hour, group: try row.int("seq"), number: try row.int("number"),
                sealed: try row.blob("sealed"))
        }
    }

    /// Writes a group in place of `old`, the one of the same number that was there, within a transaction of the
    /// caller's.
    /// - Returns: its number.
    @discardableResult
    package func write(
        _ packed: PackedReadings, _ person: Keys.Person, of stream: StoredStream, hour: Int64, group: Int64,
        inPlaceOf old: PackedGroup?
    ) throws(VaultError) -> Int64 {
        var plain: [UInt8]
        do throws(CompressionError) { plain = try packed.bytes(zstandard) } catch {
            throw VaultError("pack an hour", .misuse, said: "\(error)")
        }
        // The blocks that came are removed for it: first make sure that it holds their readings.
        guard decoded({ () throws(MalformedValue) in try PackedReadings(plain, zstandard) }) == packed else {
            throw VaultError("pack an hour", .misuse, said: "it would not be read as it was")
        }
        let padded = (plain.count + PackedGroup.padding - 1) / PackedGroup.padding * PackedGroup.padding
        plain += [UInt8](repeating: 0, count: padded - plain.count)
        let context = PackedGroup.context(stream.id, hour: hour, group: group)
        let sealed = try person.rows.seal(plain, context)
        let readings = packed.segments.lazy.flatMap { $0.units.lazy.flatMap(\.readings) }
        let kinds = readings.reduce(into: Grant.Kinds()) { $0.formUnion(Grant.Kinds($1.kind)) }
        let more = readings.map(\.moment.wall).max().map { max(0, HourSpan.hour($0) - hour) } ?? 0
        let number = try database.first(
            """
            INSERT INTO blocks (stream, session, seq, type, kinds, first_hour, hours_more, sealed)
            VALUES (?, ?, ?, 16, ?, ?, ?, ?) RETURNING number
            """,
            [
                .integer(stream.number), .integer(packed.segments.first?.session), .integer(group),
                .integer(Int64(kinds.rawValue)), .integer(hour), .integer(more), .blob(sealed),
            ], row: Row.int)
        guard let number else { throw VaultError("pack an hour", .misuse, said: "no block was made") }
        guard let old else { return number }
        // Records of loose blocks that were packed were first seen in this group.
        try database.execute(
            "UPDATE records SET block = ? WHERE block = ?", [.integer(number), .integer(old.number)])
        try database.execute("DELETE FROM blocks WHERE number = ?", [.integer(old.number)])
        return number
    }

    /// What a group says about itself; nil if it does not open or says nothing.
    func outline(
        _ group: PackedGroup, _ person: Keys.Person, _ stream: StoredStream
    ) throws(VaultError) -> PackedReadings.Outline? {
        let context = PackedGroup.context(stream.id, hour: group.hour, group: group.group)
        guard let plain = try person.rows.openIfReadable(group.sealed, context) else { return nil }
        return decoded { () throws(MalformedValue) in try PackedReadings.Outline(plain, zstandard) }
    }

    /// The readings of a group; nil if it does not open or says nothing.
    package func readings(
        _ group: PackedGroup, _ person: Keys.Person, _ stream: StoredStream
    ) throws(VaultError) -> PackedReadings? {
        guard let outline = try outline(group, person, stream) else { return nil }
        return decoded { () throws(MalformedValue) in try PackedReadings(outline) }
    }
}
