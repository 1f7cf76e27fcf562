public import Fitness

// What a device or another program recorded, whatever the format that it came in: the value between files and the rest
// of the house. Nothing is guessed here. What a file does not say is nil, and what it says is kept as it says it, also
// where the samples would give another number.

/// A recorded activity: a run, a ride, a walk.
public struct Recording: Hashable, Sendable {
    /// What was done.
    public var sport: Sport
    /// What the person or the device called it.
    public var name: String?
    /// When it began, in Unix milliseconds.
    public var start: Int64
    /// When it ended, in Unix milliseconds, pauses included; never before `start`.
    public var end: Int64
    /// When the clock stood still, in order, without overlaps.
    public var pauses: [Pause]
    /// Its parts, in order; none where the whole is the only part.
    public var laps: [Lap]
    /// What was measured, in the order of time. Times may repeat.
    public var samples: [Sample]
    /// What the device says about the whole.
    public var totals: Totals
    /// What recorded it.
    public var device: Device?
    /// Which part of a longer activity it is, such as of a triathlon; nil if it is a whole one.
    public var session: Session?
    /// The swimming pool; nil if the file does not name one.
    public var pool: Pool?

    /// An activity from its parts.
    public init(
        sport: Sport, name: String? = nil, start: Int64, end: Int64, pauses: [Pause] = [], laps: [Lap] = [],
        samples: [Sample] = [], totals: Totals = Totals(), device: Device? = nil, session: Session? = nil,
        pool: Pool? = nil
    ) {
        self.sport = sport
        self.name = name
        self.start = start
        self.end = end
        self.pauses = pauses
        self.laps = laps
        self.samples = samples
        self.totals = totals
        self.device = device
        self.session = session
        self.pool = pool
    }
}

/// A part of an activity with several sports. Transitions between them do not count.
public struct Session: Hashable, Sendable {
    /// 1 for the first one.
    public var number: Int
    /// How many parts there are.
    public var count: Int
    /// When the first one began, in Unix milliseconds, to the second: the same in all parts.
    public var begun: Int64

    /// A part of several.
    public init(number: Int, of count: Int, begun: Int64) {
        self.number = number
        self.count = count
        self.begun = begun - begun % 1000
    }
}

/// A swimming pool.
public struct Pool: Hashable, Sendable {
    /// How long it is, in metres.
    public var metres: Double
    /// How many lengths were swum.
    public var lengths: Int?

    /// A pool, if it can be one: of 5 to 200 m.
    public init?(metres: Double?, lengths: Int?) {
        guard let metres, (5...200).contains(metres) else { return nil }
        self.metres = metres
        self.lengths = lengths.flatMap { (1...100_000).contains($0) ? $0 : nil }
    }
}

/// What was done.
public enum Sport: Hashable, Sendable {
    case running
    case walking
    case cycling
    /// Anything else, in lower case with spaces between words where it came from a list: `hiking`,
    /// `cross country skiing`; as it was written where a person made it up.
    case other(String)

    /// The word for it.
    public var name: String {
        switch self {
        case .running: "running"
        case .walking: "walking"
        case .cycling: "cycling"
        case .other(let name): name
        }
    }
}

/// Some time during which the clock of an activity stood still.
public struct Pause: Hashable, Sendable {
    /// When the clock stopped, in Unix milliseconds.
    public var start: Int64
    /// When it went on, in Unix milliseconds.
    public var end: Int64

    /// From one time to another.
    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}

/// A part of an activity.
public struct Lap: Hashable, Sendable {
    /// When it began, in Unix milliseconds.
    public var start: Int64
    /// When it ended, in Unix milliseconds.
    public var end: Int64
    /// What the device says about it.
    public var totals: Totals

    /// A part from one time to another.
    public init(start: Int64, end: Int64, totals: Totals = Totals()) {
        self.start = start
        self.end = end
        self.totals = totals
    }
}

/// What a device says about an activity or a lap as a whole.
public struct Totals: Hashable, Sendable {
    /// The way, in metres.
    public var distanceMetres: Double?
    /// How long it took, in milliseconds, without pauses.
    public var durationMilliseconds: Int64?
    /// In kilocalories, with what the body uses at rest unless `isEnergyBeyondRest`.
    public var energyKilocalories: Double?
    /// Whether the energy is only what it took beyond rest, as Apple Health's active energy is.
    public var isEnergyBeyondRest = false
    /// How many metres went uphill.
    public var ascentMetres: Double?
    /// Steps of both feet.
    public var steps: Int?
    /// The mean heart rate, in beats a minute.
    public var meanHeartRate: UInt16?
    /// The highest heart rate, in beats a minute.
    public var highestHeartRate: UInt16?

    /// Totals from what is known.
    public init(
        distanceMetres: Double? = nil, durationMilliseconds: Int64? = nil, energyKilocalories: Double? = nil,
        ascentMetres: Double? = nil, steps: Int? = nil, meanHeartRate: UInt16? = nil, highestHeartRate: UInt16? = nil
    ) {
        self.distanceMetres = distanceMetres
        self.durationMilliseconds = durationMilliseconds
        self.energyKilocalories = energyKilocalories
        self.ascentMetres = ascentMetres
        self.steps = steps
        self.meanHeartRate = meanHeartRate
        self.highestHeartRate = highestHeartRate
    }
}

/// What was measured at one time.
public struct Sample: Hashable, Sendable {
    /// In Unix milliseconds.
    public var time: Int64
    /// Where.
    public var place: Place?
    /// Metres above the sea.
    public var altitude: Double?
    /// The way since the start, in metres.
    public var distance: Double?
    /// In metres a second.
    public var speed: Double?
    /// In a minute: turns of the crank, or strides, which are two steps each.
    public var cadence: Double?
    /// In degrees Celsius.
    public var temperature: Double?
    /// Steps of both feet since the start.
    public var steps: UInt32?
    /// Beats a minute.
    public var heartRate: UInt16?
    /// In watts.
    public var power: UInt16?

    /// A sample from what is known.
    public init(
        time: Int64, place: Place? = nil, altitude: Double? = nil, distance: Double? = nil, speed: Double? = nil,
        cadence: Double? = nil, temperature: Double? = nil, steps: UInt32? = nil, heartRate: UInt16? = nil,
        power: UInt16? = nil
    ) {
        self.time = time
        self.place = place
        self.altitude = altitude
        self.distance = distance
        self.speed = speed
        self.cadence = cadence
        self.temperature = temperature
        self.steps = steps
        self.heartRate = heartRate
        self.power = power
    }

    /// Whether nothing was measured.
    public var isEmpty: Bool {
        place == nil && altitude == nil && distance == nil && speed == nil && cadence == nil && temperature == nil
            && steps == nil && heartRate == nil && power == nil
    }
}

/// What recorded an activity. Together with the start, it shows a duplicate.
public struct Device: Hashable, Sendable {
    /// Its maker: a word of FIT's list, such as `garmin`, the number in that list where we do not know the word, or a
    /// name.
    public var manufacturer: String?
    /// The maker's number for the product, or a name.
    public var product: String?
    /// The number of this one device.
    public var serial: String?

    /// A device from what is known of it.
    public init(manufacturer: String? = nil, product: String? = nil, serial: String? = nil) {
        self.manufacturer = manufacturer
        self.product = product
        self.serial = serial
    }

    /// Whether nothing is known of it.
    public var isEmpty: Bool { manufacturer == nil && product == nil && serial == nil }
}
