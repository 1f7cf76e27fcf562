import Fitness

/// Which positions count, one at a time, in the order of their times, and how far they are apart.
///
/// - A position that may be off by more than 50 m is dropped; what counts as too much can be set.
/// - A position that is not later than the one before is dropped. The caller sorts positions that are in any order.
/// - A position is dropped if, within ten seconds of the last credible one, it needs more speed than the activity has.
///   If more time has passed, then the credible one may have been the wrong one, or the phone was carried elsewhere:
///   the path begins again there, without the distance between.
/// - A position within its own accuracy of the last counted one adds nothing: standing still drifts.
/// - Pauses, and whatever else is between two pieces of a path, add nothing.
public struct PositionFilter: Hashable, Sendable {
    /// What becomes of a position.
    public enum Verdict: Hashable, Sendable {
        /// It begins a piece of the path, and adds no distance.
        case begins
        /// It adds a distance in metres since the last counted one, whose time is `since`, in Unix milliseconds.
        case counts(metres: Double, since: Int64)
        /// It is where the last counted one is, as far as can be known. `since` is as above.
        case stands(since: Int64)
        /// It may be too far off.
        case imprecise
        /// It is not later than the one before.
        case old
        /// It needs too much speed.
        case tooFast

        /// Whether it is where the person was.
        public var isCredible: Bool {
            switch self {
            case .begins, .counts, .stands: true
            case .imprecise, .old, .tooFast: false
            }
        }
    }

    /// How far off a position may be, unless something else is set, in metres.
    public static let worstAccuracy = 50.0
    /// Over how long a time a jump is judged, in milliseconds.
    static let judged: Int64 = 10_000
    /// Below this speed in metres a second a person stands: it is that of some forty steps a minute, from which on
    /// steps have a purpose (Tudor-Locke et al., Medicine & Science in Sports & Exercise 43(7), 2011).
    static let standing = 0.5

    private struct Fix: Hashable, Sendable {
        var time: Int64
        var place: Place
    }

    private let fastest: Double
    private let worst: Double
    private var seen: Int64?
    private var piece: Int?
    private var credible: Fix?
    private var counted: Fix?

    /// The distance so far, in metres.
    public private(set) var metres = 0.0

    /// A filter before the first position.
    public init(_ activity: Activity, worstAccuracy: Double = Self.worstAccuracy) {
        fastest = activity.fastestMetresPerSecond
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
        self.credible = Fix(time: point.time, place: point.place)
        let way = counted.place.metres(to: point.place)
        guard way > point.accuracy ?? 0 else { return .stands(since: counted.time) }
        self.counted = self.credible
        metres += way
        return .counts(metres: way, since: counted.time)
    }

    private mutating func begin(_ point: TrackPoint, _ piece: Int) -> Verdict {
        self.piece = piece
        credible = Fix(time: point.time, place: point.place)
        counted = credible
        return .begins
    }
}
