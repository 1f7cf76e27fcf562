import Foundation
import TestSupport

/// Greets, and answers commands as a closure says, and otherwise as something that plays nothing.
final class MadeUpDaemon: Sendable {
    /// What it was asked, at all its connections.
    let commands = Record<String>()
    private let listener: Listener

    var port: UInt16 { listener.port }

    /// - Parameter answer: to a command; nil for what would be usual.
    init(_ answer: @escaping @Sendable (String) -> String?) throws {
        let listener = try Listener()
        self.listener = listener
        Thread.detachNewThread { [commands] in
            while true {
                let client = accept(listener.descriptor, nil, nil)
                guard client >= 0 else { return }
                send(client, "OK MPD 0.23.5\n")
                while let command = readLine(client) {
                    commands.append(command)
                    send(client, answer(command) ?? Self.usual(command))
                }
                close(client)
            }
        }
    }

    func stop() { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    private static func usual(_ command: String) -> String {
        let word = command.prefix { $0 != " " }
        switch word {
        case "idle": return ""
        case "status": return "state: stop\nplaylistlength: 1\nplaylist: 1\nOK\n"
        case "playlistinfo", "playlistid": return "file: x\nPos: 0\nId: 7\nOK\n"
        default: return "OK\n"
        }
    }
}

extension Listener {
    /// The next connection, within a limit.
    func acceptOne() throws -> Int32 {
        guard isReadable(descriptor) else { throw TestFailure("nobody connects") }
        return accept(descriptor, nil, nil)
    }
}

func send(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
}

/// The next line without its end; nil where none comes within a limit.
func readLine(_ descriptor: Int32) -> String? {
    var line: [UInt8] = []
    while true {
        var byte: UInt8 = 0
        guard isReadable(descriptor), read(descriptor, &byte, 1) == 1 else { return nil }
        guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
    }
}
