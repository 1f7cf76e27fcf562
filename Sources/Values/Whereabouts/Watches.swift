public import Telemetry

// What guardians can be told of besides areas. Each occasion has a key that is the same whenever it is judged again, so
// that it is told once; after that, there is no other occasion before things were in order in the meantime.

/// Something of which a guardian is to be told.
public struct Occasion: Hashable, Sendable {
    /// What tells it from others of the same watch.
    public let key: String
    /// When it was, in Unix milliseconds.
    public let time: Int64
}

/// No position for some minutes. It is judged by the time at which a position was found, not by when it came.
public struct SilenceWatch: Hashable, Sendable {
    /// From 5 to 1,440.
    public var minutes: Int64

    /// What `minutes` may be.
    public static let minutes: ClosedRange<Int64> = 5...1440

    /// - Parameter minutes: within `minutes`.
    public init(minutes: Int64) { self.minutes = minutes }

    /// - Parameters:
    ///   - last: the time of the latest position; nil if there is none.
    ///   - begin: since when it is watched. Like all times here, in Unix milliseconds.
    /// - Returns: what is to be told, with the same key until a position comes that is later; nil if it is no silence.
    public func occasion(last: Int64?, since begin: Int64, now: Int64) -> Occasion? {
        let known = max(last ?? begin, begin)
        guard now >= known + minutes * 60_000 else { return nil }
        return Occasion(key: "silence \(last.map { "\($0)" } ?? "never")", time: last ?? begin)
    }
}

/// A phone's battery below some percent. It is in order again when it is charged, or has risen by ten points.
public struct BatteryWatch: Hashable, Sendable {
    /// Percent, from 1 to 90.
    public var below: Int64
    private var batteries: [Battery] = []

    /// What `below` may be.
    public static let percents: ClosedRange<Int64> = 1...90
    /// How many points the battery has to rise above the limit to have recovered.
    private static let recovery = 10.0
    /// How many phones are remembered: those that said something last.
    private static let most = 8

    private struct Battery: Hashable {
        let source: String
        /// When the phone last said something, in Unix milliseconds.
        var last: Int64
        /// Whether it was told, and the battery has not recovered since.
        var isLow = false
    }

    /// - Parameter below: within `percents`.
    public init(below: Int64) { self.below = below }

    /// Whether any battery was low when it was last heard of.
    public var isLow: Bool { batteries.contains(where: \.isLow) }

    /// What a phone says, in Unix milliseconds. What is not later than the last time is left out.
    /// - Parameters:
    ///   - source: which phone; one that is full says nothing of another.
    ///   - now: the service's clock, in Unix milliseconds; nil believes every phone's clock.
    public mutating func take(
        percent: Double, isCharging: Bool, at time: Int64, of source: String = "", now: Int64? = nil
    ) -> Occasion? {
        let index = batteries.firstIndex { $0.source == source }
        guard (0...100).contains(percent), AreaWatch.isName(source),
            let time = SourceClock.order(time, after: index.map { batteries[$0].last }, now: now ?? time)
        else { return nil }
        var battery = index.map { batteries.remove(at: $0) } ?? Battery(source: source, last: time)
        battery.last = time
        if isCharging || percent >= Double(below) + Self.recovery { battery.isLow = false }
        let isTold = percent < Double(below) && !isCharging && !battery.isLow
        if isTold { battery.isLow = true }
        batteries.append(battery)
        if batteries.count > Self.most { batteries.removeFirst() }
        return isTold ? Occasion(key: "battery \(source.isEmpty ? "" : source + " ")\(time)", time: time) : nil
    }

    /// What was known of it. What is no such state changes nothing.
    public mutating func restore(_ json: JSON) {
        guard let batteries = try? Self.batteries(json) else { return }
        self.batteries = batteries
    }

    private static func batteries(_ json: JSON) throws(KeptState.Malformed) -> [Battery] {
        var batteries: [Battery] = []
        for json in try KeptState(json).list("batteries", atMost: most) {
            let kept = try KeptState(json)
            guard let source = try kept.textIfPresent("source"), AreaWatch.isName(source),
                !batteries.contains(where: { $0.source == source })
            else { throw KeptState.Malformed() }
            batteries.append(Battery(source: source, last: try kept.time("last"), isLow: try kept.flag("low")))
        }
        return batteries
    }

    /// What is known of it: less than 2 KB.
    public var state: JSON {
        let batteries = batteries.map { battery in
            JSON.object(present: [
                "source": .string(battery.source), "last": .integer(battery.last), "low": battery.isLow ? true : nil,
            ])
        }
        return .object(present: ["batteries": batteries.isEmpty ? nil : .array(batteries)])
    }
}

/// A heart rate out of a range for some minutes. It is in order again after a minute within the range.
///
/// What lasts for less than ten seconds, or is a single rate, changes nothing: a strap that slips counts anything.
/// After two minutes without a rate it begins again: nobody knows what was in between.
public struct HeartRateRangeWatch: Hashable, Sendable {
    /// Beats per minute; nil for no limit.
    public var below: Int64?
    /// Beats per minute; nil for no limit.
    public var above: Int64?
    /// From 1 to 120.
    public var minutes: Int64
    private var last: Int64?
    private var stretch: Stretch?
    /// The other side of the limits, which may be an outlier only.
    private var turn: Stretch?
    private var isTold = false

