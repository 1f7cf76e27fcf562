import ActivityFiles
import Testing

@Suite("Steps that counters show")
struct StepTimelineTests {
    private let hour: Int64 = 3_600_000
    private var timeline: StepTimeline { StepTimeline { $0 >= 0 ? $0 / 86_400_000 * 86_400_000 : -86_400_000 } }

    private func record(_ hours: Double, _ steps: Int, _ sport: Sport = .walking, _ source: String? = nil) -> StepRecord
    {
        StepRecord(time: Int64(hours * Double(hour)), steps: steps, span: .counter, sport: sport, source: source)
    }

    private func told(_ spans: [StepSpan]) -> [String] {
        spans.map { "\(Double($0.from) / Double(hour))-\(Double($0.to) / Double(hour)) \($0.steps)" }
    }

    @Test("become spans of all sports together, the first of a day since midnight")
    func sports() {
        var timeline = timeline
        let records = [
            record(9, 400), record(9.25, 500), record(9.5, 500), record(9.25, 80, .running),
            record(9.5, 1200, .running),
        ]
        #expect(told(timeline.spans(of: records)) == ["0.0-9.0 400", "9.0-9.25 180", "9.25-9.5 1120"])
        // What came before says nothing the second time.
        #expect(timeline.spans(of: records).isEmpty)
        #expect(told(timeline.spans(of: [record(10, 600)])) == ["9.5-10.0 100"])
    }

    @Test("are of each day by itself, in whatever order days come, and midnight is of the day that ends")
    func days() {
        var timeline = timeline
        #expect(told(timeline.spans(of: [record(30, 70), record(48, 900)])) == ["24.0-30.0 70", "30.0-48.0 830"])
        #expect(told(timeline.spans(of: [record(20, 500), record(24, 650)])) == ["0.0-20.0 500", "20.0-24.0 150"])
    }

    @Test("begin again where a number is lower, and sources are apart")
    func restarts() {
        var timeline = timeline
        let records = [record(1, 100), record(2, 30), record(2, 5, .walking, "other")]
        #expect(told(timeline.spans(of: records)) == ["0.0-1.0 100", "1.0-2.0 30", "0.0-2.0 5"])
    }

    @Test("of spans are taken as they are, and those with the same end together")
    func since() {
        var timeline = timeline
        let records = [
            StepRecord(time: 500, steps: 3, span: .since(100)), StepRecord(time: 500, steps: 4, span: .since(300)),
            StepRecord(time: 500, steps: 4, span: .since(600)), StepRecord(time: 700, steps: .max, span: .since(600)),
        ]
        let spans = timeline.spans(of: records)
        #expect(spans.map(\.steps) == [7, .max] && spans.map(\.from) == [100, 600])
    }
}
