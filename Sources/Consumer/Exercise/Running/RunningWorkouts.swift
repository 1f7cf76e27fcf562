import Daemon
package import Days
package import Desk
import Features
import Files
import Fitness
package import MQTT
package import Reactor
import Readings
package import Records
import Storage
package import Telemetry
import Workouts

// The workouts that are under way.
//
// A reading reaches a workout twice: at once, from the gateway or the phone (`measured`), and with the block in which it
// is stored (`stored`). The first makes the figures that are published; the second is the truth. Where something was
// stored that did not come before, came late or was corrected, the figures are counted again from what is stored, on
// another thread, at most every ten seconds. So a restart loses nothing: the workout is read again, and counted.
//
// A goal that ends the workout is looked at with each reading and each second. The row, the notification and the end of
// live readings change in one transaction: the workout ends once, whatever is killed.

/// Keeps people's running workouts. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class RunningWorkouts: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    let rows: WorkoutRows
    private let days: Days
    private var histories: Histories { days.histories }
    private let readers: FeatureReaders
    private(set) var running: [ID: RunningWorkout] = [:]
    /// Whose figures are being counted, and when they last were, in milliseconds since boot.
    private(set) var counting: Set<ID> = []
    private var counted: [ID: UInt64] = [:]
    private var published: [ID: UInt64] = [:]
    private var isRefreshing = false
    private var refreshed: UInt64 = 0
    private var marked = MarkedWorkouts()
    private var loop: EventLoop?
    private var isConnected = false
    let observers = WorkoutObservers()

    /// How often a workout is published and counted again, and how often those that are over are looked at, in
    /// milliseconds.
    private static let (publishing, recounting, refreshing): (UInt64, UInt64, UInt64) = (5000, 10_000, 10_000)
    /// How many are counted at the same time.
    private static let mostCounting = 4

    init(_ parts: FeatureParts) {
        context = parts.context
        rows = WorkoutRows(context.store, context.keys)
        (days, readers) = (parts.days, parts.readers)
        context.changes.add(self)
    }

    package var verbs: [Verb] { WorkoutRequests(self).verbs }

    /// - Parameter observer: hears of the turns of workouts from now on, and is not kept alive.
    package func tell(_ observer: any WorkoutObserver) { observers.add(observer) }

    var settings: WorkoutSettings { context.settings[WorkoutSettings.self] }

    // MARK: The service

    package func start(_ loop: EventLoop) {
        self.loop = loop
        do throws(VaultError) {
            for entry in try rows.underWay() {
                attempt(entry.user) { () throws(VaultError) in
                    begin(entry.workout, of: entry.user, try histories.history(of: entry.user))
                }
            }
        } catch {
            context.limitedLog.error("workouts not read") {
                "the workouts that are under way were not read\($0): \(error)"
            }
        }
        tick()
    }

    package func connected() {
        isConnected = true
        for user in running.keys { publish(user) }
    }

    package func disconnected() { isConnected = false }

    /// The broker had kept this: a workout may have ended while nobody could say so.
    package func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, !message.payload.isEmpty, case .user(let user, .workout) = topic, running[user] == nil
        else { return }
        takeBack(user)
    }

    package func forgotten(_ user: ID) { forget(user) }

    private func tick() {
        let clock = millisecondsSinceBoot()
        for (user, workout) in running {
            attempt(user) { () throws(VaultError) in
                if try endIfDue(user) { return }
                if workout.mustBeCounted { count(user, clock) }
                try tellGoal(user)
                try tellZone(user)
            }
            if clock >= (published[user] ?? 0) + Self.publishing { publish(user) }
            guard let one = running[user] else { continue }
            tell(.goesOn, user, one.workout)
            observers.tellOfSecond(one, now: context.now())
        }
        if clock >= refreshed + Self.refreshing { refresh(clock) }
        loop?.after(.seconds(1)) { [unowned self] in tick() }
    }

    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("workout of \(user)") { "the workout of \(user) cannot go on now\($0): \(error)" }
        }
    }

    // MARK: Readings

    package func measured(_ readings: [Reading], of user: ID, by sensor: SensorName) {
        // What files bring of its time counts, if nothing else does, when it is counted again.
        guard running[user] != nil, !SampleSelection.isOfFile("\(sensor)") else { return }
        running[user]?.take(readings, "\(sensor)", now: context.now())
        // All else is done within a second.
        guard running[user]?.hasReachedGoal == true else { return }
        attempt(user) { () throws(VaultError) in if try !endIfDue(user) { try tellGoal(user) } }
    }

    package func stored(_ readings: PersonsReadings) {
        guard running[readings.user] != nil else { return }
        running[readings.user]?.stored(readings)
    }

    /// A person has shown that they are still at it, at a time in Unix milliseconds: the silence of their sensors begins then.
    package func noteActivity(of user: ID, at time: Int64) { running[user]?.hear(at: time) }

    package func corrected(_ user: ID) { running[user]?.forgetRecent() }

    /// Perhaps they have saved a profile.
    package func changedAtOnce(_ users: Set<ID>) {
        for user in users where running[user] != nil {
            attempt(user) { () throws(VaultError) in running[user]?.take(try histories.history(of: user)) }
        }
    }

    private func count(_ user: ID, _ clock: UInt64) {
        guard !counting.contains(user), counting.count < Self.mostCounting,
            clock >= (counted[user] ?? 0) + Self.recounting, let one = running[user]
        else { return }
        counting.insert(user)
        running[user]?.beginCounting()
        let (workout, history, recent) = (one.workout, one.history, one.recent)
        let now = context.now()
        readers.background.read { source in
            let samples = try WorkoutSamples(of: user, workout, now: now, source.store, source.keys)
            return RunningWorkout.Count(workout, history, samples, recent)
        } completion: { [unowned self] result in
            counting.remove(user)
            counted[user] = millisecondsSinceBoot()
            // Another workout may have begun in the meantime.
            guard running[user]?.workout.id == workout.id else { return }
            switch result {
            case .success(let count):
                running[user]?.counted(count)
                // Its goal may have been reached before a restart, and there may be no second until the next.
                attempt(user) { () throws(VaultError) in _ = try endIfDue(user) }
            case .failure(let error):
                running[user]?.countAgain()
                context.limitedLog.error("workout of \(user)") {
                    "the workout of \(user) was not counted\($0): \(error)"
                }
            }
            publish(user)
        }
    }

    // MARK: Beginning and ending

    /// What is known of a person's days.
    func history(of user: ID) throws(VaultError) -> History { try histories.history(of: user) }

    /// A workout is under way whose row is written.
    func begin(_ workout: KeptWorkout, of user: ID, _ history: History) {
        running[user] = RunningWorkout(workout, of: user, history, now: context.now())
        (counted[user], published[user]) = (nil, nil)
        publish(user)
    }

    /// How long the heart has been where it is.
    func looked(_ user: ID, _ target: TargetZone) { running[user]?.target = target }

    /// Something was said of a workout, and its row is written.
    func replace(_ workout: KeptWorkout, of user: ID) {
        guard running[user]?.workout.id == workout.id else { return }
        running[user]?.replace(workout)
        publish(user)
    }

    /// What was done to a workout, in its row.
    struct Done {
        let workout: KeptWorkout
        /// Those that were recorded as a workout needs it, and no longer are.
        fileprivate let sensors: Set<SensorName>
    }

    /// Does something to a person's workout, within a transaction; `tell(done:)` follows it.
    func write(_ kind: WorkoutEvent.Kind, at time: Int64, of user: ID, because end: KeptWorkout.End? = nil) throws -> Done {
        guard var workout = try rows.underWay(of: user)?.workout else { throw Self.nothing(kind) }
        if let end {
            try workout.end(at: time, because: end)
        } else {
            try workout.add(WorkoutEvent(kind, at: time))
        }
        guard workout.timer.isOver else {
            try rows.write(workout, of: user)
            return Done(workout: workout, sensors: [])
        }
        if kind == .cancel {
            try rows.remove(workout.id, of: user)
            try context.changes.removingWorkouts([workout.id], of: user)
        } else {
            try rows.write(workout, of: user)
            try rows.mark(workout.id)
        }
        return Done(workout: workout, sensors: try record(false, user))
    }

    /// Does the rest after the transaction: continues with the changed workout, and informs those who listen.
    func tell(done: Done, of user: ID) {
        let (changed, sensors) = (done.workout, done.sensors)
        guard let event = changed.events.last else { return }
        running[user]?.add(event, changed)
        publish(user)
        if let one = running[user] { observers.tell(event.kind, one) }
        if changed.timer.isOver {
            forget(user)
            if event.kind == .stop { marked.hasEnded(changed.id, of: user) }
            refreshed = 0
            tell(event.kind == .cancel ? .cancelled : .ended, user, changed)
        }
        context.changes.changed([user])
        if !sensors.isEmpty { context.doors.bringStreamsInLine(of: sensors) }
    }

    /// Tells others how far a workout is.
    func tell(_ stage: WorkoutStage, _ user: ID, _ workout: KeptWorkout) {
        if case .began = stage, let one = running[user] { observers.tell(.start, one) }
        let end = max(workout.started, workout.timer.ended ?? context.now())
        context.changes.worksOut(user, stage, workout.started..<end)
    }

    /// Has the sensors of a person recorded as a workout needs it, or as before, within a transaction.
    /// - Returns: the sensors.
    func record(_ isUnderWay: Bool, _ user: ID) throws(VaultError) -> Set<SensorName> {
        let documents = context.documents
        if isUnderWay {
            try documents.write(["workout": true], RecordedKinds.document, of: user)
        } else {
            try documents.remove(RecordedKinds.document, of: user)
        }
        let claims = Claims(store: context.store)
        try claims.setKinds(RecordedKinds(documents), of: user)
        return try claims.sensors(of: user)
    }

    /// What is asked for needs a workout.
    static func nothing(_ kind: WorkoutEvent.Kind) -> ReplyError {
        ReplyError(.notFound, "no workout is under way: start one before you \(kind.rawValue) it")
    }

    private func forget(_ user: ID) {
        if let workout = running[user]?.workout { observers.forget(workout.id) }
        running[user] = nil
        (counted[user], published[user]) = (nil, nil)
        takeBack(user)
    }

    /// Ends a workout whose goal is reached, or that nobody ends.
    /// - Returns: whether it has ended.
    private func endIfDue(_ user: ID) throws(VaultError) -> Bool {
        guard let one = running[user] else { return true }
        let (now, workout) = (context.now(), one.workout)
        if workout.endsAtGoal, let reached = one.figures(now: now).goalReached {
            return try end(user, at: reached, .goal)
        }
        let silence = settings.endAfter
        guard !one.mustBeCounted, now - max(one.heard, one.since) > silence else { return false }
        return try end(user, at: one.heard, .silence)
    }

    /// Tells a person once that the goal of their workout is reached, which does not end it.
    private func tellGoal(_ user: ID) throws(VaultError) {
        guard let one = running[user], one.workout.goal != nil, !one.workout.endsAtGoal, one.workout.toldGoal == nil,
            let reached = one.knownFigures(now: context.now())?.goalReached
        else { return }
        var told: KeptWorkout?
        try context.store.change(user) { () throws(VaultError) in
            guard var workout = try rows.underWay(of: user)?.workout, workout.id == one.workout.id else { return }
            workout.toldGoal = reached
            try rows.write(workout, of: user)
            try tell(.goal, workout, user)
            told = workout
        }
        guard let told else { return }
        replace(told, of: user)
        context.changes.changed([user])
    }

    /// Tells a person what the service has done with their workout, or that its goal is reached, within a transaction.
    private func tell(_ end: KeptWorkout.End, _ workout: KeptWorkout, _ user: ID) throws(VaultError) {
        let notifications = context.notifications
        let (language, units) = (try notifications.language(of: user), try notifications.units(of: user))
        let (kind, text) = WorkoutWords.ended(end, workout, language, units)
        try notifications.add(Notification(kind: kind, time: context.now(), text: text), to: user)
    }

    private func end(_ user: ID, at time: Int64, _ end: KeptWorkout.End) throws(VaultError) -> Bool {
        guard let workout = running[user]?.workout else { return true }
        do {
            let done = try context.store.attempt(naming: [user]) {
                let done = try write(.stop, at: time, of: user, because: end)
                try tell(end, workout, user)
                return done
            }.get()
            tell(done: done, of: user)
            return true
        } catch let error as VaultError { throw error } catch {
            // The row says that it is over already.
            forget(user)
            return true
        }
    }
}

