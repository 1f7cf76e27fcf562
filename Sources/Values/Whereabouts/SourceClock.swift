import Telemetry

// Times come from the clocks of phones. Most are right, some are minutes ahead, some an hour behind, and what a phone
// could not send comes hours later. So what one source says is put in order by its own clock, and a time ahead of the
// service's clock is taken for now wherever it is compared with anything else.

/// How the times of sources are judged, in milliseconds.
enum SourceClock {
    /// No clock is believed to be farther ahead of the service's. Without this limit, one message from the far future
    /// would outlast all that follow it.
    static let mostAhead: Int64 = 10 * 60_000
    /// What is older is no news. A source that has been silent for so long is forgotten, so that none of its old
    /// messages can come twice.
    static let memory: Int64 = 24 * 3_600_000

    /// When something was, by the source's clock, to put it in order with what else this source says; nil if it is not
    /// later than what came before it, or no news.
    static func order(_ time: Int64, after last: Int64?, now: Int64) -> Int64? {
        let time = min(time, limited(now) + mostAhead)
        guard KeptState.times.contains(time), time > limited(now) - memory, time > last ?? -1 else { return nil }
        return time
    }

    /// The service's clock, within what times can be: so sums with it do not overflow.
    static func limited(_ now: Int64) -> Int64 { min(max(now, 0), KeptState.times.upperBound - mostAhead) }
}
