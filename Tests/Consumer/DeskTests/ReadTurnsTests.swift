import Telemetry
import Testing

@testable import Desk

@Suite("Turns of those who are read for")
struct ReadTurnsTests {
    private let ada: ID, ben: ID, cyd: ID
    private var turns = ReadTurns<Int>(capacity: 6, ownCapacity: 4)

    init() throws { (ada, ben, cyd) = (try ID("ada"), try ID("ben"), try ID("cyd")) }

    private func entered(_ entered: ReadTurns<Int>.Entered) -> String {
        switch entered {
        case .waits: "waits"
        case .displaces(let work): "displaces \(work)"
        case .refused: "refused"
        }
    }

    @Test("the person who was charged least comes first, and then the one who has waited longest")
    mutating func order() {
        for (user, work) in [(ada, 1), (ada, 2), (ben, 3), (ada, 4), (cyd, 5)] { _ = turns.enter(user, work, now: 0) }
        var order: [Int] = []
        while let next = turns.next(isLong: nil, now: 0) {
            order.append(next.work)
            turns.finished(next.user, seconds: next.user == ada ? 0.1 : 0.04, now: 0)
        }
        #expect(order == [1, 3, 5, 2, 4])
        // What was charged passes at a hundredth of the time.
        for (user, work) in [(ada, 6), (cyd, 7)] { _ = turns.enter(user, work, now: 0) }
        #expect(turns.next(isLong: nil, now: 29_000)?.work == 7)
        #expect(turns.next(isLong: nil, now: 29_000)?.work == 6)
        turns.finished(cyd, seconds: 0, now: 29_000)
        turns.finished(ada, seconds: 0, now: 29_000)
        // A second later, the rest of 0.3 s has passed, too: nobody is charged anything.
        for (user, work) in [(ada, 8), (cyd, 9)] { _ = turns.enter(user, work, now: 0) }
        #expect(turns.next(isLong: nil, now: 30_001)?.work == 8)
    }

    @Test("people whose answers take long are served apart")
    mutating func apart() {
        _ = turns.enter(ada, 1, now: 0)
        #expect(turns.next(isLong: true, now: 0) == nil)
        #expect(turns.next(isLong: false, now: 0)?.work == 1)
        turns.finished(ada, seconds: 1.5, now: 0)
        for (user, work) in [(ada, 2), (ben, 3)] { _ = turns.enter(user, work, now: 0) }
        #expect(turns.next(isLong: false, now: 1000)?.work == 3)
        #expect(turns.next(isLong: false, now: 1000) == nil)
        #expect(turns.next(isLong: true, now: 1000)?.work == 2)
        turns.finished(ada, seconds: 0, now: 1000)
        // Two minutes later, that was long ago.
        _ = turns.enter(ada, 4, now: 0)
        #expect(turns.next(isLong: false, now: 126_000)?.work == 4)
        // What may take long is, for anybody.
        _ = turns.enter(cyd, isLong: true, 5, now: 126_000)
        #expect(turns.next(isLong: false, now: 126_000) == nil)
        #expect(turns.next(isLong: true, now: 126_000)?.work == 5)
    }

    @Test("people whose answers took long make room for others when all places are taken")
    mutating func slow() throws {
        for number in 1...6 {
            let user = try ID("slow-\(number)")
            turns.finished(user, seconds: Double(number), now: 0)
            #expect(entered(turns.enter(user, number, now: 0)) == "waits")
        }
        #expect(entered(turns.enter(ada, 7, now: 0)) == "displaces 6")
        #expect(entered(turns.enter(ben, 8, now: 0)) == "displaces 5")
        #expect(entered(turns.enter(try ID("slow-6"), 9, now: 0)) == "refused")
    }

    @Test("one person has four places, and gives up the last of them to others when all are taken")
    mutating func places() {
        for work in 1...4 { #expect(entered(turns.enter(ada, work, now: 0)) == "waits") }
        #expect(entered(turns.enter(ada, 5, now: 0)) == "refused")
        for work in 6...7 { #expect(entered(turns.enter(ben, work, now: 0)) == "waits") }
        #expect(entered(turns.enter(cyd, 8, now: 0)) == "displaces 4")
        #expect(entered(turns.enter(cyd, 9, now: 0)) == "displaces 3")
        #expect(entered(turns.enter(cyd, 10, now: 0)) == "refused", "nobody has more than one more")
        var order: [Int] = []
        while let next = turns.next(isLong: nil, now: 0) {
            order.append(next.work)
            turns.finished(next.user, seconds: 0, now: 0)
        }
        #expect(order == [1, 2, 6, 7, 8, 9])
        // The places are free again.
        for work in 11...14 { #expect(entered(turns.enter(ada, work, now: 0)) == "waits") }
    }
}
