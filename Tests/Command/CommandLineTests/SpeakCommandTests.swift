import Glibc
import Telemetry
import TestSupport
import Testing

@Suite("vitals speak", .timeLimit(.minutes(60)))
struct SpeakCommandTests {
    private static let topic = "vitals/v1/users/ada/voice"

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private func text(_ text: String, kind: String = "progress", language: String = "en") -> JSON {
        [
            "id": "a", "time": 1_795_261_361_000, "kind": .string(kind), "workout": "b", "text": .string(text),
            "language": .string(language),
        ]
    }

    /// A program that has subscribed.
    private func speaking(
        _ consumer: ScriptedConsumer, _ words: [String] = [], to server: SpeechServer? = nil
    ) throws -> RunningProgram {
        try SpeechServer.forbidStarting(below: consumer.home.path)
        let address = server?.address ?? "unix_socket:\(consumer.home.path)/nobody"
        let program = try RunningProgram(
            "vitals", ["--port", "\(consumer.broker.port)", "speak"] + words,
            environment: ["HOME": consumer.home.path, "SPEECHD_ADDRESS": address], inheritsEnvironment: false,
            output: .apart)
        try consumer.broker.waitForLog("\t\(Self.topic) (QoS 0)")
        return program
    }

    @Test(
        "a real speech-dispatcher says each text in its language, and what looks like a command or a mark as it is written"
    )
    func says() throws {
        let (consumer, server) = (try signedIn(), try SpeechServer())
        let program = try speaking(consumer, ["--json"], to: server)
        let first = text("Workout paused.", kind: "pause")
        consumer.tell(Self.topic, first)
        #expect(server.hears("en:Workout paused."), "\(server.said) \(program.errors)")
        consumer.tell(Self.topic, text("Training fortgesetzt.", kind: "resume", language: "de"))
        #expect(server.hears("de:Training fortgesetzt."), "\(server.said)")
        for written in ["5 minutes, 1.2 kilometres, it's <b>", "<speak>$(id)</speak> `id`", "STOP ALL"] {
            consumer.tell(Self.topic, text(written))
            #expect(server.hears("en:" + written), "\(server.said)")
        }
        // Nobody speaks that, and the next text is said all the same.
        consumer.tell(Self.topic, text("Forged.", language: "zz"))
        consumer.tell(Self.topic, text("Afterwards.", kind: "end"))
        #expect(server.hears("en:Afterwards."), "\(server.said)")
        #expect(server.soundBytes > 10_000)
        // Members are in the order of the alphabet.
        let line = try #require(program.line(after: 0))
        #expect(try JSON(payload: Array(line.utf8)) == JSON(payload: first.bytes))
        program.signal(SIGTERM)
        #expect(program.exitStatus() == 0)
    }

    @Test("a machine without a voice has the dummy of speech-dispatcher, which is given each text")
    func dummy() throws {
        let (consumer, server) = (try signedIn(), try SpeechServer(.dummy))
        let program = try speaking(consumer, to: server)
        for (number, kind) in ["start", "progress", "end"].enumerated() {
            consumer.tell(Self.topic, text("Text \(number).", kind: kind))
            #expect(server.hands(over: "Text \(number)."), "\(program.errors)")
        }
        #expect(program.errors.isEmpty)
    }

    @Test(
        "it goes on when speech-dispatcher is killed and started again, and then says the latest of what came meanwhile"
    )
    func restarted() throws {
        let (consumer, server) = (try signedIn(), try SpeechServer())
        let program = try speaking(consumer, ["--json"], to: server)
        consumer.tell(Self.topic, text("Before.", kind: "start"))
        #expect(server.hears("en:Before."), "\(server.said) \(program.errors)")
        server.stop()
        consumer.tell(Self.topic, text("Meanwhile."))
        #expect(program.complains("trying again"), "\(program.errors)")
        try server.start()
        #expect(server.hears("en:Meanwhile."), "\(server.said) \(program.errors)")
        server.stop()
        // Four wait, and those that came first are not said. One may be on its way to be said when the server comes back.
        for number in 1...6 { consumer.tell(Self.topic, text("Late \(number).", kind: "goal")) }
        #expect(program.line(after: 7) != nil)
        try server.start()
        #expect(server.hears("en:Late 6."), "\(server.said) \(program.errors)")
        consumer.tell(Self.topic, text("Afterwards.", kind: "end"))
        #expect(server.hears("en:Afterwards."), "\(server.said) \(program.errors)")
        let late = (3...6).map { "en:Late \($0)." } + ["en:Afterwards."]
        #expect(Array(server.said.suffix(5)) == late, "\(server.said)")
        #expect(server.said.count <= 2 + 1 + 5, "\(server.said)")
        #expect(program.errors.contains("there again"), "\(program.errors)")
        program.signal(SIGINT)
        #expect(program.exitStatus() == 0)
    }

