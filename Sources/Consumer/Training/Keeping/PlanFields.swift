import Desk
import Features
import Fitness
import Telemetry
import TrainingPlans

// What requests say of plans, and what people read of them.

extension PeopleRequest {
    /// One of some words; nil if the field is absent or null.
    func optionalWord<Word: CaseIterable & RawRepresentable<String>>(
        _ field: String, _ type: Word.Type
    ) throws(ReplyError) -> Word? {
        guard let text = try optionalText(field, atMost: 64) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw ReplyError(.invalid, "\"\(field)\" has to be one of \(Self.names(of: type))", field: field)
        }
        return word
    }

    /// Some of some words, each of them once; nil if the field is absent or null.
    func optionalWords<Word: CaseIterable & RawRepresentable<String> & Hashable>(
        _ field: String, _ type: Word.Type, atMost limit: Int? = nil
    ) throws(ReplyError) -> [Word]? {
        guard let texts = try optionalTexts(field, atMost: limit ?? type.allCases.count) else { return nil }
        var words: [Word] = []
        for text in texts {
            guard let word = Word(rawValue: text) else {
                let problem = "\"\(field)\" has \"\(text)\", and can have \(Self.names(of: type))"
                throw ReplyError(.invalid, problem, field: field)
            }
            guard !words.contains(word) else {
                throw ReplyError(.invalid, "\"\(field)\" has \"\(text)\" twice", field: field)
            }
            words.append(word)
        }
        return words
    }

    private static func names<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> String {
        type.allCases.map(\.rawValue).joined(separator: ", ")
    }

    /// The plan of a token that a field named, or the choice in it; refused if it is none for the person.
    func plan(
        _ text: String, _ catalogue: ExerciseCatalogue, for person: Person, field: String = "plan"
    ) throws(ReplyError) -> TrainingPlan {
        do throws(PlanProblem) {
            let plan = try TrainingPlan(token: text, catalogue)
            try plan.check(for: person)
            return plan
        } catch {
            throw ReplyError(.invalid, "\(error)", field: field)
        }
    }
}

extension Language {
    /// Its words.
    func callAsFunction(_ words: TrainingWords) -> String {
        self(Phrase(read: words.english, german: words.german))
    }
}
