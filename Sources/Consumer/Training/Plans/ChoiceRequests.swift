import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import TrainingPlans

/// Answers `training/choose` and `training/unchoose`, with the week as it then is. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class ChoiceRequests: @unchecked Sendable {
    private let context: PeopleContext
    private let readers: FeatureReaders
    private let histories: Histories

    init(_ parts: FeatureParts) {
        (context, readers, histories) = (parts.context, parts.readers, parts.days.histories)
    }

    var verbs: [Verb] {
        [
            Verb(
                "training/choose", .trainingChoose, .later { [self] request in request.answering { try choose(request) } }),
            Verb(
                "training/unchoose", .trainingUnchoose,
                .later { [self] request in request.answering { try unchoose(request) } }),
        ]
    }

    /// A plan that is chosen already, and was not done yet, stays what it is: so this may be done twice.
    private func choose(_ request: PeopleRequest) throws {
        let (user, now) = (try request.user, context.now())
        let catalogue = try context.settings[TrainingSettings.self].required()
        let history = try histories.history(of: user)
        let today = history.localDays.day(of: now)
        let token = try request.text("plan", atMost: PlanToken.longest)
        let plan = try request.plan(token, catalogue, for: history.person(on: today))
        let chosen = ChosenPlan(
            id: try drawnID(), week: today.week.monday, plan: plan.token, kind: plan.kind.rawValue,
            title: try context.notifications.language(of: user)(plan.title), seconds: plan.seconds, time: now)
        let id = try context.store.attempt(naming: [user]) {
            var selection = try WeekSelection(context.documents, of: user)
            if let known = selection.open(plan.token, in: chosen.week) { return known.id }
            guard selection.add(chosen) else {
                throw ReplyError(
                    .notAllowed, "you have chosen \(WeekSelection.most) plans for this week: take one back first", field: "plan")
            }
            try selection.keep(context.documents, of: user)
            return chosen.id
        }.get()
        let first = [JSON.Member("choice", .string(id.text))]
        readers.questions.answer(request, try WeekQuestions.answer(about: today, request, context, first))
    }

    private func unchoose(_ request: PeopleRequest) throws {
        let (user, id) = (try request.user, try request.id("choice"))
        let done = try context.answered.once(request, now: context.now()) {
            var selection = try WeekSelection(context.documents, of: user)
            guard let removed = selection.remove(id) else {
                throw ReplyError(.notFound, "you have made no such choice", field: "choice")
            }
            try selection.keep(context.documents, of: user)
            return ["week": .string("\(removed.week)")]
        }
        guard case .string(let monday)? = done["week"], let week = CalendarDay(monday) else {
            throw MalformedValue("the week of a choice", .noValue)
        }
        readers.questions.answer(request, try WeekQuestions.answer(about: week, request, context))
    }
}
