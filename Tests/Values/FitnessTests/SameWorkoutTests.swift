import Foundation
import Testing

@testable import Fitness

@Suite("Whether two workouts are the same one")
struct SameWorkoutTests {
    private func span(_ from: Int64, _ to: Int64, _ activity: String = "running") -> WorkoutSpan {
        WorkoutSpan(WorkoutKind(named: activity), from: from * 1000, to: to * 1000)
    }

    @Test("depends on how much of each is in the other")
    func overlap() {
        let hour = span(0, 3600)
        // A watch that was started later; four fifths of the shorter one; half of the longer one.
        for other in [span(30, 3630), span(720, 4320), span(0, 1800)] {
            #expect(hour.isSame(as: other) && other.isSame(as: hour), "\(other)")
        }
        // A little less; the first third; one after the other, without and with some minutes between them; a false start.
        for other in [span(721, 4321), span(0, 1799), span(0, 1200), span(3600, 7200), span(3640, 7240), span(-48, -40)] {
            #expect(!hour.isSame(as: other) && !other.isSame(as: hour), "\(other)")
        }
        let moment = span(5, 5)
        #expect(moment.isSame(as: span(5, 5)) && !moment.isSame(as: span(5, 6)))
    }

    @Test("is what the vectors say", arguments: try FigureVector.all("workout", ["same_workout"]))
    func vectors(_ vector: FigureVector) throws {
        let workouts = try vector.arguments.enumerated().map { index, given -> DayWorkout in
            let given = try #require(given as? [String: Any])
            func time(_ name: String) throws -> Int64 { 1000 * (try #require(given[name] as? NSNumber).int64Value) }
            return DayWorkout(
                id: "\(index)", try #require(given["activity"] as? String), try time("from")..<time("to"), metres: nil, kilocalories: nil,
                rank: 0, file: given["file"] is String ? 1 : nil)
        }
        #expect(workouts[0].isSame(as: workouts[1]) == (vector.expected as? Bool))
    }

    @Test("depends on what was done, where that is known of both")
    func kinds() {
        func areSame(_ one: String, _ other: String) -> Bool {
            span(0, 600, one).isSame(as: span(0, 600, other))
        }
        #expect(areSame("running", "walking") && areSame("walking", "hiking") && areSame("cycling", "e biking"))
        #expect(areSame("running", "workout") && areSame("generic", "rowing") && areSame("rowing", "rowing"))
        #expect(areSame("swimming", "open water swimming"))
        #expect(!areSame("running", "cycling") && !areSame("swimming", "rowing") && !areSame("cycling", "motorcycling"))
    }

    private func workout(
        _ id: String, _ from: Int64, _ to: Int64, metres: Double? = nil, rank: Int = 0, file: Int64? = nil
    ) -> DayWorkout {
        DayWorkout(id: id, "running", from..<to, metres: metres, kilocalories: nil, rank: rank, file: file)
    }

    /// The ids of those that count, each with those of its other recordings.
    private func groups(_ workouts: [DayWorkout]) -> [String] {
        SameWorkouts.groups(of: workouts) { CalendarDay(daysSince1970: $0 < 1000 ? 0 : 1) }
            .map { ([$0.counted] + $0.others).map(\.id).joined() }
    }

    @Test("groups recordings, each with the one that counts first")
    func recordings() {
        let (strap, watch) = (workout("s", 0, 600, rank: 2), workout("w", 30, 630, metres: 2000, rank: 3))
        #expect(groups([strap, watch, workout("l", 5000, 5600)]) == ["ws", "l"])
        #expect(groups([workout("l", 5000, 5600), watch, strap]) == ["ws", "l"])
        // The one that the person has chosen, with the distance of the other one.
        let chosen = workout("c", 0, 600, rank: 1002)
        let same = SameWorkouts.groups(of: [watch, chosen]) { _ in CalendarDay(daysSince1970: 0) }
        #expect(same.map(\.counted.id) == ["c"] && same.first?.counted.metres == 2000)
        // One that only touches another, and one in the middle of a long one.
        #expect(groups([strap, workout("n", 600, 1200), workout("m", 0, 9000, rank: 9)]).sorted() == ["m", "n", "s"])
        // On both sides of midnight, the one of the earlier day.
        #expect(groups([workout("e", 990, 1600), workout("f", 1000, 1610, rank: 9)]) == ["ef"])
    }

    @Test("compares no more than 200 that touch each other: then each counts alone")
    func many() {
        func touching(_ count: Int64) -> [DayWorkout] {
            (0..<count).map { workout("\($0)", $0 * 10, $0 * 10 + 10) } + [workout("same", 0, 9)]
        }
        #expect(groups(touching(199)).contains("0same") && groups(touching(199)).count == 199)
        #expect(groups(touching(200)).contains("same") && groups(touching(200)).count == 201)
    }

    @Test("never takes two sessions of one file for the same")
    func sessions() {
        #expect(groups([workout("a", 0, 600, file: 7), workout("b", 0, 600, file: 7)]) == ["a", "b"])
        #expect(groups([workout("a", 0, 600, file: 7), workout("b", 0, 600, file: 8)]) == ["ab"])
        #expect(groups([workout("a", 0, 600, file: 7), workout("b", 0, 600)]) == ["ab"])
    }

    @Test("parts by time what does not overlap, however long the first one of a part is")
    func parts() {
        let all: [Range<Int64>] = [50..<60, 0..<100, 10..<20, 200..<210, 100..<110, 200..<200]
        #expect(all.partedByTime { $0 } == [[0..<100, 10..<20, 50..<60, 100..<110], [200..<210, 200..<200]])
        #expect([Range<Int64>]().partedByTime { $0 }.isEmpty)
    }
}