    /// What `below` and `above` may be.
    public static let rates: ClosedRange<Int64> = 20...250
    /// What `minutes` may be.
    public static let minutes: ClosedRange<Int64> = 1...120
    /// Milliseconds: a gap after which nothing is known; how long what is no outlier lasts; and how long a rate has to
    /// be in the range to be in order again.
    private static let (gap, shortest, recovery): (Int64, Int64, Int64) = (120_000, 10_000, 60_000)

    private struct Stretch: Hashable {
        let isOutside: Bool
        /// Unix milliseconds.
        let since: Int64
    }

    /// - Parameter minutes: within `minutes`, as the limits are within `rates`.
    public init(below: Int64?, above: Int64?, minutes: Int64) {
        (self.below, self.above, self.minutes) = (below, above, minutes)
    }

    /// A heart rate at a time in Unix milliseconds. What is not later than the last one is left out, as is what is no
    /// heart rate.
    /// - Parameter now: the service's clock, in Unix milliseconds; nil believes the sensor's.
    public mutating func take(_ rate: Int64, at time: Int64, now: Int64? = nil) -> Occasion? {
        guard Self.rates.contains(rate), let time = SourceClock.order(time, after: last, now: now ?? time) else {
            return nil
        }
        if let last, time - last > Self.gap { (stretch, turn) = (nil, nil) }
        last = time
        let isOutside = below.map { rate < $0 } ?? false || above.map { rate > $0 } ?? false
        follow(isOutside, at: time)
        guard let stretch, stretch.isOutside == isOutside else { return nil }
        guard isOutside else {
            if time - stretch.since >= Self.recovery { isTold = false }
            return nil
        }
        guard !isTold, time - stretch.since >= minutes * 60_000 else { return nil }
        isTold = true
        return Occasion(key: "heart rate \(stretch.since)", time: stretch.since)
    }

    private mutating func follow(_ isOutside: Bool, at time: Int64) {
        guard let stretch else {
            stretch = Stretch(isOutside: isOutside, since: time)
            return
        }
        guard isOutside != stretch.isOutside else {
            turn = nil
            return
        }
        guard let turn else {
            turn = Stretch(isOutside: isOutside, since: time)
            return
        }
        if time - turn.since >= Self.shortest { (self.stretch, self.turn) = (turn, nil) }
    }

    /// The times of heart rates that are news to it, in Unix milliseconds: those of other times change nothing.
    /// - Parameter now: the service's clock, in Unix milliseconds.
    public func news(now: Int64) -> Range<Int64> {
        let now = SourceClock.limited(now)
        let first = max(now - SourceClock.memory, last ?? -1) + 1
        return first..<max(first, now + SourceClock.mostAhead + 1)
    }

    /// What was known of it. What is no such state changes nothing.
    public mutating func restore(_ json: JSON) {
        guard let known = try? Self(below: below, above: above, minutes: minutes, kept: KeptState(json)) else { return }
        self = known
    }

    private init(below: Int64?, above: Int64?, minutes: Int64, kept: KeptState) throws(KeptState.Malformed) {
        self.init(below: below, above: above, minutes: minutes)
        (isTold, last) = (try kept.flag("told"), try kept.timeIfPresent("last"))
        guard let since = try kept.timeIfPresent("since") else { return }
        let isOutside = try kept.flag("outside")
        stretch = Stretch(isOutside: isOutside, since: since)
        turn = try kept.timeIfPresent("turn").map { Stretch(isOutside: !isOutside, since: $0) }
    }

    /// What is known of it: times, and on which side of the range they were, but none of the rates.
    public var state: JSON {
        .object(present: [
            "told": .bool(isTold), "last": last.map(JSON.integer), "outside": (stretch?.isOutside).map(JSON.bool),
            "since": (stretch?.since).map(JSON.integer), "turn": (turn?.since).map(JSON.integer),
        ])
    }
}

/// No movement by a time of the day.
public struct StillnessWatch: Hashable, Sendable {
    /// Minutes of the day, from 0 to 1439.
    public var minute: Int

    /// - Parameter minute: from 0 to 1439.
    public init(minute: Int) { self.minute = minute }

    /// - Parameters:
    ///   - day: the day on the person's wall.
    ///   - minuteNow: the minute on it.
    ///   - hasMoved: whether the person has moved on that day.
    ///   - now: Unix milliseconds.
    /// - Returns: what is to be told, once a day by its key; nil if they have moved, or if it is too early.
    public func occasion(on day: String, minuteNow: Int, hasMoved: Bool, now: Int64) -> Occasion? {
        guard minuteNow >= minute, !hasMoved else { return nil }
        return Occasion(key: "stillness \(day)", time: now - Int64(minuteNow - minute) * 60_000)
    }
}
