import Fitness

/// Which positions count, one at a time, in the order of their times, and how far they are apart.
///
/// - A position that may be off by more than 50 m is dropped; what counts as too much can be set.
/// - A position that is not later than the one before is dropped. The caller sorts positions that are in any order.
/// - A position is dropped if, within ten seconds of the last credible one, it needs more speed than the activity has.
///   If more time has passed, then the credible one may have been the wrong one, or the phone was carried elsewhere:
///   the path begins again there, without the distance between.
/// - A person stands while the mean place of the last ten seconds is nearer to that of the ten seconds before than
///   their lowest speed leads: standing still drifts. They stand at the earlier mean, unless that is farther from where
///   they were last counted: then they have turned round. In the first ten seconds of a piece none of this is known,
///   and what was walked is added afterwards. Where positions are farther apart, nothing says that somebody stands.
/// - A way counts once it is longer than the position may be off, or than 3 m if that is not known.
/// - Pauses, and whatever else is between two pieces of a path, add nothing.
public struct PositionFilter: Hashable, Sendable {
    /// What becomes of a position.
    public enum Verdict: Hashable, Sendable {
        /// It begins a piece of the path, and adds no distance.
        case begins
        /// It adds a distance in metres since the last counted one, or since a stand. `since` is when the person was
        /// there, in Unix milliseconds.
        case counts(metres: Double, since: Int64)
        /// The person stands.
        case stands
        /// It is not known yet whether it is elsewhere than the last counted one. `since` is as above.
        case waits(since: Int64)
        /// It may be too far off.
        case imprecise
        /// It is not later than the one before.
        case old
        /// It needs too much speed.
        case tooFast

        /// Whether it is where the person was.
        public var isCredible: Bool {
            switch self {
            case .begins, .counts, .stands, .waits: true
            case .imprecise, .old, .tooFast: false
            }
        }
    }

    /// How far off a position may be, unless something else is set, in metres.
    public static let worstAccuracy = 50.0
    /// Over how long a time a jump is judged, in milliseconds.
    static let judged: Int64 = 10_000
    /// How far off a position may be that does not say so, in metres.
    static let unknownAccuracy = 3.0
    /// Over how long a time a mean place is taken, in milliseconds.
    static let meanLength: Int64 = 10_000
    /// What comes sooner than this after the one before is no part of a mean place, in milliseconds.
    private static let grain: Int64 = 250

    private struct Fix: Hashable, Sendable {
        var time: Int64
        var place: Place
    }

    private let fastest: Double
    private let standing: Double
    private let worst: Double
    private var seen: Int64?
    private var piece: Int?
    private var credible: Fix?
    private var counted: Fix?
    /// When the piece began.
    private var begun: Int64 = 0
    /// The credible positions of twice the length of a mean, at most eighty.
    private var recent: [Fix] = []

    /// The distance so far, in metres.
    public private(set) var metres = 0.0

    /// A filter before the first position.
    public init(_ activity: Activity, worstAccuracy: Double = Self.worstAccuracy) {
        (fastest, standing) = (activity.fastestMetresPerSecond, activity.standingMetresPerSecond)
        // What is no number lets nothing pass.
        worst = worstAccuracy.isNaN ? -1 : worstAccuracy
    }

    /// Judges a position.
    /// - Parameter piece: which piece of the path it is on: `WorkoutTimer.interval(at:)`.
    public mutating func add(_ point: TrackPoint, piece: Int = 0) -> Verdict {
        if let seen, point.time <= seen { return .old }
        seen = point.time
        if let accuracy = point.accuracy, accuracy > worst { return .imprecise }
        guard self.piece == piece, let credible, let counted else { return begin(point, piece) }
        let elapsed = point.time - credible.time
        if point.place.metres(to: credible.place) > fastest * Double(elapsed) / 1000 {
            return elapsed <= Self.judged ? .tooFast : begin(point, piece)
        }
        return follow(Fix(time: point.time, place: point.place), counted, point.accuracy ?? Self.unknownAccuracy)
    }

    /// Judges a credible position.
    private mutating func follow(_ fix: Fix, _ counted: Fix, _ accuracy: Double) -> Verdict {
        credible = fix
        remember(fix)
        let now = recent.firstIndex { $0.time > fix.time - Self.meanLength } ?? recent.endIndex
        if let before = Self.mean(recent[..<now]), let mean = Self.mean(recent[now...]) {
            let lowest = standing * Double(mean.time - before.time) / 1000
            if before.place.metres(to: mean.place) < lowest {
                if before.place.metres(to: counted.place) < lowest {
                    self.counted = Fix(time: max(counted.time, before.time), place: before.place)
                }
                return .stands
            }
        } else if fix.time - begun < Self.meanLength {
            return .waits(since: counted.time)
        }
        let way = counted.place.metres(to: fix.place)
        guard way > accuracy else { return .waits(since: counted.time) }
        self.counted = fix
        metres += way
        return .counts(metres: way, since: counted.time)
    }

    private mutating func begin(_ point: TrackPoint, _ piece: Int) -> Verdict {
        (self.piece, begun, recent) = (piece, point.time, [])
        credible = Fix(time: point.time, place: point.place)
        counted = credible
        remember(Fix(time: point.time, place: point.place))
        return .begins
    }

    private mutating func remember(_ fix: Fix) {
        if let last = recent.last, fix.time - last.time < Self.grain { return }
        recent.append(fix)
        recent.removeFirst(recent.prefix { $0.time <= fix.time - 2 * Self.meanLength }.count)
    }

    /// Where and when some positions are on average; nil if there is none. Degrees are counted from the first one, so
    /// that the mean of both sides of the date line is not on the other side of the Earth.
    private static func mean(_ fixes: ArraySlice<Fix>) -> Fix? {
        guard let first = fixes.first else { return nil }
        var (time, north, east) = (Int64(0), 0.0, 0.0)
        for fix in fixes {
            time += fix.time - first.time
            north += fix.place.latitude - first.place.latitude
            east += (fix.place.longitude - first.place.longitude).remainder(dividingBy: 360)
        }
        let count = Double(fixes.count)
        let place = Place(
            latitude: first.place.latitude + north / count, longitude: first.place.longitude + east / count)
        return Fix(time: first.time + time / Int64(fixes.count), place: place)
    }
}
