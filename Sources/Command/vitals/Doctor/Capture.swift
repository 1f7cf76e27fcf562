import Daemon
import Glibc

/// What a program printed that was run to its end, or for as long as it was given.
struct Capture {
    /// Its exit status, or 128 and the signal that ended it; nil if it had to be killed, because its time was up or it
    /// printed too much.
    let status: Int32?
    let output: [UInt8]
    let errors: [UInt8]

    /// Its lines on standard error, harmless to a terminal.
    var complaints: [String] {
        String(decoding: errors, as: UTF8.self).split(separator: "\n").prefix(3).map { escaped(String($0.prefix(500))) }
    }

    /// Runs a program.
    /// - Parameters:
    ///   - input: what it reads from standard input.
    ///   - limit: how long it may take; then it is killed.
    ///   - longest: the most bytes of each kind that it may print.
    init(
        _ program: String, _ arguments: [String], input: [UInt8] = [], within limit: Duration,
        atMost longest: Int = 65_536
    ) throws(Failure) {
        let deadline = ContinuousClock.now + limit
        let pipes = [try Pipe(), try Pipe(), try Pipe()]
        let pid = try Self.start(program, arguments, pipes)
        pipes[0].closeReading()
        pipes[1].closeWriting()
        pipes[2].closeWriting()
        var rest = input[...]
        var printed: [[UInt8]] = [[], []]
        var isOver = false
        while !isOver {
            if rest.isEmpty { pipes[0].closeWriting() }
            var entries = [
                pollfd(fd: pipes[1].reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: pipes[2].reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: pipes[0].writing, events: Int16(POLLOUT), revents: 0),
            ]
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0, printed.allSatisfy({ $0.count <= longest }) else { break }
            poll(&entries, 3, Int32(min(left + 1, 1000)))
            for index in 0...1 where entries[index].revents != 0 { pipes[index + 1].read(into: &printed[index]) }
            if entries[2].revents != 0 { rest = rest.dropFirst(pipes[0].write(rest)) }
            isOver = pipes[1].reading < 0 && pipes[2].reading < 0
        }
        (output, errors) = (printed[0], printed[1])
        status = Self.end(pid, isOver: isOver, by: deadline)
    }

    private static func start(_ program: String, _ arguments: [String], _ pipes: [Pipe]) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0].reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes[1].writing, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes[2].writing, STDERR_FILENO)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, nil, words, environ)
        guard code == 0 else {
            throw Failure(.unavailable, "\(program) cannot be run: \(String(cString: strerror(code)))")
        }
        return pid
    }

    /// Waits until the program has ended; kills it at the deadline, or at once if it did not close its output.
    private static func end(_ pid: pid_t, isOver: Bool, by deadline: ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while isOver, ContinuousClock.now < deadline {
            let found = waitpid(pid, &status, WNOHANG)
            if found == pid { return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F) }
            if found < 0, errno != EINTR { return nil }
            usleep(2000)
        }
        kill(pid, SIGKILL)
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return nil
    }
}

/// Both ends of a pipe, read and written after a poll only.
private final class Pipe {
    private(set) var reading: Int32
    private(set) var writing: Int32

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Failure(.internalError, "no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Reads once, after a poll; closes the end when there is nothing more.
    func read(into bytes: inout [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(reading, &buffer, buffer.count)
        if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { closeReading() }
    }

    /// Writes as much as surely fits after a poll; closes the end when nobody reads. Returns how much that was.
    func write(_ bytes: ArraySlice<UInt8>) -> Int {
        let count = bytes.prefix(Int(PIPE_BUF)).withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { closeWriting() }
        return max(count, 0)
    }
}
