import Daemon
import Glibc

/// Programs that this one runs.
enum Programs {
    /// The path of one of ours: next to this one, otherwise where PATH finds it.
    static func ours(_ name: String) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return name }
        let beside = own[...slash] + name
        return access(String(beside), X_OK) == 0 ? String(beside) : name
    }

    /// Runs a program to its end; its output goes where ours goes.
    /// - Parameter input: what it reads; nil for what we read.
    /// - Returns: its exit status, or 128 and the signal that ended it.
    static func run(_ program: String, _ arguments: [String], input: String? = nil) throws(Failure) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        if input != nil {
            guard pipe(&ends) == 0 else {
                throw Failure(.internalError, "no pipe: \(String(cString: strerror(errno)))")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, nil, words, environ)
        if input != nil { close(ends[0]) }
        defer { if ends[1] >= 0 { close(ends[1]) } }
        guard code == 0 else {
            throw Failure(.unavailable, "\(program) cannot be run: \(String(cString: strerror(code)))")
        }
        if let input {
            let bytes = Array(input.utf8)
            // The input is far less than a pipe holds.
            _ = write(ends[1], bytes, bytes.count)
            close(ends[1])
            ends[1] = -1
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
