import Foundation
import Synchronization
import Testing

@testable import Daemon

// Each test has a thread of its own with a mask of its own, and signals are directed at that thread alone, where they
// are blocked: no other test can notice them. What ends the process (a second signal) is for the programs' tests.
@Suite("Signals", .serialized)
struct SignalsTests {
    private enum Event: Equatable {
        case signal(Signal)
        case failure(Failure)
        case other
    }

    /// What `Signals.wait` says on a new thread that has blocked the signals and called `body`; within 10 s.
    private func event(after body: @escaping @Sendable () -> Void) throws -> Event {
        let result = Result()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Signals.block()
            body()
            result.event.withLock { event in
                do {
                    event = .signal(try Signals.wait())
                } catch {
                    event = (error as? Failure).map(Event.failure) ?? .other
                }
            }
            done.signal()
        }
        try #require(done.wait(timeout: .now() + 10) == .success)
        return try #require(result.event.withLock { $0 })
    }

    private final class Result: Sendable {
        let event = Mutex<Event?>(nil)
    }

    @Test("waits for a signal that was blocked")
    func waits() throws {
        #expect(try event { pthread_kill(pthread_self(), SIGHUP) } == .signal(.hangUp))
    }

    @Test("throws the first error that a thread cannot recover from, once")
    func fails() throws {
        let first = Failure(.unavailable, "no bus", hint: "is dbus-daemon running?")
        let event = try event {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                Signals.fail(first)
                Signals.fail(Failure(.internalError, "and then all the rest"))
                done.signal()
            }
            done.wait()
        }
        #expect(event == .failure(first))
        #expect(try self.event { pthread_kill(pthread_self(), SIGHUP) } == .signal(.hangUp))
    }

    @Test("pays no heed to a SIGUSR1 from elsewhere")
    func stray() throws {
        let event = try event {
            // Of several pending signals the lowest number comes first, so SIGUSR1 (10) is met before SIGTERM (15).
            pthread_kill(pthread_self(), SIGUSR1)
            pthread_kill(pthread_self(), SIGTERM)
        }
        #expect(event == .signal(.terminate))
    }
}
