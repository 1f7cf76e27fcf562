public import Fitness

/// Where a receiver for satellites is, as gpsd tells it.
public struct ReceiverFix: Hashable, Sendable {
    /// When the receiver was there, in Unix milliseconds, by the satellites' clocks (`time`).
    public var time: Int64
    /// Degrees (WGS 84): `lat`, `lon`.
    public var place: Place
    /// Whether the altitude is known, too (`mode` 3).
    public var hasAltitude: Bool
    /// How far `place` may be off, in metres, with 95 % confidence: `eph`, or what `epx` and `epy` make together.
    public var accuracyMetres: Double?
    /// Metres above sea level (`altMSL`).
    public var altitudeMetres: Double?
    /// How far the altitude may be off, in metres (`epv`).
    public var verticalAccuracyMetres: Double?
    /// Metres a second over ground (`speed`).
    public var metresPerSecond: Double?
    /// The course over ground in degrees, clockwise from true north (`track`), from 0 to less than 360.
    public var courseDegrees: Double?
    /// The receiver, as gpsd names it (`device`): `/dev/ttyACM0`.
    public var device: String?

    /// A fix with nothing but the time, in Unix milliseconds, and the place.
    public init(time: Int64, place: Place, hasAltitude: Bool = false) {
        self.time = time
        self.place = place
        self.hasAltitude = hasAltitude
    }
}

/// Leaves out what cannot be: a fix that is not later than the one before, and a jump.
///
/// A jump needs more than a speed that nobody has, even if both fixes are off by all of their accuracy. Where two
/// further fixes agree with what was left out, the ones before were wrong, and not it: a receiver that has just been
/// switched on may be wrong about the place and about the date.
public struct FixSieve: Sendable {
    /// The fastest that a receiver moves.
    private let metresPerSecond: Double
    /// How many fixes have to agree on a place before it is no jump.
    private static let confirmations = 3

    private var last: ReceiverFix?
    private var doubtful: (fix: ReceiverFix, count: Int)?

    /// - Parameter metresPerSecond: the fastest that a receiver moves; as it is, 100 (360 km/h). On foot nobody makes
    ///   12.
    public init(metresPerSecond: Double = 100) {
        self.metresPerSecond = metresPerSecond
    }

    /// Whether a fix, which is the latest that came, is to be believed.
    public mutating func passes(_ fix: ReceiverFix) -> Bool {
        guard fix.time != last?.time else { return false }
        guard isNext(fix) || isConfirmed(fix) else { return false }
        last = fix
        doubtful = nil
        return true
    }

    private func isNext(_ fix: ReceiverFix) -> Bool {
        guard let last else { return true }
        return fix.time > last.time && isReachable(fix, from: last)
    }

    private mutating func isConfirmed(_ fix: ReceiverFix) -> Bool {
        guard let doubtful, fix.time > doubtful.fix.time, isReachable(fix, from: doubtful.fix) else {
            doubtful = (fix, 1)
            return false
        }
        self.doubtful = (fix, doubtful.count + 1)
        return doubtful.count + 1 >= Self.confirmations
    }

    private func isReachable(_ fix: ReceiverFix, from other: ReceiverFix) -> Bool {
        let slack = (fix.accuracyMetres ?? 0) + (other.accuracyMetres ?? 0)
        let seconds = Double(fix.time - other.time) / 1000
        return other.place.metres(to: fix.place) - slack <= metresPerSecond * seconds
    }
}
