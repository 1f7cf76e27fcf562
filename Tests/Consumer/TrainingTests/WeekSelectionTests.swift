import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Training

@Suite("What is chosen for a week")
struct WeekSelectionTests {
    private let monday: CalendarDay

    init() throws { monday = try #require(CalendarDay("2026-11-16")) }

    private func chosen(_ number: Int, week: Int = 0) throws -> ChosenPlan {
        ChosenPlan(
            id: try ID("choice-\(week)-\(number)"), week: monday.advanced(by: 7 * week),
            plan: String(repeating: "1", count: 60) + "\(number)", kind: "intervals",
            title: String(repeating: "ü", count: 60), seconds: 5400, time: Int64(number), done: try ID("workout-1"))
    }

    @Test("is no more than a week can hold, and the weeks that are the longest ago go first")
    func bounds() throws {
        var selection = WeekSelection()
        for number in 0..<WeekSelection.most { #expect(try selection.add(chosen(number))) }
        #expect(try !selection.add(chosen(99)))
        for week in 1..<20 {
            for number in 0..<WeekSelection.most { #expect(try selection.add(chosen(number, week: week))) }
        }
        let weeks = Set(selection.chosen.map(\.week))
        #expect(weeks.count == WeekSelection.mostWeeks && weeks.min() == monday.advanced(by: 7 * 8))
        // A document is read if it is not longer than this.
        #expect(selection.json().bytes.count < JSON.maximumLength)
    }

    @Test("is open until it was done, and again when the workout is gone")
    func done() throws {
        var selection = WeekSelection()
        var plan = try chosen(1)
        plan.done = nil
        _ = selection.add(plan)
        #expect(selection.open(plan.plan, in: monday)?.id == plan.id)
        #expect(selection.open(plan.plan, in: monday.advanced(by: 7)) == nil)
        let workout = try ID("workout-2")
        selection.markDone(plan.id, in: workout)
        #expect(selection.open(plan.plan, in: monday) == nil && selection[plan.id]?.done == workout)
        selection.remove(workout: try ID("workout-3"))
        #expect(selection[plan.id]?.done == workout)
        selection.remove(workout: workout)
        #expect(selection.open(plan.plan, in: monday)?.id == plan.id)
        #expect(selection.remove(plan.id)?.id == plan.id && selection.remove(plan.id) == nil)
    }

    @Test("of muscles is summed, those with the most sets first, and then by name")
    func muscles() {
        let work = [
            MuscleWork(muscle: "lats", sets: 3, seconds: 90), MuscleWork(muscle: "chest", sets: 2, seconds: 60),
            MuscleWork(muscle: "abdominals", sets: 3, seconds: 90), MuscleWork(muscle: "chest", sets: 2, seconds: 1),
        ]
        #expect(
            work.summed == [
                MuscleWork(muscle: "chest", sets: 4, seconds: 61), MuscleWork(muscle: "abdominals", sets: 3, seconds: 90),
                MuscleWork(muscle: "lats", sets: 3, seconds: 90),
            ])
    }

    @Test("and a training are read as they were kept")
    func records() throws {
        var record = TrainingRecord(
            workout: try ID("run"), started: 5, plan: "1-w", kind: "weights", title: "Strength", choice: try ID("choice"))
        record.muscles = [MuscleWork(muscle: "chest", sets: 3, seconds: 90)]
        (record.exercises, record.state) = (2, ["acted": 5, "progress": [:]])
        #expect(TrainingRecord(kept: try JSON(payload: record.kept.bytes)) == record)
        record.state = nil
        record.kilocalories = 120
        #expect(TrainingRecord(kept: try JSON(payload: record.kept.bytes)) == record && !record.isUnderWay)
        #expect(TrainingRecord(kept: ["workout": "run"]) == nil)
        // Earlier versions kept no energy.
        guard case .object(let members) = record.kept else { throw TestFailure("no object") }
        let earlier = TrainingRecord(kept: .object(members.filter { $0.name != "energy_kcal" }))
        #expect(earlier?.muscles == record.muscles && earlier?.kilocalories == nil)
    }
}
