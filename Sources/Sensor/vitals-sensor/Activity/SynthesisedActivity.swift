// A made-up person, who rests, warms up, runs and cools down, again and again. The heart follows the effort with a lag
// of half a minute, as hearts do, and beats a little unevenly with the breath; everything follows from one seed, so two
// runs with the same seed are the same.

import Glibc
import Telemetry

/// A made-up person, second by second, without end.
struct SynthesisedActivity: Activity {
    let temperatureSite: TemperatureSite? = .armpit

    private static let resting = 62.0
    private static let highest = 172.0
    private static let lag = 30.0
    /// Seconds and effort, 0 to 1, of one round.
    private static let phases: [(seconds: Double, effort: Double)] = [
        (60, 0), (120, 0.4), (300, 0.75), (60, 0.95), (120, 0.5), (90, 0.1),
    ]

    private var random: SplitMix64
    private var elapsed = 0.0
    private var heartRate = resting
    private var steps = 0.0
    private var distance = 0.0
    /// When the next beat falls, in seconds since the start, and when the last one fell.
    private var nextBeat = 0.5
    private var lastBeat = 0.0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next() -> Record? {
        let effort = Self.effort(at: elapsed)
        let goal = Self.resting + (Self.highest - Self.resting) * effort
        heartRate += (goal - heartRate) / Self.lag + Double.random(in: -0.6...0.6, using: &random)
        heartRate = min(Self.highest + 5, max(Self.resting - 6, heartRate))
        let cadence = effort < 0.05 ? 0 : 55 + 35 * effort
        let speed = effort < 0.05 ? 0 : 1 + 2.6 * effort
        let temperature = 36.6 + 0.8 * (heartRate - Self.resting) / (Self.highest - Self.resting)
        let record = Record(
            elapsed: elapsed, beatsPerMinute: UInt16(heartRate.rounded()), rrIntervals: beats(until: elapsed),
            steps: UInt32(steps),
            temperature: .number(mantissa: Int32((min(37.5, max(36.5, temperature)) * 100).rounded()), exponent: -2),
            cadencePerMinute: cadence.rounded(), metresPerSecond: speed, distance: distance)
        elapsed += 1
        steps += cadence * 2 / 60
        distance += speed
        return record
    }

    /// The times between the beats up to now. The breath, one in four seconds, makes them longer and shorter by 3 %.
    private mutating func beats(until now: Double) -> [UInt16] {
        var intervals: [UInt16] = []
        while nextBeat <= now {
            intervals.append(UInt16(((nextBeat - lastBeat) * 1024).rounded()))
            lastBeat = nextBeat
            let breath = 1 + 0.03 * sin(nextBeat * .pi / 2)
            nextBeat += 60 / heartRate * breath * Double.random(in: 0.985...1.015, using: &random)
        }
        return intervals
    }

    private static func effort(at elapsed: Double) -> Double {
        var left = elapsed.truncatingRemainder(dividingBy: phases.map(\.seconds).reduce(0, +))
        for phase in phases {
            if left < phase.seconds { return phase.effort }
            left -= phase.seconds
        }
        return 0
    }
}
