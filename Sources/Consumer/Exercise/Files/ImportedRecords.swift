import ActivityFiles
import Fitness
import Readings
import Telemetry

// Heart rates and steps of all day, which belong to no workout.

/// What one source has recorded of all day.
struct ImportedRecords: Sendable {
    let source: String
    /// In the order of their times.
    var readings: [Reading]

    /// The moment of a reading of which only the wall time is known, in Unix milliseconds.
    static func moment(_ time: Int64) -> Moment { OwnGateway.moment(time) }

    /// A heart rate; nil if it cannot be.
    static func heartRate(_ time: Int64, _ beatsPerMinute: Int64) -> Reading? {
        guard (1...300).contains(beatsPerMinute) else { return nil }
        return Reading(
            at: moment(time), .heartRate(HeartRateMeasurement(beatsPerMinute: UInt16(beatsPerMinute))))
    }

    /// Steps of a span of time; nil if nobody makes that many, or it lasts for more than a day and a half.
    static func steps(from: Int64, to: Int64, _ steps: Int64) -> Reading? {
        let length = to - from
        guard length > 0, length <= StepCounter.longestGap, steps > 0, steps <= StepCounter.mostIn(length) else {
            return nil
        }
        return Reading(
            at: moment(to), .pedometer(PedometerSpan(milliseconds: UInt32(length), steps: UInt32(steps))))
    }

    /// The records of a file, a part for each source.
    /// - Parameters:
    ///   - timeline: knows what counters showed before.
    ///   - times: those that are taken.
    static func all(
        in recordings: Recordings, _ format: String, _ timeline: inout StepTimeline, _ times: ClosedRange<Int64>
    ) -> [ImportedRecords] {
        var bySource: [String: [Reading]] = [:]
        for rate in recordings.heartRates where times.contains(rate.time) {
            guard let reading = heartRate(rate.time, Int64(rate.beatsPerMinute)) else { continue }
            bySource[rate.source ?? format, default: []].append(reading)
        }
        for span in timeline.spans(of: recordings.steps) where times.contains(span.to) {
            guard let reading = steps(from: span.from, to: span.to, Int64(span.steps)) else { continue }
            bySource[span.source ?? format, default: []].append(reading)
        }
        return bySource.sorted { $0.key < $1.key }.map { source, readings in
            ImportedRecords(
                source: ImportSources.shortened(source),
                readings: readings.sorted { $0.moment.wall < $1.moment.wall })
        }
    }
}
