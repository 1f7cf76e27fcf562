import Packed
package import Records
import Storage
import Telemetry
import Vault

/// Packs the blocks of one stream and hour, a portion at a time, within transactions of the caller's: the same readings
/// can be read afterwards, in the same order, and the ledger knows what it knew. Belongs to the thread of its store and
/// keys.
///
/// A block that does not open, or is not in the ledger as it came, stays as it is, for `check` to find.
package struct HourPacker {
    let store: Store
    let keys: Keys
    let deletions: Deletions

    package init(store: Store, keys: Keys, deletions: Deletions) {
        self.store = store
        self.keys = keys
        self.deletions = deletions
    }

    /// Blocks at a time.
    static let portion = 512

    /// What happened to some blocks.
    struct Outcome {
        /// The last block that was looked at; nil if there was none.
        var last: Int64?
        var packed = 0
        /// Whether some blocks are left because they came too recently, and hold something that their owner had
        /// deleted.
        var isWaiting = false
    }

    /// An unpacked block, opened.
    private struct Opened {
        let block: StoredBlock
        var units: [(unit: PackedReadings.Unit, kind: Reading.Kind, boot: BootID)]
        var removed: [Reading.Kind: Int] = [:]
        var count: Int { units.reduce(0) { $0 + $1.unit.readings.count } }
        var intervalCount: Int { units.reduce(0) { $0 + $1.unit.intervalCount } }
    }

    /// Packs blocks of readings after one of them. Heart rate that its owner had deleted is left out if the block
    /// came before `settled`.
    func pack(
        _ stream: StoredStream, _ person: Keys.Person, hour: Int64, after last: Int64, settled: Int64
    ) throws(VaultError) -> Outcome {
        let blocks = try store.unpackedBlocks(
            of: stream.number, hour: hour, after: last, limit: Self.portion)
        var outcome = Outcome(last: nil)
        var reader = StreamReader(stream, person, store)
        let isDeleted = try self.isDeleted(stream, &reader)
        var opened: [Opened] = []
        var (readings, intervals, bytes) = (0, 0, 0)
        for block in blocks {
            guard readings < PackedGroup.maximumReadings, intervals < PackedGroup.maximumIntervals,
                bytes < PackedGroup.maximumLength
            else { break }
            outcome.last = block.number
            guard var one = try open(block, &reader) else { continue }
            if let isDeleted {
                remove(isDeleted, from: &one)
                if !one.removed.isEmpty, block.number > settled {
                    outcome.isWaiting = true
                    continue
                }
            }
            readings += one.count
            intervals += one.intervalCount
            bytes += block.sealed.count
            opened.append(one)
        }
        outcome.packed = opened.count
        try replace(opened, stream, person, hour)
        return outcome
    }

    /// Writes the rows of these blocks, all of one stream and hour, again without the readings that must be removed; a
    /// block that has none of these stays as it is.
    /// - Returns: how many readings were removed.
    func remove(
        from blocks: [StoredBlock], _ stream: StoredStream, _ person: Keys.Person,
        _ isToGo: (Reading, BootID) -> Bool
    ) throws(VaultError) -> Int {
        var reader = StreamReader(stream, person, store)
        var opened: [Opened] = []
        var removed = 0
        for block in blocks {
            if let group = PackedGroup(block, of: stream.number) {
                removed += try remove(from: group, stream, person, isToGo)
            } else if var one = try open(block, &reader) {
                remove(isToGo, from: &one)
                // Readings that a loose block repeats belong to another block, but its bytes hold them, too.
                let repeats = try reader.repeats(in: block).filter(isToGo)
                one.units += repeats.map { reading, boot in
                    (PackedReadings.Unit(block.sequence, first: reading, []), reading.kind, boot)
                }
                guard !one.removed.isEmpty || !repeats.isEmpty else { continue }
                removed += one.removed.values.reduce(0, +)
                opened.append(one)
            }
            // Loose blocks may hold more than one group can.
            let (readings, intervals) = opened.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.intervalCount) }
            if readings >= PackedGroup.maximumReadings || intervals >= PackedGroup.maximumIntervals {
                try replace(opened, stream, person, block.firstHour)
                opened = []
            }
        }
        if let hour = blocks.first?.firstHour { try replace(opened, stream, person, hour) }
        return removed
    }

    /// Removes from loose blocks, which are not packed otherwise, what their owner had deleted: some blocks after one
    /// of them, those up to `settled`.
    /// - Returns: the last block looked at; nil if there was none.
    func removeDeleted(
        fromLoose stream: StoredStream, _ person: Keys.Person, after last: Int64, upTo settled: Int64
    ) throws(VaultError) -> Int64? {
        var reader = StreamReader(stream, person, store)
        guard let isDeleted = try self.isDeleted(stream, &reader) else { return nil }
        let blocks = try store.looseBlocks(of: stream.number, after: last, upTo: settled, limit: 8)
        // Each block may be of an hour of its own.
        for block in blocks { _ = try remove(from: [block], stream, person, isDeleted) }
        return blocks.last?.number
    }

    private func remove(
        from old: PackedGroup, _ stream: StoredStream, _ person: Keys.Person,
        _ isToGo: (Reading, BootID) -> Bool
    ) throws(VaultError) -> Int {
        guard var packed = try store.readings(old, person, stream) else { return 0 }
        let removed = packed.remove(isToGo)
        guard !removed.isEmpty else { return 0 }
        try store.write(packed, person, of: stream, hour: old.hour, group: old.group, inPlaceOf: old)
        try uncount(removed, stream)
        return removed.values.reduce(0, +)
    }

    // MARK: Blocks

    /// Tells which readings a person had deleted; nil if they had none deleted.
    private func isDeleted(
        _ stream: StoredStream, _ reader: inout StreamReader
    ) throws(VaultError) -> ((Reading, BootID) -> Bool)? {
        guard let user = decoded({ () throws(MalformedValue) in try ID(stream.user) }) else { return nil }
        let document = try deletions.document(of: user)
        guard !document.ranges.isEmpty else { return nil }
        let corrections = try Corrections(of: stream, &reader, store)
        return { reading, boot in
            document.hides(reading.kind, at: corrections.corrected(reading.moment, of: boot))
        }
    }

    private func open(_ block: StoredBlock, _ reader: inout StreamReader) throws(VaultError) -> Opened? {
        guard let bytes = try reader.bytes(of: block),
            try store.digest(block.session, block.sequence) == SHA256.digest(bytes),
            let units = try reader.units(of: block)
        else { return nil }
        return Opened(
            block: block,
            units: units.compactMap { readings, boot in
                readings.first.map { (PackedReadings.Unit(block.sequence, first: $0, readings), $0.kind, boot) }
            })
    }

    private func remove(_ isToGo: (Reading, BootID) -> Bool, from one: inout Opened) {
        for index in one.units.indices {
            let (unit, kind, boot) = one.units[index]
            let left = unit.readings.filter { !isToGo($0, boot) }
            guard left.count < unit.readings.count else { continue }
            one.removed[kind, default: 0] += unit.readings.count - left.count
            one.units[index].unit.readings = left
        }
    }

    /// Puts blocks into the hour's last group, or into a new one if that is full, and takes their rows away.
    private func replace(
        _ opened: [Opened], _ stream: StoredStream, _ person: Keys.Person, _ hour: Int64
    ) throws(VaultError) {
        guard !opened.isEmpty else { return }
        var old = try store.lastPackedGroup(of: stream.number, hour: hour)
        let next = old.map { $0.group + 1 } ?? 0
        var packed = PackedReadings()
        if let group = old {
            let outline = try store.outline(group, person, stream)
            let new = opened.reduce(0) { $0 + $1.count }
            if let outline, group.sealed.count <= PackedGroup.maximumLength,
                outline.count + new <= PackedGroup.maximumReadings,
                outline.unitCount + opened.count <= PackedGroup.maximumUnits,
                let readings = decoded({ () throws(MalformedValue) in try PackedReadings(outline) }),
                readings.intervalCount + opened.reduce(0, { $0 + $1.intervalCount }) <= PackedGroup.maximumIntervals
            {
                packed = readings
            } else {
                // The old group is full, or damaged.
                old = nil
            }
        }
        var sequences: [Int64: [UInt64]] = [:]
        for one in opened.sorted(by: { ($0.block.session, $0.block.sequence) < ($1.block.session, $1.block.sequence) })
        {
            for (unit, kind, boot) in one.units {
                packed.add(unit, kind, session: one.block.session, boot: boot, isLoose: one.block.isLoose)
            }
            sequences[one.block.session, default: []].append(one.block.sequence)
        }
        let number = try store.write(
            packed, person, of: stream, hour: hour, group: old?.group ?? next, inPlaceOf: old)
        for one in opened {
            if one.block.isLoose {
                try store.database.execute(
                    "UPDATE records SET block = ? WHERE block = ?", [.integer(number), .integer(one.block.number)])
            }
            try store.database.execute("DELETE FROM blocks WHERE number = ?", [.integer(one.block.number)])
            try uncount(one.removed, stream)
        }
        for (session, sequences) in sequences {
            if stream.isOwn {
                try store.forgetEntries(session, sequences, of: stream)
            } else {
                try store.shortenEntries(session, sequences)
            }
        }
    }

    private func uncount(_ removed: [Reading.Kind: Int], _ stream: StoredStream) throws(VaultError) {
        for (kind, count) in removed {
            try store.database.execute(
                "UPDATE counts SET number = number - ? WHERE stream = ? AND kind = ?",
                [.integer(Int64(count)), .integer(stream.number), .integer(Int64(kind.rawValue))])
        }
    }
}