// MARK: - What is published

extension RunningWorkouts {
    /// What people are shown of a workout: how it goes, and what it is done with.
    func shown(_ one: RunningWorkout) -> JSON {
        let json = one.json(now: context.now())
        guard let gear = one.workout.gear else { return json }
        let list = try? GearDocument(documents: context.documents).read(one.user)
        return json.with("gear", list?.json(of: gear))
    }

    private func publish(_ user: ID) {
        guard isConnected, context.settings.hasAccounts, let one = running[user] else { return }
        published[user] = millisecondsSinceBoot()
        let payload = shown(one).bytes
        context.session.publish(payload, to: context.topics[user: user, .workout], qos: .atLeastOnce, retain: true)
    }

    private func takeBack(_ user: ID) {
        guard isConnected, context.settings.hasAccounts else { return }
        context.session.publish([], to: context.topics[user: user, .workout], qos: .atLeastOnce, retain: true)
    }

    // MARK: Workouts that are over

    /// Counts a workout that was marked.
    private func refresh(_ clock: UInt64) {
        guard !isRefreshing else { return }
        refreshed = clock
        do throws(VaultError) {
            guard let id = try marked.next(rows) else { return }
            guard let entry = try rows.marked(id), !context.doors.isBeingForgotten(entry.user) else {
                return refreshNext(after: 0)
            }
            let history = try histories.history(of: entry.user)
            isRefreshing = true
            readers.statistics.read { source in
                try entry.workout.counted(of: entry.user, history, source.store, source.keys)
            } completion: { [unowned self] result in
                isRefreshing = false
                keep(result, entry)
                refreshNext(after: millisecondsSinceBoot() - clock)
            }
        } catch {
            context.limitedLog.error("workouts not counted") {
                "the workouts that are over were not counted\($0): \(error)"
            }
        }
    }

