import Daemon
import Testing

@testable import Desk

@Suite("What the desk remembers of requests")
struct RecentRepliesTests {
    @Test("remembers replies for a minute, and a bounded number of them")
    func memory() {
        var recent = RecentReplies(capacity: 3)
        func key(_ number: UInt8) -> RecentReplies.Key {
            RecentReplies.Key(topic: "t", responseTopic: "r", correlationData: [number])
        }
        #expect(recent.begin(key(1), now: 0) == .new)
        #expect(recent.begin(key(1), now: 1) == .underWay)
        recent.end(key(1), [42])
        #expect(recent.begin(key(1), now: 59_999) == .replied([42]))
        #expect(recent.begin(key(1), now: 60_000) == .new)
        for number in 2...4 as ClosedRange<UInt8> { #expect(recent.begin(key(number), now: 60_000) == .new) }
        #expect(recent.begin(key(4), now: 60_001) == .underWay)
        #expect(recent.begin(key(1), now: 60_001) == .new)
        recent.expire(120_000)
        #expect(!recent.isEmpty)
        recent.expire(120_001)
        #expect(recent.isEmpty)
    }

    @Test("remembers no more bytes than it may, whoever sends long correlation data or asks for much")
    func memoryInBytes() {
        var recent = RecentReplies(maximumSize: 10_000)
        func key(_ number: UInt8, _ length: Int) -> RecentReplies.Key {
            RecentReplies.Key(
                topic: "t", responseTopic: "r", correlationData: Array(repeating: number, count: length))
        }
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(recent.begin(key(number, 1), now: 0) == .new)
            recent.end(key(number, 1), Array(repeating: number, count: 4000))
        }
        // The first has gone early, and only as many as have to go.
        #expect(recent.begin(key(4, 1), now: 1) == .new)
        #expect(recent.begin(key(2, 1), now: 1) == .replied(Array(repeating: 2, count: 4000)))
        #expect(recent.begin(key(1, 1), now: 1) == .new)
        #expect(recent.begin(key(5, 9000), now: 2) == .new)
        #expect(recent.begin(key(6, 1), now: 2) == .new)
        #expect(recent.begin(key(3, 1), now: 2) == .new)
    }

    @Test("counts what is forgotten until its turn comes, in number and bytes")
    func forgotten() {
        func key(_ number: UInt8) -> RecentReplies.Key {
            RecentReplies.Key(topic: "t", responseTopic: "r", correlationData: Array(repeating: number, count: 998))
        }
        for (capacity, size) in [(4, 1_000_000), (1_000, 4_000)] {
            var recent = RecentReplies(capacity: capacity, maximumSize: size)
            #expect(recent.begin(key(0), now: 0) == .new)
            for number in 1...2 as ClosedRange<UInt8> {
                #expect(recent.begin(key(number), now: 0) == .new)
                recent.end(key(number), [])
                recent.forget(key(number))
                #expect(recent.begin(key(0), now: 0) == .underWay)
            }
            #expect(recent.begin(key(4), now: 0) == .new && recent.begin(key(5), now: 0) == .new)
            #expect(recent.begin(key(0), now: 0) == .new)
            recent.expire(60_000)
            #expect(recent.isEmpty)
        }
    }

    @Test("allows a burst, then so many a second, and forgets who has waited long enough")
    func allowance() {
        var allowance = Allowance<Int>(perSecond: 2, burst: 3, capacity: 2)
        for _ in 1...3 { #expect(allowance.take(1, now: 0) == nil) }
        #expect(allowance.take(1, now: 0) == 1)
        #expect(allowance.take(1, now: 500) == nil)
        #expect(allowance.take(1, now: 500) == 1)
        #expect(allowance.take(2, now: 500) == nil)
        #expect(allowance.take(3, now: 500) == 1)
        #expect(allowance.take(3, now: 2_000) == nil)
    }
}
