import Fitness
package import Readings
package import Records
package import Storage
package import Telemetry

// Heart rates as people look at them: by the minute, and by the hour.
//
//     a batch    its samples are added to the minutes of `heart_rate_hours`, one row an hour, in its transaction
//     fold       hours that are over, and no longer change, move to where less has to be opened for a longer time:
//                their minutes to the row of their day in `heart_rate_days`, their sums to that of their month in
//                `heart_rate_months`; their own rows are deleted
//     recompute  an hour is counted again from the stored readings, and replaces all that was kept of it
//
// The minutes of each source, which is a stream, are kept apart (HeartRateCells.swift), and which source counts is decided
// when they are read (`HeartRateSources`). So the minutes add up: a minute of a source is the sum of its cells in
// both tables. Late readings just make a new row for their hour, to be folded again. An hour of a month is what its
// minutes hold (`HeartRateSources.held`), and is computed from the row of its day whenever that changes; so a year of a beating heart
// is read from twelve rows. Readings that do not add up mark their hours stale (Stale.swift), and these are counted again.
//
// Nothing is kept in memory between two batches: the row of an hour is small, and it takes less time to open it than to
// make sure that memory still agrees with the database when somebody is forgotten, or a transaction fails.

extension Reading {
    /// Beats per minute, if this is a heart rate that means something: not 0, not more than any heart makes, and not
    /// from a strap that reports that nobody wears it. Others are stored, but not counted.
    package var heartRate: Int? {
        guard case .heartRate(let measurement) = value, measurement.contact != .notDetected else { return nil }
        let rate = Int(measurement.beatsPerMinute)
        return HeartRateSamples.plausible.contains(rate) ? rate : nil
    }
}

extension BareReading {
    /// The same as for a `Reading`.
    package var heartRate: Int? {
        guard kind == .heartRate, contact != .notDetected else { return nil }
        return HeartRateSamples.plausible.contains(Int(number)) ? Int(number) : nil
    }
}

/// Hears of minutes of heart rate as they change, within the transaction that changes them.
package protocol MinutesObserver: AnyObject {
    /// Samples were added to minutes of an hour (since 1970, UTC).
    /// - Parameters:
    ///   - all: what is kept of the hour now.
    ///   - new: what came now.
    ///   - now: Unix milliseconds.
    func took(_ all: HeartRateCells, _ new: HeartRateCells, hour: Int64, of user: ID, now: Int64)

    /// An hour was counted again.
    func replaced(_ cells: HeartRateCells, hour: Int64, of user: ID)

    func committed()

    func rolledBack()
}

