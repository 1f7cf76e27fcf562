import Testing

@testable import Accounts

@Suite("How fast passwords can be tried")
struct AttemptsTests {
    let name: [UInt8] = [1]

    @Test("waits 1, 2, 4 … seconds after each failure, and at most a quarter of an hour")
    func waits() {
        var attempts = Attempts()
        var now: UInt64 = 5
        var waits: [Int] = []
        for _ in 1...13 {
            #expect(attempts.refusal(name, failures: nil, now: now) == nil)
            attempts.failed(name, now: now)
            guard case .wait(let seconds)? = attempts.refusal(name, failures: nil, now: now) else { break }
            waits.append(seconds)
            now += UInt64(seconds) * 1000
            #expect(attempts.refusal(name, failures: nil, now: now - 1) == .wait(seconds: 1))
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    }

    @Test("has one try at a time, and one that came to nothing is none")
    func underWay() {
        var attempts = Attempts()
        attempts.began(name)
        #expect(attempts.refusal(name, failures: nil, now: .max) == .wait(seconds: 1))
        attempts.abandoned(name)
        #expect(attempts.refusal(name, failures: nil, now: 0) == nil)
        attempts.began(name)
        attempts.failed(name, now: 0)
        #expect(attempts.refusal(name, failures: nil, now: 0) == .wait(seconds: 1))
        #expect(attempts.refusal(name, failures: nil, now: 1000) == nil)
    }

    @Test("begins anew after a success")
    func success() {
        var attempts = Attempts()
        attempts.failed(name, now: 0)
        #expect(attempts.refusal(name, failures: nil, now: 0) == .wait(seconds: 1))
        #expect(attempts.refusal([2], failures: nil, now: 0) == nil)
        attempts.succeeded(name)
        #expect(attempts.refusal(name, failures: nil, now: 0) == nil)
        attempts.failed(name, now: 0)
        #expect(attempts.refusal(name, failures: nil, now: 0) == .wait(seconds: 1))
    }

    @Test("locks after a hundred failures in a row, those included that the account remembers, until a success")
    func locks() {
        var attempts = Attempts()
        #expect(attempts.refusal(name, failures: 99, now: 0) == nil)
        #expect(attempts.refusal(name, failures: 100, now: 0) == .locked)
        for count in 1...100 as ClosedRange<UInt64> {
            #expect(attempts.refusal(name, failures: nil, now: count << 32) == nil)
            attempts.failed(name, now: count << 32)
        }
        #expect(attempts.refusal(name, failures: nil, now: .max) == .locked)
        #expect(attempts.refusal(name, failures: 100, now: .max) == .locked)
        attempts.succeeded(name)
        #expect(attempts.refusal(name, failures: nil, now: .max) == nil)
    }

    @Test("opens where the account's own count was set back, as an operator does")
    func unlocked() {
        var attempts = Attempts()
        for count in 1...100 as ClosedRange<UInt64> { attempts.failed(name, now: count << 32) }
        #expect(attempts.refusal(name, failures: 0, now: 0) == nil)
        #expect(attempts.refusal(name, failures: nil, now: 0) == nil)
    }

    @Test("remembers no more names than it may, and of those the ones that wait longest")
    func bounded() {
        var attempts = Attempts(capacity: 10)
        for time in 0..<12 as Range<UInt64> { attempts.failed(name, now: time) }
        for other in 2...200 as ClosedRange<UInt8> { attempts.failed([other], now: 12) }
        #expect(attempts.refusal(name, failures: nil, now: 12) != nil)
        let remembered = (2...200 as ClosedRange<UInt8>).filter {
            attempts.refusal([$0], failures: nil, now: 12) != nil
        }
        #expect(remembered.count <= 10)
    }
}
