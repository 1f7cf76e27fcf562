import Telemetry
import Testing

@testable import Desk

@Suite("The ceilings of what is replied")
struct ReplyCeilingsTests {
    @Test("let the first refusals of each kind pass, and then two a second", arguments: [true, false])
    func refusals(_ isGuest: Bool) throws {
        let (ada, eve) = (try ID("ada"), try ID("eve"))
        var ceilings = ReplyCeilings()
        let asker = isGuest ? Asker.guest : .person(ada)
        let most = isGuest ? 40 : 60
        for line in [ReplyCeilings.Line.verb("a"), .verb(nil), .tooMany] {
            let sent = (1...1000).count { _ in ceilings.mayRefuse(asker, line, now: 5000) }
            #expect(sent == most)
        }
        // Nobody else has lost anything.
        let isHeard = ceilings.mayRefuse(.person(eve), .verb("a"), now: 5000)
        #expect(isHeard)
        let later = (1...1000).count { _ in ceilings.mayRefuse(asker, .tooMany, now: 6000) }
        #expect(later == 2)
    }

    @Test("let a person have 8 MiB, and then 1 MiB a second; guests are limited by their refusals")
    func bytes() throws {
        let (ada, eve) = (try ID("ada"), try ID("eve"))
        var ceilings = ReplyCeilings()
        func replies(_ user: ID, now: UInt64) -> Int {
            var count = 0
            while count < 1000, ceilings.secondsToWait(user, now: now) == nil {
                ceilings.spend(64 << 10, .person(user), now: now)
                count += 1
            }
            return count
        }
        #expect(replies(ada, now: 5000) == 128)
        let seconds = ceilings.secondsToWait(ada, now: 5000)
        #expect(seconds == 1)
        #expect(replies(eve, now: 5000) == 128)
        #expect(replies(ada, now: 6000) == 16)
    }

    @Test("let nobody have more by asking all the time", arguments: [1 as UInt64, 5, 50])
    func steadily(_ pause: UInt64) throws {
        let ada = try ID("ada")
        var (ceilings, count) = (ReplyCeilings(), 0)
        for now in stride(from: 5000, to: 15_000, by: Int(pause)).map(UInt64.init)
        where ceilings.secondsToWait(ada, now: now) == nil {
            ceilings.spend(64 << 10, .person(ada), now: now)
            count += 1
        }
        #expect(count <= (8 + 10) * 1024 / 64 + 1 && count > 150, "\(count)")
    }
}