/// Keeps people's minutes of heart rate. Belongs to the thread of its store and keys.
package final class HeartRateMinutes: Derivation, ClosedHours {
    private let store: Store
    private let keys: Keys
    private let rows: HeartRateRows
    private let observer: (any MinutesObserver)?
    /// When closed hours last had samples, so that they are not folded between one batch of many and the next.
    private var touched: [PersonsHour: Int64] = [:]

    private struct PersonsHour: Hashable {
        let user: ID
        let number: Int64
    }

    /// - Parameter observer: hears of minutes that have changed.
    package init(_ store: Store, _ keys: Keys, observer: (any MinutesObserver)? = nil) {
        self.observer = observer
        self.store = store
        self.keys = keys
        rows = HeartRateRows(store, keys)
    }

    // MARK: Batches

    package func take(_ people: [PersonsReadings], now: Int64) throws(VaultError) {
        for person in people {
            var counted = CountedHours()
            for portion in person.portions { counted.add(portion.readings, of: HeartRateSource(portion)) }
            for (number, cells) in counted.all { try add(cells, number, of: person.user, now: now) }
        }
    }

    private func add(_ cells: HeartRateCells, _ number: Int64, of user: ID, now: Int64) throws(VaultError) {
        var all = cells
        switch try rows.read(.hours, number, of: user) {
        case .none: break
        case .cells(let kept):
            all = kept
            all.merge(cells)
            all.limit(0..<60)
        case .damaged, .locked: try store.markStale(user, number...number)
        }
        try rows.write(all, .hours, number, of: user)
        if number < HourSpan.hour(now) { touch(PersonsHour(user: user, number: number), now: now) }
        observer?.took(all, cells, hour: number, of: user, now: now)
    }

    /// How many hours are remembered: while SQLite's log is long, nothing is folded, and quiet hours are not forgotten.
    var mostTouched = 65_536

    private func touch(_ hour: PersonsHour, now: Int64) {
        if touched.count >= mostTouched { forgetQuiet(now: now) }
        // Then some are folded too early, and again later.
        if touched.count >= mostTouched { touched = [:] }
        touched[hour] = now
    }

    private func forgetQuiet(now: Int64) {
        touched = touched.filter { now < $0.value + Self.quietMilliseconds && now >= $0.value }
    }

    package func committed() { observer?.committed() }

    package func rolledBack() { observer?.rolledBack() }

    // MARK: Closed hours

    /// The last closed hour in which nothing was found; nil at the start.
    private var passed: (hour: Int64, user: String)?
    /// How many pages of hours are looked at in one call.
    private static let mostPages = 4

    /// How long an hour must have been without new samples.
    private static let quietMilliseconds: Int64 = 60_000

    /// Folds closed hours of one person and day, in a transaction of its own.
    /// - Parameters:
    ///   - before: the first hour that is not closed.
    ///   - isBusy: whether a person's hours must be left alone.
    ///   - now: Unix milliseconds.
    /// - Returns: whether there were any; then there may be more.
    package func fold(before: Int64, isBusy: (ID) -> Bool = { _ in false }, now: Int64) throws(VaultError) -> Bool {
        forgetQuiet(now: now)
        var one: (user: ID, day: Int64)?
        var hours: [HeartRateHour] = []
        var pages = 0
        // Hours that cannot be folded for weeks do not keep the rest from being found.
        while one == nil {
            guard pages < Self.mostPages else { return true }
            pages += 1
            let last = passed ?? (.min, "")
            let closed = try store.database.query(
                """
                SELECT person, hour FROM heart_rate_hours WHERE hour < ? AND (hour, person) > (?, ?)
                ORDER BY hour, person LIMIT 1024
                """, [.integer(before), .integer(last.hour), .text(last.user)]
            ) { row throws(VaultError) in (user: try row.text("person"), hour: HeartRateHour(try row.int("hour"))) }
            for (text, hour) in closed {
                guard one == nil || one?.user.text == text && one?.day == hour.day else { continue }
                guard let user = decoded({ () throws(MalformedValue) in try ID(text) }),
                    touched[PersonsHour(user: user, number: hour.number)] == nil, !isBusy(user),
                    try canFold(hour, of: user)
                else { continue }
                one = (user, hour.day)
                hours.append(hour)
            }
            guard let end = closed.last, closed.count == 1024 else {
                // Hours that were passed over may be foldable by now.
                passed = nil
                break
            }
            if one == nil { passed = (end.hour.number, end.user) }
        }
        guard let one else { return false }
        try store.change(one.user) { () throws(VaultError) in try fold(hours, of: one.user) }
        return true
    }

    /// If a secret is not there, its person is being forgotten, or it is damaged: nothing must be lost until it is
    /// back.
    private func canFold(_ hour: HeartRateHour, of user: ID) throws(VaultError) -> Bool {
        guard let version = try keys.version(of: user) else { return false }
        var versions: Set<Int64> = [version]
        for (table, period) in [(HeartRateTable.hours, hour.number), (.days, hour.day), (.months, hour.month)] {
            if let version = try rows.version(table, period, of: user) { versions.insert(version) }
        }
        for version in versions where try keys.person(user.text, version: version) == nil { return false }
        return true
    }

    /// Folds hours of one day.
    private func fold(_ hours: [HeartRateHour], of user: ID) throws(VaultError) {
        guard let first = hours.first else { return }
        var (day, month) = (try kept(.days, first.day, of: user), try kept(.months, first.month, of: user))
        for hour in hours {
            switch try rows.read(.hours, hour.number, of: user) {
            case .cells(let cells):
                day.merge(cells, at: hour.placeInDay)
                day.limit(hour.placesInDay)
                month[hour.placeInMonth] = HeartRateMinute(samples: day.held(hour.placesInDay))
            case .damaged: try store.markStale(user, hour.number...hour.number)
            case .none, .locked: continue
            }
            try rows.delete(.hours, hour.number, of: user)
        }
        try rows.write(day, .days, first.day, of: user)
        try rows.write(month, .months, first.month, of: user)
    }

    /// The cells of a row. A damaged row has none: it is removed, and its hours are counted again.
    private func kept(_ table: HeartRateTable, _ period: Int64, of user: ID) throws(VaultError) -> HeartRateCells {
        switch try rows.read(table, period, of: user) {
        case .cells(let cells): return cells
        case .none, .locked: break
        case .damaged:
            let first = table == .days ? period * 24 : HeartRateHour.first(ofMonth: period)
            let next = table == .days ? first + 24 : HeartRateHour.first(ofMonth: period + 1)
            try rows.delete(table, period, of: user)
            try store.markStale(user, first...(next - 1))
        }
        return HeartRateCells(capacity: table.capacity)
    }

    // MARK: Counting again

    package func hourReader(of user: ID) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> HeartRateCells {
        { number, stored throws(VaultError) in
            var counted = CountedHours()
            let range = HeartRateHour(number).milliseconds.clamped(to: -Moment.limit..<Moment.limit + 1)
            let sources = try stored.store.heartRateSources(of: user)
            _ = try stored.eachOfStreams(of: user, .heartRate, from: range.lowerBound, to: range.upperBound) {
                counted.add($0, of: sources[$1] ?? HeartRateSource($1))
                return true
            }
            return counted.all[number] ?? HeartRateCells(capacity: 60)
        }
    }

    package func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
        { hours, store throws(VaultError) in
            func first(_ sql: String, _ from: Int64) throws(VaultError) -> Int64? {
                try store.database.first(sql, [.text(user.text), .integer(from)], row: Row.intIfPresent) ?? nil
            }
            let hour = try first(
                "SELECT min(hour) FROM heart_rate_hours WHERE person = ? AND hour >= ?", hours.lowerBound)
            // A row of a day represents all its hours.
            let day = try first(
                "SELECT min(day) FROM heart_rate_days WHERE person = ? AND day >= ?", HourSpan.day(hours.lowerBound))
            return [hour, day.map { max(hours.lowerBound, $0 * 24) }].compactMap { $0 }.min()
        }
    }

    package func extent(of found: HeartRateCells, _ hour: Int64) -> ReadExtent {
        ReadExtent(times: HeartRateHour(hour).milliseconds, kinds: [.heartRate])
    }

    package func replace(_ hour: Int64, of user: ID, with found: HeartRateCells, now: Int64) throws(VaultError) {
        try takeOut(HeartRateHour(hour), of: user)
        try rows.write(found, .hours, hour, of: user)
        observer?.replaced(found, hour: hour, of: user)
    }

    /// Takes an hour out of the rows of its day and its month.
    private func takeOut(_ hour: HeartRateHour, of user: ID) throws(VaultError) {
        var (day, month) = (try kept(.days, hour.day, of: user), try kept(.months, hour.month, of: user))
        if !day.isEmpty(hour.placesInDay) {
            day.clear(hour.placesInDay)
            try rows.write(day, .days, hour.day, of: user)
        }
        if !month[hour.placeInMonth].samples.isEmpty {
            month[hour.placeInMonth] = HeartRateMinute()
            try rows.write(month, .months, hour.month, of: user)
        }
    }

    /// Compares what is kept of a person with what the stored readings say.
    /// - Returns: how many minutes are kept, and how many minutes and hours are wrong.
    package func recount(of user: ID) throws(VaultError) -> (kept: Int, differing: Int) {
        let tiers = HeartRateTiers(store, keys)
        var (kept, differing) = (0, 0)
        var failure: VaultError?
        var next = -Moment.limit
        /// Compares one counted hour, and checks that nothing is kept of the hours between the last one and this.
        func compare(_ hour: HeartRateHour?, _ cells: HeartRateCells) throws(VaultError) {
            let range = hour?.milliseconds ?? Moment.limit..<Moment.limit
            let before = try tiers.minutes(of: user, in: next..<max(next, range.lowerBound)).minuteCount
            let hoursBefore = try tiers.hours(of: user, in: next..<max(next, range.lowerBound)).count
            next = range.upperBound
            (kept, differing) = (kept + before, differing + before + hoursBefore)
            guard let hour else { return }
            var found = HeartRateCells(capacity: 60)
            for one in try tiers.minutes(of: user, in: range).all {
                for (number, minute) in one.minutes {
                    found.merge(minute, place: Int(number - hour.number * 60), of: one.source)
                }
            }
            kept += found.occupied.count
            differing += (0..<60).count { found.minutes($0) != cells.minutes($0) }
            if try tiers.hours(of: user, in: range).first?.samples != cells.held(0..<60) { differing += 1 }
        }
        var counted = CountedHours()
        let sources = try store.heartRateSources(of: user)
        let damaged = try StoredReadings(store: store, keys: keys).eachOfStreams(
            of: user, .heartRate, from: -Moment.limit, to: Moment.limit + 1
        ) { reading, stream in
            let hour = HourSpan.hour(reading.moment.wall)
            if let (number, cells) = counted.all.first, number != hour {
                do throws(VaultError) { try compare(HeartRateHour(number), cells) } catch {
                    failure = error
                    return false
                }
                counted = CountedHours()
            }
            counted.add(reading, of: sources[stream] ?? HeartRateSource(stream))
            return true
        }
        if let failure { throw failure }
        if let (number, cells) = counted.all.first { try compare(HeartRateHour(number), cells) }
        try compare(nil, HeartRateCells(capacity: 60))
        return (kept, differing + damaged)
    }
}

