import Telemetry

/// A side of an area's edge.
enum AreaSide: String {
    case inside
    case outside

    /// What one fix says of it.
    enum Sign: Hashable {
        /// It is on that side by more than its accuracy.
        case certain(AreaSide)
        /// It may be on either, and is more likely on that one.
        case likely(AreaSide)
        /// It is so rough that it says nothing.
        case nothing

        /// A fix inside is certain also if it is so deep inside as only the middle of the area is: otherwise nobody
        /// would ever be in a small area by a phone that is usually precise to 50 m.
        init(_ fix: Fix, _ shape: AreaShape) {
            let distance = shape.signedDistance(of: fix.place)
            let side: AreaSide = distance > 0 ? .outside : .inside
            let isDeep = !fix.isRough && -distance > shape.depthMetres
            if abs(distance) > fix.likelyMetres || isDeep {
                self = .certain(side)
            } else {
                self = fix.isRough ? .nothing : .likely(side)
            }
        }
    }
}

/// What is known of an area by one source of positions.
struct AreaSource: Hashable, Sendable {
    /// A change of sides that is not certain yet.
    struct Turn: Hashable, Sendable {
        var side: AreaSide
        /// When its first certain fix was, in Unix milliseconds.
        var since: Int64
        /// Whether the latest fix was certain, too.
        var isLatest: Bool
    }

    /// After how many milliseconds a second certain fix need not follow the first one at once.
    static let lasting: Int64 = 60_000

    let name: String
    /// The time of what it said last, by its own clock, in Unix milliseconds.
    var seen: Int64 = 0
    /// A millisecond before that.
    var justBefore: Int64 { seen - 1 }
    private(set) var side: AreaSide?
    private var turn: Turn?
    /// Whether the person is outside because of it, until it has come back.
    var isAway: Bool

    /// Whether it is outside, and its latest fix does not speak against it: a phone that was charged at home says so with
    /// its second fix.
    var isSurelyOutside: Bool { side == .outside && turn == nil }

    init(_ name: String, isAway: Bool) { (self.name, self.isAway) = (name, isAway) }

    /// Takes what the fix at `seen` says.
    /// - Parameter isFirst: whether no side is known by any source: then the first certain fix is believed.
    /// - Returns: if it has turned to another side, when it was first seen there, in Unix milliseconds.
    mutating func take(_ sign: AreaSide.Sign, isFirst: Bool) -> Int64? {
        switch sign {
        case .certain(let side) where side == self.side: turn = nil
        case .certain(let side):
            guard let turn, turn.side == side else {
                if isFirst { return self.turn(to: side) }
                turn = Turn(side: side, since: seen, isLatest: true)
                return nil
            }
            guard turn.isLatest || seen - turn.since >= Self.lasting else {
                self.turn?.isLatest = true
                return nil
            }
            self.turn(to: side)
            return turn.since
        case .likely(let side):
            if turn?.side != side { turn = nil }
            turn?.isLatest = false
        case .nothing: break
        }
        return nil
    }

    /// Is on a side from now on.
    /// - Returns: now, which is when it was last seen, in Unix milliseconds.
    @discardableResult
    mutating func turn(to side: AreaSide) -> Int64 {
        (self.side, turn) = (side, nil)
        return seen
    }
}

// MARK: What is kept

extension AreaSource {
    init(kept: KeptState) throws(KeptState.Malformed) {
        guard let name = try kept.textIfPresent("source") else { throw KeptState.Malformed() }
        self.init(name, isAway: try kept.flag("away"))
        seen = try kept.time("seen")
        side = try kept.wordIfPresent("side", AreaSide.self)
        if let other = try kept.wordIfPresent("turn", AreaSide.self) {
            turn = Turn(side: other, since: try kept.time("since"), isLatest: try kept.flag("latest"))
        }
    }

    var json: JSON {
        .object(present: [
            "source": .string(name), "seen": .integer(seen), "side": side.map { .string($0.rawValue) },
            "away": isAway ? true : nil, "turn": turn.map { .string($0.side.rawValue) },
            "since": turn.map { .integer($0.since) }, "latest": turn?.isLatest == true ? true : nil,
        ])
    }
}
