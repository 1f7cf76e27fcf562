package import Telemetry
import TestSupport

/// An hour at 1 Hz, as straps send it: jitter in milliseconds around a regular tick, a pulse that wanders.
package func hourOfHeartRates(jitter: Int64, withIntervals: Bool, at first: Int64 = start) -> [Reading] {
    var generator = SeededGenerator(seed: 9)
    var (bpm, beats) = (70.0, 0.0)
    return (0..<3600).map { second in
        let noise =
            (0..<4).reduce(Int64(0)) { sum, _ in sum + .random(in: -jitter...jitter, using: &generator) } / 2
        bpm = min(max(bpm + .random(in: -0.8...0.8, using: &generator), 55), 150)
        var intervals: [UInt16] = []
        while beats < Double(second) {
            let seconds = 60 / bpm * .random(in: 0.95...1.05, using: &generator)
            intervals.append(UInt16(seconds * 1024))
            beats += seconds
        }
        let moment = Moment(
            wall: first + Int64(second) * 1000 + noise, monotonic: UInt64(1_000_000 + second * 1000 + Int(noise)))
        return Reading(
            at: moment,
            .heartRate(
                HeartRateMeasurement(
                    beatsPerMinute: UInt16(bpm), contact: .detected, rrIntervals: withIntervals ? intervals : [])))
    }
}
