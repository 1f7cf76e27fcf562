import Daemon
import Telemetry
import Vault

/// A session's blocks as a gateway seals them: the key block, then blocks of readings, each at the place of its number.
func sealedBlocks(_ settings: LoadSettings, for grant: Grant) throws -> [[UInt8]] {
    guard let boot = bootID() else { throw Failure(.failure, "there is no boot id", hint: "is /proc mounted?") }
    let sessionBytes = try RandomBytes.draw(8)
    let session = try SessionID(bytes: sessionBytes)
    let key = try SessionKey.random()
    let cipher = BlockCipher(key: try key.blockKey(stream: grant.stream.bytes, session: sessionBytes))
    let keyHeader = BlockHeader(.key, BlockIdentity(stream: grant.stream, session: session, sequence: 0)).bytes
    var blocks = [
        try key.sealed(
            header: keyHeader, bootID: boot, recipient: grant.personPublicKey, gateway: settings.identity)
    ]
    blocks.reserveCapacity(settings.blocks + 1)
    var strap = Strap(at: unixMilliseconds() - Int64(settings.blocks * settings.readings) * 1000)
    for number in 1...UInt64(settings.blocks) {
        let readings = (0..<settings.readings).map { _ in strap.next() }
        let header = BlockHeader(
            .readings, BlockIdentity(stream: grant.stream, session: session, sequence: number)
        ).bytes
        let sealed = try cipher.seal(ReadingColumns.encode(readings), seq: number, aad: header)
        blocks.append(header + sealed)
    }
    return blocks
}

/// Heart rates like those of a chest strap: one a second and a few milliseconds off, a rate that wanders, RR intervals that vary
/// about it. The same ones in every run, so that the same bytes are stored.
private struct Strap {
    private var moment: Moment
    private var rate = 140
    private var noise = Noise()

    init(at wall: Int64) { moment = Moment(wall: wall, monotonic: 1_000_000) }

    mutating func next() -> Reading {
        let pause = UInt64.random(in: 990...1010, using: &noise)
        moment.monotonic += pause
        moment.wall += Int64(pause)
        rate = min(max(rate + Int.random(in: -1...1, using: &noise), 60), 190)
        let interval = 60 * 1024 / rate
        // At 140 beats a minute, two intervals or three end within a second.
        let beats = rate / 60 + (Int.random(in: 0..<60, using: &noise) < rate % 60 ? 1 : 0)
        let intervals = (0..<beats).map { _ in UInt16(interval + Int.random(in: -12...12, using: &noise)) }
        return Reading(
            at: moment,
            .heartRate(
                HeartRateMeasurement(beatsPerMinute: UInt16(rate), contact: .detected, rrIntervals: intervals)))
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