    /// There may be more; it rests as long as the last one took.
    private func refreshNext(after milliseconds: UInt64) {
        _ = loop?.after(.milliseconds(Int64(max(50, milliseconds)))) { [unowned self] in
            refresh(millisecondsSinceBoot())
        }
    }

    private func keep(_ result: Result<JSON, any Error>, _ entry: WorkoutRows.Entry) {
        do {
            let (figures, user, now) = (try result.get(), entry.user, context.now())
            try context.store.change(user) { () throws(VaultError) in
                guard var workout = try rows.workout(entry.workout.id, of: user)?.workout, workout.counts(like: entry.workout)
                else { return }
                let before = workout.figures
                workout.figures = figures
                if let time = workout.goalReachedUnsaid(since: before, now: now) {
                    workout.toldGoal = time
                    try tell(.goal, workout, user)
                }
                try rows.write(workout, of: user)
                try rows.unmark(workout.id, entry.marks)
                if let ofDay = workout.ofDay {
                    try days.take(ofDay, of: user, silently: workout.origin != nil, wasCounted: before != nil, now: now)
                }
            }
            days.committed()
            marked.wasCounted()
        } catch {
            days.rolledBack()
            context.limitedLog.error("workouts not counted") { "a workout that is over was not counted\($0): \(error)" }
        }
    }
}

extension UserTopic {
    /// The workout that is under way.
    package static let workout = UserTopic.published("workout")
}
