import Fitness
import Foundation
import MQTT
import OwnTracks
import TestSupport
import Testing

/// The emulated phone, at a real broker.
@Suite("vitals-sensor phone", .timeLimit(.minutes(60)))
struct PhoneTests {
    private static let topic = "vitals/v1/users/ada/phone/phone-1"
    private static let recording = """
        elapsed_s,heart_rate_bpm,latitude_deg,longitude_deg,altitude_m,speed_mps
        0,70,58.959183,5.728839,55.5,2.5
        0.5,71,58.959184,5.728840,55.5,2.5
        1,72,,,55,
        2,73,-33.5,151.25,,
        3,74,58.96,5.73,0,0

        """

    /// Who listens to what the phone publishes.
    private struct Ear {
        let session: Session
        let heard = Record<Message>()

        init(_ broker: Broker) throws {
            session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "ear"))
            let granted = Record<Bool>()
            session.subscribe([Subscription("#", qos: .atLeastOnce)]) { _, error in granted.append(error == nil) }
            session.start(Handlers(received: { [heard] in heard.append($0) }))
            try granted.wait(for: 1)
        }

        /// The locations of so many messages, in order.
        func locations(_ count: Int, _ secret: PhoneSecret? = nil) throws -> [PhoneLocation] {
            try heard.wait(for: count)
            return try heard.all.map { message in
                var report = try PhoneReport(payload: message.payload)
                if let secret {
                    guard case .sealed(let sealed) = report else { throw TestFailure("not sealed") }
                    report = try sealed.open(with: secret)
                }
                guard case .location(let location) = report else { throw TestFailure("no location: \(report)") }
                return location
            }
        }
    }

    private func phone(_ broker: Broker, _ arguments: [String]) throws -> RunningProgram {
        let file = try broker.folder.write(Self.recording, to: "recording.csv")
        return try RunningProgram("vitals-sensor", ["phone", "--activity", file] + arguments, output: .apart)
    }

    @Test("publishes each position once, as the app writes it, with the time of the wall clock, and ends")
    func plain() throws {
        try Broker.with { broker in
            let ear = try Ear(broker)
            defer { ear.session.stop() }
            let begun = Int64(Date().timeIntervalSince1970 * 1000)
            let program = try phone(
                broker,
                [
                    "--host", "127.0.0.1", "--port", "\(broker.port)", "--topic", Self.topic, "--speed", "100",
                    "--once",
                    "--interval", "0",
                ])
            #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.errors)")
            #expect(program.text == "ready\npublished 4 positions\n")
            let locations = try ear.locations(4)
            #expect(locations.count == 4)
            #expect(locations[0].place == Place(latitude: 58.959183, longitude: 5.728839))
            #expect(locations[0].altitudeMetres == 55.5 && locations[0].kilometresPerHour == 9)
            #expect(locations[2].place == Place(latitude: -33.5, longitude: 151.25))
            #expect(locations[2].altitudeMetres == nil && locations[2].kilometresPerHour == nil)
            #expect(locations.allSatisfy { $0.accuracyMetres == nil && $0.trigger == .timer && $0.monitoring == .move })
            let times = locations.map(\.time)
            #expect(times == times.sorted() && times[0] >= begun && times[3] < begun + 60_000, "\(times) \(begun)")
            #expect(ear.heard.all.allSatisfy { $0.topic == Self.topic && $0.qos == .atLeastOnce && !$0.retain })
        }
    }

    @Test("takes everything from a link: who it is at the broker, where to publish, and what to seal with")
    func link() throws {
        let broker = try Broker(configuration: ["allow_anonymous true", "password_file {folder}/passwords"])
        try broker.folder.write("phone-1:secret?~\n", to: "passwords")
        try RunningProgram.run("mosquitto_passwd", ["-U", broker.folder.path("passwords")])
        try broker.start()
        defer { broker.stop() }
        let ear = try Ear(broker)
        defer { ear.session.stop() }
        var configuration = try PhoneConfiguration(
            host: "127.0.0.1", port: Int(broker.port), username: "phone-1", password: "secret?~", deviceID: "phone-1",
            clientID: "ada-phone-1", topic: "vitals/v1/users/ada/phone/%d")
        configuration.usesTLS = false
        configuration.trackerID = "AL"
        configuration.secret = try PhoneSecret("mysecreTpass01")
        let file = try broker.folder.write(try configuration.link() + "\n", to: "link")
        chmod(file, 0o644)
        let open = try phone(broker, ["--link-file", file])
        #expect(open.exitStatus(within: .seconds(60)) == 66 && open.errors.contains("chmod 600"), "\(open.errors)")
        chmod(file, 0o600)
        let program = try phone(broker, ["--link-file", file, "--speed", "100", "--once"])
        #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.errors)")
        // The second of the positions is less than a second after the first.
        let locations = try ear.locations(3, configuration.secret)
        #expect(locations.map(\.place.longitude) == [5.728839, 151.25, 5.73])
        #expect(locations[0].trackerID == "AL" && ear.heard.all[0].topic == Self.topic)
        #expect(!program.text.contains("secret") && broker.log.contains("as ada-phone-1"))
        configuration.password = "wrong"
        try broker.folder.write(try configuration.link(), to: "link")
        let refused = try phone(broker, ["--link-file", file, "--once"])
        #expect(refused.exitStatus(within: .seconds(60)) == 77, "\(refused.errors)")
    }

    @Test("what was published while the broker was away comes after it is back")
    func outage() throws {
        let broker = try Broker()
        try broker.start()
        defer { broker.stop() }
        let program = try phone(
            broker,
            ["--host", "127.0.0.1", "--port", "\(broker.port)", "--topic", Self.topic, "--interval", "0", "--once"])
        program.wait(for: "ready\n")
        broker.stop()
        program.wait(for: "trying again")
        try broker.start()
        #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.errors)")
        #expect(program.text.hasSuffix("\npublished 4 positions\n"), "\(program.text)")
    }

    @Test(
        "a command line that lacks something is refused",
        arguments: [
            (["--topic", "t"], "--host is missing"), (["--host", "h"], "--topic is missing"),
            (["--host", "h", "--topic", "t", "--once", "--loop"], "--once: excludes --loop"),
            (["--link-file", "/nowhere"], "cannot read the password file /nowhere"),
        ])
    func usage(arguments: [String], problem: String) throws {
        let broker = try Broker()
        let program = try phone(broker, arguments)
        #expect(program.exitStatus(within: .seconds(60)) != 0 && program.errors.contains(problem), "\(program.errors)")
    }

    @Test("a recording without positions is refused")
    func nowhere() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("elapsed_s,heart_rate_bpm\n0,70\n", to: "a.csv")
        let program = try RunningProgram(
            "vitals-sensor", ["phone", "--host", "h", "--topic", "t", "--activity", file], output: .apart)
        #expect(program.exitStatus(within: .seconds(60)) == 65)
        #expect(program.errors.contains("it has no positions"), "\(program.errors)")
    }
}
