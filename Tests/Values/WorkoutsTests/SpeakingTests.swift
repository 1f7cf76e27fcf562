import Fitness
import Foundation
import TestSupport
import Testing

@testable import Workouts

/// How somebody listens.
private struct Ear: CustomStringConvertible {
    let language: SpokenLanguage
    let units: Units

    static let all = SpokenLanguage.allCases.flatMap { language in
        Units.allCases.map { Ear(language: language, units: $0) }
    }

    var words: SpokenWords { SpokenWords(language, units) }
    var description: String { "\(language.rawValue) \(units.rawValue)" }
}

/// Something that is said, and how many seconds after the beginning.
private struct Said: Decodable, Equatable {
    let second: Int
    let kind: String
    let text: String
}

@Suite("What is said during a workout", .timeLimit(.minutes(60)))
struct SpeakingTests {
    private static let contents: [SpokenContent] = [
        .duration, .distance, .pace, .speed, .heartRate, .zone, .goal,
    ]
    private static let intervals: [String: SpokenInterval] = [
        "5 minutes": .minutes(5), "1 kilometres": .kilometres(1), "1 miles": .miles(1),
    ]

    @Test(
        "a whole recording, replayed second by second, says what Python writes down from its file alone",
        arguments: [Case.run, .ride])
    func recording(_ recorded: Case) throws {
        let expected = try expected(recorded)
        let goal = try #require(WorkoutGoal(.distance, target: recorded.goal))
        let seconds = try figures(recorded, goal)
        for (name, interval) in Self.intervals {
            for ear in Ear.all {
                let said = try said(seconds, recorded.activity, goal, ear.words, interval)
                #expect(said == expected["\(ear) \(name)"], "\(ear) \(name)")
                // Every mile, the goal, the beginning and the end.
                #expect(said.count >= 8)
            }
        }
        #expect(expected.count == Self.intervals.count * Ear.all.count)
    }

    /// The figures at each second, from the first on.
    private func figures(_ recorded: Case, _ goal: WorkoutGoal) throws -> [WorkoutFigures] {
        let recording = try Recording(recorded.name)
        var fold = try begun(recorded.activity, goal: goal, recorded.person)
        var samples = recording.samples.sorted { $0.time < $1.time }[...]
        return (1...Int(recording.seconds)).map { second in
            while let sample = samples.first, sample.time <= at(Double(second)) {
                _ = fold.add(sample)
                samples.removeFirst()
            }
            return fold.figures(at: at(Double(second)))
        }
    }

    private func said(
        _ seconds: [WorkoutFigures], _ activity: Activity, _ goal: WorkoutGoal, _ words: SpokenWords,
        _ interval: SpokenInterval
    ) throws -> [Said] {
        var progress = SpokenProgress(fromTheBeginning: interval)
        var (said, isReached) = ([Said(second: 0, kind: "start", text: words.began(activity, goal))], false)
        for (index, figures) in seconds.enumerated() {
            if figures.goalReached != nil, !isReached {
                isReached = true
                said.append(Said(second: index + 1, kind: "goal", text: words.reached(goal)))
            }
            guard progress.isDue(figures) else { continue }
            let text = try #require(words.progress(figures, Self.contents))
            said.append(Said(second: index + 1, kind: "progress", text: text))
        }
        return said + [Said(second: seconds.count, kind: "end", text: words.ended(seconds.last))]
    }

    private func expected(_ recorded: Case) throws -> [String: [Said]] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/speaking.py"
        let age = Int(try #require(recorded.person.ageYears))
        let text = try RunningProgram.runPython(
            [script, Recording.path(recorded.name), recorded.activity.name, "\(age)", "\(recorded.goal)"])
        return try JSONDecoder().decode([String: [Said]].self, from: Data(text.utf8))
    }

