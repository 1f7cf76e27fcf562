import TestSupport
import Testing

@testable import Workouts

/// A workout's state and its active time.
@Suite(.timeLimit(.minutes(60))) struct TimerTests {
    @Test("pauses do not count")
    func pauses() throws {
        let timer = try timer((.start, 0), (.pause, 60), (.resume, 100), (.pause, 130), (.stop, 500))
        #expect(timer.state == .stopped && timer.isOver && timer.started == at(0) && timer.ended == at(500))
        let active = [-1, 0, 30, 60, 80, 100, 110, 130, 499, 1e9].map { timer.activeMilliseconds(at: at($0)) }
        #expect(active == [0, 0, 30_000, 60_000, 60_000, 60_000, 70_000, 90_000, 90_000, 90_000])
        let intervals = [-1, 0, 60, 61, 99, 100, 130, 131].map { timer.interval(at: at($0)) }
        #expect(intervals == [nil, 0, 0, nil, nil, 1, 1, nil])
        #expect(timer.moment(ofActiveMilliseconds: 70_000) == at(110))
        #expect(timer.moment(ofActiveMilliseconds: 60_000) == at(60))
        #expect(timer.moment(ofActiveMilliseconds: 90_001) == nil)
    }

    @Test("a running workout goes on")
    func running() throws {
        let timer = try timer((.start, 0), (.pause, 1), (.resume, 2))
        #expect(timer.state == .running && timer.isUnderWay && timer.ended == nil)
        #expect(timer.activeMilliseconds(at: at(62)) == 61_000 && timer.interval(at: at(1e6)) == 1)
        #expect(timer.moment(ofActiveMilliseconds: 11_000) == at(12))
    }

    @Test("each event is possible in some states only, and a refusal says what to do and changes nothing")
    func refusals() throws {
        let states: [(WorkoutTimer.State, [(WorkoutEvent.Kind, Double)], Set<WorkoutEvent.Kind>)] = [
            (.ready, [], [.start]), (.running, [(.start, 0)], [.pause, .stop, .cancel]),
            (.paused, [(.start, 0), (.pause, 1)], [.resume, .stop, .cancel]),
            (.stopped, [(.start, 0), (.stop, 1)], []), (.cancelled, [(.start, 0), (.cancel, 1)], []),
        ]
        for (state, events, possible) in states {
            var timer = WorkoutTimer()
            for (kind, seconds) in events { try timer.add(WorkoutEvent(kind, at: at(seconds))) }
            #expect(timer.state == state)
            for kind in WorkoutEvent.Kind.allCases {
                var copy = timer
                do {
                    try copy.add(WorkoutEvent(kind, at: at(5)))
                    #expect(possible.contains(kind))
                } catch {
                    #expect(!possible.contains(kind) && copy == timer)
                    let says = ["start", "stop", "pause", "resume"].contains { "\(error)".contains($0) }
                    #expect(says && !"\(error)".contains("means nothing"))
                }
            }
        }
    }

    @Test("an event whose time goes back takes place at the time of the one before")
    func back() throws {
        let timer = try timer((.start, 10), (.pause, 5), (.resume, 20), (.stop, 15))
        #expect(timer.activeMilliseconds(at: .max) == 0 && timer.ended == at(20))
        #expect(timer.intervals.map(\.end) == [at(10), at(20)])
    }

    @Test("times that cannot be are refused, and pauses are bounded")
    func bounds() throws {
        for time in [Int64.min, -1, 253_402_300_800_000, .max] {
            #expect(throws: WorkoutEventProblem.impossibleTime) {
                var timer = WorkoutTimer()
                try timer.add(WorkoutEvent(.start, at: time))
            }
        }
        var timer = WorkoutTimer()
        try timer.add(WorkoutEvent(.start, at: 0))
        for _ in 1..<WorkoutTimer.mostIntervals {
            try timer.add(WorkoutEvent(.pause, at: 0))
            try timer.add(WorkoutEvent(.resume, at: 0))
        }
        try timer.add(WorkoutEvent(.pause, at: 0))
        #expect(throws: WorkoutEventProblem.tooManyPauses) { try timer.add(WorkoutEvent(.resume, at: 0)) }
        try timer.add(WorkoutEvent(.stop, at: 7))
        #expect(timer.activeMilliseconds(at: .max) == 0 && timer.activeMilliseconds(at: .min) == 0)
        #expect(timer.moment(ofActiveMilliseconds: .max) == nil && timer.moment(ofActiveMilliseconds: .min) == nil)
    }

    @Test("active time is what a count by the second says", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func counted(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var timer = WorkoutTimer()
        var changes: [Double] = [0]
        try timer.add(WorkoutEvent(.start, at: at(0)))
        for index in 0..<40 {
            changes.append((changes.last ?? 0) + Double(Int.random(in: 1...30, using: &generator)))
            try timer.add(WorkoutEvent(index % 2 == 0 ? .pause : .resume, at: at(changes[index + 1])))
        }
        var seconds: Int64 = 0
        for second in 0..<1000 {
            let time = Double(second)
            #expect(timer.activeMilliseconds(at: at(time)) == seconds * 1000)
            let isActive = changes.count { $0 <= time } % 2 == 1
            #expect((timer.interval(at: at(time + 0.5)) != nil) == isActive)
            seconds += isActive ? 1 : 0
        }
    }
}
