public import Telemetry

// Phones say where they are now and then, and are wrong at times. So a crossing takes two fixes in a row that are on
// the other side by more than their accuracy, or two such fixes a minute apart with nothing between that speaks against
// it (`AreaSource`). The phone's own transition is believed at once: the phone has judged it by more than we have.
//
// A person may have several phones, one of them left at home. The person is outside as soon as one phone is, and inside
// again once the phones that were outside have come back. Only phones count that have said something within half an
// hour of the latest one: what was queued in a phone for hours is put together with its own past, not with the other's
// present.
//
//     phone     in  in  out out  .   .   .  in  in
//     tablet    in  in  in  in  in  in  in  in  in      (at home)
//     crossing              left            entered
//
// A phone that falls silent outside does not come back by its silence: the tablet has not left, so it cannot return.

/// A person has left an area, or has entered it.
public struct Crossing: Hashable, Sendable {
    /// What has happened.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The person has left it.
        case left
        /// The person has entered it.
        case entered
    }

    /// What has happened.
    public let kind: Kind
    /// When it was first seen, in Unix milliseconds; never later than the service's clock.
    public let time: Int64

    /// A crossing at a time in Unix milliseconds.
    public init(kind: Kind, time: Int64) { (self.kind, self.time) = (kind, time) }
}

/// What is known of a person and one area: on which side of its edge the person is, by each source of positions.
public struct AreaWatch: Hashable, Sendable {
    /// How many sources are remembered: those that said something last.
    public static let mostSources = 8
    /// A source counts if it has said something so shortly before the latest one, in milliseconds.
    public static let together: Int64 = 30 * 60_000
    /// What is longer, written as JSON, in bytes, names no source.
    static let longestName = 100

    /// Whether a text can name a source.
    static func isName(_ text: String) -> Bool { JSON.string(text).bytes.count <= longestName }

    private var side: AreaSide?
    private var sources: [AreaSource] = []

    /// Nothing is known. The first side that becomes known is no crossing.
    public init() {}

    /// On which side the person is; nil until it is known.
    public var isInside: Bool? { side.map { $0 == .inside } }

    /// The latest position that was looked at, in Unix milliseconds.
    public var latest: Int64? { sources.map(\.seen).max() }

    /// The latest position of the source that was heard the longest ago, in Unix milliseconds.
    public var oldest: Int64? { sources.map(\.seen).min() }

    /// Takes a fix.
    /// - Parameters:
    ///   - source: what says it, such as a phone: any name that does not change.
    ///   - now: the service's clock, in Unix milliseconds; nil takes the latest time that any source has said for it.
    /// - Returns: what it completes; nil if nothing. A fix that is not later than the last one of its source is passed
    ///   over, as is one that is older than a day.
    public mutating func take(_ fix: Fix, of source: String, _ shape: AreaShape, now: Int64? = nil) -> Crossing? {
        guard fix.isPossible else { return nil }
        return take(of: source, at: fix.time, after: \.seen, now) { [isFirst = side == nil] in
            $0.take(AreaSide.Sign(fix, shape), isFirst: isFirst)
        }
    }

    /// Takes a transition that a phone has seen by itself.
    /// - Parameters:
    ///   - time: when it was, by the phone's clock, in Unix milliseconds.
    ///   - source: as above.
    ///   - now: as above.
    /// - Returns: the crossing, if fixes have not shown it before.
    public mutating func take(_ kind: Crossing.Kind, at time: Int64, of source: String, now: Int64? = nil) -> Crossing?
    {
        // A phone says the position of a transition with the same time, before it or after it.
        take(of: source, at: time, after: \.justBefore, now) { $0.turn(to: kind == .left ? .outside : .inside) }
    }

    private mutating func take(
        of name: String, at time: Int64, after last: KeyPath<AreaSource, Int64>, _ now: Int64?,
        _ change: (inout AreaSource) -> Int64?
    ) -> Crossing? {
        let now = now ?? max(time, latest ?? time)
        sources.removeAll { $0.seen <= SourceClock.limited(now) - SourceClock.memory }
        let index = sources.firstIndex { $0.name == name }
        guard Self.isName(name),
            let seen = SourceClock.order(time, after: index.map { sources[$0][keyPath: last] }, now: now)
        else { return nil }
        // If nobody else is known who could be outside, then it is this one.
        var source = index.map { sources[$0] } ?? AreaSource(name, isAway: sources.isEmpty && side == .outside)
        source.seen = seen
        let since = min(change(&source) ?? seen, SourceClock.limited(now))
        if let index { sources[index] = source } else { sources.append(source) }
        forgetOldest()
        return settle(name).map { Crossing(kind: $0, time: since) }
    }

    /// Whatever a source has just said: what follows for the person.
    private mutating func settle(_ name: String) -> Crossing.Kind? {
        let latest = sources.map(\.seen).max() ?? 0
        let counted = sources.indices.filter { sources[$0].seen >= latest - Self.together }
        guard let index = counted.first(where: { sources[$0].name == name }), let own = sources[index].side else {
            return nil
        }
        let isSomewhereOutside = counted.contains { sources[$0].side == .outside }
        for index in counted where sources[index].isSurelyOutside { sources[index].isAway = true }
        guard let side else {
            self.side = own
            return nil
        }
        switch (side, isSomewhereOutside) {
        case (.inside, true):
            guard counted.contains(where: { sources[$0].isSurelyOutside }) else { return nil }
            self.side = .outside
            return .left
        case (.outside, false):
            let hasReturned = sources[index].isAway
            // If whatever was outside has been forgotten, it is not known when the person returned.
            guard hasReturned || !sources.contains(where: \.isAway) else { return nil }
            self.side = .inside
            for index in sources.indices { sources[index].isAway = false }
            return hasReturned ? .entered : nil
        case (.inside, false), (.outside, true): return nil
        }
    }

    private mutating func forgetOldest() {
        guard sources.count > Self.mostSources,
            let oldest = sources.indices.min(by: { sources[$0].seen < sources[$1].seen })
        else { return }
        sources.remove(at: oldest)
    }
}

// MARK: What is kept

extension AreaWatch {
    /// What was kept as JSON; nil if it is no state of an area.
    public init?(kept: JSON) {
        guard let watch = try? Self.read(kept) else { return nil }
        self = watch
    }

    private static func read(_ json: JSON) throws(KeptState.Malformed) -> AreaWatch {
        let kept = try KeptState(json)
        var watch = AreaWatch()
        watch.side = try kept.wordIfPresent("side", AreaSide.self)
        for json in try kept.list("sources", atMost: Self.mostSources) {
            let source = try AreaSource(kept: try KeptState(json))
            guard isName(source.name),
                !watch.sources.contains(where: { $0.name == source.name })
            else { throw KeptState.Malformed() }
            watch.sources.append(source)
        }
        return watch
    }

    /// What is kept of it: less than 2 KB.
    public var json: JSON {
        .object(present: [
            "side": side.map { .string($0.rawValue) },
            "sources": sources.isEmpty ? nil : .array(sources.map(\.json)),
        ])
    }
}
