// What a sensor sent is kept here until the consumer has it.
//
//     append ──20 ms──► journal ──5 s: flush──► on the disk ──10 s, or 64 readings──► block ──flush──► uplink ──ack──► kept 14 days
//
// A reading goes into the journal, sealed, by a commit that survives a killed process: at once if it comes alone, and
// otherwise with others, 20 ms after the commit before. Every five seconds
// one flush takes all of that to the disk. Every ten, or as soon as there are 64, readings become a block, which is
// sealed once and sent as the same bytes until the consumer's signed acknowledgement comes; only flushed blocks are
// sent. The random keys that seal journal and blocks are made at each start and never written to the disk in the clear:
// they travel in the session's key block, sealed to the person. So the finder of a stolen card can open nothing, and
// what a crash leaves in the journal is sent as it is, in loose blocks, for the consumer to open.
//
// Without a grant for a sensor, its readings are live only, and counted as not recorded. What cannot be held, in memory
// while the disk accepts nothing or on the disk once the limit is reached, is dropped, the oldest first, and a gap
// block says what is missing.
//
// OutboxIntake.swift takes readings in, and this file writes them down. OutboxDisk.swift has them flushed by a thread of its own
// (Flusher.swift); OutboxBlocks.swift makes blocks and sends them (Uplink.swift); OutboxRoom.swift keeps within the
// limit; OutboxClock.swift follows the wall clock; OutboxAnswers.swift handles what comes from outside; LiveBlocks.swift
// sends readings at once, too, where a grant asks for that.

import Daemon
import MQTT
import Reactor
import Storage
import Synchronization
import Telemetry
import Vault

/// The gateway's outbox: one thread that writes, another that waits for the disk, one database. `append`, `receive…`,
/// `…Changed` may be called from any thread.
// Proof of @unchecked: `intake` is under a lock, constants are constants, and the rest is touched on `loop` only, or
// before it starts.
final class Outbox: @unchecked Sendable {
    /// A reading to record. The grant that was in force when it came says to whom it belongs, whatever comes later.
    struct Unwritten {
        let reading: Reading
        let grant: Grant
        var completion: (@Sendable (Bool) -> Void)?
    }

    /// The pause between commits, in milliseconds. A killed gateway loses readings that are younger than this plus the commit that
    /// follows: we promise 50 ms.
    private static let commitPause: UInt64 = 20
    /// How many readings wait in memory while the disk accepts nothing; then the oldest are dropped, and counted.
    static let mostUnwritten = 20_000

    let loop = EventLoop(name: "outbox")
    let settings: OutboxSettings
    let isEnrolled: Bool
    let blocksTopic: String
    let liveTopic: String
    let grantsTopic: String
    let session: Session
    let identity: Ed25519.SigningKey
    let boot: [UInt8]
    let store: OutboxStore
    let flusher: Flusher
    let intake = Mutex(Intake())

    var grants: Grants
    var clock: BootClock
    var sessions: [StreamID: OpenSession] = [:]
    /// Empty between two calls of `collect`; its memory is used again.
    var collected: [Intake.Entry] = []
    var unwritten: [Unwritten] = []
    /// What was dropped but is in no gap block yet.
    var gaps: [StreamID: Extent] = [:]
    var uplink = Uplink()
    /// When the consumer's presence last had everything sent again, in milliseconds since boot.
    var lastPresence: UInt64?
    var isPresencePending = false
    /// When a consumer with an older store last got our grant, in milliseconds since boot.
    var lastHandedBack: UInt64?
    /// The last block that is on the disk.
    var flushedThrough: Int64 = 0
    /// Whether something was committed after the last flush began.
    var isDirty = false
    /// A key block must reach the disk, and with it the consumer, at once: live blocks wait for it.
    var isKeyUrgent = false
    /// A flush is under way since this time of the monotonic clock, and these callbacks are told of its end.
    var flushBegan: UInt64?
    var toldOfFlush: [@Sendable (Bool) -> Void] = []
    var mustFlushAgain = false
    /// The callbacks that are told when what is committed now is on the disk.
    var waitingForDisk: [@Sendable (Bool) -> Void] = []
    var isNearlyFull = false
    /// Whether the disk accepts what is written.
    var disk = DiskState()
    /// Logged once a minute: readings that were dropped from the disk or from memory, and blocks that made room for
    /// others.
    var droppedFromDisk = CountToTell()
    var droppedFromMemory = CountToTell()
    var spared = CountToTell()
    /// Messages that the consumer, people and a full disk can cause go here.
    let limitedLog = LimitedLog()
    /// A flush that hangs was reported.
    var isHangTold = false
    /// Until it is due, nobody has to wake the thread.
    private(set) var commitTimer: EventLoop.Timer?
    /// The disk has refused something.
    private var retryTimer: EventLoop.Timer?
    /// Milliseconds since boot.
    private var lastCommit: UInt64 = 0
    private var flushTimer: EventLoop.Timer?
    var sendTimer: EventLoop.Timer?
    private(set) var recorded = 0
    var notRecorded = 0
    /// Since the database was made.
    private(set) var dropped: Int
    var onChange: () -> Void = {}
    var drained: Answer<Bool>?

