import Testing

@testable import vitals_gateway

@Suite("The large replies of a gateway")
struct LargeRepliesTests {
    @Test("have 4 MiB at once, and then 256 KiB a second together; small ones always leave")
    func limits() {
        var replies = LargeReplies()
        let cover = 22 << 10
        func sent(at now: UInt64) -> Int { (1...1000).count { _ in replies.secondsToWait(cover, now: now) == nil } }
        let (first, later) = (sent(at: 1000), sent(at: 11_000))
        // The last one leaves whole, and is paid for afterwards.
        #expect(first == 4096 / 22 + 1)
        #expect((2560 / 22 - 1...2560 / 22 + 1).contains(later), "\(later)")
        let (small, large) = (replies.secondsToWait(2048, now: 11_000), replies.secondsToWait(2049, now: 11_000))
        #expect(small == nil && large == 1)
    }
}