    @Test("that a workout begins, and what its goal is")
    func began() {
        let said = Ear.all.map { $0.words.began(.running, WorkoutGoal(.distance, target: 5000)) }
        #expect(
            said == [
                "Workout started: running. Goal: 5 kilometres.", "Workout started: running. Goal: 3.1 miles.",
                "Training gestartet: Laufen. Ziel: 5 Kilometer.", "Training gestartet: Laufen. Ziel: 3,1 Meilen.",
            ])
    }

    private static let goals: [(WorkoutGoal.Kind, Double, english: String, german: String)] = [
        (.duration, 3661, "1 hour 1 minute 1 second", "1 Stunde 1 Minute 1 Sekunde"),
        (.duration, 1800, "30 minutes", "30 Minuten"), (.duration, 7200, "2 hours", "2 Stunden"),
        (.distance, 1250, "1 kilometre 250 metres", "1 Kilometer 250 Meter"),
        (.distance, 1, "1 metre", "1 Meter"), (.distance, 1500, "1.5 kilometres", "1,5 Kilometer"),
        (.steps, 1, "1 step", "1 Schritt"), (.steps, 10_000, "10000 steps", "10000 Schritte"),
        (.energy, 1, "1 kilocalorie", "1 Kilokalorie"), (.energy, 300, "300 kilocalories", "300 Kilokalorien"),
    ]

    @Test("goals of each kind, as one and as many")
    func goals() throws {
        for (kind, target, english, german) in Self.goals {
            let goal = try #require(WorkoutGoal(kind, target: target))
            #expect(SpokenWords(.english, .metric).reached(goal) == "Goal reached: " + english + ".")
            #expect(SpokenWords(.german, .metric).reached(goal) == "Ziel erreicht: " + german + ".")
        }
    }

    @Test("everything else that is said, in both languages")
    func sentences() throws {
        let (english, german) = (SpokenWords(.english, .imperial), SpokenWords(.german, .imperial))
        #expect([english.paused, german.paused] == ["Workout paused.", "Training unterbrochen."])
        #expect([english.resumed, german.resumed] == ["Workout resumed.", "Training fortgesetzt."])
        #expect([english.cancelled, german.cancelled] == ["Workout cancelled.", "Training verworfen."])
        #expect(english.endedInSilence == "Nothing was measured any longer: workout ended.")
        #expect(german.endedInSilence == "Es wurde nichts mehr gemessen: Training beendet.")
        #expect([english.ended(nil), german.ended(nil)] == ["Workout ended.", "Training beendet."])
        var figures = WorkoutFigures(state: .stopped, started: epoch, ended: at(3661), activeMilliseconds: 3_661_000)
        figures.metres = Units.metresPerMile
        (figures.steps, figures.kilocalories) = (1, 1.2)
        #expect(english.ended(figures) == "Workout ended: 1 hour 1 minute, 1 mile.")
        #expect(german.ended(figures) == "Training beendet: 1 Stunde 1 Minute, 1 Meile.")
        #expect(english.progress(figures, [.steps, .energy]) == "1 step, 1 kilocalorie.")
        #expect(german.progress(figures, [.energy, .steps]) == "1 Kilokalorie, 1 Schritt.")
        let made = try #require(Activity(named: "Tai Chi"))
        #expect(english.began(made, nil) == "Workout started: Tai Chi.")
        #expect(english.began(made, nil, known: ("boxing", "Boxen")) == "Workout started: boxing.")
        #expect(SpokenWords(.german, .metric).began(.cycling, nil) == "Training gestartet: Radfahren.")
    }

    private static let distances: [(Double, metric: String, imperial: String)] = [
        (0, "0 metres", "0 feet"), (12, "10 metres", "40 feet"), (994, "990 metres", "0.6 miles"),
        (995.1, "1 kilometre", "0.6 miles"), (1049, "1 kilometre", "0.7 miles"), (80, "80 metres", "260 feet"),
        (81, "80 metres", "0.1 miles"), (42_195, "42.2 kilometres", "26.2 miles"),
    ]

    @Test("short ways are said in metres or feet")
    func shortWays() {
        for (metres, metric, imperial) in Self.distances {
            let figures = figures(0, metres)
            #expect(SpokenWords(.english, .metric).progress(figures, [.distance]) == metric + ".")
            #expect(SpokenWords(.english, .imperial).progress(figures, [.distance]) == imperial + ".")
        }
    }

    @Test("what is not known is left out, and nothing is said if nothing of it is known")
    func unknown() {
        let figures = WorkoutFigures(state: .running, started: epoch, ended: nil, activeMilliseconds: 60_000)
        let words = SpokenWords(.english, .metric)
        #expect(words.progress(figures, SpokenContent.allCases) == "1 minute.")
        #expect(words.progress(figures, SpokenContent.allCases.filter { $0 != .duration }) == nil)
        var huge = figures
        (huge.metres, huge.kilocalories, huge.percent) = (.infinity, .nan, 1e300)
        #expect(words.progress(huge, [.distance, .energy, .goal]) == nil)
        var nearly = figures
        nearly.percent = 100.0.nextDown
        #expect(words.progress(nearly, [.goal]) == "99 percent of the goal.")
    }

    // MARK: When something is due

    private func figures(
        _ seconds: Double, _ metres: Double? = nil, _ state: WorkoutTimer.State = .running
    ) -> WorkoutFigures {
        var figures = WorkoutFigures(
            state: state, started: epoch, ended: nil, activeMilliseconds: Int64(seconds * 1000))
        figures.metres = metres
        return figures
    }

    /// What of these figures, which come one after the other, is due.
    private func due(_ progress: SpokenProgress, _ all: [WorkoutFigures]) -> [Bool] {
        var progress = progress
        return all.map { progress.isDue($0) }
    }

    @Test("each interval is due once; of several that have passed only the last; none during a pause, and none again")
    func due() {
        let seconds = [0, 119.9, 120, 121, 239, 600, 601].map { figures($0) }
        let minutes = due(
            SpokenProgress(fromTheBeginning: .minutes(2)), seconds + [figures(720, nil, .paused), figures(720)])
        #expect(minutes == [false, false, true, false, false, true, false, false, true])
        // Counted again, it is less.
        let metres: [Double?] = [nil, 499, 500, 490, 510, 1000, .infinity, .nan]
        let kilometres = due(SpokenProgress(fromTheBeginning: .kilometres(0.5)), metres.map { figures(1, $0) })
        #expect(kilometres == [false, false, true, false, false, true, false, false])
        let miles = due(SpokenProgress(fromTheBeginning: .miles(1)), [figures(1, 1609.3), figures(1, 1609.4)])
        #expect(miles == [false, true])
    }

    @Test("of a workout that has been under way for a while, the next interval is due first")
    func joining() {
        let minutes = due(SpokenProgress(joining: .minutes(1)), [200, 239, 240].map { figures($0) })
        #expect(minutes == [false, false, true])
        let metres: [Double?] = [nil, 2500, 3000]
        let kilometres = due(SpokenProgress(joining: .kilometres(1)), metres.map { figures(1, $0) })
        #expect(kilometres == [false, false, true])
    }

    private static let intervalsThatMayBe: [(SpokenInterval, isPossible: Bool)] = [
        (.minutes(1), true), (.minutes(120), true), (.minutes(0), false), (.minutes(121), false),
        (.kilometres(0.5), true), (.kilometres(0.49), false), (.kilometres(50.1), false), (.kilometres(.nan), false),
        (.miles(50), true), (.miles(-1), false), (.miles(.infinity), false),
    ]

    @Test("a plan has an interval that can be, and says something, nothing of it twice")
    func plans() {
        for (interval, isPossible) in Self.intervalsThatMayBe {
            #expect((SpeakingPlan(interval, [.pace]) != nil) == isPossible, "\(interval)")
        }
        #expect(SpeakingPlan(.minutes(5), []) == nil && SpeakingPlan(.minutes(5), [.pace, .pace]) == nil)
        #expect(SpeakingPlan(.minutes(5), SpeakingPlan.usual.contents) == SpeakingPlan.usual)
    }
}
