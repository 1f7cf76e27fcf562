import Testing
import Fitness

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
}
