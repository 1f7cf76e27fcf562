import CSpeech
import Glibc

/// Why speech-dispatcher has not said something.
public struct SpeechError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was attempted.
    public let attempted: String
    /// What libspeechd or the kernel says.
    public let reason: String

    /// What was attempted, and why it did not work.
    public var description: String { "cannot \(attempted): \(reason)" }
}

/// A connection to speech-dispatcher, which knows the voices of a machine and lets several programs speak.
///
/// Its calls block: each waits for an answer, for five seconds at most, and connecting for as long as the server takes. So it belongs to
/// a thread that nobody waits for. After an error it is of no use any more: make another one. Writing to a server that has gone must not end the process: ignore SIGPIPE.
public final class Speaker {
    private let handle: UnsafeMutablePointer<SPDConnection>
    private var language = ""

    /// How long an answer may take, in seconds.
    private static let patience = 5

    /// Connects to the person's speech-dispatcher, which is started if it is not running. The environment variable `SPEECHD_ADDRESS` may
    /// say where it is.
    public init() throws(SpeechError) {
        var problem: UnsafeMutablePointer<CChar>?
        let handle = spd_open2("vitals", "workouts", nil, SPD_MODE_SINGLE, nil, 1, &problem)
        guard let handle else {
            let reason = problem.map { String(cString: $0) } ?? "no reason given"
            free(problem)
            throw SpeechError(attempted: "connect to speech-dispatcher", reason: reason)
        }
        self.handle = handle
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(handle.pointee.socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        // A text is a text, whatever is in angle brackets.
        try Self.check(spd_set_data_mode(handle, SPD_DATA_TEXT), "say that texts are plain")
    }

    deinit {
        // A reply that does not come has the library close its stream, and with it the socket (`get_reply` in libspeechd.c). `spd_close`
        // would close that number again, which may be another thread's by then.
        if handle.pointee.stream == nil { handle.pointee.socket = -1 }
        spd_close(handle)
    }

    /// Hands over a text, which is said in its turn.
    public func say(_ utterance: Utterance) throws(SpeechError) {
        if language != utterance.language {
            try Self.check(spd_set_language(handle, utterance.language), "speak \(utterance.language)")
            language = utterance.language
        }
        let priority =
            switch utterance.urgency {
            case .message: SPD_MESSAGE
            case .progress: SPD_TEXT
            }
        try Self.check(spd_say(handle, priority, utterance.text), "say a text")
    }

    private static func check(_ code: Int32, _ attempted: String) throws(SpeechError) {
        guard code >= 0 else {
            throw SpeechError(
                attempted: attempted, reason: "speech-dispatcher has gone, does not answer, or refuses it")
        }
    }
}
