import Daemon
import Days
package import Exercise
import Features
import Files
import MQTT
package import Reactor
import Records
package import Telemetry
import TrainingPlans
import Workouts

// What is said during a workout. The texts are published in the person's topic `voice`; something near the person says them, such as
// `vitals speak`. A text that nobody could take within half a minute is said no longer.
//
// How far was spoken is not kept. After a restart it is taken to be as far as the workout is by then, and a goal that was reached before to
// be told: what was due in between is missing, and nothing is said twice.

/// Says how workouts go. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Voice: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    private var spoken: [ID: Spoken] = [:]
    /// When the service began, in Unix milliseconds.
    private var since: Int64 = 0

    /// A workout that is spoken of.
    private struct Spoken {
        let workout: ID
        var plan: SpeakingPlan
        var progress: SpokenProgress
    }

    init(_ parts: FeatureParts, _ workouts: RunningWorkouts) {
        context = parts.context
        workouts.tell(self)
        context.changes.add(self)
    }

    package func start(_ loop: EventLoop) { since = context.now() }

    package func forgotten(_ user: ID) { spoken[user] = nil }

    /// What a person wants to hear.
    func plan(of user: ID) throws(VaultError) -> SpeakingPlan {
        try VoicePlanDocument(documents: context.documents).read(user)
    }

    /// A person wants to hear something else. What has passed by now is not said again.
    func changed(to plan: SpeakingPlan, of user: ID) {
        guard let before = spoken[user] else { return }
        let isSame = before.plan.interval == plan.interval
        spoken[user] = Spoken(
            workout: before.workout, plan: plan,
            progress: isSame ? before.progress : SpokenProgress(joining: plan.interval))
    }
}

extension Voice: WorkoutObserver {
    package func turned(_ turn: WorkoutTurn, _ workout: ObservedWorkout) {
        do throws(VaultError) {
            // That nothing was measured any longer is known late.
            let isNews = !workout.isLate(now: context.now()) || turn == .ended(.silence)
            switch turn {
            case .began:
                let plan = try plan(of: workout.user)
                spoken[workout.user] = Spoken(
                    workout: workout.id, plan: plan,
                    progress: isNews
                        ? SpokenProgress(fromTheBeginning: plan.interval) : SpokenProgress(joining: plan.interval))
                let known = TrainingKind(activity: workout.activity.name).map { ($0.words.english, $0.words.german) }
                if isNews {
                    try say(.start, workout) {
                        $0.began(workout.activity, workout.goal, zone: workout.zone, known: known)
                    }
                }
            case .paused: if isNews { try say(.pause, workout) { $0.paused } }
            case .resumed: if isNews { try say(.resume, workout) { $0.resumed } }
            case .goesOn: try goOn(workout)
            case .reachedGoal:
                // After a restart it is told again, before anything else of the workout.
                let isKnown = spoken[workout.user]?.workout == workout.id
                if isNews, isKnown || workout.time >= since { try reach(workout) }
            case .zone(let place):
                try say(.zone, workout) { words in
                    workout.zone.map { words.heart(place, $0, workout.figures?.heartRate?.now) }
                }
            case .ended(let end):
                spoken[workout.user] = nil
                if isNews { try finish(workout, end) }
            case .cancelled:
                spoken[workout.user] = nil
                if isNews { try say(.end, workout) { $0.cancelled } }
            }
        } catch {
            context.limitedLog.error("voice of \(workout.user)") {
                "nothing was said of the workout of \(workout.user)\($0): \(error)"
            }
        }
    }

    package func announced(_ announcement: WorkoutAnnouncement) {
        do throws(VaultError) {
            try say(.training, of: announcement.workout, to: announcement.user) { listener in
                announcement.text(Language.of(locale: listener.language.rawValue))
            }
        } catch {
            context.limitedLog.error("voice of \(announcement.user)") {
                "nothing was said of the training of \(announcement.user)\($0): \(error)"
            }
        }
    }

    private func goOn(_ workout: ObservedWorkout) throws(VaultError) {
        guard let figures = workout.figures else { return }
        if spoken[workout.user]?.workout != workout.id {
            let plan = try plan(of: workout.user)
            spoken[workout.user] = Spoken(
                workout: workout.id, plan: plan, progress: SpokenProgress(joining: plan.interval))
        }
        guard var one = spoken[workout.user] else { return }
        let isDue = one.progress.isDue(figures)
        spoken[workout.user] = one
        guard isDue else { return }
        try say(.progress, workout) { $0.progress(figures, one.plan.contents) }
    }

    private func reach(_ workout: ObservedWorkout) throws(VaultError) {
        try say(.goal, workout) { words in workout.goal.map(words.reached) }
    }

    private func finish(_ workout: ObservedWorkout, _ end: KeptWorkout.End) throws(VaultError) {
        switch end {
        case .person: try say(.end, workout) { $0.ended(workout.figures) }
        case .goal:
            try reach(workout)
            try say(.end, workout) { $0.ended(workout.figures) }
        case .silence: try say(.end, workout) { $0.endedInSilence }
        }
    }

    private func say(
        _ kind: SpokenText.Kind, _ workout: ObservedWorkout, _ words: (SpokenWords) -> String?
    ) throws(VaultError) {
        try say(kind, of: workout.id, to: workout.user) { words($0.words) }
    }

    /// Publishes a text, if the person wants to hear anything.
    private func say(
        _ kind: SpokenText.Kind, of workout: ID, to user: ID, _ words: (Listener) -> String?
    ) throws(VaultError) {
        guard context.settings.hasAccounts, let listener = try Listener(context.documents, user),
            let text = words(listener)
        else { return }
        let spoken = SpokenText(
            id: try drawnID(), time: context.now(), kind: kind, workout: workout, text: text,
            language: listener.language)
        context.session.publish(
            spoken.json.bytes, to: context.topics[user: user, .voice], qos: .atLeastOnce,
            properties: Message.Properties(messageExpirySeconds: SpokenText.expirySeconds))
    }
}
