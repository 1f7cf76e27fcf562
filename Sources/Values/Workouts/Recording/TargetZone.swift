/// The zone where somebody wants to keep their heart rate during a workout, and what is said to them about it.
///
/// A word helps only if something can be done about it, so nothing is said
///
/// - before ten seconds without a break on the same side: a heart rate beside a bound crosses it again and again;
/// - of a heart rate below the zone, until it was reached, or three minutes have passed since the start or the last
///   pause: a heart takes that long to follow an effort that is steady;
/// - more often than once a minute, and of the same side again only after five minutes;
/// - of being back, unless leaving was said.
///
/// A pause, or a heart rate that is not known, breaks the ten seconds. What was said is all that must be kept: the
/// seconds begin again after a restart.
public struct TargetZone: Hashable, Sendable {
    /// Where a heart rate is, seen from the zone.
    public enum Place: String, CaseIterable, Hashable, Sendable {
        /// Below it.
        case below
        /// In it.
        case within
        /// Above it.
        case above

        /// Where a heart rate in one zone is, seen from another.
        public init(_ zone: Int, seenFrom target: Int) {
            self = zone < target ? .below : zone > target ? .above : .within
        }
    }

    /// What was said last, and when, in Unix milliseconds.
    public struct Said: Hashable, Sendable {
        /// Where the heart rate was.
        public let place: Place
        /// When that was said.
        public let time: Int64
        /// When it was last said that the zone was left.
        public let left: Int64

        /// What was said.
        public init(_ place: Place, at time: Int64, left: Int64) {
            (self.place, self.time, self.left) = (place, time, left)
        }
    }

    /// How long it must be at a place, how long it may take at first, and how long nothing is said after something was said: of
    /// another side, and of the same one; all in milliseconds.
    static let (steady, patience, pause, again): (Int64, Int64, Int64, Int64) = (10_000, 180_000, 60_000, 300_000)

    /// The zone, 1 to 5.
    public let zone: Int
    /// What was said last; nil if nothing was.
    public private(set) var said: Said?
    /// Where the heart rate is, and since when.
    private var here: (place: Place, since: Int64)?
    /// When checks began, or the workout went on after a pause; nil while it is interrupted.
    private var active: Int64?
    /// Whether it has been in the zone or above since then.
    private var wasReached = false

    /// A target; nil if the zone does not exist.
    /// - Parameter said: what was said before a restart.
    public init?(zone: Int, said: Said? = nil) {
        guard (1...5).contains(zone) else { return nil }
        (self.zone, self.said) = (zone, said)
    }

    /// Checks a workout; call it repeatedly.
    /// - Parameters:
    ///   - heart: the zone of the heart rate now, 0 to 5; nil if it is not known.
    ///   - isActive: whether the workout is neither interrupted nor over.
    ///   - time: Unix milliseconds.
    /// - Returns: what is to be said now, which is taken to be said; nil if nothing.
    public mutating func look(_ heart: Int?, isActive: Bool, at time: Int64) -> Place? {
        guard isActive else {
            (here, active, wasReached) = (nil, nil, false)
            return nil
        }
        let since = active ?? time
        active = since
        guard let heart else {
            here = nil
            return nil
        }
        let place = Place(heart, seenFrom: zone)
        if here?.place != place { here = (place, time) }
        if place != .below { wasReached = true }
        guard let here, time - here.since >= Self.steady else { return nil }
        guard place != .below || wasReached || time - since >= Self.patience, isDue(place, time) else { return nil }
        said = Said(place, at: time, left: place == .within ? said?.left ?? time : time)
        return place
    }

    private func isDue(_ place: Place, _ time: Int64) -> Bool {
        guard let said else { return place != .within }
        if place == .within { return said.place != .within }
        return time - said.left >= (said.place == place ? Self.again : Self.pause)
    }

    /// Whether two have the same zone, and the same was said.
    public static func == (one: TargetZone, other: TargetZone) -> Bool {
        one.zone == other.zone && one.said == other.said
    }

    /// By zone and what was said.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(zone)
        hasher.combine(said)
    }
}
