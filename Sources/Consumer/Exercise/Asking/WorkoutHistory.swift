import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Readings
import Records
import Telemetry
import Workouts

// What people ask of the workouts that are over, and with `workouts/show` of the one that is under way, too. All of it is
// read on the readers' threads, of the asker and of nobody else.

/// Answers `workouts/list`, `show`, `statistics`, `records` and `load`.
enum WorkoutHistory {
    /// How many workouts a reply lists; fewer, if they are longer than it may be.
    static let lines: ClosedRange<Int64> = 1...1000
    /// How many points a chart or a path has.
    static let points: ClosedRange<Int64> = 2...1000
    /// Bytes of a reply, without what stands around them: nobody reads JSON that is longer than 64 KiB.
    static let longestReply = JSON.maximumLength - 4096
    /// How many days of training load a reply has.
    static let mostDays: ClosedRange<Int64> = 1...700
    /// How many activities have their records in a reply, those that were done most often.
    private static let mostActivities = 50
    /// How many days are looked at in one go, where all of them count.
    private static let daysAtOnce = 64
    /// How many are at most, where a reply may be full before the last of them.
    private static let fewDaysAtOnce = 32

    /// - Parameter zone: that of people who have named none.
    static func verbs(_ readers: FeatureReaders, _ context: PeopleContext, zone: String) -> [Verb] {
        [
            readers.questions.verb("workouts/list", .workoutsList) { request in
                let (user, filter) = (try request.user, try Filter(request))
                let limit = Int(try request.optionalInteger("limit", in: lines) ?? 50)
                let names = try request.optionalTexts("fields", atMost: LineFields.most)
                let fields = try names.map(LineFields.init)
                return { source in try list(of: user, filter, limit, fields, Asked(source, user, zone)) }
            },
            // Of a workout that is under way, it also depends on the time.
            readers.questions.verb(
                "workouts/show", .workoutsShow, isLong: true, isLasting: { $0["ended"] != nil }
            ) { request in
                let (user, id, units) = (try request.user, try request.id("id"), try Self.units(request))
                let count = Int(try request.optionalInteger("points", in: points) ?? 200)
                let now = context.now()
                return { source in try show(id, of: user, count, units, now: now, Asked(source, user, zone)) }
            },
            readers.statistics.verb("workouts/statistics", .workoutsStatistics, isLasting: { _ in true }) { request in
                let (user, filter) = (try request.user, try Filter(request))
                return { source in try statistics(filter, Asked(source, user, zone)) }
            },
            readers.statistics.verb("workouts/records", .workoutsRecords, isLasting: { _ in true }) { request in
                let (user, filter) = (try request.user, try Filter(request))
                return { source in try records(filter, Asked(source, user, zone)) }
            },
            readers.statistics.verb("workouts/load", .workoutsLoad) { request in
                let user = try request.user
                let days = Int(try request.optionalInteger("days", in: mostDays) ?? 90)
                return { source in try load(days, now: unixMilliseconds(), Asked(source, user, zone)) }
            },
        ]
    }

    /// The units by which a workout is parted.
    private static func units(_ request: PeopleRequest) throws(ReplyError) -> Units {
        guard let name = try request.optionalText("units", atMost: 16) else { return .metric }
        guard let units = Units(rawValue: name) else {
            throw ReplyError(.badRequest, "\"units\" has to be metric or imperial", field: "units")
        }
        return units
    }

    /// Which workouts are meant: those that began in a range of time, and of an activity.
    struct Filter: Sendable {
        var from: Int64 = WorkoutTimer.times.lowerBound
        var to: Int64 = WorkoutTimer.times.upperBound
        var activity: Activity?

        init(_ request: PeopleRequest) throws(ReplyError) {
            let times = -Moment.limit...Moment.limit
            from = max(from, try request.optionalInteger("from", in: times) ?? from)
            to = min(to, try request.optionalInteger("to", in: times) ?? to)
            guard from < to else {
                throw ReplyError(.invalid, "\"to\" has to be later than \"from\"", field: "to")
            }
            activity = try request.optionalActivity()
        }

        /// Those that may be other recordings of these: they may have begun earlier or later, and be called something else.
        var withOtherRecordings: Filter {
            var near = self
            near.from = max(WorkoutTimer.times.lowerBound, from - WorkoutFold.longest)
            near.to = min(WorkoutTimer.times.upperBound, to + WorkoutFold.longest)
            near.activity = nil
            return near
        }

        func includes(_ workout: KeptWorkout) -> Bool {
            includes(workout.started, workout.activity) && workout.timer.isOver
        }

        func includes(_ started: Int64, _ activity: Activity) -> Bool {
            (from..<to).contains(started) && (self.activity == nil || self.activity == activity)
        }
    }

    /// What a question is answered from.
    struct Asked {
        let rows: WorkoutRows
        let user: ID
        private let zone: String
        private let soFar = SoFar()

        /// What came of the question so far.
        private final class SoFar {
            var history: History?
            /// How many workouts it may still have counted that never were.
            var countsLeft = 4
        }

