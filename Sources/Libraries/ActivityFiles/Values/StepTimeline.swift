/// Steps that were made from one time to another.
public struct StepSpan: Hashable, Sendable {
    /// Unix milliseconds.
    public let from: Int64
    /// Unix milliseconds.
    public let to: Int64
    /// Steps of both feet.
    public let steps: Int
    /// What counted them, in the words of the file.
    public let source: String?
}

/// Turns records of steps into spans that may be added up: what counters show becomes the steps since they last showed
/// something, those of all sports together.
///
/// A device has a counter for each sport, and all of them begin again at midnight. So the first number of a day is the
/// steps since then, and so is one that is lower than the number before it.
///
///     walking     9:00 400    9:15 500    9:30 500
///     running                 9:15  80    9:30 1200
///     spans       0:00-9:00 400, 9:00-9:15 180, 9:15-9:30 1120
public struct StepTimeline: Sendable {
    private struct Counter: Hashable {
        let source: String?
        let sport: Sport?
        let day: Int64
    }

    private struct Source: Hashable {
        let name: String?
        let day: Int64
    }

    private let midnight: @Sendable (Int64) -> Int64
    /// What each counter showed last on a day.
    private var counts: [Counter: Int] = [:]
    /// When the counters of a source last showed something on a day.
    private var last: [Source: Int64] = [:]

    /// - Parameter midnight: the beginning of the day of a time, both in Unix milliseconds.
    public init(midnight: @escaping @Sendable (Int64) -> Int64) { self.midnight = midnight }

    /// The spans of some records, of each source in the order of their ends, and one for each end. Days may come in any
    /// order; within a day, what is not later than the records that came before says nothing.
    public mutating func spans(of records: [StepRecord]) -> [StepSpan] {
        var spans: [StepSpan] = []
        for (source, records) in Dictionary(grouping: records, by: \.source) {
            var ends: [Int64: StepSpan] = [:]
            func add(_ from: Int64, _ to: Int64, _ steps: Int) {
                let known = ends[to]
                ends[to] = StepSpan(
                    from: min(from, known?.from ?? from), to: to, steps: steps.plus(known?.steps ?? 0), source: source)
            }
            for record in records {
                guard case .since(let from) = record.span, from < record.time, record.steps > 0 else { continue }
                add(from, record.time, record.steps)
            }
            let counted = records.filter { $0.span == .counter }.stablySorted(by: \.time)
            for (from, to, steps) in self.counted(counted, by: source) { add(from, to, steps) }
            spans += ends.values.sorted { $0.to < $1.to }
        }
        return spans.sorted { ($0.source ?? "", $0.to) < ($1.source ?? "", $1.to) }
    }

    private mutating func counted(
        _ records: [StepRecord], by source: String?
    ) -> [(from: Int64, to: Int64, steps: Int)] {
        var spans: [(from: Int64, to: Int64, steps: Int)] = []
        var rest = records[...]
        while let time = rest.first?.time {
            let group = rest.prefix { $0.time == time }
            rest = rest.dropFirst(group.count)
            // What a device says at midnight is of the day that ends.
            let day = midnight(time - 1)
            let before = last[Source(name: source, day: day)]
            guard before.map({ time > $0 }) ?? true else { continue }
            last[Source(name: source, day: day)] = time
            var steps = 0
            for record in group {
                let counter = Counter(source: source, sport: record.sport, day: day)
                let shown = counts[counter] ?? 0
                counts[counter] = record.steps
                // A number that is lower than the one before begins again.
                steps = steps.plus(max(0, record.steps >= shown ? record.steps - shown : record.steps))
            }
            let from = max(day, before ?? day)
            if steps > 0, from < time { spans.append((from, time, steps)) }
        }
        return spans
    }
}
