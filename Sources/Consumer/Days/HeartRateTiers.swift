package import Fitness
import Readings
package import Records
package import Storage
package import Telemetry

/// A person's minutes and hours of heart rate, folded and open ones together. Belongs to the thread of its store and
/// keys; read-only ones will do.
package struct HeartRateTiers {
    private let rows: HeartRateRows

    package init(_ store: Store, _ keys: Keys) { rows = HeartRateRows(store, keys) }

    /// What was deleted but not yet taken out of the rows: hours that are marked stale, in ranges that their owner had
    /// deleted.
    private struct Hidden {
        let deleted: DeletedRanges
        let stale: [ClosedRange<Int64>]
        var isEmpty: Bool { stale.isEmpty }

        /// Whether a minute or an hour, in milliseconds, may say something about what was deleted. It hides the rest of
        /// that minute or hour, too, but only for a short time.
        func contains(_ times: Range<Int64>) -> Bool {
            guard !isEmpty, deleted.overlaps(times) else { return false }
            let hour = HourSpan.hour(times.lowerBound)
            return stale.contains { $0.contains(hour) }
        }
    }

    private func hidden(of user: ID) throws(VaultError) -> Hidden {
        let deleted = try Deletions(rows.store, rows.keys).read(user)?.ranges ?? DeletedRanges()
        guard !deleted.isEmpty else { return Hidden(deleted: deleted, stale: []) }
        let stale = try rows.store.database.query(
            "SELECT first_hour, last_hour FROM stale WHERE person = ? AND first_hour <= last_hour", [.text(user.text)]
        ) { row throws(VaultError) in try row.int("first_hour")...row.int("last_hour") }
        return Hidden(deleted: deleted, stale: stale)
    }

    private typealias Minutes = [(number: Int64, minute: HeartRateMinute)]

    /// Minutes of UTC that begin within a range of times; those without samples are left out.
    /// - Parameter times: Unix milliseconds.
    package func minutes(of user: ID, in times: Range<Int64>) throws(VaultError) -> HeartRateSources {
        // A month of them is not moved while it grows; what is not used costs nothing.
        let most = Int(min((times.upperBound - times.lowerBound) / 60_000, 32 * 24 * 60)) + 1
        var sources: [HeartRateSource] = []
        var minutes: [Minutes] = []
        try forEachPart(of: user, in: times) { source, cells in
            guard !cells.isEmpty else { return }
            let index = sources.firstIndex { $0.number == source.number } ?? sources.count
            if index == sources.count {
                sources.append(source)
                minutes.append([])
                minutes[index].reserveCapacity(most)
            }
            minutes[index] += cells
        }
        for index in minutes.indices { minutes[index] = Self.merged(minutes[index]) { $0.merge($1) } }
        if sources.count > HeartRateCells.mostSources { Self.limit(&minutes, sources) }
        return HeartRateSources(zip(sources, minutes).map { HeartRateSources.One($0, $1[...]) })
    }

    /// Leaves only so many sources in an hour as count: the open row of an hour may have others than that of its day.
    private static func limit(_ minutes: inout [Minutes], _ sources: [HeartRateSource]) {
        var counts: [Int64: Int] = [:]
        for index in sources.indices.sorted(by: { sources[$0].number < sources[$1].number }) {
            minutes[index].removeAll { counts[$0.number.floorDivided(by: 60)] ?? 0 >= HeartRateCells.mostSources }
            for hour in Set(minutes[index].map { $0.number.floorDivided(by: 60) }) { counts[hour, default: 0] += 1 }
        }
    }

    /// The same for hours: what each holds, as `HeartRateSources.held` says.
    package func hours(
        of user: ID, in times: Range<Int64>
    ) throws(VaultError) -> [(number: Int64, samples: HeartRateSamples)] {
        var hours: [(number: Int64, samples: HeartRateSamples)] = []
        try forEachHour(of: user, in: times) { hours.append(($0, $1)) }
        return hours.sorted { $0.number < $1.number }
    }

    /// Shows minutes in any order, perhaps one in two parts: those of a source in a period.
    private func forEachPart(
        of user: ID, in times: Range<Int64>, _ body: (_ source: HeartRateSource, _ minutes: Minutes) -> Void
    ) throws(VaultError) {
        guard let numbers = Self.numbers(times, of: 60_000) else { return }
        let hours =
            numbers.lowerBound.floorDivided(by: 60)...numbers.upperBound.floorDivided(by: 60)
        let hidden = try hidden(of: user)
        for (table, periods) in [(HeartRateTable.days, Self.days(hours)), (.hours, hours)] {
            try rows.forEach(table, periods, of: user) { source, minutes in
                let isWhole = minutes.first.map { numbers.contains($0.number) } ?? true
                    && minutes.last.map { numbers.contains($0.number) } ?? true
                guard !isWhole || !hidden.isEmpty else { return body(source, minutes) }
                let shown = minutes.filter { number, _ in
                    numbers.contains(number) && !hidden.contains(number * 60_000..<(number + 1) * 60_000)
                }
                body(source, shown)
            }
        }
    }

    /// Shows hours in any order, with what each holds, as `HeartRateSources.held` says.
    func forEachHour(
        of user: ID, in times: Range<Int64>, _ body: (_ number: Int64, _ samples: HeartRateSamples) -> Void
    ) throws(VaultError) {
        guard let numbers = Self.numbers(times, of: 3_600_000) else { return }
        let months = HeartRateHour(numbers.lowerBound).month...HeartRateHour(numbers.upperBound).month
        let hidden = try hidden(of: user)
        let open = try rows.periods(.hours, numbers, of: user)
        let isOpen = Set(open)
        try rows.forEach(.months, months, of: user) { part in
            for (number, cell) in part.cells {
                guard numbers.contains(number), !isOpen.contains(number), !hidden.contains(HeartRateHour(number).milliseconds)
                else { continue }
                body(number, cell.samples)
            }
        }
        // Which source is best of a minute may change with what has come since the hour was folded.
        for hours in Self.together(open) {
            let times = HeartRateHour(hours.lowerBound).milliseconds.lowerBound..<HeartRateHour(hours.upperBound).milliseconds.upperBound
            let minutes = try minutes(of: user, in: times)
            for hour in hours where isOpen.contains(hour) {
                let times = HeartRateHour(hour).milliseconds
                let samples = minutes[times].held(in: HeldHeartRates.slots(in: times))
                if !samples.isEmpty, !hidden.contains(times) { body(hour, samples) }
            }
        }
    }

    /// Ascending hours, those of one day together.
    private static func together(_ hours: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for hour in hours {
            if let last = ranges.last, HeartRateHour(last.lowerBound).day == HeartRateHour(hour).day {
                ranges[ranges.count - 1] = last.lowerBound...hour
            } else {
                ranges.append(hour...hour)
            }
        }
        return ranges
    }

    /// The numbers of the spans of this many milliseconds that begin within a range; nil if none does.
    private static func numbers(_ times: Range<Int64>, of milliseconds: Int64) -> ClosedRange<Int64>? {
        let times = times.clamped(to: -Moment.limit - 3_600_000..<Moment.limit + 3_600_000)
        let first = (times.lowerBound + milliseconds - 1).floorDivided(by: milliseconds)
        let last = (times.upperBound - 1).floorDivided(by: milliseconds)
        return first <= last ? first...last : nil
    }

    private static func days(_ hours: ClosedRange<Int64>) -> ClosedRange<Int64> {
        HeartRateHour(hours.lowerBound).day...HeartRateHour(hours.upperBound).day
    }

    /// In order, and each once.
    private static func merged<Cell>(
        _ parts: [(number: Int64, minute: Cell)], _ merge: (inout Cell, Cell) -> Void
    ) -> [(number: Int64, minute: Cell)] {
        // Mostly they are folded, and come so.
        if parts.indices.dropFirst().allSatisfy({ parts[$0 - 1].number < parts[$0].number }) { return parts }
        var merged: [(number: Int64, minute: Cell)] = []
        merged.reserveCapacity(parts.count)
        for part in parts.sorted(by: { $0.number < $1.number }) {
            if let last = merged.indices.last, merged[last].number == part.number {
                merge(&merged[last].minute, part.minute)
            } else {
                merged.append(part)
            }
        }
        return merged
    }
}
