import Fitness
import Telemetry

// A person may have several phones, of which one lies at home. They are where the phone is that has moved last.

/// Where a person was last, by each of what tells their position.
struct Fixes {
    /// A position of a person.
    struct Found: Equatable, Sendable {
        /// Unix milliseconds.
        let time: Int64
        let position: Position

        var place: Place { Place(latitude: position.latitudeDegrees, longitude: position.longitudeDegrees) }
    }

    private struct Source {
        var last: Found
        /// Where it was when it was last seen to have moved.
        var moved: Found
    }

    private var sources: [String: Source] = [:]

    /// How many sources are remembered.
    private static let most = 16
    /// How far a source has to go to have moved, in metres, and how long one counts that has fallen silent, in milliseconds.
    private static let (far, patience): (Double, Int64) = (100, 1_800_000)

    /// Takes a position, unless it is not later than the source's last one.
    /// - Returns: whether it was taken.
    mutating func take(_ fix: Found, of source: String) -> Bool {
        guard var known = sources[source] else {
            if sources.count >= Self.most, let oldest = sources.min(by: { $0.value.last.time < $1.value.last.time }) {
                guard oldest.value.last.time < fix.time else { return false }
                sources[oldest.key] = nil
            }
            sources[source] = Source(last: fix, moved: fix)
            return true
        }
        guard fix.time > known.last.time else { return false }
        let way = known.moved.place.metres(to: fix.place)
        if way > Self.far + (fix.position.accuracyMetres ?? 0) { known.moved = fix }
        known.last = fix
        sources[source] = known
        return true
    }

    /// The latest of each source, in the order of their times.
    var latest: [StoredFix] {
        sources.map { StoredFix(fix: $0.value.last, source: $0.key) }.sorted {
            ($0.fix.time, $0.source) < ($1.fix.time, $1.source)
        }
    }

    /// Where the person was last; nil if it is not known.
    var last: Found? { source.flatMap { sources[$0]?.last } }

    /// What tells where the person is.
    var source: String? {
        guard let latest = sources.values.map(\.last.time).max() else { return nil }
        let heard = sources.filter { $0.value.last.time >= latest - Self.patience }
        return heard.max {
            ($0.value.moved.time, $0.value.last.time, $0.key) < ($1.value.moved.time, $1.value.last.time, $1.key)
        }?.key
    }
}

/// A heart rate that is stored, in beats per minute, and when it was, in Unix milliseconds.
typealias StoredRate = (time: Int64, rate: Int64)

/// Steps that a phone has counted until a time, in Unix milliseconds.
typealias StoredSteps = (span: PedometerSpan, until: Int64)

/// A position that is stored, and what told it.
struct StoredFix: Sendable {
    let fix: Fixes.Found
    let source: String
}
