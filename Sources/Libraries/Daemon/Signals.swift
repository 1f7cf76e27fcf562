import Glibc
import Synchronization

// No handler gets signals: `main` blocks them before the first thread starts, so every thread inherits the mask, and
// then waits for them one at a time. What a signal means is decided in ordinary code on an ordinary stack.
//
// A thread that cannot continue hands its error to `fail`; `wait` then throws it in `main`. The error is in a Mutex,
// and SIGUSR1, blocked like the others and directed at `main`'s thread alone, merely wakes it: a stray SIGUSR1 from
// outside finds no error, and nothing happens.
//
// Once `wait` has said that the program must stop, SIGINT and SIGTERM get a handler that ends the process at once: an
// operator's second Ctrl-C always works, even when stopping hangs. The handler calls `_exit` only, which is safe there.

/// A signal that a program waits for.
public enum Signal: Int32, Sendable {
    /// SIGHUP: the terminal has gone, or an operator asks to read the settings again.
    case hangUp = 1
    /// SIGINT: Ctrl-C.
    case interrupt = 2
    /// SIGTERM: systemd or an operator asks to stop.
    case terminate = 15
}

/// The signals of the process, for `main` to wait for.
public enum Signals {
    private struct State {
        var waiter: pthread_t?
        var failure: (any Error)?
    }

    private static let state = Mutex(State())

    /// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in all that it will start, and ignores SIGPIPE in the whole
    /// process, so that writing to a peer that has gone is an error, not the end of the process. Call it first in
    /// `main`, before any thread starts.
    public static func block() {
        signal(SIGPIPE, SIG_IGN)
        change(SIG_BLOCK, [SIGHUP, SIGINT, SIGTERM, SIGUSR1])
        state.withLock { $0.waiter = pthread_self() }
    }

    /// Waits for the next signal, in the thread that called `block`. After SIGINT, SIGTERM or an error the program is
    /// expected to stop, and another SIGINT or SIGTERM ends it at once with exit status 128 + the signal's number.
    /// - Throws: the error that a thread gave to `fail(_:)`.
    public static func wait() throws -> Signal {
        var awaited = set(of: [SIGHUP, SIGINT, SIGTERM, SIGUSR1])
        while true {
            var number: CInt = 0
            guard sigwait(&awaited, &number) == 0 else { continue }
            if number == SIGUSR1 {
                guard let error = takeFailure() else { continue }
                endAtNextSignal()
                throw error
            }
            guard let signal = Signal(rawValue: number) else { continue }
            if signal != .hangUp { endAtNextSignal() }
            return signal
        }
    }

    /// Makes `wait` throw `error`, from any thread: for errors that a thread cannot recover from. The first error
    /// counts.
    public static func fail(_ error: any Error) {
        state.withLock { state in
            guard state.failure == nil else { return }
            state.failure = error
            // Under the lock, so that the signal never comes before its error. The thread is `main`'s, which outlives
            // all others.
            if let waiter = state.waiter { pthread_kill(waiter, SIGUSR1) }
        }
    }

    private static func takeFailure() -> (any Error)? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    private static func endAtNextSignal() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in _exit(128 + number) }
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
        change(SIG_UNBLOCK, [SIGINT, SIGTERM])
    }

    private static func change(_ how: CInt, _ numbers: [CInt]) {
        var changed = set(of: numbers)
        pthread_sigmask(how, &changed, nil)
    }

    private static func set(of numbers: [CInt]) -> sigset_t {
        var result = sigset_t()
        sigemptyset(&result)
        for number in numbers { sigaddset(&result, number) }
        return result
    }
}