    /// Opens the database and reads what the last run left.
    ///
    /// - Parameters:
    ///   - state: the folder of the database.
    ///   - gateway: the gateway that the outbox belongs to, and the key that proves it.
    ///   - consumer: the consumer's Ed25519 public key; nil if there is none, and nothing is recorded.
    init(
        _ settings: OutboxSettings, in state: String, of gateway: (id: ID, key: Ed25519.SigningKey),
        for consumer: [UInt8]?, _ topics: Topics, publishingOn session: Session
    ) throws {
        self.settings = settings
        self.session = session
        isEnrolled = consumer != nil
        blocksTopic = topics[gateway.id, .blocks]
        liveTopic = topics[gateway.id, .live]
        grantsTopic = topics[gateway.id, .grants]
        identity = gateway.key
        guard let boot = bootID() else {
            throw Failure(.unavailable, "there is no boot id", hint: "is /proc mounted?")
        }
        self.boot = boot
        store = try OutboxStore(in: state)
        grants = Grants(
            gateway: gateway.id,
            consumer: try consumer.map { key throws(VaultError) in try Ed25519.VerifyingKey(key) })
        for stored in try store.grants() { _ = grants.take(stored.message, for: stored.sensor) }
        dropped = try store.dropped()
        clock = try BootClock(store, boot)
        // A killed run may have left commits that are not on the disk yet. If a block of them were sent and then lost
        // in a power cut, its readings would be in the journal again, and be sent twice.
        try store.durably { () throws(VaultError) in }
        flusher = try Flusher(of: store)
    }

    /// - Parameter onChange: called on `loop` when the health has changed in a way that somebody may wait for.
    func start(onChange: @escaping @Sendable () -> Void) throws {
        try sealLeftovers()
        try sealSteps()
        try store.durably { () throws(VaultError) in }
        flushedThrough = try store.lastBlock()
        flusher.start()
        loop.perform { [self] in
            self.onChange = onChange
            every(.seconds(9), tolerance: .seconds(1)) { [unowned self] in
                checkClock(.now())
                checkFlush()
                checkDisk()
                tellOfOlderStore()
                onChange()
            }
            every(.seconds(3600), tolerance: .seconds(60)) { [unowned self] in removeOld() }
            removeOld()
        }
        loop.start()
    }

    /// Seals and flushes everything, waits a while for acknowledgements, and ends the thread.
    func stop(within limit: Duration) {
        let drained = Answer<Bool>()
        loop.perform { [self] in
            takeIn()
            flush(sealingAll: true)
            flushHere()
            self.drained = drained
            pump()
        }
        if drained.wait(atMost: limit) == nil { log.info("blocks without acknowledgement stay in the outbox") }
        endThreads()
    }

    /// Ends both threads, without writing anything more.
    func endThreads() {
        loop.stop()
        flusher.stop()
    }

    /// Calls back repeatedly, on `loop`.
    func every(_ interval: Duration, tolerance: Duration = .zero, _ body: @escaping () -> Void) {
        loop.after(interval, tolerance: tolerance) { [unowned self] in
            body()
            every(interval, tolerance: tolerance, body)
        }
    }

    /// Counts what is lost; a gap block reports it.
    func countDropped(_ count: Int) { dropped += count }

    // MARK: Journal

    /// Takes what was left for the thread, and has it committed: at once, unless the last commit was just now.
    func takeIn() {
        guard !collect() else { return flush() }
        guard !unwritten.isEmpty, commitTimer == nil, retryTimer == nil else { return }
        if millisecondsSinceBoot() >= lastCommit + Self.commitPause { commit() } else { commitLater() }
    }

    /// Collects and commits when the pause after the last commit is over: until then, nobody has to wake the thread.
    private func commitLater() {
        intake.withLock { $0.isAwaited = true }
        let due = lastCommit + Self.commitPause
        commitTimer = loop.after(.milliseconds(due - min(due, millisecondsSinceBoot()))) { [unowned self] in
            commitTimer = nil
            if collect() { flush() } else { commit() }
        }
    }

