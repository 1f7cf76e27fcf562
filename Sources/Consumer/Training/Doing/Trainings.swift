import Daemon
import Days
package import Desk
package import Exercise
import Features
package import Files
import Fitness
package import MQTT
package import Reactor
import Records
package import Telemetry
import TrainingPlans
import Workouts

// The trainings that are under way: workouts that follow a plan.
//
// What is kept of one is the plan and how far it was when the person last did something; what ends by itself follows from the workout's
// time. So nothing is written while sets and rests pass, and a service that was away goes on as if it had been there. What was done is
// counted once, when the workout has ended: in the row, which then has no state any more.

/// Follows people's trainings. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Trainings: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    let histories: Histories
    let workouts: RunningWorkouts
    private var running: [ID: RunningTraining] = [:]
    /// Until the next set or rest ends by itself.
    private var timers: [ID: EventLoop.Timer] = [:]
    private var loop: EventLoop?
    private var isConnected = false

    var rows: TrainingRows { TrainingRows(context.documents) }

    init(_ parts: FeatureParts, _ workouts: RunningWorkouts) {
        (context, histories, self.workouts) = (parts.context, parts.days.histories, workouts)
        workouts.tell(self)
        context.changes.add(self)
    }

    package var verbs: [Verb] { TrainingRequests(self).verbs }

    // MARK: The service

    package func start(_ loop: EventLoop) {
        self.loop = loop
        do throws(VaultError) {
            for (user, record) in try rows.underWay() {
                attempt(user) { () throws(VaultError) in try resume(record, user) }
            }
        } catch {
            context.limitedLog.error("trainings not read") {
                "the trainings that are under way were not read\($0): \(error)"
            }
        }
    }

    /// Goes on with what was kept, unless the workout has ended and nobody could write that down.
    private func resume(_ record: TrainingRecord, _ user: ID) throws(VaultError) {
        let kept = try WorkoutRows(context.store, context.keys).workout(record.workout, of: user)?.workout
        guard let workout = kept else { return }
        guard var training = RunningTraining(record) else {
            context.limitedLog.error("training of \(user)") { "the training of \(user) cannot go on\($0)" }
            var over = record
            over.state = nil
            return try keep(over, of: user)
        }
        running[user] = training
        guard !workout.timer.isOver else { return try end(user, workout.timer) }
        training.pass(to: context.now(), workout.timer)
        running[user] = training
        workouts.noteActivity(of: user, at: training.lastSeen(workout.timer))
        schedule(user)
    }

    package func connected() {
        isConnected = true
        for user in running.keys { publish(user) }
    }

    package func disconnected() { isConnected = false }

    /// The broker had kept this: a training may have ended while nobody could say so.
    package func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, !message.payload.isEmpty, case .user(let user, .training) = topic, running[user] == nil
        else { return }
        takeBack(user)
    }

    package func forgotten(_ user: ID) { forget(user) }

    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("training of \(user)") {
                "the training of \(user) cannot go on now\($0): \(error)"
            }
        }
    }

    // MARK: What goes on

    /// The training that a person is doing, with the workout that follows it; nil if there is none.
    func underWay(_ user: ID) -> (training: RunningTraining, workout: KeptWorkout)? {
        guard let training = running[user], let workout = workouts.workout(of: user),
            workout.id == training.record.workout
        else { return nil }
        return (training, workout)
    }

    /// What people see of it.
    func shown(_ user: ID) -> JSON? {
        advance(user)
        return underWay(user).map { $0.training.json(at: context.now(), $0.workout.timer) }
    }

    /// A training has begun, or its person has done something; its row is written.
    func changed(_ training: RunningTraining, of user: ID) {
        running[user] = training
        tellOfChange(user)
    }

    /// Lets what has ended by itself end.
    private func advance(_ user: ID) {
        guard let (training, workout) = underWay(user) else { return }
        running[user]?.pass(to: context.now(), workout.timer)
        if running[user]?.place != training.place { tellOfChange(user) }
    }

    private func tellOfChange(_ user: ID) {
        guard let (training, _) = underWay(user) else { return }
        workouts.noteActivity(of: user, at: context.now())
        let progress = training.progress
        workouts.announce(WorkoutAnnouncement(to: user, of: training.record.workout) { progress.spoken($0) })
        publish(user)
        schedule(user)
    }

    /// Waits for what ends next.
    private func schedule(_ user: ID) {
        timers[user]?.cancel()
        timers[user] = nil
        guard let (training, workout) = underWay(user), workout.timer.state == .running,
            let left = training.left(at: context.now(), workout.timer)
        else { return }
        timers[user] = loop?.after(.milliseconds(left)) { [unowned self] in
            advance(user)
            // The wall clock may have been set back in the meantime.
            schedule(user)
        }
    }

    // MARK: The end

    /// The workout has ended: what was done is counted.
    private func end(_ user: ID, _ timer: WorkoutTimer) throws(VaultError) {
        guard var training = running[user] else { return }
        // What cannot be kept now is kept at the next start.
        defer { forget(user) }
        let history = try histories.history(of: user)
        training.end(timer, history.person(on: history.localDays.day(of: training.record.started)))
        try keep(training.record, of: user)
    }

    private func keep(_ record: TrainingRecord, of user: ID) throws(VaultError) {
        try context.store.change(user) { () throws(VaultError) in
            try rows.write(record, of: user)
            guard let choice = record.choice, record.exercises > 0 else { return }
            var selection = try WeekSelection(context.documents, of: user)
            selection.markDone(choice, in: record.workout)
            try selection.keep(context.documents, of: user)
        }
    }

    private func forget(_ user: ID) {
        timers[user]?.cancel()
        timers[user] = nil
        guard running.removeValue(forKey: user) != nil else { return }
        takeBack(user)
    }

    // MARK: What is published

    private func publish(_ user: ID) {
        guard isConnected, context.settings.hasAccounts, let (training, workout) = underWay(user) else { return }
        let payload = training.json(at: context.now(), workout.timer).bytes
        context.session.publish(payload, to: context.topics[user: user, .training], qos: .atLeastOnce, retain: true)
    }

    private func takeBack(_ user: ID) {
        guard isConnected, context.settings.hasAccounts else { return }
        context.session.publish([], to: context.topics[user: user, .training], qos: .atLeastOnce, retain: true)
    }
}