/// Minutes by their hours, counted from readings.
struct CountedHours {
    private var hours: [Int64: HeartRateCells] = [:]
    // Readings come by the thousand for one hour.
    private var current: (number: Int64, cells: HeartRateCells)?

    mutating func add(_ reading: Reading, of source: HeartRateSource) {
        add(CollectionOfOne(BareReading(reading)), of: source)
    }

    /// Adds readings of a source. Many follow one of the same minute.
    mutating func add(_ readings: some Sequence<BareReading>, of source: HeartRateSource) {
        var minute = HeartRateMinute()
        // Of `minute`, Unix milliseconds; at first no reading is in it.
        var begin = Int64.min / 2
        for reading in readings {
            guard let rate = reading.heartRate else { continue }
            let wall = reading.wall
            if !(0..<60_000 ~= wall - begin) {
                merge(minute, begin, of: source)
                minute = HeartRateMinute()
                begin = wall.floorDivided(by: 60_000) * 60_000
            }
            minute.add(rate, millisecond: Int(wall - begin))
            if reading.hasBeats { minute.hasIntervals = true }
        }
        merge(minute, begin, of: source)
    }

    private mutating func merge(_ minute: HeartRateMinute, _ begin: Int64, of source: HeartRateSource) {
        guard !minute.samples.isEmpty else { return }
        let number = HourSpan.hour(begin)
        if current?.number != number {
            if let current { hours[current.number] = current.cells }
            current = (number, hours.removeValue(forKey: number) ?? HeartRateCells(capacity: 60))
        }
        current?.cells.merge(minute, place: Int((begin - number * 3_600_000) / 60_000), of: source)
    }

    var all: [Int64: HeartRateCells] {
        var all = hours
        if let current { all[current.number] = current.cells }
        for (number, cells) in all where cells.parts.count > HeartRateCells.mostSources { all[number]?.limit(0..<60) }
        return all
    }
}

extension HeartRateSource {
    fileprivate init(_ portion: PersonsReadings.Portion) {
        self.init(portion.stream, isRecord: portion.sensor.hasPrefix(Self.records))
    }

    private static let records = "\(OwnGateway.name)/"
}

extension Store {
    /// What each of a person's streams is as a source, by its number.
    fileprivate func heartRateSources(of user: ID) throws(VaultError) -> [Int64: HeartRateSource] {
        var sources: [Int64: HeartRateSource] = [:]
        for stream in try streams(of: user) {
            sources[stream.number] = HeartRateSource(stream.number, isRecord: stream.gateway == OwnGateway.name)
        }
        return sources
    }
}