    /// Writes what is unwritten into the journal, and full blocks into their place; survives a killed process.
    private func commit() {
        guard !unwritten.isEmpty else { return flushLater() }
        guard !clock.hasSteps else { return flush() }
        let comeFast = unwritten.count > 1
        do throws(VaultError) {
            try writeJournal()
            try sealPending { _, pending in pending.isFull }
            diskTook()
            if isKeyUrgent { flush() } else { flushLater() }
            if comeFast, commitTimer == nil, retryTimer == nil { commitLater() }
        } catch {
            trouble(error)
        }
    }

    /// Makes blocks of what is old enough, and flushes everything to the disk.
    func flush(sealingAll: Bool = false) {
        for timer in [commitTimer, retryTimer, flushTimer] { timer?.cancel() }
        (commitTimer, retryTimer, flushTimer) = (nil, nil, nil)
        _ = collect()
        let now = millisecondsSinceBoot()
        let isDue = { (open: OpenSession, pending: OpenSession.Pending) in
            sealingAll || pending.isFull || pending.isDue(now, self.blockInterval(open)) || self.isOver(open)
        }
        let mustSeal = sessions.values.contains { open in open.pending.values.contains { isDue(open, $0) } }
        guard isDirty || mustSeal || !unwritten.isEmpty || clock.hasSteps || !gaps.isEmpty else { return flushLater() }
        let isWriting = mustSeal || !unwritten.isEmpty || clock.hasSteps || !gaps.isEmpty
        waitingForDisk += unwritten.compactMap(\.completion)
        for index in unwritten.indices { unwritten[index].completion = nil }
        do throws(VaultError) {
            try sealSteps()
            try writeJournal()
            try sealPending(isDue)
            try sealGaps()
            try makeRoom()
            try toDisk()
            isKeyUrgent = false
            if isWriting { diskTook() }
        } catch {
            tellWaiting(false)
            trouble(error)
            // What was committed before is still flushed.
            if isDirty { do { try toDisk() } catch { diskRefused(error) } }
            return
        }
        sessions = sessions.filter { !isOver($0.value) || !$0.value.pending.isEmpty }
        flushLater()
    }

    /// How old a reading becomes before its block is made. What is sent at once may wait until a block is full, because
    /// each block has a price at the consumer.
    private func blockInterval(_ open: OpenSession) -> Duration {
        let isLive = grants.inForce(for: open.grant.sensor)?.kinds.contains(.live) ?? false
        return isLive ? max(settings.blockInterval, .seconds(65)) : settings.blockInterval
    }

    /// Something is written and not flushed, or waits to become a block.
    private func flushLater() {
        guard flushTimer == nil, isDirty || sessions.values.contains(where: { !$0.pending.isEmpty }) else { return }
        flushTimer = loop.after(settings.flushInterval) { [unowned self] in
            flushTimer = nil
            flush()
        }
    }

    /// The disk is full, read-only or broken: what could not be done is tried again, and what is unwritten waits in
    /// memory.
    func trouble(_ error: VaultError) {
        diskRefused(error)
        if error.reason == .diskFull { spareSpent() }
        guard retryTimer == nil else { return }
        retryTimer = loop.after(.seconds(1)) { [unowned self] in flush() }
    }

    /// What is unwritten goes into the journal in one transaction, and is pending then.
    private func writeJournal() throws(VaultError) {
        guard !unwritten.isEmpty else { return }
        lastCommit = millisecondsSinceBoot()
        for entry in unwritten { _ = try session(for: entry.grant) }
        adopt(try store.commit { () throws(VaultError) in try journal() })
    }

    /// The rows of `unwritten`, in its order; 0 for one that cannot be written down.
    private func journal() throws(VaultError) -> [Int64] {
        var rows: [Int64] = []
        for entry in unwritten {
            guard let open = sessions[entry.grant.stream], let record = try open.journalRecord(entry.reading) else {
                rows.append(0)
                continue
            }
            rows.append(
                try store.append(
                    record.sealed, number: record.number, at: entry.reading.moment.wall, stream: open.grant.stream,
                    session: open.id))
        }
        return rows
    }

    /// The transaction has succeeded: what was unwritten is pending.
    private func adopt(_ rows: [Int64]) {
        for (entry, row) in zip(unwritten, rows) {
            guard row != 0, let open = sessions[entry.grant.stream] else {
                dropped += 1
                continue
            }
            recorded += 1
            open.pending[entry.reading.kind, default: .init()].append(entry.reading, row)
        }
        isDirty = true
        unwritten.removeAll(keepingCapacity: true)
    }
}
