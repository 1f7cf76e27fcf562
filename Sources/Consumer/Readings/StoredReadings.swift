package import Files
package import Records
package import Telemetry

// Readings in order of time, from blocks that came in any order.
//
// The blocks of a person's streams are walked in the order of their first hours, a page at a time. A block that begins
// in a later hour than another's reading cannot have an earlier one, so everything before the hour of the next block is
// sorted and handed on: only an hour of readings is in memory, however much is stored.
//
// An hour may hold more than any sensor sends, and a clock that was wrong by years keeps the readings of years waiting.
// Therefore only a limited number of readings waits (`Waiting`): if there are more, the latest are left out, and
// after the rest has been handed on, the blocks are walked again from there. That takes longer, but not more memory.
//
// A clock block says by how much a boot's wall clock was wrong. Its correction is added here to readings of the same
// stream and boot that are earlier than its `until`; blocks are stored under the hours that the gateway's clock had, so
// they are looked for in all hours from which the corrections may have moved them (`Moves`).
//
// Readings that a stream holds from after its end, by corrected times, are hidden if the sensor was another person's
// then. Heart rate that its owner had deleted is hidden by the same times.
//
// Blocks of closed hours are packed in one row: see PackedReadings.swift. Code that reads on another thread or in
// a process that is not the one that packs reads within one `database.snapshot`: otherwise blocks might become such a
// row between two pages, and be seen twice.
//
// The same reading may be in a readings block and in a loose one, if a gateway's card was copied back: it is handed
// on once. Two readings blocks never hold the same reading, so equal readings in them are two heartbeats in one
// millisecond.

