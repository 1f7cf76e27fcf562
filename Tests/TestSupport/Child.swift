import Glibc
import Synchronization

/// A child process, and our ends of its pipes.
struct Child: Sendable {
    let pid: pid_t
    /// Where its standard input can be written.
    let input: Int32
    private let output: Int32?
    private let errors: Int32?

    enum Source { case output, errors }

    /// Starts it, with no signal blocked, and none ignored.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], _ choice: RunningProgram.Output
    ) throws {
        let input = try makePipe()
        let output: (readEnd: Int32?, writeEnd: Int32)
        let errors: (readEnd: Int32?, writeEnd: Int32)
        switch choice {
        case .together:
            output = try makePipe()
            errors = (nil, output.writeEnd)
        case .apart:
            output = try makePipe()
            errors = try makePipe()
        case .elsewhere(let descriptor):
            output = (nil, descriptor)
            errors = try makePipe()
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.readEnd, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writeEnd, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.writeEnd, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let code = descriptors.withLock { _ in posix_spawn(&pid, path, &actions, &attributes, words, variables) }
        close(input.readEnd)
        if output.readEnd != nil { close(output.writeEnd) }
        if errors.readEnd != nil { close(errors.writeEnd) }
        guard code == 0 else {
            for end in [input.writeEnd, output.readEnd, errors.readEnd] { if let end { close(end) } }
            throw TestFailure("\(path): \(String(cString: strerror(code)))")
        }
        self.pid = pid
        self.input = input.writeEnd
        self.output = output.readEnd
        self.errors = errors.readEnd
    }

    /// Reads what it prints, up to the end, and closes our ends of those pipes.
    func collect(_ take: (Source, ArraySlice<UInt8>) -> Void) {
        var ends: [(source: Source, descriptor: Int32)] = []
        if let output { ends.append((.output, output)) }
        if let errors { ends.append((.errors, errors)) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !ends.isEmpty {
            var entries = ends.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            for index in entries.indices.reversed() where entries[index].revents != 0 {
                let count = read(ends[index].descriptor, &buffer, buffer.count)
                if count > 0 {
                    take(ends[index].source, buffer[..<count])
                } else {
                    close(ends.remove(at: index).descriptor)
                }
            }
        }
    }

    /// Waits for its end.
    /// - Returns: its exit status, or 128 and the signal that ended it; and whether the kernel dumped its memory.
    func wait() -> (status: Int32, hasDumped: Bool) {
        var code: Int32 = 0
        while waitpid(pid, &code, 0) < 0, errno == EINTR {}
        // The macros of wait(2) do not import: the low seven bits are the signal, then comes WCOREDUMP's.
        return (code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + (code & 0x7F), code & 0x80 != 0)
    }
}

/// Nobody starts a child while somebody else's descriptor is not yet marked to be closed in it: it would keep a pipe
/// open. (`pipe2`, which does both at once, is not imported.)
private let descriptors = Mutex(())

/// A pipe that no child inherits.
public func makePipe() throws -> (readEnd: Int32, writeEnd: Int32) {
    try descriptors.withLock { _ in
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestFailure("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
