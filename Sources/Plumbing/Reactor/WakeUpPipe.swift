import Glibc

/// A pipe whose only message is that there is one: `signal` makes `readEnd` readable, `clear` makes it wait again.
struct WakeUpPipe: ~Copyable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "pipe: out of file descriptors (see ulimit -n)")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    borrowing func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)  // A full pipe is readable already.
    }

    borrowing func clear() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(readEnd, &bytes, 16) == 16 {}
    }
}