        init(_ source: ReadSource, _ user: ID, _ zone: String) {
            self.init(WorkoutRows(source.store, source.keys), user, zone)
        }

        init(_ rows: WorkoutRows, _ user: ID, _ zone: String) {
            (self.rows, self.user, self.zone) = (rows, user, zone)
        }

        /// Read when it is first asked for: a list needs none, as a rule.
        var history: History {
            get throws(VaultError) {
                if let history = soFar.history { return history }
                let history = try Histories(rows.store, rows.keys, zone: zone).history(of: user)
                soFar.history = history
                return history
            }
        }

        /// The units in which the person reads numbers.
        func units() throws(VaultError) -> Units {
            try Documents(store: rows.store, keys: rows.keys).units(of: user)
        }

        /// The gear of the person.
        func gear() throws(VaultError) -> GearList {
            try GearDocument(documents: Documents(store: rows.store, keys: rows.keys)).read(user)
        }

        /// The figures of a workout that is over, with those that only other recordings of it have, if it is the one that counts; nil before
        /// its own were computed.
        func figuresWithOthers(_ workout: KeptWorkout) throws(VaultError) -> JSON? {
            let all = try rows.recordings(of: workout, user) { () throws(VaultError) in try history.localDays }
            return all?.workout.id == workout.id ? all?.workout.figures : workout.figures
        }

        /// The figures of a workout that is only known by its line; nil if it cannot be opened.
        func figures(_ id: ID) throws(VaultError) -> JSON? {
            guard let workout = try rows.workout(id, of: user)?.workout else { return nil }
            return try figures(workout)
        }

        /// The figures of a workout; they are counted where they have never been.
        func figures(_ workout: KeptWorkout) throws(VaultError) -> JSON {
            if let figures = workout.figures { return figures }
            // It will be counted soon, by itself.
            let history = try self.history
            guard soFar.countsLeft > 0 else {
                return .object(workout.fold([], history).figures(at: workout.started).members(workout, history.person(at: workout.started)))
            }
            soFar.countsLeft -= 1
            return try workout.counted(of: user, history, rows.store, rows.keys)
        }

        /// The days, by UTC, on which those that are meant began, some at once, the latest first, for as long as `body`
        /// wants more.
        func eachDays(
            _ filter: Filter, atOnce: Int, while body: (ClosedRange<Int64>) throws(VaultError) -> Bool
        ) throws(VaultError) {
            var last = WorkoutRows.day(filter.to - 1)
            while true {
                let days = try rows.days(of: user, upTo: last, limit: atOnce)
                guard let latest = days.first, let earliest = days.last, try body(earliest...latest),
                    days.count == atOnce, earliest > WorkoutRows.day(filter.from)
                else { return }
                last = earliest - 1
            }
        }

        /// The same lines. Those that do not count, because another recording does, say so; the one that counts has what only the others know.
        func marked(_ lines: [WorkoutLine]) throws(VaultError) -> [WorkoutLine] {
            var changed: [ID: (figures: JSON?, gear: ID?)] = [:]
            for part in lines.overlapping {
                let counted = try CountedWorkout.all(of: rows.workouts(of: user, part)) { () throws(VaultError) in try history.localDays }
                for one in counted where !one.others.isEmpty {
                    changed[one.workout.id] = (one.workout.figures, one.workout.gear)
                    for other in one.others { changed[other.id] = (other.figures?.with(WorkoutFigures.counts.name, false), other.gear) }
                }
            }
            guard !changed.isEmpty else { return lines }
            return lines.map { line in
                guard let (figures, gear) = changed[line.id], let figures else { return line }
                var line = line
                (line.figures, line.gear) = (figures.bytes[...], gear)
                return line
            }
        }

        /// Those that are meant and count, the latest first: of the same workout twice, one, with what only the other recording knows.
        func each(_ filter: Filter, body: (KeptWorkout) throws(VaultError) -> Void) throws(VaultError) {
            func tell(_ workouts: [KeptWorkout]) throws(VaultError) {
                let counted = try CountedWorkout.all(of: workouts) { () throws(VaultError) in try history.localDays }
                for one in counted.reversed() where filter.includes(one.workout) { try body(one.workout) }
            }
            // Other recordings of these may be on earlier days: they wait, with what overlaps with them.
            var held: [KeptWorkout] = []
            let near = filter.withOtherRecordings
            try eachDays(near, atOnce: daysAtOnce) { days throws(VaultError) in
                for entry in try rows.workouts(of: user, on: days) where near.includes(entry.workout) {
                    var workout = entry.workout
                    workout.figures = try figures(workout)
                    held.append(workout)
                }
                let edge = days.lowerBound * 86_400_000 + WorkoutFold.longest
                let parts = CountedWorkout.parts(held)
                let count = parts.count { ($0.first?.started ?? edge) < edge }
                held = parts.prefix(count).flatMap { $0 }
                try tell(parts.dropFirst(count).flatMap { $0 })
                return true
            }
            try tell(held)
        }

