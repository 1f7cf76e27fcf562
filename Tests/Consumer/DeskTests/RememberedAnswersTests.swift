import Reactor
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Desk

@Suite("Answers that took long")
struct RememberedAnswersTests {
    private let ada: ID, ben: ID

    init() throws { (ada, ben) = (try ID("ada"), try ID("ben")) }

    private func question(_ user: ID, _ number: Int) throws -> RememberedAnswers.Question {
        try #require(RememberedAnswers.Question(user, "workouts/show", ["id": .string("w\(number)")]))
    }

    @Test("are remembered until something changes, for five minutes")
    func state() throws {
        var remembered = RememberedAnswers()
        let (one, two, bens) = (try question(ada, 1), try question(ada, 2), try question(ben, 1))
        let answer: JSON = ["steps": 12, "distance_m": .number(41_230.5), "name": "Über den Paß"]
        remembered.remember(answer, to: one, state: "1.7", now: 1000)
        #expect(remembered.answer(one, state: "1.7", now: 300_999)?.bytes == answer.bytes)
        #expect(remembered.answer(two, state: "1.7", now: 1000) == nil)
        #expect(remembered.answer(bens, state: "1.7", now: 1000) == nil)
        #expect(remembered.answer(one, state: "1.7", now: 301_000) == nil)
        remembered.remember(answer, to: one, state: "1.7", now: 400_000)
        #expect(remembered.answer(one, state: "1.8", now: 400_000) == nil)
        // It is no longer the answer of an earlier state, either.
        #expect(remembered.answer(one, state: "1.7", now: 400_000) == nil)
        remembered.remember(answer, to: one, state: "1.8", now: 400_000)
        remembered.remember(["steps": 13], to: one, state: "1.9", now: 400_001)
        #expect(remembered.answer(one, state: "1.9", now: 400_001)?.bytes == Array(#"{"steps":13}"#.utf8))
    }

    @Test("are few, and each person has a share")
    func limits() throws {
        var remembered = RememberedAnswers()
        remembered.remember(["n": 0], to: try question(ben, 0), state: "b", now: 0)
        for number in 1...6 {
            remembered.remember(["n": .integer(Int64(number))], to: try question(ada, number), state: "a", now: 1)
        }
        for number in 1...6 {
            let answer = remembered.answer(try question(ada, number), state: "a", now: 2)
            #expect(answer?.bytes == (number > 2 ? Array(#"{"n":\#(number)}"#.utf8) : nil))
        }
        #expect(remembered.answer(try question(ben, 0), state: "b", now: 2) != nil)
        #expect(remembered.end == RememberedAnswers.lifetime)
        for number in 1...RememberedAnswers.most {
            // The person with the most answers loses one first.
            if number == 14 { #expect(remembered.answer(try question(ben, 0), state: "b", now: 3) != nil) }
            remembered.remember([:], to: try question(try ID("p\(number)"), 0), state: "p", now: 3)
        }
        #expect(remembered.answer(try question(ben, 0), state: "b", now: 4) == nil)
        #expect(remembered.answer(try question(ada, 6), state: "a", now: 4) == nil)
        #expect(remembered.answer(try question(try ID("p1"), 0), state: "p", now: 4) != nil)
        let long: JSON = ["id": .string(String(repeating: "x", count: 256))]
        #expect(RememberedAnswers.Question(ada, "workouts/show", long) == nil)
        #expect(remembered.end == RememberedAnswers.lifetime + 3)
        remembered.forget(before: RememberedAnswers.lifetime + 3)
        #expect(remembered.end == nil)
    }

    /// What a reader reads from: how often it was read, and the state of what is kept.
    private final class Kept: Sendable {
        let now = Mutex((reads: 0, state: Optional("1")))
    }

    @Test("are made once, as long as nothing changes and they depend on nothing else", arguments: [true, false])
    func once(_ isLong: Bool) throws {
        let kept = Kept()
        let session = EventLoop(name: "session")
        session.start()
        let access = Readers<Kept>.Access(
            open: { try $0(kept) }, state: { kept, _ in kept.now.withLock { $0.state } })
        // With a limit of nothing, everything takes long, and with one of a year nothing does.
        let readers = Readers(threadName: "reader", session, access, remembering: isLong ? 0 : 31_536_000_000)
        readers.start()
        defer {
            readers.stop()
            session.stop()
        }
        let answers = Record<JSON>()
        func ask(_ fields: JSON = ["id": "w"]) throws -> JSON {
            let before = answers.all.count
            session.perform { [ada] in
                let request = PeopleRequest(asker: .person(ada), name: "workouts/show", fields: fields, identity: nil) {
                    if case .ok(let data) = $0 { answers.append(data) }
                }
                readers.answer(request, isLasting: { $0["ended"] != nil }) { kept in
                    let reads = kept.now.withLock { now in
                        now.reads += 1
                        return now.reads
                    }
                    let read = JSON.integer(Int64(reads))
                    return fields["id"] == "under-way" ? ["read": read] : ["read": read, "ended": 1]
                }
            }
            let answer = try #require(try answers.wait(for: before + 1).last)
            return try #require(JSON(payload: answer.bytes)["read"])
        }
        guard isLong else {
            #expect(try ask() == 1 && ask() == 2)
            return
        }
        #expect(try ask() == 1)
        #expect(try ask() == 1)
        #expect(try ask(["id": "w", "points": 9]) == 2)
        kept.now.withLock { $0.state = "2" }
        #expect(try ask() == 3)
        #expect(try ask() == 3)
        // Nothing is kept about the person any longer.
        kept.now.withLock { $0.state = nil }
        #expect(try ask() == 4)
        kept.now.withLock { $0.state = "2" }
        for read in 5...6 as ClosedRange<Int64> { #expect(try ask(["id": "under-way"]) == .integer(read)) }
    }
}
