import CLinux
import Glibc

// A program that somebody else has written, such as one that sends mail, is started without a shell. It gets what it should
// know on its standard input, where nobody else can see it, and says with its exit status how it went. What it prints on its
// standard output goes nowhere, because it may print what it was given.

/// A program that is started again and again, each time with an input of its own.
public struct ExternalProgram: Sendable {
    private let command: [String]
    private let environment: [String]
    private let staysOpen: Bool
    private let isSilent: Bool

    /// - Parameters:
    ///   - command: the program's absolute path and its arguments, which everybody on the machine can see.
    ///   - environment: all of its variables, each as `NAME=value`.
    ///   - staysOpen: whether its input ends only with this process or with the program, which can so find out that this
    ///     process was killed. Otherwise the input ends after what it was given.
    ///   - isSilent: whether its errors go nowhere, too; otherwise they go where ours go.
    public init(
        _ command: [String],
        environment: [String] = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
        staysOpen: Bool = false, isSilent: Bool = false
    ) {
        precondition(command.first?.hasPrefix("/") == true, "no shell looks for the program")
        (self.command, self.environment) = (command, environment)
        (self.staysOpen, self.isSilent) = (staysOpen, isSilent)
    }

    /// How it went.
    public enum Ending: Hashable, Sendable {
        /// With this exit status.
        case status(CInt)
        case signal(CInt)
        /// It took too long or was no longer wanted, and was killed, with everything that it had started.
        case tookTooLong, cancelled
        /// It was not started, or not waited for, because of this `errno`.
        case notStarted(CInt)
        /// It ended well, and yet has not read all of its input.
        case unread
    }

    /// Runs it once, and waits for its end.
    /// - Parameters:
    ///   - limit: how long it may take.
    ///   - isCancelled: asked again and again; when it says so, the program is killed.
    public func run(
        _ input: [UInt8], within limit: Duration, isCancelled: () -> Bool = { false }
    ) -> Ending {
        var answer: [UInt8] = []
        return run(input, within: limit, answer: &answer, atMost: 0, isCancelled: isCancelled)
    }

    /// The same, and reads what the program has written to its standard input, which is a socket, by its end.
    /// - Parameter most: how many bytes of it are read.
    public func run(
        _ input: [UInt8], within limit: Duration, answer: inout [UInt8], atMost most: Int,
        isCancelled: () -> Bool = { false }
    ) -> Ending {
        // A socket, because a write to it can be told not to end this process if the program has gone.
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return .notStarted(errno)
        }
        defer { close(ends[0]) }
        var program: pid_t = 0
        let code = spawn(input: ends[1], &program)
        close(ends[1])
        guard code == 0 else { return .notStarted(code) }
        let end = ContinuousClock.now + limit
        var isUnwanted = false
        let isOver = {
            isUnwanted = isUnwanted || isCancelled()
            return isUnwanted || ContinuousClock.now >= end
        }
        let isRead = Self.write(input, to: ends[0], until: isOver)
        if !staysOpen { shutdown(ends[0], CInt(SHUT_WR)) }
        let ending = Self.wait(for: program, until: isOver)
        answer = Self.read(from: ends[0], atMost: most)
        switch ending {
        case .tookTooLong where isUnwanted: return .cancelled
        case .status(0) where !isRead: return .unread
        default: return ending
        }
    }

    /// Starts the program in a process group of its own, with none of our descriptors open except its input, and no
    /// signal blocked.
    private func spawn(input: CInt, _ program: inout pid_t) -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if isSilent { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        // Not all libraries mark their descriptors as not to be inherited.
        let code = vitals_close_from(&actions, 3)
        guard code == 0 else { return code }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        return posix_spawn(&program, command[0], &actions, &attributes, words, variables)
    }

    /// - Returns: whether the program has taken all of it.
    private static func write(_ input: [UInt8], to socket: CInt, until isOver: () -> Bool) -> Bool {
        var rest = input[...]
        while !rest.isEmpty {
            guard !isOver() else { return false }
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 100)
            } else {
                return false
            }
        }
        return true
    }

    /// What is there now, up to a number of bytes.
    private static func read(from socket: CInt, atMost most: Int) -> [UInt8] {
        var found: [UInt8] = []
        var part = [UInt8](repeating: 0, count: most)
        while found.count < most {
            let count = recv(socket, &part, most - found.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { break }
            found += part.prefix(count)
        }
        return found
    }

    /// Waits for the program's end, and kills it, and everything that it has started, when the time is over.
    private static func wait(for program: pid_t, until isOver: () -> Bool) -> Ending {
        var status: CInt = 0
        while true {
            let found = waitpid(program, &status, WNOHANG)
            if found == program { break }
            if found < 0, errno != EINTR { return .notStarted(errno) }
            guard !isOver() else {
                kill(-program, SIGKILL)
                while waitpid(program, &status, 0) < 0, errno == EINTR {}
                return .tookTooLong
            }
            usleep(20_000)
        }
        // The macros of wait(2) do not import: the low seven bits are the signal, the next eight the status.
        return status & 0x7F != 0 ? .signal(status & 0x7F) : .status((status >> 8) & 0xFF)
    }
}

extension ExternalProgram.Ending: CustomStringConvertible {
    /// What an operator reads after the program's name and a colon.
    public var description: String {
        switch self {
        case .status(let status): "it ended with status \(status)"
        case .signal(let signal): "it was ended by signal \(signal)"
        case .tookTooLong: "it took too long, and was ended"
        case .cancelled: "it was no longer wanted, and was ended"
        case .notStarted(let code): systemMessage(code)
        case .unread: "it did not read all that it was given"
        }
    }
}
