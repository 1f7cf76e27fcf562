import Glibc
import Reactor
import TestSupport
import Testing

@Suite("An event loop")
struct EventLoopTests {
    /// A loop that runs for as long as the closure does.
    private func withLoop(_ body: (EventLoop) throws -> Void) rethrows {
        let loop = EventLoop(name: "test")
        loop.start()
        defer { loop.stop() }
        try body(loop)
    }

    @Test("runs work of other threads on its own thread, in order")
    func performsInOrder() {
        withLoop { loop in
            let seen = Record<Int>()
            let done = Answer<Bool>()
            for number in 0..<1000 {
                loop.perform { [unowned loop] in
                    seen.append(loop.isCurrent ? number : -1)
                    if number == 999 { done.set(true) }
                }
            }
            #expect(done.wait(atMost: limit) == true)
            #expect(seen.all == Array(0..<1000))
            #expect(!loop.isCurrent)
        }
    }

    @Test("runs what was left before it stopped, and nothing after")
    func drainsOnStop() {
        let loop = EventLoop(name: "test")
        let seen = Record<Int>()
        for number in 0..<10 { loop.perform { seen.append(number) } }
        loop.start()
        loop.stop()
        loop.perform { seen.append(99) }
        #expect(seen.all == Array(0..<10))
    }

    @Test("lets go of what it has done before it waits for more")
    func releasesInTime() throws {
        final class Held: Sendable {
            let events: Record<String>
            init(_ events: Record<String>) { self.events = events }
            deinit { events.append("gone") }
        }
        let (loop, events) = (EventLoop(name: "test"), Record<String>())
        loop.beforeWaiting { events.append("waits") }
        do {
            let held = Held(events)
            loop.perform { held.events.append("done") }
        }
        loop.start()
        defer { loop.stop() }
        #expect(try events.wait(for: 3).prefix(3) == ["done", "gone", "waits"])
    }

    @Test("keeps nothing of what comes after its end")
    func letsGo() {
        final class Owner: Sendable { let loop = EventLoop(name: "test") }
        weak var remembered: Owner?
        do {
            let owner = Owner()
            remembered = owner
            owner.loop.start()
            owner.loop.stop()
            owner.loop.perform { _ = owner.loop.name }
        }
        #expect(remembered == nil)
    }

    @Test("ends when the last reference to its owner goes on its own thread, and waits for its end on every other")
    func endsAnywhere() throws {
        final class Owner: Sendable {
            let loop = EventLoop(name: "test")
            init() { loop.start() }
            deinit { loop.end() }
        }
        /// What the thread keeps until it ends.
        final class Kept: Sendable {
            let ended = Answer<Bool>()
            deinit { ended.set(true) }
        }
        let (mayGo, done) = (Answer<Bool>(), Answer<Bool>())
        var kept: Kept? = Kept()
        let ended = try #require(kept).ended
        do {
            let owner = Owner()
            owner.loop.perform { [owner, loop = owner.loop, kept] in
                _ = mayGo.wait(atMost: limit)
                loop.perform { done.set(true) }
                loop.beforeWaiting { withExtendedLifetime(kept) {} }
                withExtendedLifetime(owner) {}
            }
        }
        kept = nil
        mayGo.set(true)
        // What was left before the end is still done.
        #expect(done.wait(atMost: limit) == true && ended.wait(atMost: limit) == true)
        let seen = Record<Int>()
        do {
            let owner = Owner()
            owner.loop.perform { seen.append(1) }
        }
        #expect(seen.all == [1])
    }

    @Test("calls timers back in the order of their times, never early, and not at all once cancelled")
    func timers() {
        withLoop { loop in
            let seen = Record<String>()
            let done = Answer<Duration>()
            let start = ContinuousClock.now
            loop.perform { [unowned loop] in
                loop.after(.milliseconds(30)) {
                    seen.append("last")
                    done.set(ContinuousClock.now - start)
                }
                loop.after(.milliseconds(10)) { seen.append("second") }
                loop.after(.milliseconds(5)) { seen.append("cancelled") }.cancel()
                loop.after(.zero) { seen.append("first") }
            }
            let elapsed = done.wait(atMost: limit)
            #expect(seen.all == ["first", "second", "last"])
            #expect(elapsed.map { $0 >= .milliseconds(30) } == true)
        }
    }