    @Test("a flood is not handed on: ten texts at once, and then one every five seconds, the latest of them")
    func flood() throws {
        let (consumer, server) = (try signedIn(), try SpeechServer())
        let program = try speaking(consumer, ["--json"], to: server)
        for number in 1...20 {
            consumer.tell(Self.topic, text("Flood \(number).", kind: "goal"))
            #expect(program.line(after: number - 1) != nil)
        }
        // All that was handed over before is said before.
        #expect(server.hears("en:Flood 17."), "\(server.said) \(program.errors)")
        #expect(server.said.count <= 14, "\(server.said)")
    }

    @Test("a speech-dispatcher that does not answer is waited for, and tried again after five seconds")
    func frozen() throws {
        let (consumer, server) = (try signedIn(), try SpeechServer())
        server.freeze(true)
        let program = try speaking(consumer, to: server)
        #expect(program.complains("does not answer yet"), "\(program.errors)")
        consumer.tell(Self.topic, text("Thawed.", kind: "pause"))
        server.freeze(false)
        #expect(server.hears("en:Thawed."), "\(server.said) \(program.errors)")
        server.freeze(true)
        consumer.tell(Self.topic, text("Again.", kind: "resume"))
        #expect(program.complains("trying again"), "\(program.errors)")
        server.freeze(false)
        #expect(server.hears("en:Again."), "\(server.said) \(program.errors)")
        #expect(server.said == ["en:Thawed.", "en:Again."])
    }

    @Test("what cannot be said is left out, whoever has sent it, and so is what the broker has kept")
    func hostile() throws {
        let consumer = try signedIn()
        consumer.keep(Self.topic, text("Kept."))
        try consumer.broker.waitForLog("'\(Self.topic)'")
        let program = try speaking(consumer, ["--print"])
        let wrong: [JSON] = [
            [:], text(""), text("  "), text("one\r\n.\r\nSTOP ALL"), text("\u{1B}[2J"), text("\u{2028}"),
            text("a\u{0}b"),
            text(String(repeating: "ä", count: 513)), text("x", language: "en\r\nSTOP"), text("x", language: ""),
            ["text": 1, "language": "en"], ["text": "x"],
        ]
        for each in wrong { consumer.tell(Self.topic, each) }
        consumer.tell(Self.topic, text(String(repeating: "ä", count: 512)))
        #expect(program.line(after: 0) == String(repeating: "ä", count: 512), "\(program.errors)")
        program.signal(SIGTERM)
        #expect(program.exitStatus() == 0)
        // Once for all of them.
        #expect(program.errors == "vitals: something came that cannot be said\n")
    }

    @Test("without speech-dispatcher it says what to install, and it wants people to be signed in")
    func absent() throws {
        let consumer = try signedIn()
        try SpeechServer.forbidStarting(below: consumer.home.path)
        let outcome = try consumer.vitals(
            "speak", environment: ["SPEECHD_ADDRESS": "unix_socket:\(consumer.home.path)/nobody"])
        #expect(outcome.status == 69 && outcome.errors.contains("apt install speech-dispatcher"), "\(outcome)")
        let stranger = try ScriptedConsumer()
        let refused = try stranger.vitals("speak", "--print")
        #expect(refused.status == 77 && refused.errors.contains("not signed in"), "\(refused)")
    }

    @Test("shows what is said and how often, and changes it")
    func plan() throws {
        let consumer = try signedIn()
        let plan: JSON = ["minutes": 5, "say": ["duration", "pace"], "voice": true]
        consumer.answer("voice/get", plan)
        #expect(try consumer.vitals("speak", "show").output == "every: 5 min\nsay: duration, pace\n")
        #expect(
            try JSON(payload: Array(consumer.vitals("speak", "show", "--json").output.utf8.dropLast())) == plan)
        consumer.answer("voice/set", ["kilometres": .number(1.5), "say": ["pace", "zone"], "voice": false])
        let changed = try consumer.vitals("speak", "set", "--every", "1.5 km", "--say", "pace, zone")
        #expect(changed.output == "every: 1.5 km\nsay: pace, zone\n", "\(changed)")
        #expect(changed.errors.contains("profile set --voice on"))
        #expect(try consumer.last().fields["kilometres"] == .number(1.5))
        #expect(try consumer.last().fields["say"] == ["pace", "zone"])
        for (every, field) in [("1mi", "miles"), ("120min", "minutes")] {
            _ = try consumer.vitals("speak", "set", "--every", every)
            let fields = try consumer.last().fields
            #expect(fields[field] != nil && fields["say"] == nil, "\(fields)")
        }
        for wrong in [
            ["--every", "121min"], ["--every", "0.4km"], ["--every", "5"], ["--every", "nanmi"], ["--every", "1.5min"],
            ["--say", "weather"], ["--say", "pace,pace"], ["--say", ""], [],
        ] {
            #expect(try consumer.vitals(["speak", "set"] + wrong).status == 64, "\(wrong)")
        }
    }
}
