import Foundation

/// The real speech-dispatcher with a socket and settings of its own. Nothing of it makes a sound.
public final class SpeechServer {
    private let folder: TemporaryFolder
    private var running: RunningProgram?

    /// What it has texts said by.
    public enum Module: String {
        /// Writes down what is said, and has espeak-ng say it to a file.
        case file
        /// speech-dispatcher's own, for machines without a voice.
        case dummy
    }

    /// It runs.
    public init(_ module: Module = .file) throws {
        folder = try TemporaryFolder()
        // No module starts without a sound device: this one is none.
        try folder.write("pcm.!default { type null }\n", to: ".asoundrc")
        try FileManager.default.createDirectory(
            atPath: folder.path("settings/modules"), withIntermediateDirectories: true)
        let settings = """
            LogLevel \(module == .dummy ? 5 : 3)
            LogDir "\(folder.path)"
            DisableAutoSpawn
            AudioOutputMethod "alsa"
            AddModule "\(module.rawValue)" "sd_\(module == .dummy ? "dummy" : "generic")" "\(module.rawValue).conf"
            DefaultModule \(module.rawValue)

            """
        try folder.write(settings, to: "settings/speechd.conf")
        try folder.write("", to: "settings/modules/dummy.conf")
        // The module fills in the text once, within quotes of its own, which are written \'.
        let generic = """
            GenericExecuteSynth "printf '%s:%s\\\\n' '$LANGUAGE' \\'$DATA\\' > '\(folder.path("new"))'; cut -d: -f2- '\(folder.path("new"))' | espeak-ng -v '$LANGUAGE' -w '\(folder.path("new.wav"))'; mv '\(folder.path("new.wav"))' '\(folder.path("said.wav"))'; cat '\(folder.path("new"))' >> '\(folder.path("said"))'"
            GenericLanguage "en" "en" "utf-8"
            GenericLanguage "de" "de" "utf-8"
            AddVoice "en" "MALE1" "en"
            AddVoice "de" "MALE1" "de"

            """
        try folder.write(generic, to: "settings/modules/file.conf")
        try start()
    }

    deinit { stop() }

    /// Has programs of this home start no server by themselves.
    public static func forbidStarting(below home: String) throws {
        let settings = "\(home)/.config/speech-dispatcher"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try "DisableAutoSpawn\n".write(toFile: settings + "/speechd.conf", atomically: true, encoding: .utf8)
    }

    private var log: String { folder.path("speech-dispatcher.log") }
    private var socket: String { folder.path("socket") }

    /// Where clients find it: `SPEECHD_ADDRESS`.
    public var address: String { "unix_socket:" + socket }

    /// Starts it again, and returns when it listens.
    public func start() throws {
        try? FileManager.default.removeItem(atPath: log)
        let program = try RunningProgram(
            "speech-dispatcher",
            [
                "-s", "-c", "unix_socket", "-S", socket, "-C", folder.path("settings"), "-L", folder.path, "-P",
                folder.path("pid"), "-t", "0",
            ],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"], inheritsEnvironment: false)
        running = program
        let isListening = program.waits {
            (try? String(contentsOfFile: log, encoding: .utf8))?.contains("waiting for clients") == true
        }
        guard isListening else { throw TestFailure("speech-dispatcher does not start: \(program.text)") }
    }

    /// Has it stand still, or go on.
    public func freeze(_ isFrozen: Bool) { running?.signal(isFrozen ? SIGSTOP : SIGCONT) }

    /// Kills it.
    public func stop() {
        running?.end(SIGKILL)
        running = nil
        try? FileManager.default.removeItem(atPath: socket)
    }

    /// What was said, sentence by sentence, each with its language before it: `en:Workout paused.`
    public var said: [String] {
        let text = (try? String(contentsOfFile: folder.path("said"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ":")
        }
    }

    /// How many bytes of sound the latest sentence is.
    public var soundBytes: Int { (try? Data(contentsOf: URL(fileURLWithPath: folder.path("said.wav"))).count) ?? 0 }

    /// Waits until a module was given a sentence, as the log of everything says; whether it was.
    public func hands(over sentence: String) -> Bool {
        let line = "output module: |<speak>\(sentence)</speak>|"
        return running?.waits { (try? String(contentsOfFile: log, encoding: .utf8))?.contains(line) == true } ?? false
    }

    /// Waits until something is said; whether it was.
    public func hears(_ sentence: String) -> Bool { running?.waits { said.contains(sentence) } ?? false }
}
