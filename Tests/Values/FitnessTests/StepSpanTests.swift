import Testing

@testable import Fitness

@Suite("Steps of spans")
struct StepSpanTests {
    private let day = [Int64(0)..<86_400_000]
    private let hour: Int64 = 3_600_000

    private func span(_ from: Double, _ to: Double, _ steps: UInt32) -> StepCounter.Span {
        StepCounter.Span(from: Int64(from * Double(hour)), to: Int64(to * Double(hour)), steps: steps)
    }

    @Test("each counts for what no span before it covers, in whatever order and however often they come")
    func overlaps() {
        let spans = [span(8, 9, 600), span(8.5, 9.5, 400), span(8, 10, 2000), span(8, 9, 600)]
        for order in [spans, spans.reversed()] {
            #expect(StepCounter.day(order, during: day) == Steps(walking: 1300))
        }
    }

    @Test("leave what no span covers to the one that does")
    func gaps() {
        let spans = [span(9, 9.25, 100), span(0, 24, 9600), span(12, 13, 500)]
        // The day's sum counts for the 22.75 hours that the others leave.
        #expect(StepCounter.day(spans, during: day) == Steps(walking: 100 + 500 + 9100))
    }

    @Test("belong to the day of their end")
    func days() {
        #expect(StepCounter.day([span(-1, 0, 100), span(23, 24, 100)], during: day) == Steps(walking: 100))
        #expect(StepCounter.day([span(-1, 0, 100)], during: day) == nil, "midnight is of the day that ends")
        #expect(StepCounter.day([span(-1, 1, 100), span(-1, 0, 60)], during: day) == Steps(walking: 50))
    }

    @Test("are left out where nobody walks that much, or nobody knows when")
    func hostile() {
        let wrong = [span(1, 1, 5), span(3, 2, 5), span(4, 5, 18_001), span(-30, 7, 5), span(5, 6, .max)]
        #expect(StepCounter.day(wrong, during: day) == Steps(countsLeftOut: 5))
        #expect(StepCounter.day([span(4, 5, 18_000)], during: day)?.total == 18_000)
    }

    @Test("are run where they are short and fast")
    func gait() {
        let run = StepCounter.Span(from: 0, to: 60_000, steps: 160)
        #expect(StepCounter.day([run, span(1, 2, 9000)], during: day) == Steps(walking: 9000, running: 160))
    }
}
