public import Fitness

/// How a workout went, or goes. What cannot be known is nil.
public struct WorkoutFigures: Hashable, Sendable {
    /// For how long the latest value is "now", in milliseconds.
    static let present: Int64 = 30_000

    /// Heart rates, in beats per minute.
    public struct HeartRate: Hashable, Sendable {
        /// Now; nil if the latest is too long ago.
        public let now: Int?
        /// The zone of the one now, 0 to 5; nil if the person's zones are not known.
        public let zone: Int?
        /// The person's zones in this activity; nil if they are not known.
        public let zones: HeartRateZones?
        /// The mean over the recorded time; before the first slot of five seconds, that of the samples.
        public let mean: Double
        /// The lowest sample in active time.
        public let minimum: Int
        /// The highest sample in active time.
        public let maximum: Int
        /// How many samples there were in active time.
        public let samples: Int
        /// For how much of the active time the heart rate is known, in milliseconds: a value holds as `HeldHeartRates`
        /// says.
        public let recordedMilliseconds: Int64
        /// How many milliseconds of that were spent in each of the zones 1 to 5. What is below zone 1 is in none. Nil
        /// if the zones are not known.
        public let zoneMilliseconds: [Int64]?
        /// Edwards' load: minutes in each zone, times its number (Edwards 1993).
        public var edwards: Double? {
            zoneMilliseconds.map { times in
                times.enumerated().reduce(0) { $0 + Double($1.offset + 1) * Double($1.element) / 60_000 }
            }
        }
        /// Banister's training impulse; nil if sex, age or heart rate at rest are not known.
        public let banister: Double?

        init?(_ heart: HeartStream, _ minutes: WorkoutMinutes, at now: Int64) {
            guard let sampled = heart.samples.mean, let latest = heart.latest else { return nil }
            self.now = WorkoutFigures.isPresent(latest.time, at: now) ? latest.beatsPerMinute : nil
            zones = heart.zones
            zone = self.now.flatMap { heart.zones?.zone(of: Double($0)) }
            (minimum, maximum, samples) = (heart.samples.minimum, heart.samples.maximum, heart.samples.count)
            var (held, load) = (HeldTime(), 0.0)
            // The first one is zone 0.
            var inZones = [Int64](repeating: 0, count: 6)
            minutes.forEachHeld { part in
                let mean = part.mean
                held.add(Int64(part.slots.nonzeroBitCount), mean)
                inZones[heart.zones?.zone(of: mean) ?? 0] += part.milliseconds
                load += heart.impulse?.load(heartRate: mean, minutes: part.minutes) ?? 0
            }
            mean = held.mean ?? sampled
            recordedMilliseconds = held.slots * HeldHeartRates.slotMilliseconds
            zoneMilliseconds = heart.zones.map { _ in Array(inZones.dropFirst()) }
            banister = heart.impulse.map { _ in load }
        }
    }

    /// Speeds, in metres a second.
    public struct Speed: Hashable, Sendable {
        /// Over the latest ten seconds; nil if that is too long ago.
        public let now: Double?
        /// The distance by the time without pauses.
        public let mean: Double?
        /// The lowest over ten seconds.
        public let minimum: Double?
        /// The highest over ten seconds.
        public let maximum: Double?

        /// The pace now; nil while the person stands.
        public var paceNow: Pace? { now.flatMap { Pace(metres: $0, seconds: 1) } }
        /// The mean pace.
        public var paceMean: Pace? { mean.flatMap { Pace(metres: $0, seconds: 1) } }
        /// The slowest pace; nil if the person stood.
        public var paceSlowest: Pace? { minimum.flatMap { Pace(metres: $0, seconds: 1) } }
        /// The fastest pace.
        public var paceFastest: Pace? { maximum.flatMap { Pace(metres: $0, seconds: 1) } }

        init?(now: Double?, _ speeds: Extremes, metres: Double?, seconds: Double) {
            self.now = now
            mean = metres.flatMap { seconds > 0 ? $0 / seconds : nil }
            minimum = speeds.count > 0 ? speeds.minimum : nil
            maximum = speeds.count > 0 ? speeds.maximum : nil
            guard now != nil || mean != nil || maximum != nil else { return nil }
        }
    }

    /// Something that a sensor measures, in the sensor's unit.
    public struct Rate: Hashable, Sendable {
        /// Now; nil if the latest is too long ago.
        public let now: Double?
        /// The mean of all readings.
        public let mean: Double
        /// The highest.
        public let maximum: Double

        init?(_ rates: Extremes, now: Double?) {
            guard let mean = rates.mean else { return nil }
            self.now = now
            (self.mean, maximum) = (mean, rates.maximum)
        }
    }

    /// What the workout is.
    public let state: WorkoutTimer.State
    /// When it began, in Unix milliseconds; nil before.
    public let started: Int64?
    /// When it ended, in Unix milliseconds; nil before.
    public let ended: Int64?
    /// How long it has been active, without pauses, in milliseconds.
    public let activeMilliseconds: Int64
    /// Distance in metres.
    public internal(set) var metres: Double?
    /// Steps; only on foot.
    public internal(set) var steps: Int?
    /// Metres climbed.
    public internal(set) var ascentMetres: Double?
    /// Energy beyond rest in kilocalories, by the best formula that the data allows. `MetabolicEquivalent.table` is to
    /// be kept with it.
    public internal(set) var kilocalories: Double?
    /// What gave most of the energy; nil if there is none.
    public internal(set) var energySource: EnergySource?
    /// Heart rates.
    public internal(set) var heartRate: HeartRate?
    /// Speeds.
    public internal(set) var speed: Speed?
    /// Steps, or turns of the crank, in a minute, while there were any.
    public internal(set) var cadence: Rate?
    /// Power in watts.
    public internal(set) var power: Rate?
    /// How much of the goal is achieved, in percent, which may be above 100.
    public internal(set) var percent: Double?
    /// When the goal was reached, in Unix milliseconds: the time of the sample with which it was, or of the end if that
    /// is sooner. It is nil exactly while less than 100 % is achieved.
    public internal(set) var goalReached: Int64?

    init(state: WorkoutTimer.State, started: Int64?, ended: Int64?, activeMilliseconds: Int64) {
        (self.state, self.started, self.ended) = (state, started, ended)
        self.activeMilliseconds = activeMilliseconds
    }

    /// Whether what was known at a time is still so. A time in the future is present, too: clocks differ.
    static func isPresent(_ time: Int64, at now: Int64) -> Bool {
        let (age, isHuge) = now.subtractingReportingOverflow(time)
        return isHuge ? now < time : age <= present
    }
}
