import Fitness
import Workouts

/// The way of a day, in the order of the times, in whatever order fixes come; in bounded memory. Where the person still
/// is, a fix adds nothing; a rough one is left out where there are better ones; and of very many, those go that change
/// the way least.
public struct DayPath: Hashable, Sendable {
    private var fixes: [Fix] = []

    /// How many fixes are kept, and how many of them are left when there are more.
    private static let (most, rest) = (2000, 1000)
    /// How far a fix has to be from the one before, in metres.
    private static let step = 10.0
    /// How near in time a better fix has to be, in milliseconds.
    private static let near: Int64 = 10 * 60_000

    /// Nothing.
    public init() {}

    /// Takes a fix, unless there is one of the same time.
    public mutating func take(_ fix: Fix) {
        guard fix.isPossible else { return }
        // Nearly all come in order.
        var index = fixes.count
        while index > 0, fixes[index - 1].time >= fix.time { index -= 1 }
        if index < fixes.count, fixes[index].time == fix.time { return }
        if index > 0, fixes[index - 1].isRough == fix.isRough, fixes[index - 1].place.metres(to: fix.place) < Self.step
        {
            return
        }
        fixes.insert(fix, at: index)
        if fixes.count > Self.most { fixes = points(atMost: Self.rest) }
    }

    /// The way in its order, simplified where it has more points.
    public func points(atMost count: Int) -> [Fix] {
        let believed = believed
        guard believed.count > count else { return believed }
        var wanted = simplified([believed.map(\.place)], to: count).flatMap { $0 }[...]
        return believed.filter { fix in
            guard fix.place == wanted.first else { return false }
            wanted = wanted.dropFirst()
            return true
        }
    }

    private var believed: [Fix] {
        let better = fixes.filter { !$0.isRough }.map(\.time)
        var next = 0
        return fixes.filter { fix in
            guard fix.isRough else { return true }
            while next < better.count, better[next] < fix.time { next += 1 }
            return !better[max(0, next - 1)..<min(next + 1, better.count)].contains { abs($0 - fix.time) <= Self.near }
        }
    }
}
