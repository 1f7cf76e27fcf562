import Fitness

/// What fixes say of how somebody moves: the speed over ten seconds to five minutes. Between two fixes of one second it
/// would be noise.
struct SpeedWitness: Hashable, Sendable {
    /// Over how long a time the speed is measured, in milliseconds.
    private static let window: ClosedRange<Int64> = 10_000...300_000
    /// A new state has to last so long, in milliseconds: one bad fix among many makes two wrong speeds.
    private static let shortest: Int64 = 20_000
    /// A bicycle may be as fast as a car for so long, downhill, in milliseconds.
    private static let longestDescent: Int64 = 60_000
    /// How many fixes are remembered.
    private static let mostFixes = 64
    /// What is faster, in metres a second, is a mistake.
    private static let fastest = 90.0
    /// A person who is farther away than this from where they were, besides what both fixes may be off, is no longer
    /// there. In metres.
    private static let step = 50.0

    private(set) var spans = MotionSpans()
    private var fixes: [Fix] = []
    private var turn: MotionSpan?
    /// Where the person was first today.
    private var origin: Fix?
    private var isAwayFromOrigin = false
    /// Whether the person has left the place where they were first today.
    private(set) var hasMoved = false

    /// Takes a fix. One that is not later than the one before, is rough or cannot be is passed over.
    mutating func take(_ fix: Fix) {
        guard fix.isPossible, !fix.isRough, fix.time > fixes.last?.time ?? -1 else {
            return
        }
        if let last = fixes.last, fix.time - last.time > Self.window.upperBound { (fixes, turn) = ([], nil) }
        let before = fixes.last?.time
        // The window begins with the latest fix that is ten seconds old.
        while fixes.count > 1, fixes[1].time <= fix.time - Self.window.lowerBound { fixes.removeFirst() }
        if fixes.count == Self.mostFixes { fixes.remove(at: 1) }
        fixes.append(fix)
        leaveOrigin(fix)
        guard let before, let first = fixes.first, let state = state(from: first, to: fix) else { return }
        follow(MotionSpan(state, from: before, to: fix.time))
    }

    private func state(from first: Fix, to fix: Fix) -> MotionSpan.State? {
        let seconds = Double(fix.time - first.time) / 1000
        guard fix.time - first.time >= Self.window.lowerBound else { return nil }
        let way = first.place.metres(to: fix.place)
        // Within the accuracy of both, nobody has moved as far as can be known.
        let noise = max(first.accuracyMetres ?? 0, fix.accuracyMetres ?? 0)
        let speed = way > noise ? way / seconds : 0
        guard speed <= Self.fastest else { return nil }
        return MotionSpan.State(metresPerSecond: speed, after: spans.last?.state)
    }

    /// A person has moved if they are farther away twice in a row than a large house is wide.
    private mutating func leaveOrigin(_ fix: Fix) {
        guard let origin else {
            origin = fix
            return
        }
        let isAway = origin.place.metres(to: fix.place) > Self.step + origin.likelyMetres + fix.likelyMetres
        if isAway, isAwayFromOrigin { hasMoved = true }
        isAwayFromOrigin = isAway
    }

    private mutating func follow(_ span: MotionSpan) {
        guard span.state != spans.last?.state else {
            turn = nil
            return spans.add(span)
        }
        let from = turn?.state == span.state ? turn?.from ?? span.from : span.from
        let whole = MotionSpan(span.state, from: from, to: span.to)
        let isDescent = spans.last?.state == .cycling && span.state == .driving
        guard whole.length >= (isDescent ? Self.longestDescent : Self.shortest) else {
            turn = whole
            return
        }
        turn = nil
        spans.add(whole)
    }

    /// Begins another day: only the latest span goes on.
    mutating func beginDay() {
        spans = spans.latest
        (origin, isAwayFromOrigin, hasMoved) = (fixes.last, false, false)
    }
}

extension MotionSpan.State {
    /// What moves so fast.
    ///
    /// People walk at up to 2.2 m/s and run at up to 5.5 m/s, a marathon's world record; what is faster is a bicycle up
    /// to 14 m/s (50 km/h), and a car beyond. A car in slow traffic and a bicycle uphill are as fast as a runner: a
    /// person who was driven or rode just before still does.
    init(metresPerSecond speed: Double, after last: MotionSpan.State?) {
        switch speed {
        case ..<0.5: self = .still
        case ..<2.2: self = .walking
        case ..<5.5: self = last == .cycling || last == .driving ? last ?? .running : .running
        case ..<14: self = last == .driving ? .driving : .cycling
        default: self = .driving
        }
    }
}

extension MotionSpans {
    /// Only the latest span, as one without length.
    var latest: MotionSpans {
        var spans = MotionSpans()
        if let last { spans.add(MotionSpan(last.state, from: last.to, to: last.to)) }
        return spans
    }
}
