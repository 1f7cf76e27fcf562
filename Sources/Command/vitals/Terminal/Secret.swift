import Daemon
import Glibc

// Passwords and codes come from a terminal, where they are not shown, from a file, or from standard input, if that is
// not a terminal. They never come from the command line: everybody on the machine can see that.

/// Where passwords and answers come from.
enum Secret {
    /// The first line of a file.
    static func line(of path: String) throws(Failure) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw Failure(.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(file, &bytes, bytes.count)
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw Failure(.data, "the first line of \(path) is empty") }
        return String(decoding: line, as: UTF8.self)
    }

    /// A password: the first line of a file, what is typed at the terminal, or the next line of standard input.
    /// - Parameter isNew: it is typed twice.
    static func password(_ prompt: String, file: String?, isNew: Bool = false) throws(Failure) -> String {
        let password = try text(prompt, file: file, "password")
        guard isNew, file == nil, isTerminal else { return password }
        guard try hidden("Again: ") == password else { throw Failure(.data, "the two passwords differ") }
        return password
    }

    /// A text that nobody else should see: the first line of a file, what is typed at the terminal, or the next line of
    /// standard input.
    /// - Parameter word: what it is, as the name of the file's option has it.
    static func text(_ prompt: String, file: String?, _ word: String) throws(Failure) -> String {
        if let file { return try line(of: file) }
        guard !isTerminal else { return try hidden(prompt) }
        guard let line = readLine() else {
            throw Failure(.usage, "no \(word) on standard input", hint: "write it there, or name a --\(word)-file")
        }
        return line
    }

    /// Whether a person is there.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// What is typed at the terminal, and shown while it is typed; nil at the end (Ctrl-D).
    static func answer(_ prompt: String) -> String? {
        Output.ask(prompt)
        return readLine()
    }

    /// What is typed at the terminal, and not shown.
    private static func hidden(_ prompt: String) throws(Failure) -> String {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw Failure(.usage, "this is not a terminal") }
        // Without signals from the keyboard: nothing ends the program while the terminal echoes nothing.
        var mute = before
        mute.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mute)
        // Only now, because the person may type as soon as they read it.
        Output.ask(prompt)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Output.ask("\n", isRaw: true)
        }
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { throw Failure(.declined, "nothing was changed") }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return String(decoding: line, as: UTF8.self)
            case 3, 4: throw Failure(.declined, "nothing was changed")  // Ctrl-C, Ctrl-D
            case 21: line = []  // Ctrl-U
            case 8, 127:
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            default: line.append(byte)
            }
        }
    }
}

/// Asks the person at the terminal; if nobody is there, the command line itself is the confirmation.
func isConfirmed(_ question: String) -> Bool {
    guard Secret.isTerminal else { return true }
    return ["y", "yes"].contains((Secret.answer(question + " [y/N] ") ?? "").lowercased())
}
