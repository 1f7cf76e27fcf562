import Reactor
import Testing

@Suite("Work in portions", .timeLimit(.minutes(60)))
struct PortionsTests {
    @Test("leaves half of the time to everything else")
    func half() throws {
        let clock = ContinuousClock()
        let times = try #require(
            onLoop { (loop, answer: Answer<[(begun: ContinuousClock.Instant, ended: ContinuousClock.Instant)]>) in
                var times: [(begun: ContinuousClock.Instant, ended: ContinuousClock.Instant)] = []
                let portions = Portions {
                    let begun = clock.now
                    while clock.now < begun + .milliseconds(30) {}
                    times.append((begun, clock.now))
                    if times.count < 3 { return .soon() }
                    answer.set(times)
                    return .never
                }
                portions.start(loop)
                // Nobody else holds it.
                loop.after(.seconds(60)) { _ = portions }
            })
        for (one, next) in zip(times, times.dropFirst()) {
            #expect(next.begun - one.ended >= one.ended - one.begun)
        }
    }

    @Test("waits as long as a portion says, or until somebody has something to do")
    func waits() throws {
        let counts = try #require(
            onLoop { (loop, answer: Answer<[Int]>) in
                var (count, counts) = (0, [Int]())
                let portions = Portions {
                    count += 1
                    return switch count {
                    case 1: .never
                    case 2: .after(.seconds(60))
                    case 3: .soon(atLeast: .seconds(60))
                    default: .never
                    }
                }
                // Before the start nothing is done.
                portions.goOn()
                portions.start(loop)
                func step(_ left: Int) {
                    loop.after(.milliseconds(50)) {
                        counts.append(count)
                        guard left > 0 else { return answer.set(counts) }
                        portions.goOn()
                        step(left - 1)
                    }
                }
                step(3)
            })
        #expect(counts == [1, 2, 3, 4])
    }
}
