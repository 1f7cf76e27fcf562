import ActivityFiles
import Fitness
import Telemetry
import Workouts

extension KeptWorkout {
    /// A workout as a recording, which files are written from.
    /// - Parameters:
    ///   - samples: what was measured in its time.
    ///   - figures: the line of a list, for what is known of the whole.
    ///   - person: as they were then: energy in files is with what the body uses at rest.
    func recording(_ samples: [WorkoutSample], _ figures: JSON, of person: Person) -> Recording {
        let (start, end) = (started, timer.ended ?? started)
        let spans = timer.intervals
        let pauses = zip(spans, spans.dropFirst()).map { one, next in
            Pause(start: one.end ?? next.start, end: next.start)
        }
        let resting = person.restingKilocalories(minutes: Double(activeMilliseconds) / 60_000) ?? 0
        let totals = Totals(
            distanceMetres: figures["distance_m"]?.double,
            durationMilliseconds: activeMilliseconds,
            energyKilocalories: figures["energy_kcal"]?.double.map { $0 + resting }, ascentMetres: figures["ascent_m"]?.double,
            steps: figures["steps"]?.double.map { Int($0) },
            meanHeartRate: origin?.meanHeartRate.map { UInt16(clamping: $0) },
            highestHeartRate: origin?.highestHeartRate.map { UInt16(clamping: $0) })
        return Recording(
            sport: activity.sport, name: name, start: start, end: end,
            pauses: pauses.filter { $0.start < $0.end },
            samples: Self.merged(samples, in: start...end, activity), totals: totals,
            session: origin?.session.map { Session(number: $0.number, of: $0.count, begun: $0.begun) },
            pool: origin?.pool.flatMap { Pool(metres: $0.metres, lengths: $0.lengths) })
    }

    /// What was measured at the same millisecond is one sample of a file.
    private static func merged(
        _ samples: [WorkoutSample], in times: ClosedRange<Int64>, _ activity: Activity
    ) -> [Sample] {
        var merged: [Sample] = []
        var counter: (first: UInt32, last: UInt32, made: UInt32)?
        for sample in WorkoutSample.inOrder(samples) where times.contains(sample.time) {
            if case .pedometer = sample { continue }
            if merged.last?.time != sample.time { merged.append(Sample(time: sample.time)) }
            var one = merged[merged.count - 1]
            switch sample {
            case .heartRate(let reading): one.heartRate = UInt16(clamping: reading.beatsPerMinute)
            case .position(let point):
                one.place = point.place
                one.altitude = point.altitude
            case .motion(let motion):
                one.speed = motion.metresPerSecond ?? one.speed
                one.distance = motion.totalMetres ?? one.distance
                // A file has strides on foot.
                one.cadence = motion.cadence.map { activity.gait == nil ? $0 : $0 / 2 } ?? one.cadence
                one.power = motion.watts.map { UInt16($0) } ?? one.power
            case .steps(let reading):
                var count = counter ?? (reading.counter, reading.counter, 0)
                count.made &+= StepCounter.steps(from: count.last, to: reading.counter)
                count.last = reading.counter
                counter = count
                one.steps = count.made
            case .pedometer: break
            }
            merged[merged.count - 1] = one
        }
        return merged
    }
}

extension Activity {
    fileprivate var sport: Sport {
        switch self {
        case .running: .running
        case .walking: .walking
        case .cycling: .cycling
        case .custom(let name): .other(name.text)
        }
    }
}
