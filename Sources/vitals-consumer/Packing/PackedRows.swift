import Compression
import Telemetry
import Vault

// Packed readings as rows of `blocks`, type 16.
//
// The readings blocks of one stream whose first readings lie in one hour become one group, or several where they are very many, so that
// no row is without bound. A group is sealed as one, under the person's row key and bound to stream, hour and group, and padded to
// 256 bytes; then it is cut into pieces of equal length, a row each, because SQLite fills its pages badly with rows of two or three
// kilobytes: as many as fill pages best. `seq` says group and piece: group << 8 | piece. The first piece has kinds, hours and
// the session as ever, and its number is the group's; those that follow have no kinds, so no query for readings finds them.
//
// A group that changes is written anew under a new number, before the old one goes: numbers only rise, as `sessions.after_block` and
// whoever walks by numbers need it.

/// A group of packed readings, in the clear columns of its first row.
struct PackedGroup: Equatable {
    let stream: Int64
    let hour: Int64
    let group: Int64
    /// Of its first row.
    let number: Int64
    let sealed: [UInt8]

    /// The value of `type`.
    static let type: Int64 = 16
    static let padding = 256
    /// No group is begun beyond, none goes on growing beyond.
    static let (maximumUnits, maximumReadings, maximumLength) = (4096, 16_384, 128 << 10)

    /// What the sealing is bound to.
    static func context(_ stream: StreamID, hour: Int64, group: Int64) -> [UInt8] {
        [hour, group].reduce(Array("packed".utf8) + stream.bytes) { bytes, number in
            bytes + stride(from: Int64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// How many pieces fill pages best. A page has 4,096 bytes, of which 8 and two for each row are SQLite's own; a row's
    /// other columns take less than 32.
    static func pieces(_ length: Int) -> Int {
        var best = (pieces: 1, pages: Double.infinity)
        for pieces in 1...(12 + length / 1000) {
            let row = (length + pieces - 1) / pieces + 32
            guard row <= 4000 else { continue }
            let pages = Double(pieces) / Double(4088 / (row + 2))
            if pages < best.pages { best = (pieces, pages) }
        }
        return min(best.pieces, 255)
    }
}

extension Store {
    /// The groups of a stream's hour, in their order, with all their pieces.
    func packedGroups(of stream: Int64, hour: Int64) throws(VaultError) -> [PackedGroup] {
        let pieces = try database.query(
            "SELECT number, seq, sealed FROM blocks WHERE stream = ? AND first_hour = ? AND type = 16 ORDER BY seq",
            [.integer(stream), .integer(hour)]
        ) { row throws(VaultError) in (number: try row.int(0), seq: try row.int(1), sealed: try row.blob(2)) }
        var groups: [PackedGroup] = []
        for piece in pieces {
            if piece.seq & 0xFF == 0 {
                groups.append(
                    PackedGroup(
                        stream: stream, hour: hour, group: piece.seq >> 8, number: piece.number, sealed: piece.sealed))
            } else if let last = groups.popLast() {
                groups.append(
                    PackedGroup(
                        stream: stream, hour: hour, group: last.group, number: last.number,
                        sealed: last.sealed + piece.sealed))
            }
        }
        return groups
    }

    /// One group with all its pieces.
    func packedGroup(of stream: Int64, hour: Int64, group: Int64) throws(VaultError) -> PackedGroup? {
        let pieces = try database.query(
            """
            SELECT number, sealed FROM blocks
            WHERE stream = ? AND first_hour = ? AND type = 16 AND seq BETWEEN ? AND ? ORDER BY seq
            """, [.integer(stream), .integer(hour), .integer(group << 8), .integer(group << 8 | 0xFF)]
        ) { row throws(VaultError) in (number: try row.int(0), sealed: try row.blob(1)) }
        guard let first = pieces.first else { return nil }
        return PackedGroup(
            stream: stream, hour: hour, group: group, number: first.number, sealed: pieces.flatMap(\.sealed))
    }

    /// Writes a group in place of `old`, the one of the same number that was there, within a transaction of the caller's.
    /// - Returns: its number.
    @discardableResult
    func write(
        _ packed: PackedReadings, _ person: Keys.Person, of stream: StoredStream, hour: Int64, group: Int64,
        inPlaceOf old: PackedGroup?
    ) throws(VaultError) -> Int64 {
        var plain: [UInt8]
        do throws(CompressionError) { plain = try packed.bytes(zstandard) } catch {
            throw VaultError("pack an hour", .misuse, said: "\(error)")
        }
        plain += [UInt8](repeating: 0, count: (plain.count + 255) / 256 * 256 - plain.count)
        let context = PackedGroup.context(stream.id, hour: hour, group: group)
        let sealed = try person.rows.sealWithNonce(plain, aad: context)
        let readings = packed.segments.lazy.flatMap { $0.units.lazy.flatMap(\.readings) }
        let kinds = readings.reduce(into: Grant.Kinds()) { $0.formUnion(Grant.Kinds($1.kind)) }
        let more = readings.map(\.moment.wall).max().map { max(0, HourSpan.hour($0) - hour) } ?? 0
        let length = (sealed.count - 1) / PackedGroup.pieces(sealed.count) + 1
        var first: Int64 = 0
        for (piece, start) in stride(from: 0, to: sealed.count, by: length).enumerated() {
            try database.execute(
                """
                INSERT INTO blocks (stream, session, seq, type, kinds, first_hour, hours_more, sealed)
                VALUES (?, ?, ?, 16, ?, ?, ?, ?)
                """,
                [
                    .integer(stream.number), .integer(packed.segments.first?.session),
                    .integer(group << 8 | Int64(piece)), .integer(piece == 0 ? Int64(kinds.rawValue) : 0),
                    .integer(hour), .integer(piece == 0 ? more : 0),
                    .blob(Array(sealed[start..<min(start + length, sealed.count)])),
                ])
            if piece == 0 { first = database.lastInsertedRow }
        }
        guard let old else { return first }
        // Records of loose blocks that were packed were first seen in this group.
        try database.execute(
            "UPDATE records SET block = ? WHERE block = ?", [.integer(first), .integer(old.number)])
        try database.execute(
            """
            DELETE FROM blocks WHERE number IN (
                SELECT number FROM blocks
                WHERE stream = ? AND first_hour = ? AND type = 16 AND seq BETWEEN ? AND ? AND number < ?)
            """,
            [
                .integer(stream.number), .integer(hour), .integer(group << 8), .integer(group << 8 | 0xFF),
                .integer(first),
            ])
        return first
    }

    /// What a group says of itself; nil where it does not open or says nothing.
    func outline(
        _ group: PackedGroup, _ person: Keys.Person, _ stream: StoredStream
    ) throws(VaultError) -> PackedReadings.Outline? {
        let plain: [UInt8]
        do throws(VaultError) {
            let context = PackedGroup.context(stream.id, hour: group.hour, group: group.group)
            plain = try person.rows.openWithNonce(group.sealed, aad: context)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
        return decoded { () throws(MalformedValue) in try PackedReadings.Outline(plain, zstandard) }
    }

    /// The readings of a group; nil where it does not open or says nothing.
    func readings(
        _ group: PackedGroup, _ person: Keys.Person, _ stream: StoredStream
    ) throws(VaultError) -> PackedReadings? {
        guard let outline = try outline(group, person, stream) else { return nil }
        return decoded { () throws(MalformedValue) in try PackedReadings(outline) }
    }
}
