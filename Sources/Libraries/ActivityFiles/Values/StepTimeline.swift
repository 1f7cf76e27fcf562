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
    }

    private struct Count {
        let time: Int64
        let steps: Int
    }

    private let midnight: @Sendable (Int64) -> Int64
    private var counts: [Counter: Count] = [:]
    private var last: [String?: Int64] = [:]

    /// - Parameter midnight: the beginning of the day of a time, both in Unix milliseconds.
    public init(midnight: @escaping @Sendable (Int64) -> Int64) { self.midnight = midnight }

    /// The spans of some records, those of each source in the order of their times. What is not later than the records
    /// that came before says nothing.
    public mutating func spans(of records: [StepRecord]) -> [StepSpan] {
        var spans: [StepSpan] = []
        var counters: [String?: [StepRecord]] = [:]
        for record in records {
            switch record.span {
            case .counter: counters[record.source, default: []].append(record)
            case .since(let from) where from < record.time && record.steps > 0:
                spans.append(StepSpan(from: from, to: record.time, steps: record.steps, source: record.source))
            case .since: break
            }
        }
        for (source, records) in counters.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            spans += self.spans(of: source, records.stablySorted(by: \.time))
        }
        return spans
    }

    private mutating func spans(of source: String?, _ records: [StepRecord]) -> [StepSpan] {
        var spans: [StepSpan] = []
        var rest = records[...]
        while let time = rest.first?.time {
            let group = rest.prefix { $0.time == time }
            rest = rest.dropFirst(group.count)
            let before = last[source]
            guard before.map({ time > $0 }) ?? true else { continue }
            let day = midnight(time)
            var steps = 0
            for record in group { steps = steps.plus(made(record, since: day)) }
            last[source] = time
            let from = max(day, before ?? day)
            if steps > 0, from < time { spans.append(StepSpan(from: from, to: time, steps: steps, source: source)) }
        }
        return spans
    }

    private mutating func made(_ record: StepRecord, since day: Int64) -> Int {
        let counter = Counter(source: record.source, sport: record.sport)
        let before = counts[counter]
        counts[counter] = Count(time: record.time, steps: record.steps)
        guard let before, before.time >= day, record.steps >= before.steps else { return max(0, record.steps) }
        return record.steps - before.steps
    }
}