    @Test("does not wake up for a timer that may wait, if it wakes up anyway before that timer's last moment")
    func tolerance() {
        withLoop { loop in
            let times = Record<Duration>()
            let start = ContinuousClock.now
            loop.perform { [unowned loop] in
                // In another turn: this one may be followed by one more, because work was left while the loop was not waiting.
                loop.after(.zero) { [unowned loop] in
                    loop.after(.zero) { [unowned loop] in
                        loop.after(.milliseconds(100)) { times.append(ContinuousClock.now - start) }
                        loop.after(.milliseconds(10), tolerance: .seconds(3600)) { times.append(ContinuousClock.now - start) }
                    }
                }
            }
            #expect((try? times.wait(for: 2))?.allSatisfy { $0 >= .milliseconds(100) } == true)
            let alone = Answer<Bool>()
            loop.perform { [unowned loop] in
                loop.after(.milliseconds(5), tolerance: .milliseconds(20)) { alone.set(true) }
            }
            #expect(alone.wait(atMost: limit) == true)
        }
    }

    @Test("calls its hooks once more before it waits, if one of them asks for that")
    func turnsAgain() throws {
        let (loop, calls) = (EventLoop(name: "test"), Record<Int>())
        loop.beforeWaiting { [unowned loop] in
            calls.append(calls.all.count)
            if calls.all.count == 1 { loop.turnAgain() }
        }
        loop.start()
        defer { loop.stop() }
        try calls.wait(for: 2)
    }

    @Test("tells when a descriptor is readable, and stops telling when the watch is cancelled")
    func watches() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        defer {
            close(readEnd)
            close(writeEnd)
        }
        withLoop { loop in
            let received = Answer<UInt8>()
            loop.perform { [unowned loop] in
                let box = Box<EventLoop.Watch>()
                box.value = loop.watch(readEnd, for: .readable) { _ in
                    var byte: UInt8 = 0
                    _ = read(readEnd, &byte, 1)
                    received.set(byte)
                    box.value?.cancel()
                }
            }
            var byte: UInt8 = 42
            #expect(write(writeEnd, &byte, 1) == 1)
            #expect(received.wait(atMost: limit) == 42)
            // Cancelled: a second byte stays in the pipe whatever the loop does in the meantime.
            #expect(write(writeEnd, &byte, 1) == 1)
            for _ in 0..<10 { loop.sync {} }
            var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 0) == 1)
        }
    }

    @Test("names its thread")
    func threadName() {
        withLoop { loop in
            let name = loop.sync { () -> String in
                var buffer = [UInt8](repeating: 0, count: 16)
                let file = open("/proc/thread-self/comm", O_RDONLY)
                let count = read(file, &buffer, 16)
                close(file)
                return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
            }
            #expect(name == "test\n")
        }
    }

    @Test("an answer that does not come is nil at its limit")
    func answerLimit() {
        #expect(Answer<Int>().wait(atMost: .milliseconds(5)) == nil)
    }
}

@Suite("Pauses between tries")
struct BackoffTests {
    @Test("double up to the limit, each drawn from the upper half of its span")
    func grows() {
        for _ in 0..<100 {
            var backoff = Backoff(first: .seconds(1), limit: .seconds(5))
            for span in [1.0, 2, 4, 5, 5] {
                let pause = backoff.next()
                #expect(pause >= .seconds(span / 2) && pause <= .seconds(span))
            }
            backoff.shrink(to: .seconds(2))
            #expect(backoff.next() <= .seconds(2))
            backoff.reset()
            backoff.shrink(to: .seconds(2))
            #expect(backoff.next() <= .seconds(1))
        }
    }

    @Test("stay the same where they are steady")
    func steady() {
        var backoff = Backoff.steady(.seconds(5))
        for _ in 0..<10 { #expect(backoff.next() == .seconds(5)) }
        backoff.reset()
        #expect(backoff.next() == .seconds(5))
    }

    @Test("have a longest one for each number of failures, up to the limit")
    func counted() {
        let backoff = Backoff(first: .seconds(15), limit: .seconds(300))
        let spans = [0, 1, 2, 3, 4, 5, 6, 7, 100, .max].map { backoff.longest(afterFailures: $0) }
        #expect(spans == [15, 15, 30, 60, 120, 240, 300, 300, 300, 300].map { .seconds($0) })
    }
}

private final class Box<Value> { var value: Value? }
