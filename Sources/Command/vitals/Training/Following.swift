import Daemon
import Glibc
import Telemetry

/// `vitals train start`, `next`, `previous`, `skip`, `now` and `watch`: a plan that is followed.
struct Following {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func start() throws -> ExitCode {
        let wanted = try arguments.string("PLAN")
        let data = try Office.visit(call) { office in
            // A choice's id or title comes before a plan's name, which nobody could take for one.
            if let choice = try office.choice(wanted) {
                return try office.askOfTraining("start", [("choice", .string(choice))])
            }
            return try office.askOfTraining("start", [("plan", .string(wanted))])
        }
        guard !call.isJSON else { return try print(data.line) }
        let training = data["training"] ?? .null
        try print("started: \(training.text("title") ?? "-")\n\(Self.line(training))")
        Output.note("go on with vitals train next, follow it with vitals train watch")
        return .ok
    }

    func take(_ verb: String) throws -> ExitCode {
        let data = try Office.visit(call) { try $0.askOfTraining(verb) }
        return try print(call.isJSON ? data.line : Self.line(data))
    }

    func now() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.askOfTraining("current") }
        guard !call.isJSON else { return try print(data.line) }
        guard let training = Self.underWay(data) else { return nothing() }
        return try print(Self.line(training))
    }

    private static func underWay(_ data: JSON) -> JSON? {
        data["training"].flatMap { $0 == .null ? nil : $0 }
    }

    private func nothing() -> ExitCode {
        Output.note("no training is under way: vitals train")
        return .ok
    }

    /// `3 of 7  Push-ups, set 2 of 3, 10 repetitions`
    private static func line(_ training: JSON, later: Double = 0) -> String {
        "\(TrainingText.place(training))  \(Hints.completed(TrainingText.now(training, later: later)))\n"
    }

    // MARK: Following it

    /// On a terminal a line that is drawn again each second; elsewhere a line whenever something else is to be done.
    func watch() throws -> ExitCode {
        // People end it with Ctrl-C; nothing needs cleaning up.
        signal(SIGINT) { _ in _exit(ExitCode.ok.rawValue) }
        return try Office.visit(call, isPatient: true) { office in
            guard try Self.underWay(office.askOfTraining("current")) != nil else { return nothing() }
            var topic: String?
            if call.credential != nil {
                try office.listen(to: .published("training"))
                topic = call.topics[user: try office.user(), .published("training")]
            }
            let isTerminal = isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb" && !call.isJSON
            var latest: (training: JSON, heard: ContinuousClock.Instant)?
            while true {
                for training in try news(office, topic) {
                    guard let training else {
                        if isTerminal { try print("\r\u{1B}[K") }
                        Output.note("the training is over: vitals train week")
                        return .ok
                    }
                    guard training.withoutTime != latest?.training.withoutTime else { continue }
                    latest = (training, .now)
                    if !isTerminal { try print(call.isJSON ? training.line : Self.line(training)) }
                }
                if isTerminal, let latest {
                    let later = (ContinuousClock.now - latest.heard) / .seconds(1)
                    let line = Self.line(latest.training, later: later).dropLast()
                    // A line that is too long for the terminal is cut, so that it stays one.
                    try print("\r\u{1B}[K\u{1B}[?7l\(line)\u{1B}[?7h")
                }
                guard !Output.readerHasGone else { return .ok }
            }
        }
    }

    /// What is heard of the training within a second, nil once it is over.
    /// - Parameter topic: nil in a home without accounts, which publishes nothing of its people: there the consumer is asked.
    private func news(_ office: Office, _ topic: String?) throws(Failure) -> [JSON?] {
        let events = office.next(within: .seconds(1))
        guard let topic else { return [Self.underWay(try office.askOfTraining("current"))] }
        return events.compactMap { event -> JSON?? in
            guard case .message(let message) = event, message.topic == topic else { return nil }
            guard !message.payload.isEmpty else { return .some(nil) }
            return (try? JSON(payload: message.payload)).map(Optional.some)
        }
    }

    @discardableResult
    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

extension JSON {
    /// The same without the time at which it was said.
    fileprivate var withoutTime: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "time" })
    }
}