        /// What of those that are meant can be compared, the latest first, with their ids.
        func summaries(_ filter: Filter) throws(VaultError) -> [(id: ID, summary: WorkoutSummary)] {
            var found: [(id: ID, summary: WorkoutSummary)] = []
            try each(filter) { workout throws(VaultError) in
                if let summary = workout.summary { found.append((workout.id, summary)) }
            }
            return found
        }
    }

    // MARK: Lists

    /// - Parameter fields: which fields of each workout; all of them if it is nil.
    private static func list(
        of user: ID, _ filter: Filter, _ limit: Int, _ fields: LineFields?, _ asked: Asked
    ) throws -> JSON {
        var page = LinesPage(limit: limit, fields: fields, gear: try asked.gear())
        // Another recording may have begun on a day beside these, and overlap only another one.
        let beside = 2 * WorkoutFold.longest / 86_400_000
        // The lines of these days and of those beside them; each is read once.
        var lines: [WorkoutLine] = []
        var earliest = Int64?.none
        try asked.eachDays(filter, atOnce: min(max(limit, 8), fewDaysAtOnce)) { days throws(VaultError) in
            let near = days.lowerBound - beside...days.upperBound + beside
            lines.removeAll { WorkoutRows.day($0.started) > near.upperBound }
            let unread = near.lowerBound...min(near.upperBound, earliest.map { $0 - 1 } ?? .max)
            lines += try asked.rows.lines(of: user, on: unread)
            earliest = near.lowerBound
            for line in try asked.marked(lines)
            where days.contains(WorkoutRows.day(line.started)) && filter.includes(line.started, line.activity) {
                guard try page.add(line, asked) else { return false }
            }
            return true
        }
        return page.json
    }

    // MARK: Over all

    private static func statistics(_ filter: Filter, _ asked: Asked) throws -> JSON {
        let summaries = try asked.summaries(filter).map(\.summary)
        let statistics = WorkoutStatistic.of(summaries)
        let attributes = WorkoutSummary.Attribute.allCases.map { attribute -> (String, JSON?) in
            let json = statistics[attribute].map { one in
                JSON.object(present: [
                    "mean": rounded(one.mean, 3),
                    "max": rounded(one.maximum, 3),
                    "total": rounded(one.total, 3),
                    "count": .integer(Int64(one.count)),
                ])
            }
            return (attribute.field, json)
        }
        return .object([JSON.Member("workouts", .integer(Int64(summaries.count)))] + present(attributes))
    }

    private static func records(_ filter: Filter, _ asked: Asked) throws -> JSON {
        let byActivity = Dictionary(grouping: try asked.summaries(filter), by: \.summary.activity)
        let usual = byActivity.sorted { ($1.value.count, $0.key.name) < ($0.value.count, $1.key.name) }
        var records: [JSON] = []
        for (activity, own) in usual.prefix(mostActivities).sorted(by: { $0.key.name < $1.key.name }) {
            for record in PersonalRecord.of(own.map(\.summary)) {
                let one = own[record.index]
                records.append(
                    .object(
                        [
                            JSON.Member("activity", .string(activity.name)),
                            JSON.Member(record.kind.field, rounded(record.value, 1) ?? .null),
                            JSON.Member("id", .string(one.id.text)),
                            JSON.Member("started", .integer(one.summary.started)),
                        ]))
            }
        }
        return ["records": .array(records)]
    }

    /// Load, fitness and fatigue of the last days.
    private static func load(_ days: Int, now: Int64, _ asked: Asked) throws -> JSON {
        var loads: [CalendarDay: Double] = [:]
        let localDays = try asked.history.localDays
        let filter = Filter()
        for (_, summary) in try asked.summaries(filter) {
            loads[localDays.day(of: summary.started), default: 0] += summary[.load] ?? 0
        }
        let today = localDays.day(of: now)
        guard let first = loads.keys.min(), first <= today else { return ["days": .array([])] }
        let length = min(first.distance(to: today) + 1, TrainingDay.mostDays)
        let start = today.advanced(by: 1 - length)
        let curve = TrainingDay.curve((0..<length).map { loads[start.advanced(by: $0)] ?? 0 })
        let lines = zip(0..<length, curve).suffix(days).map { offset, day -> JSON in
            .object(
                [JSON.Member("day", .string("\(start.advanced(by: offset))"))]
                    + present([
                        ("load", rounded(day.load, 1)), ("fitness", rounded(day.fitness, 1)),
                        ("fatigue", rounded(day.fatigue, 1)), ("form", rounded(day.form, 1)),
                    ]))
        }
        return ["days": .array(lines)]
    }
}

extension WorkoutHistory.Filter {
    /// All of them.
    init() {}
}

extension PersonalRecord.Kind {
    /// All of them.
    static let all: [PersonalRecord.Kind] =
        [.longest, .farthest, .mostAscent] + BestTime.distances.map { .fastest(metres: $0) }

    /// The name where names include the unit.
    var field: String {
        switch self {
        case .longest: "longest_s"
        case .farthest: "farthest_m"
        case .mostAscent: "most_ascent_m"
        case .fastest(let metres): "fastest_\(Int(metres))_m_s"
        }
    }
}
