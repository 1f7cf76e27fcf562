import Telemetry

/// Answers that took long to make, for people who ask the same once more: to a question, and of the state of what is kept
/// of the person. Belongs to a reader's thread.
struct RememberedAnswers {
    /// What somebody has asked.
    struct Question: Hashable {
        let user: ID
        let verb: String
        let fields: JSON

        /// Nil if it is too long to be remembered.
        init?(_ user: ID, _ verb: String, _ fields: JSON) {
            guard fields.bytes.count <= 256 else { return nil }
            (self.user, self.verb, self.fields) = (user, verb, fields)
        }
    }

    private struct Remembered {
        let question: Question
        let state: String
        /// JSON takes many times the memory of its text.
        let answer: [UInt8]
        /// When it was made, in milliseconds.
        let time: UInt64
    }

    /// How many answers are remembered, and how many of one person. None is longer than a reply.
    static let (most, mostOwn) = (16, 4)
    /// How many milliseconds an answer is remembered.
    static let lifetime: UInt64 = 300_000

    /// The oldest first.
    private var answers: [Remembered] = []

    /// The answer to a question; nil if it is not remembered, or something has changed since.
    /// It is the same to the byte as it was.
    mutating func answer(_ question: Question, state: String, now: UInt64) -> JSON? {
        forget(before: now)
        guard let index = answers.firstIndex(where: { $0.question == question }) else { return nil }
        guard answers[index].state == state else {
            answers.remove(at: index)
            return nil
        }
        return .written(answers[index].answer)
    }

    mutating func remember(_ answer: JSON, to question: Question, state: String, now: UInt64) {
        forget(before: now)
        answers.removeAll { $0.question == question }
        if answers.filter({ $0.question.user == question.user }).count >= Self.mostOwn {
            removeOldest(of: question.user)
        } else if answers.count >= Self.most {
            // Nobody's answers go because somebody else asks for many.
            let counts = Dictionary(grouping: answers, by: \.question.user).mapValues(\.count)
            let most = counts.values.max()
            if let one = answers.first(where: { counts[$0.question.user] == most }) { removeOldest(of: one.question.user) }
        }
        answers.append(Remembered(question: question, state: state, answer: answer.bytes, time: now))
    }

    private mutating func removeOldest(of user: ID) {
        if let index = answers.firstIndex(where: { $0.question.user == user }) { answers.remove(at: index) }
    }

    /// When the oldest is to be forgotten; nil if nothing is remembered.
    var end: UInt64? { answers.first.map { $0.time + Self.lifetime } }

    /// Forgets what was made too long ago.
    mutating func forget(before now: UInt64) { answers.removeAll { $0.time + Self.lifetime <= now } }
}
