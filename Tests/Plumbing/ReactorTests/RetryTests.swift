import Reactor
import TestSupport
import Testing

/// Runs a loop on which `body` begins something, until that has answered.
func onLoop<Value: Sendable>(_ body: @escaping @Sendable (EventLoop, Answer<Value>) -> Void) -> Value? {
    let loop = EventLoop(name: "test")
    let answer = Answer<Value>()
    loop.start()
    defer { loop.stop() }
    loop.perform { [unowned loop] in body(loop, answer) }
    return answer.wait(atMost: limit)
}

@Suite("What is tried again", .timeLimit(.minutes(60)))
struct RetryTests {
    @Test("comes once, after the pause that was asked for last")
    func once() throws {
        let tries = try #require(
            onLoop { (loop, answer: Answer<Int>) in
                var tries = 0
                let retry = Retry(on: loop, .steady(.milliseconds(20))) { tries += 1 }
                for _ in 0..<5 { retry.later() }
                loop.after(.milliseconds(200)) {
                    _ = retry
                    answer.set(tries)
                }
            })
        #expect(tries == 1)
    }

    @Test("comes again where the try asks for it, with the pauses of its back-off")
    func again() throws {
        let clock = ContinuousClock()
        let begun = clock.now
        let times = try #require(
            onLoop { (loop, answer: Answer<[Duration]>) in
                let tries = Tries()
                tries.retry = Retry(on: loop, Backoff(first: .milliseconds(40), limit: .milliseconds(80))) {
                    tries.times.append(clock.now - begun)
                    if tries.times.count < 3 { return tries.retry?.later() ?? () }
                    answer.set(tries.times)
                    tries.retry = nil
                }
                tries.retry?.later()
            })
        // At least half of 40, 80 and 80 ms.
        let least: [Duration] = [.milliseconds(20), .milliseconds(60), .milliseconds(100)]
        #expect(zip(times, least).allSatisfy { $0 >= $1 }, "\(times)")
    }

    @Test("does not come after it was cancelled, and comes when it is asked for again")
    func cancelled() throws {
        let tries = try #require(
            onLoop { (loop, answer: Answer<[Int]>) in
                var (tries, seen) = (0, [Int]())
                let retry = Retry(on: loop, .steady(.milliseconds(10))) { tries += 1 }
                retry.later()
                retry.cancel()
                loop.after(.milliseconds(100)) {
                    seen.append(tries)
                    retry.later()
                    loop.after(.milliseconds(100)) { answer.set(seen + [tries]) }
                }
            })
        #expect(tries == [0, 1])
    }

    private final class Tries {
        var times: [Duration] = []
        var retry: Retry?
    }
}
