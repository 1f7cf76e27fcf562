import CMPD
import Reactor
import Telemetry

// libmpdclient has two halves. `mpd_connection` waits for each answer, and its songs grow with whatever the server
// sends. The other half, `mpd_async` and `mpd_parser`, never waits: it quotes commands, keeps what has come in a buffer
// of 4,096 bytes, ends the connection at a line that does not fit there, and takes lines apart. That is what an event
// loop needs, and what can be trusted with a server that means harm; what the lines say is read in PlayerReply.swift.

/// One connection to Music Player Daemon, through libmpdclient. Belongs to a loop.
final class PlayerLink {
    /// A line of an answer.
    enum Line: Hashable {
        /// `name: value`
        case pair(name: String, value: String)
        /// The answer is complete.
        case done
        /// The command was refused, with the protocol's number for the reason.
        case refused(Int)
        /// What the protocol does not have.
        case malformed
    }

    /// Why no link was made.
    struct Refusal: Error { let words: String }

    /// By the name under which the loader finds it.
    static let library = "libmpdclient.so.2"

    private let mpd: vitals_mpd
    private let async: OpaquePointer
    private let parser: OpaquePointer

    /// Loads libmpdclient. Takes the descriptor, and closes it at the end; after an error, it is still the caller's.
    init(_ descriptor: Int32, with library: String = PlayerLink.library) throws(Refusal) {
        var mpd = vitals_mpd()
        if let missing = vitals_mpd_load(library, &mpd) {
            throw Refusal(
                words: """
                    \(String(cString: missing)): apt install libmpdclient2 (libmpdclient2t64 since Debian 13), \
                    or leave "music" out of the settings
                    """)
        }
        guard let parser = mpd.parser_new() else { throw Refusal(words: "no memory") }
        guard let async = mpd.async_new(descriptor) else {
            mpd.parser_free(parser)
            throw Refusal(words: "no memory")
        }
        (self.mpd, self.async, self.parser) = (mpd, async, parser)
    }

    deinit {
        mpd.parser_free(parser)
        mpd.async_free(async)
    }

    /// What to wait for.
    var wanted: EventLoop.Events {
        let wanted = mpd.async_events(async).rawValue
        return wanted & MPD_ASYNC_EVENT_WRITE.rawValue == 0 ? .readable : [.readable, .writable]
    }

    /// Reads and writes as much as there is, without waiting.
    /// - Returns: why the connection is over; nil while it is not.
    func move(_ events: EventLoop.Events) -> String? {
        var ready: UInt32 = 0
        if events.contains(.readable) { ready |= MPD_ASYNC_EVENT_READ.rawValue }
        if events.contains(.writable) { ready |= MPD_ASYNC_EVENT_WRITE.rawValue }
        // What was sent before a hang-up is still there to be read.
        if ready == 0 { ready = MPD_ASYNC_EVENT_HUP.rawValue }
        return mpd.async_io(async, mpd_async_event(rawValue: ready)) ? nil : fault
    }

    /// Why the connection is over; nil while it is not.
    var fault: String? {
        guard mpd.async_get_error(async) != MPD_ERROR_SUCCESS else { return nil }
        return mpd.async_get_error_message(async).map { harmless(String(cString: $0), atMost: 200) } ?? "lost"
    }

    /// Whether the connection is over because of a line that no Music Player Daemon sends.
    var isMalformed: Bool { mpd.async_get_error(async) == MPD_ERROR_MALFORMED }

    /// Sends a command of at most five arguments.
    /// - Returns: whether there was room for it.
    func send(_ command: String, _ arguments: [String] = []) -> Bool {
        precondition(arguments.count <= 5)
        func argument(_ index: Int, _ body: (UnsafePointer<CChar>?) -> Bool) -> Bool {
            index < arguments.count ? arguments[index].withCString(body) : body(nil)
        }
        return argument(0) { first in
            argument(1) { second in
                argument(2) { third in
                    argument(3) { fourth in
                        argument(4) { vitals_mpd_send(mpd, async, command, first, second, third, fourth, $0) }
                    }
                }
            }
        }
    }

    /// The next line as it came; nil where none is complete.
    func text() -> String? { mpd.async_recv_line(async).map { String(cString: $0) } }

    /// The next line of an answer; nil where none is complete.
    func line() -> Line? {
        guard let line = mpd.async_recv_line(async) else { return nil }
        switch mpd.parser_feed(parser, line) {
        case MPD_PARSER_SUCCESS: return .done
        case MPD_PARSER_PAIR:
            guard let name = mpd.parser_get_name(parser), let value = mpd.parser_get_value(parser) else {
                return .malformed
            }
            return .pair(name: String(cString: name), value: String(cString: value))
        case MPD_PARSER_ERROR: return .refused(Int(mpd.parser_get_server_error(parser).rawValue))
        default: return .malformed
        }
    }

    /// At most so many of the bytes that have come.
    func bytes(atMost count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = buffer.baseAddress.map { mpd.async_recv_raw(async, $0, count) } ?? 0
        }
    }
}

/// A text from outside: at most so many bytes, cut between characters, and nothing in it that moves a cursor or turns
/// the direction of writing.
func harmless(_ text: String, atMost limit: Int) -> String {
    var result = ""
    var length = 0
    for scalar in text.unicodeScalars {
        let next: Unicode.Scalar = scalar.isHarmful ? "\u{FFFD}" : scalar
        length += String(next).utf8.count
        guard length <= limit else { break }
        result.unicodeScalars.append(next)
    }
    return result
}