// MARK: - What it hears of workouts

extension Trainings: WorkoutObserver {
    package func turned(_ turn: WorkoutTurn, _ workout: ObservedWorkout) {
        let user = workout.user
        guard let (_, kept) = underWay(user), kept.id == workout.id else { return }
        switch turn {
        case .began, .reachedGoal, .zone: break
        case .paused, .resumed:
            publish(user)
            schedule(user)
        case .goesOn:
            advance(user)
            hear(workout.figures?.heartRate?.zone, user)
        case .ended: attempt(user) { () throws(VaultError) in try end(user, kept.timer) }
        case .cancelled: forget(user)
        }
    }

    /// Tells whether the heart beats as it is meant to, as soon as that is different.
    private func hear(_ zone: Int?, _ user: ID) {
        guard let (training, workout) = underWay(user) else { return }
        running[user]?.zone = zone
        if running[user]?.isInZone(workout.timer) != training.isInZone(workout.timer) { publish(user) }
    }
}

extension Trainings: WorkoutRemovalObserver {
    package func removingWorkouts(_ workouts: Set<ID>, of user: ID) throws(VaultError) {
        for workout in workouts { try rows.remove(workout, of: user) }
        let before = try WeekSelection(context.documents, of: user)
        var selection = before
        for workout in workouts { selection.remove(workout: workout) }
        if selection != before { try selection.keep(context.documents, of: user) }
    }
}

extension UserTopic {
    /// The training that is under way.
    package static let training = UserTopic.published("training")
}
