import Daemon
import Telemetry
import Vault

/// A session's blocks as a gateway seals them, each under the number of its place: the key block, then blocks of
/// readings. They are made as they are taken, one after the other: five years of heartbeats fill no memory.
struct SealedBlocks {
    /// How many there are.
    let count: Int
    private let identity: (stream: StreamID, session: SessionID)
    private let cipher: BlockCipher
    private let keyBlock: [UInt8]
    private let readings: Int
    private var wearer: any Wearer
    private var next: UInt64 = 0

    init(_ settings: LoadSettings, for grant: Grant) throws {
        guard let boot = bootID() else { throw Failure(.unavailable, "there is no boot id", hint: "is /proc mounted?") }
        let sessionBytes = try RandomBytes.draw(8)
        identity = (grant.stream, try SessionID(bytes: sessionBytes))
        let key = try SessionKey.random()
        cipher = BlockCipher(key: try key.blockKey(stream: grant.stream.bytes, session: sessionBytes))
        let header = BlockHeader(.key, BlockIdentity(stream: grant.stream, session: identity.session, sequence: 0))
            .bytes
        keyBlock = try key.sealed(
            header: header, bootID: boot, recipient: grant.personPublicKey, gateway: settings.identity)
        count = settings.blocks + 1
        readings = settings.readings
        let begin = unixMilliseconds() - Int64(settings.blocks * settings.readings) * 1000
        wearer =
            if let activities = settings.activities {
                Person(at: begin, activities, hasIntervals: settings.hasIntervals)
            } else {
                Strap(at: begin)
            }
    }

    /// The next block.
    mutating func take() throws -> [UInt8] {
        defer { next += 1 }
        guard next > 0 else { return keyBlock }
        var beats: [Reading] = []
        beats.reserveCapacity(readings)
        for _ in 0..<readings { beats.append(wearer.next()) }
        let block = BlockIdentity(stream: identity.stream, session: identity.session, sequence: next)
        let header = BlockHeader(.readings, block).bytes
        return header + (try cipher.seal(ReadingColumns.encode(beats), seq: next, aad: header))
    }
}

/// Whose heart beats. The same beats in every run, so that the same bytes are stored.
private protocol Wearer {
    mutating func next() -> Reading
}

/// Heart rates like those of a chest strap in training: one a second and a few milliseconds off, a rate that wanders,
/// RR intervals that vary about it.
private struct Strap: Wearer {
    private var moment: Moment
    private var rate = 140
    private var noise = Noise()

    init(at wall: Int64) { moment = Moment(wall: wall, monotonic: 1_000_000) }

    mutating func next() -> Reading {
        moment.advance(by: UInt64.random(in: 990...1010, using: &noise))
        rate = min(max(rate + Int.random(in: -1...1, using: &noise), 60), 190)
        return reading(at: moment, rate, intervals: intervals(rate, &noise))
    }
}

/// A person who wears a strap day and night: heart rates of recorded activities, two a day, and rest in between, one a
/// second and a few milliseconds off.
private struct Person: Wearer {
    private var moment: Moment
    private var rate = 60.0
    private var noise = Noise()
    private let activities: [[UInt8]]
    private let hasIntervals: Bool
    /// Which activity goes on, and how far it is.
    private var activity: (index: Int, second: Int)?
    private var begun = 0

    init(at wall: Int64, _ activities: [[UInt8]], hasIntervals: Bool) {
        moment = Moment(wall: wall, monotonic: 1_000_000)
        self.activities = activities
        self.hasIntervals = hasIntervals
    }

    mutating func next() -> Reading {
        moment.advance(by: UInt64.random(in: 990...1010, using: &noise))
        let (day, second) = (Int(moment.wall / 86_400_000), Int(moment.wall / 1000 % 86_400))
        // In the morning and in the evening, each day at another time.
        if activity == nil, !activities.isEmpty {
            let turn = 2 * day + (second > 43_200 ? 1 : 0)
            let hour = turn % 2 == 0 ? 7 : 18
            if turn > begun, second >= hour * 3600 + turn * 7919 % 3600 {
                begun = turn
                activity = (turn % activities.count, 0)
            }
        }
        if let (index, second) = activity {
            rate = Double(activities[index][second])
            activity = second + 1 < activities[index].count ? (index, second + 1) : nil
        } else {
            // Asleep until seven; what an activity has raised sinks within minutes.
            let level = second < 7 * 3600 ? 54.0 : 70.0
            rate += (level - rate) * 0.01 + Double.random(in: -0.8...0.8, using: &noise)
        }
        let told = Int(rate.rounded())
        return reading(at: moment, told, intervals: hasIntervals ? intervals(told, &noise) : [])
    }
}

private func reading(at moment: Moment, _ rate: Int, intervals: [UInt16]) -> Reading {
    Reading(
        at: moment,
        .heartRate(HeartRateMeasurement(beatsPerMinute: UInt16(rate), contact: .detected, rrIntervals: intervals)))
}

/// At 140 beats a minute, two intervals or three end within a second.
private func intervals(_ rate: Int, _ noise: inout Noise) -> [UInt16] {
    let interval = 60 * 1024 / rate
    let beats = rate / 60 + (Int.random(in: 0..<60, using: &noise) < rate % 60 ? 1 : 0)
    return (0..<beats).map { _ in UInt16(interval + Int.random(in: -12...12, using: &noise)) }
}

extension Moment {
    fileprivate mutating func advance(by milliseconds: UInt64) {
        monotonic += milliseconds
        wall += Int64(milliseconds)
    }
}

/// SplitMix64, from a fixed seed.
private struct Noise: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
