import Daemon
import Glibc
import MQTT
import Speech
import Telemetry
import Workouts

/// `vitals speak`: says aloud how a workout goes.
struct Speaking {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        guard arguments.command.first == "speak" else { return nil }
        let speaking = Speaking(call, arguments)
        return switch arguments.command.last {
        case "show": try speaking.show()
        case "set": try speaking.set()
        default: try speaking.run()
        }
    }

    private static let contents = SpokenContent.allCases.map(\.rawValue)

    static let command = Command(
        name: "speak", summary: "Says aloud how your workout goes, for as long as it runs.",
        discussion: """
            Texts come from the consumer while the profile's voice is on (vitals profile set --voice on), in the profile's language and \
            units. speech-dispatcher says them, with the voices of this machine; if it is restarted, they are said again as soon as it is \
            there. To have it run whenever you are signed in at this machine: systemctl --user enable --now vitals-speak
            """,
        options: [.flag("print", "prints the texts, one on each line, and says nothing")],
        examples: [
            Example("vitals speak"), Example("vitals speak --print"),
            Example("vitals speak set --every 1km --say distance,pace,heart-rate"),
        ],
        subcommands: [
            Command(name: "show", summary: "Shows what is said, and how often."),
            Command(
                name: "set", summary: "Says what is said, and how often.",
                options: [
                    .value("every", "INTERVAL", "1 to 120 minutes, or 0.5 to 50 kilometres or miles: 5min, 1km, 1mi"),
                    .value(
                        "say", "CONTENTS",
                        "some of \(contents.joined(separator: ",")), in the order in which they are said"),
                ],
                examples: [
                    Example("vitals speak set --every 5min --say duration,heart-rate,zone"),
                    Example("vitals speak set --every 1mi"),
                ]),
        ], runsAlone: true)

    // MARK: The plan

    private func show() throws -> ExitCode { try print(Office.visit(call) { try $0.ask("voice/get") }) }

    private func set() throws -> ExitCode {
        var fields: [(String, JSON?)] = []
        if let every = try arguments.optionalString("every") { fields.append(try interval(every)) }
        if let say = try arguments.optionalString("say") {
            let names = say.split(separator: ",", omittingEmptySubsequences: false).map {
                String($0.filter { $0 != " " })
            }
            guard Set(names).count == names.count, names.allSatisfy(Self.contents.contains) else {
                throw arguments.refusal(
                    of: "say", "expected some of \(Self.contents.joined(separator: ",")), none of them twice")
            }
            fields.append(("say", .array(names.map { .string($0) })))
        }
        guard !fields.isEmpty else { throw Failure(.usage, "give --every, --say or both") }
        return try print(Office.visit(call) { try $0.ask("voice/set", fields) })
    }

    private func interval(_ text: String) throws(UsageError) -> (String, JSON?) {
        let words = text.lowercased().filter { $0 != " " }
        let units = [("min", "minutes"), ("km", "kilometres"), ("mi", "miles")]
        for (unit, field) in units where words.hasSuffix(unit) {
            guard let number = Double(words.dropLast(unit.count)), number.isFinite else { break }
            if field != "minutes", SpokenInterval.distances.contains(number) { return (field, .number(number)) }
            if field == "minutes", let minutes = Int(exactly: number), SpokenInterval.minutesRange.contains(minutes) {
                return (field, .integer(Int64(minutes)))
            }
        }
        throw arguments.refusal(of: "every", "expected 1min to 120min, 0.5km to 50km or 0.5mi to 50mi")
    }

    private func print(_ data: JSON) throws -> ExitCode {
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let units = [("minutes", "min"), ("kilometres", "km"), ("miles", "mi")]
        let every = units.compactMap { field, unit in data.double(field).map { "\(decimal($0)) \(unit)" } }
        let contents = data.list("say").compactMap { name -> String? in
            if case .string(let text) = name { text } else { nil }
        }
        try Output.write("every: \(every.first ?? "-")\nsay: \(escaped(contents.joined(separator: ", ")))\n")
        if data["voice"] == false { Output.note("the voice is off: vitals profile set --voice on") }
        return .ok
    }

    private func decimal(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\((value * 100).rounded() / 100)"
    }

    // MARK: Speaking

    private func run() throws -> ExitCode {
        // People end it with Ctrl-C, and systemd with SIGTERM; nothing needs cleaning up.
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(ExitCode.ok.rawValue) } }
        guard let person = call.person else { throw Office.notSignedIn(call) }
        let thread = try arguments.flag("print") ? nil : connectedThread()
        let topic = call.topics[user: person, .published("voice")]
        let broker = Broker(call, isPatient: true)
        try broker.connect()
        defer { broker.stop() }
        broker.listen(to: [topic])
        var (isCutOff, isToldOf) = (false, false)
        while true {
            for event in broker.next(within: .seconds(60)) {
                switch event {
                // What the broker has kept is not said now.
                case .message(let message) where message.topic == topic && !message.retain:
                    let isText = try hear(message.payload, thread)
                    if !isText, !isToldOf { Output.note("something came that cannot be said") }
                    isToldOf = !isText
                case .state(.waiting(let reason, _)):
                    if !isCutOff { Output.note("\(reason.sentence); waiting for the broker") }
                    isCutOff = true
                case .state(.connected):
                    if isCutOff { Output.note("connected to \(call.broker.address) again") }
                    isCutOff = false
                case .answered(let error?): throw call.refusal(error)
                case .problem(let error): Output.note("\(error)")
                default: break
                }
            }
            guard !Output.readerHasGone else { return .ok }
        }
    }

    private func connectedThread() throws -> SpeakingThread {
        let thread = SpeakingThread { Output.note($0) }
        do {
            if try !thread.connect() { Output.note("speech-dispatcher does not answer yet; texts wait for it") }
        } catch {
            throw Failure(
                .unavailable, "\(error)",
                hint:
                    "apt install speech-dispatcher speech-dispatcher-espeak-ng; or have the texts printed: vitals speak --print"
            )
        }
        return thread
    }

    /// Says a text, prints it, or both. What is no text to say is left out.
    /// - Returns: whether it was one.
    private func hear(_ payload: [UInt8], _ thread: SpeakingThread?) throws -> Bool {
        guard let json = try? JSON(payload: payload), case .string(let text) = json["text"],
            case .string(let language) = json["language"],
            let utterance = Utterance(
                text, language: language, json["kind"] == "progress" ? .progress : .message)
        else { return false }
        thread?.say(utterance)
        if call.isJSON {
            try Output.write(json.line)
        } else if thread == nil {
            try Output.write(escaped(text) + "\n")
        }
        return true
    }
}
