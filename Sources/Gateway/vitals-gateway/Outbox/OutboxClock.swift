import Daemon
import Files
import Telemetry

// A Raspberry Pi without a battery for its clock boots with a time that is plausible but wrong, and learns the right
// one when there is a network. Readings carry wall time and monotonic time. When the wall clock is set, a clock block
// tells the consumer by how much all earlier readings of this boot were wrong, and the consumer corrects them. The
// latest time of a boot is taken to be the right one; each step adds to those before, so a mistake that is corrected
// leaves no trace.

/// The wall clock of this boot against the monotonic one. Belongs to the outbox's thread.
struct BootClock {
    /// The wall clock was set: by how much, and at which monotonic time.
    struct Step: Equatable {
        let correction: Int64
        let until: UInt64
    }

    /// A smaller difference comes from reading two clocks one after the other, and is not worth a block.
    static let threshold: Int64 = 500

    /// Wall minus monotonic milliseconds.
    private var offset: Int64
    /// Steps whose clock blocks are not on the disk yet, the oldest first.
    private(set) var steps: [Step] = []
    private var lastStep: UInt64 = 0

    init(offset: Int64) { self.offset = offset }

    /// Continues where the last run of the same boot ended.
    init(_ store: OutboxStore, _ boot: [UInt8]) throws(VaultError) {
        let now = Moment.now()
        if let kept = try store.clockOffset(of: boot) {
            self.init(offset: kept)
            _ = observe(now)
        } else {
            self.init(offset: now.wall - Int64(now.monotonic))
            let offset = offset
            try store.durably { () throws(VaultError) in try store.beginBoot(boot, offset: offset) }
        }
    }

    var hasSteps: Bool { !steps.isEmpty }

    /// By how much the clock was set before this moment; nil if it was not.
    func step(before moment: Moment) -> Int64? {
        // A reading that was measured before the step and comes after it, from another thread, is not a step.
        guard moment.monotonic >= lastStep, moment.wall.magnitude <= Moment.limit.magnitude,
            moment.monotonic <= UInt64(Moment.limit)
        else { return nil }
        let correction = moment.wall - Int64(moment.monotonic) - offset
        return correction.magnitude > Self.threshold.magnitude ? correction : nil
    }

    /// Says whether the clock was set before this moment.
    mutating func observe(_ moment: Moment) -> Bool {
        guard let correction = step(before: moment) else { return false }
        steps.append(Step(correction: correction, until: moment.monotonic))
        offset += correction
        lastStep = moment.monotonic
        return true
    }

    /// The oldest step was reported.
    mutating func forgetStep() { steps.removeFirst() }
}

extension Outbox {
    /// If no readings come, something else has to check the clock.
    func checkClock(_ now: Moment) {
        takeIn()
        if observe(now) { flush() }
    }

    /// Says whether the clock was set before this moment. Then nothing is sealed where it comes until that is written down.
    func observe(_ moment: Moment) -> Bool {
        guard clock.observe(moment) else { return false }
        intake.withLock { $0.writers = [:] }
        areWritersLent = false
        return true
    }

    /// Clock blocks for every stream that has readings of this boot.
    func sealSteps() throws(VaultError) {
        guard clock.hasSteps else { return }
        // The readings about to be written with the old time may be the first of their streams.
        for entry in unwritten where entry.sealed == nil { _ = try session(for: entry.grant) }
        while let step = clock.steps.first {
            var blocks: [(identity: BlockIdentity, bytes: [UInt8])] = []
            for stream in try store.bootStreams() {
                guard let grant = grants.grant(of: stream),
                    let boot = try? BootID(bytes: boot),
                    let body = try? ClockBody(boot: boot, correction: step.correction, until: step.until)
                else { continue }
                blocks.append(try session(for: grant).block(.clock, body.bytes))
            }
            try store.commit { () throws(VaultError) in
                for block in blocks { try store.add(block.identity, block.bytes, at: unixMilliseconds()) }
                try store.moveClock(by: step.correction)
            }
            isDirty = true
            clock.forgetStep()
            log.warning(
                "the clock was set by \(step.correction) ms: earlier readings of this boot are corrected",
                event: .clockSet)
        }
    }
}

extension Moment {
    /// This moment by both clocks. A thread that slept between the two reads them again.
    static func now() -> Moment {
        var monotonic = millisecondsSinceBoot()
        for _ in 0..<16 {
            let wall = unixMilliseconds()
            let after = millisecondsSinceBoot()
            if after - monotonic <= 20 { return Moment(wall: wall, monotonic: monotonic) }
            monotonic = after
        }
        return Moment(wall: unixMilliseconds(), monotonic: monotonic)
    }
}
