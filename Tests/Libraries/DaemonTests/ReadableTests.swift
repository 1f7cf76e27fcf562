import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// How many signals came.
private let handled = Atomic(0)

@Suite("Waiting for something to read")
struct ReadableTests {
    @Test("goes on when a signal comes")
    func signals() throws {
        // No other test uses this signal.
        signal(SIGURG) { _ in handled.add(1, ordering: .relaxed) }
        let pipe = Pipe()
        let waiter = Record<pthread_t>()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let found = Record<Bool>()
        Thread.detachNewThread {
            // The program that runs the tests blocks it.
            var one = sigset_t()
            sigemptyset(&one)
            sigaddset(&one, SIGURG)
            pthread_sigmask(SIG_UNBLOCK, &one, nil)
            waiter.append(pthread_self())
            found.append(isReadable(descriptor))
        }
        let thread = try waiter.wait(for: 1)[0]
        for _ in 0..<50 {
            pthread_kill(thread, SIGURG)
            usleep(2000)
        }
        try pipe.fileHandleForWriting.write(contentsOf: [1])
        let isFound = try found.wait(for: 1)
        #expect(isFound == [true])
        #expect(handled.load(ordering: .relaxed) > 0)
        let silent = Pipe()
        #expect(!isReadable(silent.fileHandleForReading.fileDescriptor, within: .milliseconds(1)))
        try silent.fileHandleForWriting.close()
    }
}
