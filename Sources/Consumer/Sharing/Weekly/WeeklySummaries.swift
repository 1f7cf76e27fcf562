import Daemon
import Days
import Desk
import Exercise
import Features
import Files
import Fitness
import Insight
import Reactor
import Records
import Schedules
import Telemetry
import Workouts

// A notification says what a week came to, and goes wherever the person's notifications go: by push, by mail. It is kept in the
// transaction that writes down the week: either both are there, or neither. So each week has one, even if the service is killed. A week
// without any reading has none, and of several that were missed, only the latest has one.

/// A person wants summaries of their weeks: a document, which is there if they do.
struct WeeklyWish: Equatable {
    static let document = "weekly"

    /// The latest week that has its summary, or needs none.
    var told: CalendarWeek

    static func read(_ documents: Documents, of user: ID) throws(VaultError) -> WeeklyWish? {
        guard case .integer(let monday)? = try documents.read(Self.document, of: user)?["told"] else { return nil }
        return WeeklyWish(told: CalendarDay(daysSince1970: monday).week)
    }

    func write(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.write(["told": .integer(told.monday.daysSince1970)], Self.document, of: user)
    }

    static func everybody(_ documents: Documents) throws(VaultError) -> [ID] {
        try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(document)]
        ) { row throws(VaultError) in try row.text("person") }
        .compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }
}

