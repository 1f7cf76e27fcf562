import Days
import Telemetry
import Testing

@testable import Phones

@Suite("For which times phones are asked for steps")
struct StepQuestionsTests {
    private let user: ID

    init() throws { user = try ID("ada") }

    /// A moment so many seconds after a workout's beginning.
    private func times(_ seconds: Int64) -> Range<Int64> { 1_000_400..<1_000_400 + seconds * 1000 }

    private func span(_ from: Int64, _ to: Int64) -> ClosedRange<Int64> {
        1_000_000 + from * 1000...1_000_000 + to * 1000
    }

    @Test("every five minutes, without a gap, and to the end")
    func workout() {
        var questions = StepQuestions()
        #expect(questions.next(user, .began, times(0)) == nil)
        #expect(questions.next(user, .goesOn, times(299)) == nil)
        #expect(questions.next(user, .goesOn, times(300)) == span(0, 300))
        #expect(questions.next(user, .goesOn, times(301)) == nil)
        // Nobody could be asked for a while.
        #expect(questions.next(user, .goesOn, times(1205)) == span(300, 1200))
        #expect(questions.next(user, .ended, times(1230)) == span(1200, 1230))
        #expect(questions.next(user, .began, times(0)) == nil)
    }

    @Test("not of one that is cancelled, or ends at once")
    func cancelled() {
        var questions = StepQuestions()
        #expect(questions.next(user, .began, times(0)) == nil)
        #expect(questions.next(user, .cancelled, times(800)) == nil)
        #expect(questions.next(user, .began, times(0)) == nil)
        #expect(questions.next(user, .ended, times(0)) == nil)
    }

    @Test("of one that began earlier than it was said, from its beginning; after a restart, of the last two questions")
    func later() {
        var questions = StepQuestions()
        #expect(questions.next(user, .began, times(3700)) == span(0, 3600))
        #expect(questions.next(user, .goesOn, times(3900)) == span(3600, 3900))
        questions = StepQuestions()
        #expect(questions.next(user, .goesOn, times(4000)) == span(3600, 3900))
        #expect(questions.next(user, .goesOn, times(4000)) == nil)
        questions = StepQuestions()
        #expect(questions.next(user, .ended, times(4000)) == span(3600, 4000))
        questions = StepQuestions()
        #expect(questions.next(user, .ended, times(100)) == span(0, 100))
    }
}