/// The stored readings of a person, opened. Belongs to one thread.
package struct StoredReadings {
    package let store: Store
    package let keys: Keys
    /// How much may wait in memory.
    package var capacity = Capacity()
    /// Asked before each block, clock blocks included, whether to read on, and told how much was opened since it was
    /// last asked: 64 readings count as a block. Once it has said no, not all readings were shown.
    package var goesOn: @Sendable (_ blocks: Int) -> Bool = { _ in true }
    /// Keeps what streams' clock blocks say, so that they are opened once for many questions.
    package var clocks: KnownClocks?

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// A number of readings, and of the RR intervals that they have.
    package struct Capacity {
        package var readings = 1 << 16
        package var intervals = 1 << 22
    }

    /// Shows each reading of one kind, `from` inclusive, `to` exclusive (Unix milliseconds), to `body`, with its wall
    /// time as corrected.
    /// - Returns: how many blocks could not be opened.
    package func forEach(
        of user: ID, _ kind: Reading.Kind, from: Int64, to: Int64, _ body: (Reading) -> Void
    ) throws(VaultError) -> Int {
        try each(of: user, kind, from: from, to: to) { reading in
            body(reading)
            return true
        }
    }

    /// The same, for as long as `body` wants more.
    package func each(
        of user: ID, _ kind: Reading.Kind, from: Int64, to: Int64, while body: (Reading) -> Bool
    ) throws(VaultError) -> Int {
        try eachOfStreams(of: user, kind, from: from, to: to) { reading, _ in body(reading) }
    }

    /// The same, with the number of the stream that each reading is from.
    package func eachOfStreams(
        of user: ID, _ kind: Reading.Kind, from: Int64, to: Int64,
        while body: (_ reading: Reading, _ stream: Int64) -> Bool
    ) throws(VaultError) -> Int {
        var walks: [StreamWalk] = []
        let deleted = try Deletions(store, keys).read(user)?.ranges(of: kind) ?? DeletedRanges()
        var damaged = 0
        let streams = try store.streams(of: user)
        for stream in streams {
            guard let person = try keys.person(stream.user, version: stream.secretVersion) else {
                // Forgotten, or damaged.
                let name = Keys.PersonVersion(user: stream.user, version: stream.secretVersion)
                if try keys.all().contains(name) { damaged += try Int(Recount(stream, nil, store).blocks) }
                continue
            }
            guard let clock = try clock(of: stream, person) else { return damaged }
            walks.append(
                try StreamWalk(
                    stream, clock, store, kind: kind, range: from..<max(from, to), deleted: deleted,
                    walks: streams.count))
        }
        var last = Emitted()
        var goesOn = true
        while goesOn {
            var waiting = Waiting(after: last.order, capacity)
            goesOn = try pass(&walks, &waiting, &last, body) && waiting.cut != nil
            guard goesOn, let time = last.order?.wall else { break }
            for index in walks.indices { walks[index].beginAgain(from: time) }
        }
        return walks.reduce(damaged) { $0 + $1.unreadable.count }
    }

    /// What the clock blocks of a stream say; nil if `goesOn` says no while they are opened.
    private func clock(of stream: StoredStream, _ person: Keys.Person) throws(VaultError) -> KnownClocks.Clock? {
        if let known = clocks?.all[stream.number] { return known }
        var reader = StreamReader(stream, person, store)
        guard let corrections = try Corrections(of: stream, &reader, store, while: goesOn) else { return nil }
        let clock = KnownClocks.Clock(reader: reader, corrections: corrections, moves: corrections.moves)
        clocks?.all[stream.number] = clock
        return clock
    }

    /// Walks the blocks once, and hands on the waiting readings in order.
    /// - Returns: whether more is wanted.
    private func pass(
        _ walks: inout [StreamWalk], _ waiting: inout Waiting, _ last: inout Emitted, _ body: (Reading, Int64) -> Bool
    ) throws(VaultError) -> Bool {
        var hour: Int64?
        var opened = 1
        while true {
            var next: (index: Int, hour: Int64)?
            for index in walks.indices {
                guard let hour = try walks[index].nextHour(), hour < next?.hour ?? .max else { continue }
                next = (index, hour)
            }
            // Everything before the hour of the next block is complete.
            if next?.hour != hour {
                let limit = next.map { $0.hour * 3_600_000 }
                guard emit(waiting.take(before: limit), &last, body) else { return false }
                // Readings from here on were left out.
                if let limit, let cut = waiting.cut, cut.wall < limit { break }
            }
            hour = next?.hour
            guard let next else { break }
            guard goesOn(opened) else { return false }
            let block = try walks[next.index].takeBlock()
            for entry in block.entries { waiting.add(entry) }
            // A packed row has the readings of many blocks.
            opened = max(1, block.opened / 64)
        }
        if opened > 1, !goesOn(opened) { return false }
        return emit(waiting.take(before: nil), &last, body)
    }

    /// A reading, and where it came from.
    struct Entry {
        let reading: Reading
        let stream: Int64
        let session: Int64
        let sequence: UInt64
        let isLoose: Bool
        let index: Int

        fileprivate var order: Order {
            Order(wall: reading.moment.wall, stream: stream, session: session, sequence: sequence, index: index)
        }

        fileprivate var intervalCount: Int {
            guard case .heartRate(let measurement) = reading.value else { return 0 }
            return measurement.rrIntervals.count
        }
    }

    /// A reading's place in the order: within one instant as the gateway had them, whichever block came first.
    fileprivate struct Order: Comparable {
        let wall: Int64
        let stream: Int64
        let session: Int64
        let sequence: UInt64
        let index: Int

        static func < (one: Order, other: Order) -> Bool {
            if one.wall != other.wall { return one.wall < other.wall }
            return (one.stream, one.session, one.sequence, one.index)
                < (other.stream, other.session, other.sequence, other.index)
        }
    }

    /// Readings that wait for others to come before them.
    private struct Waiting {
        private var entries: [Entry] = []
        private var intervals = 0
        /// Readings at this place or later were left out; nil if none were.
        private(set) var cut: Order?
        /// Readings up to this place were handed on before.
        private let after: Order?
        private let capacity: Capacity

        init(after: Order?, _ capacity: Capacity) {
            self.after = after
            self.capacity = capacity
        }

        mutating func add(_ entry: Entry) {
            let order = entry.order
            if let after, order <= after { return }
            if let cut, order >= cut { return }
            entries.append(entry)
            intervals += entry.intervalCount
            if entries.count > capacity.readings || intervals > capacity.intervals { leaveOut() }
        }

        /// Leaves out the later half, by the memory that it takes.
        private mutating func leaveOut() {
            entries.sort { $0.order < $1.order }
            var (kept, sum) = (0, 0)
            for entry in entries {
                sum += entry.intervalCount
                // One at least, or nothing would ever be handed on.
                guard kept == 0 || kept < capacity.readings / 2 && sum <= capacity.intervals / 2 else { break }
                kept += 1
            }
            guard kept < entries.count else { return }
            cut = entries[kept].order
            entries.removeSubrange(kept...)
            intervals = entries.reduce(0) { $0 + $1.intervalCount }
        }

        /// Takes the readings before a time, in their order; all of them if no time is given.
        mutating func take(before limit: Int64?) -> [Entry] {
            entries.sort { $0.order < $1.order }
            let end = limit.flatMap { limit in entries.firstIndex { $0.reading.moment.wall >= limit } }
            guard let end else {
                defer { (entries, intervals) = ([], 0) }
                return entries
            }
            let taken = Array(entries[..<end])
            entries.removeFirst(end)
            intervals -= taken.reduce(0) { $0 + $1.intervalCount }
            return taken
        }
    }

    /// What was handed on last.
    private struct Emitted {
        var order: Order?
        /// The readings of the latest instant, limited to more than any heart or gateway makes.
        var latest: [Entry] = []
        static let capacity = 256
    }

    /// - Returns: whether more is wanted.
    private func emit(_ entries: [Entry], _ last: inout Emitted, _ body: (Reading, Int64) -> Bool) -> Bool {
        for entry in entries {
            if last.order?.wall != entry.reading.moment.wall { last.latest = [] }
            let isRepeated = last.latest.contains { other in
                other.isLoose != entry.isLoose && other.stream == entry.stream
                    && other.reading.value == entry.reading.value
            }
            last.order = entry.order
            if last.latest.count < Emitted.capacity { last.latest.append(entry) }
            if !isRepeated, !body(entry.reading, entry.stream) { return false }
        }
        return true
    }
}
