import Fitness
import Telemetry

@testable import TrainingPlans

/// Catalogues of exercises: one that is read can be shown, and leads to plans that can be made again, or to none.
func fuzzCatalogues(_ bytes: [UInt8]) {
    let catalogue: ExerciseCatalogue
    do throws(CatalogueProblem) {
        catalogue = try ExerciseCatalogue(bytes)
    } catch {
        hold(error.line >= 1 && error.line <= bytes.count + 1, "a problem is on a line of the file: \(error.line)")
        hold(!error.description.unicodeScalars.contains(where: \.isHarmful), "a problem can be shown: \(error)")
        return
    }
    for exercise in catalogue.exercises {
        hold(catalogue[exercise.id] == exercise, "\(exercise.id) leads to its exercise")
        let texts = [exercise.name] + exercise.instructions
        hold(!texts.contains { $0.unicodeScalars.contains(where: \.isHarmful) }, "a text does no harm")
        hold(Set(exercise.primary).isDisjoint(with: exercise.secondary), "a muscle is worked most, or besides")
    }
    for kind in TrainingKind.allCases {
        guard
            let request = PlanRequest(
                kind, minutes: 20, seed: 1, level: .intermediate, equipment: Set(Equipment.allCases),
                favoured: [.chest], limits: PlanLimits()),
            let plan = accepted({ () throws(PlanProblem) in try TrainingPlan(request, catalogue) })
        else { continue }
        holdPlan(plan, catalogue)
    }
}

private func holdPlan(_ plan: TrainingPlan, _ catalogue: ExerciseCatalogue) {
    hold(abs(plan.seconds - 20 * 60) <= 2 * 60, "a plan takes as long as it should: \(plan.seconds)")
    hold(plan.exercises.allSatisfy { catalogue[$0.id] != nil }, "each exercise is in the catalogue")
    let again = accepted { () throws(PlanProblem) in try TrainingPlan(token: plan.token, catalogue) }
    hold(again == plan, "\(plan.token) leads to its plan")
    var progress = PlanProgress(plan, at: 0)
    progress.pass(to: 60_000)
    let kept = accepted { () throws(MalformedValue) in try JSON(payload: progress.json.bytes) }
    hold(kept.flatMap(PlanProgress.init(kept:)) == progress, "progress can be kept")
}

/// Tokens of plans, which are spelt in one way; and progress that was kept, which anything may be done with.
func fuzzPlans(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let token = PlanToken(text) {
        hold(token.text == text, "\(text) is spelt \(token.text)")
        hold(text.utf8.count <= PlanToken.longest, "a token has a limit")
    }
    guard let json = accepted({ () throws(MalformedValue) in try JSON(payload: bytes) }),
        var progress = PlanProgress(kept: json)
    else { return }
    hold(PlanProgress(kept: progress.json) == progress, "progress came back as another one")
    var time = progress.latest
    for event in PlanEvent.allCases + PlanEvent.allCases.reversed() {
        time += 20_000
        do throws(PlanEventProblem) { try progress.take(event, at: time) } catch { continue }
        hold(progress.work.seconds.values.allSatisfy { $0 >= 0 }, "nothing is below zero")
        hold(PlanProgress(kept: progress.json) == progress, "progress after \(event) came back as another one")
    }
}
