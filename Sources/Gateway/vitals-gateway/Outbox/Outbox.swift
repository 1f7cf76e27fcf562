// What a sensor sent is kept here until the consumer has it.
//
//     append ──► in memory ──5 s──► journal ──flush──► on the disk ──10 s, or 64 readings──► block ──flush──► uplink ──ack──► kept 14 days
//
// A reading is sealed and written to a file in the machine's memory (RAMJournal.swift). From then on it survives a killed
// process, without a disk and without the outbox's thread. Three sorts of readings go into the journal by a commit instead:
// those of a gateway that has no folder for that file, those that are also sent live, and those that somebody waits for. A
// reading that comes alone is committed immediately; others follow together, 20 ms after the commit before. Every five seconds
// one flush takes everything to the disk. Every ten, or as soon as there are 64, readings become a block, which is
// sealed once and sent as the same bytes until the consumer's signed acknowledgement comes; only flushed blocks are
// sent. The random keys that seal journal and blocks are made at each start and never written to the disk in the clear:
// they travel in the session's key block, sealed to the person. So the finder of a stolen card can open nothing, and
// what a crash leaves in the journal is sent as it is, in loose blocks, for the consumer to open.
//
// Without a grant for a sensor, its readings are live only, and counted as not recorded. What cannot be held, in memory
// while the disk accepts nothing or on the disk once the limit is reached, is dropped, the oldest first, and a gap
// block says what is missing.
//
// OutboxIntake.swift takes readings in, OutboxMemory.swift keeps them in memory, this file says when they are written down, and
// OutboxWriting.swift does it. OutboxDisk.swift has them flushed by a thread of
// its own (Flusher.swift); OutboxBlocks.swift makes sessions and sends blocks (Uplink.swift); OutboxRoom.swift keeps within the
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
        /// It is in the journal in memory.
        var sealed: Sealed?
    }

    /// A reading as a journal has it.
    struct Sealed {
        let session: SessionID
        let number: UInt64
        let bytes: [UInt8]
        /// Its id in the journal in memory; 0 if it is not there.
        let id: UInt64
    }

    /// The pause between commits, in milliseconds. Without a journal in memory, a killed gateway loses readings that are
    /// younger than this plus the commit that follows: we promise 50 ms.
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
    /// Sessions that are over; what was sealed for them is to be written down, and becomes blocks at once.
    var retiring: [OpenSession] = []
    /// Empty between two calls of `collect`; its memory is used again.
    var collected: [Intake.Entry] = []
    var unwritten: [Unwritten] = []
    /// The folder for the journal in memory; without one, there is no such journal.
    let memoryFolder: String?
    /// The last record of the journal in memory that was collected, and the last that is written down.
    var collectedThrough: UInt64 = 0
    var writtenThrough: UInt64 = 0
    /// Whether so much was collected from memory that it is written down before the next flush.
    var isMemoryFull = false
    /// Whether `intake` has the writers that it may have.
    var areWritersLent = false
    /// A sensor whose grant is about to change.
    var withdrawn: ID?
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
    var lastCommit: UInt64 = 0
    private(set) var flushTimer: EventLoop.Timer?
    var sendTimer: EventLoop.Timer?
    private var reportTimer: EventLoop.Timer?
    var recorded = 0
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
    ///   - memory: the folder for the journal in memory; without one, there is no such journal.
    init(
        _ settings: OutboxSettings, in state: String, inMemory memory: String?,
        of gateway: (id: ID, key: Ed25519.SigningKey), for consumer: [UInt8]?, _ topics: Topics,
        publishingOn session: Session
    ) throws {
        self.settings = settings
        memoryFolder = memory
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
        try openMemory()
        try sealLeftovers()
        try sealSteps()
        try store.durably { () throws(VaultError) in }
        flushedThrough = try store.lastBlock()
        flusher.start()
        loop.perform { [self] in
            self.onChange = onChange
            reportLater()
            every(.seconds(3600), tolerance: .seconds(60)) { [unowned self] in removeOld() }
            removeOld()
            lendWriters()
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
        closeMemory()
    }

    /// Checks clock and disk, of which no event comes, and says that the health is due: each twelve seconds at the latest, and when
    /// everything is acknowledged. A single sensor's blocks are acknowledged each eleven seconds, so that no timer wakes the thread then.
    func report() {
        checkClock(.now())
        checkFlush()
        checkDisk()
        tellOfOlderStore()
        onChange()
        reportLater()
    }

    private func reportLater() {
        reportTimer?.cancel()
        reportTimer = loop.after(.milliseconds(11_200), tolerance: .milliseconds(800)) { [unowned self] in report() }
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

    /// Takes what was left for the thread, and has it committed: at once, unless the last commit was just now. If all of
    /// it is in memory that survives a killed process, only the next flush commits it.
    func takeIn() {
        guard !collect() else { return flush() }
        guard !unwritten.isEmpty, commitTimer == nil, retryTimer == nil else { return }
        guard isMemoryFull || unwritten.contains(where: { $0.sealed == nil }) else { return flushLater() }
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
        let comeFast = unwritten.count { $0.sealed == nil } > 1
        do throws(VaultError) {
            try write { _, pending in pending.isFull }
            diskTook()
            lendWriters()
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
        let mustSeal =
            sessions.values.contains { open in open.pending.values.contains { isDue(open, $0) } }
            || retiring.contains { !$0.pending.isEmpty }
        guard isDirty || mustSeal || !unwritten.isEmpty || clock.hasSteps || !gaps.isEmpty else { return flushLater() }
        let isWriting = mustSeal || !unwritten.isEmpty || clock.hasSteps || !gaps.isEmpty
        waitingForDisk += unwritten.compactMap(\.completion)
        for index in unwritten.indices { unwritten[index].completion = nil }
        do throws(VaultError) {
            try sealSteps()
            try write(isDue)
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
        retiring.removeAll { $0.pending.isEmpty }
        lendWriters()
        flushLater()
    }

    /// How old a reading becomes before its block is made. What is sent at once may wait until a block is full, because
    /// each block has a price at the consumer.
    private func blockInterval(_ open: OpenSession) -> Duration {
        let isLive = grants.inForce(for: open.grant.sensor)?.kinds.contains(.live) ?? false
        return isLive ? max(settings.blockInterval, .seconds(65)) : settings.blockInterval
    }

    /// Something is not flushed, or waits to become a block.
    private func flushLater() {
        let isPending = (sessions.values + retiring).contains { !$0.pending.isEmpty }
        if isDirty || isPending || !unwritten.isEmpty { setFlushTimer() }
    }

    /// Something is not flushed, perhaps only in `intake`.
    func setFlushTimer() {
        guard flushTimer == nil else { return }
        intake.withLock { $0.isTimed = true }
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
}
