import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

/// Hears of the turns of workouts.
private final class TurnRecord: WorkoutObserver, Sendable {
    let turns = Record<(turn: WorkoutTurn, workout: ObservedWorkout)>()

    func turned(_ turn: WorkoutTurn, _ workout: ObservedWorkout) { turns.append((turn, workout)) }

    /// The turns without seconds.
    var taken: [WorkoutTurn] { turns.all.map(\.turn).filter { $0 != .goesOn } }
}

extension WorkoutHouse {
    fileprivate func observed() throws -> TurnRecord {
        let record = TurnRecord()
        try wait { running in
            running.tell(record)
            return true
        }
        return record
    }

    /// Waits until everybody has heard of a second, with figures, that begins after this is called.
    func waitForSecond() throws {
        let record = try observed()
        try record.turns.wait { turns in turns.contains { $0.turn == .goesOn && $0.workout.figures != nil } }
    }
}

@Suite("Observers of workouts", .timeLimit(.minutes(60)))
struct WorkoutObserverTests {
    @Test("hear of each turn once, and after a restart again when the goal was reached")
    func turns() throws {
        try WorkoutHouse.with { house in
            var record = try house.observed()
            house.set(0)
            try house.done("workouts/start", ["activity": "walking", "goal": ["duration_s": 30]])
            house.set(31)
            try house.waitForSecond()
            try house.waitForSecond()
            try house.done("workouts/pause")
            try house.done("workouts/resume")
            #expect(record.taken == [.began, .reachedGoal, .paused, .resumed])
            #expect(record.turns.all.allSatisfy { $0.workout.user.text == "demo" && $0.workout.activity == .walking })
            let reached = try #require(record.turns.all.first { $0.turn == .reachedGoal })
            #expect(reached.workout.time == start + 30_000 && reached.workout.goal?.target == 30)
            record = TurnRecord()
            try house.restart { $0?.tell(record) }
            try house.waitForSecond()
            #expect(record.turns.all.first { $0.turn == .reachedGoal }?.workout.time == start + 30_000)
            try house.done("workouts/stop")
            try house.done("workouts/start", ["activity": "walking"])
            try house.done("workouts/cancel")
            #expect(record.taken == [.reachedGoal, .ended(.person), .began, .cancelled])
        }
    }

    @Test("hear of no goal that ends the workout before its end, however late the service comes to that")
    func endingGoal() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "walking", "goal": ["duration_s": 30, "enabled": true]])
            let record = TurnRecord()
            try house.wait { running in
                guard let one = running.running.values.first(where: \.isCounted) else { return false }
                let observers = WorkoutObservers()
                observers.add(record)
                observers.tellOfSecond(one, now: start + 40_000)
                return true
            }
            #expect(record.turns.all.map(\.turn) == [.goesOn])
        }
    }

    @Test("hear how far an ended workout was, or at least how long, when a reading came that is later than its end")
    func laterReading() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            let record = try house.observed()
            try house.done("workouts/start", ["activity": "running"])
            try house.waitForFigures()
            house.set(59)
            try house.measure(house.run(0..<61))
            try house.done("workouts/stop")
            let ended = try #require(record.turns.all.first { $0.turn == .ended(.person) })
            #expect(ended.workout.figures?.activeMilliseconds == 59_000)
        }
    }
}