/// Answers `weekly/…`, and sends people the summaries of their weeks. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class WeeklySummaries: FeatureService, PeopleObserver, @unchecked Sendable {
    private let context: PeopleContext
    private let histories: Histories
    private let readers: FeatureReaders
    /// Whose week is being read.
    private(set) var reading: ID?
    /// When each person's next summary is due, in Unix milliseconds.
    private var alarms: [ID: Int64] = [:]
    /// People whose next time is not known yet.
    private var unread: Set<ID> = []
    private var isRead = false
    /// What the wall clock said last, in Unix milliseconds.
    private var looked = Int64.min
    private var loop: EventLoop?
    /// For how long it looks before others have their turn, in milliseconds.
    private static let portion: UInt64 = 20
    /// After what time it tries again if a week could not be read or told, in milliseconds.
    private static let pause: Int64 = 60_000

    init(_ parts: FeatureParts) {
        (context, readers, histories) = (parts.context, parts.readers, parts.days.histories)
        context.changes.add(self)
    }

    func start(_ loop: EventLoop) {
        self.loop = loop
        tick()
    }

    /// Called before the profile is kept: where the person is can be read at the next tick.
    func moved(_ user: ID) { unread.insert(user) }

    func forgotten(_ user: ID) {
        alarms[user] = nil
        unread.remove(user)
    }

    // MARK: The clock

    private func tick() {
        let isLeft = lookAround()
        loop?.after(isLeft ? .milliseconds(10) : .seconds(1)) { [unowned self] in tick() }
    }

    /// Each second: people whose next time is not known, and summaries that are due.
    /// - Returns: whether people are left.
    func lookAround() -> Bool {
        let now = context.now()
        // A clock that was ahead has found times that are far away.
        if now < looked { isRead = false }
        looked = now
        if !isRead { readEverybody() }
        let end = millisecondsSinceBoot() + Self.portion
        for user in unread {
            guard millisecondsSinceBoot() < end else { return true }
            attempt(user) { () throws(VaultError) in try look(at: user) }
        }
        tellNext()
        return false
    }

    private func readEverybody() {
        do throws(VaultError) {
            unread.formUnion(try WeeklyWish.everybody(context.documents))
            isRead = true
        } catch {
            context.limitedLog.error("weeks") { "who wants to be told of weeks was not read\($0): \(error)" }
        }
    }

    /// Finds out when somebody's next summary is due.
    private func look(at user: ID) throws(VaultError) {
        let zone = try histories.zone(of: user)
        alarms[user] = try WeeklyWish.read(context.documents, of: user).map { wish in
            WeekTelling.time(of: wish.told.monday.advanced(by: 7).week, in: zone)
        }
        unread.remove(user)
    }

    /// Has the week of somebody read whose summary is due, of one person after the other, and tells them.
    private func tellNext() {
        let now = context.now()
        guard reading == nil, let (user, time) = alarms.min(by: { $0.value < $1.value }), time <= now else { return }
        // If something goes wrong, all others have their turn first.
        alarms[user] = now + Self.pause
        attempt(user) { () throws(VaultError) in
            guard !context.doors.isBeingForgotten(user) else { return forgotten(user) }
            let week = WeekTelling.latest(at: now, in: try histories.zone(of: user))
            let zone = context.settings.timeZone
            reading = user
            readers.statistics.read { source in
                try Self.words(of: week, user, now: now, zone: zone, source)
            } completion: { [unowned self] result in
                reading = nil
                if alarms[user] != nil { take(result, week, user, now: now) }
                tellNext()
            }
        }
    }

    private func take(_ words: Result<String?, any Error>, _ week: CalendarWeek, _ user: ID, now: Int64) {
        switch words {
        case .success(let text): attempt(user) { () throws(VaultError) in try tell(user, week, text, now: now) }
        case .failure(let error): report(user, error)
        }
    }

    private func tell(_ user: ID, _ week: CalendarWeek, _ text: String?, now: Int64) throws(VaultError) {
        guard !context.doors.isBeingForgotten(user) else { return forgotten(user) }
        try context.store.change(user) { () throws(VaultError) in
            guard var wish = try WeeklyWish.read(context.documents, of: user), wish.told < week else { return }
            wish.told = week
            try wish.write(context.documents, of: user)
            guard let text else { return }
            try context.notifications.add(
                Notification(kind: .week, time: now, day: week.monday, text: text), to: user)
        }
        try look(at: user)
    }

    /// What a week came to; nil if nothing was recorded.
    private static func words(
        of week: CalendarWeek, _ user: ID, now: Int64, zone: String, _ source: ReadSource
    ) throws -> String? {
        let statistics = try Statistics(of: user, source.store, source.keys, zone: zone, now: now)
        let totals = PeriodTotals(try statistics.all(week.days))
        let done = WorkoutTotals(try SharedWorkouts(source, of: user, zone: zone).summaries(on: week.days))
        guard totals.recordedDays > 0 || done.workouts > 0 else { return nil }
        let notifications = Notifications(source.store, source.keys)
        let figures = SharedFigures(
            language: try notifications.language(of: user), units: try notifications.units(of: user))
        let days = Days(source.store, source.keys, Histories(source.store, source.keys, zone: zone))
        return figures.week(week.days, totals, done, try days.goals(of: user, inWeekOf: week.days.upperBound))
    }

    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch { report(user, error) }
    }

    private func report(_ user: ID, _ error: any Error) {
        context.limitedLog.error("week of \(user)") { "\(user) is not told of a week now\($0): \(error)" }
    }
}

// MARK: Requests

extension WeeklySummaries {
    var verbs: [Verb] {
        [
            Verb("weekly/get", .weeklyGet, .atOnce { [unowned self] in try get($0.user) }),
            Verb("weekly/set", .weeklySet, .atOnce { [unowned self] in try set($0) }),
        ]
    }

    private func get(_ user: ID) throws -> JSON {
        let (wish, zone) = (try WeeklyWish.read(context.documents, of: user), try histories.zone(of: user))
        let next = wish.map { WeekTelling.time(of: $0.told.monday.advanced(by: 7).week, in: zone) }
        return .object(present: ["wanted": .bool(wish != nil), "next": next.map(JSON.integer)])
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        guard let isWanted = try request.optionalBool("wanted") else {
            throw ReplyError(.badRequest, "\"wanted\" has to be true or false", field: "wanted")
        }
        try context.store.change(user) { () throws(VaultError) in
            let documents = context.documents
            guard isWanted else { return try documents.remove(WeeklyWish.document, of: user) }
            guard try WeeklyWish.read(documents, of: user) == nil else { return }
            // The first one is of the week that is under way.
            try WeeklyWish(told: WeekTelling.latest(at: now, in: histories.zone(of: user))).write(documents, of: user)
        }
        try look(at: user)
        return try get(user)
    }
}
