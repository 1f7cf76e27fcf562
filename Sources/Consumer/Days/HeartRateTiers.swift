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

    /// Minutes of some sources, put together of parts in any order.
    private struct Collected {
        private var sources: [HeartRateSource] = []
        private var minutes: [Minutes] = []

        mutating func add(_ part: HeartRateCells.Cells) {
            let index = sources.firstIndex { $0.number == part.source.number } ?? sources.count
            if index == sources.count {
                sources.append(part.source)
                minutes.append([])
            }
            minutes[index] += part.cells
        }

        /// Forgets those before a minute, which begins an hour: which sources count can only be known of whole hours.
        mutating func drop(before number: Int64) {
            for index in minutes.indices { minutes[index].removeAll { $0.number < number } }
        }

        /// What was added, in order. The parts of a minute are put together.
        mutating func ordered() -> HeartRateSources {
            for index in minutes.indices { Self.order(&minutes[index]) }
            if sources.count > HeartRateCells.mostSources { limit() }
            return HeartRateSources(
                zip(sources, minutes).compactMap { $1.isEmpty ? nil : HeartRateSources.One($0, $1[...]) })
        }

        /// In order, and each once.
        private static func order(_ minutes: inout Minutes) {
            // Mostly they are folded, and come so.
            if minutes.indices.dropFirst().allSatisfy({ minutes[$0 - 1].number < minutes[$0].number }) { return }
            var ordered: Minutes = []
            ordered.reserveCapacity(minutes.count)
            for one in minutes.sorted(by: { $0.number < $1.number }) {
                if let last = ordered.indices.last, ordered[last].number == one.number {
                    ordered[last].minute.merge(one.minute)
                } else {
                    ordered.append(one)
                }
            }
            minutes = ordered
        }

        /// Leaves only so many sources in an hour as count: the open row of an hour may have others than that of its day.
        private mutating func limit() {
            var counts: [Int64: Int] = [:]
            for index in sources.indices.sorted(by: { sources[$0].number < sources[$1].number }) {
                minutes[index].removeAll { counts[$0.number.floorDivided(by: 60)] ?? 0 >= HeartRateCells.mostSources }
                for hour in Set(minutes[index].map { $0.number.floorDivided(by: 60) }) { counts[hour, default: 0] += 1 }
            }
        }
    }

    /// Minutes of UTC that begin within a range of times; those without samples are left out.
    /// - Parameter times: Unix milliseconds.
    package func minutes(of user: ID, in times: Range<Int64>) throws(VaultError) -> HeartRateSources {
        var collected = Collected()
        let hidden = try hidden(of: user)
        for table in [HeartRateTable.days, .hours] {
            try forEachPart(table, of: user, in: times, hidden) { collected.add($0) }
        }
        return collected.ordered()
    }

    /// Shows a long time window by window, so that not all of its minutes are in memory at once: of those that are folded, about a day is.
    /// - Parameters:
    ///   - times: Unix milliseconds. The windows fill them in order.
    ///   - body: is shown the minutes of a window, and those within `HeldHeartRates.reach` before and after it.
    func forEachWindow(
        of user: ID, in times: Range<Int64>, _ body: (_ near: HeartRateSources, _ window: Range<Int64>) -> Void
    ) throws(VaultError) {
        let (reach, minutesInDay) = (HeldHeartRates.reach, Int64(24 * 60))
        let needed = times.lowerBound - reach..<times.upperBound + reach
        let hidden = try hidden(of: user)
        var open: [HeartRateCells.Cells] = []
        try forEachPart(.hours, of: user, in: needed, hidden) { open.append($0) }
        var waiting = open[...]
        var collected = Collected()
        var begin = times.lowerBound
        func show(until end: Int64) {
            guard begin < end else { return }
            body(collected.ordered(), begin..<end)
            // Windows end half an hour before midnight, and the reach is half an hour.
            collected.drop(before: HeartRateMinute.number(of: end - reach))
            begin = end
        }
        func day(of part: HeartRateCells.Cells) -> Int64 {
            part.cells.first.map { $0.number.floorDivided(by: minutesInDay) } ?? 0
        }
        func add(_ part: HeartRateCells.Cells) {
            // All minutes of earlier days are there.
            show(until: min(day(of: part) * minutesInDay * 60_000 - reach, times.upperBound))
            collected.add(part)
        }
        func addOpen(until last: Int64) {
            while let part = waiting.first, day(of: part) <= last {
                add(part)
                waiting.removeFirst()
            }
        }
        try forEachPart(.days, of: user, in: needed, hidden) { part in
            addOpen(until: day(of: part))
            add(part)
        }
        addOpen(until: .max)
        show(until: times.upperBound)
    }

    /// Hours of UTC that begin within a range of times, and what each holds, as `HeartRateSources.held` says.
    package func hours(
        of user: ID, in times: Range<Int64>
    ) throws(VaultError) -> [(number: Int64, samples: HeartRateSamples)] {
        var hours: [(number: Int64, samples: HeartRateSamples)] = []
        try forEachHour(of: user, in: times) { hours.append(($0, $1)) }
        return hours.sorted { $0.number < $1.number }
    }

    /// Shows minutes of a table, those of a source in a period together, by periods. There are some in each part.
    private func forEachPart(
        _ table: HeartRateTable, of user: ID, in times: Range<Int64>, _ hidden: Hidden,
        _ body: (_ part: HeartRateCells.Cells) -> Void
    ) throws(VaultError) {
        guard let numbers = Self.numbers(times, of: 60_000) else { return }
        let hours =
            numbers.lowerBound.floorDivided(by: 60)...numbers.upperBound.floorDivided(by: 60)
        try rows.forEach(table, table == .days ? Self.days(hours) : hours, of: user) { part in
            guard let first = part.cells.first?.number, let last = part.cells.last?.number else { return }
            guard !numbers.contains(first) || !numbers.contains(last) || !hidden.isEmpty else { return body(part) }
            let shown = part.cells.filter { number, _ in
                numbers.contains(number) && !hidden.contains(number * 60_000..<(number + 1) * 60_000)
            }
            if !shown.isEmpty { body((part.source, shown)) }
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
        // Most are before all open ones.
        let firstOpen = open.first ?? .max
        try rows.forEach(.months, months, of: user) { part in
            for (number, cell) in part.cells where numbers.contains(number) {
                guard number < firstOpen || !isOpen.contains(number), !hidden.contains(HeartRateHour(number).milliseconds)
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
}
