import Daemon
import Files
import Glibc
import Telemetry

/// What the operator has to say about a home. It is kept beside the settings, so that a second run asks nothing.
struct Answers: Equatable {
    /// The person to whom the sensor belongs.
    var person: String
    /// The name with which the sensor advertises; nil if `vitals connect` adds it later.
    var sensor: String?
    /// Where the broker listens, on this machine only.
    var port: UInt16
    /// The message bus with BlueZ.
    var bus: String
    /// Whether a run has come to its end with them.
    var isFinished = false

    /// Names at the broker that are not a person's.
    static let reserved = [Home.gateway, Home.consumer, "homeassistant"]

    init(person: String, sensor: String?, port: UInt16, bus: String) {
        (self.person, self.sensor, self.port, self.bus) = (person, sensor, port, bus)
    }

    // MARK: The file

    /// What an earlier run was told; nil if there was none.
    init?(kept file: String) throws(Failure) {
        let bytes: [UInt8]?
        do { bytes = try SmallFile.read(file, atMost: 65_536, isOwn: true) } catch { throw Failure(error) }
        guard let bytes else { return nil }
        guard let json = try? JSON(payload: bytes), let person = json.text("person"), Self.isPerson(person),
            case .integer(let number) = json["port"], let port = UInt16(exactly: number), port > 0,
            let bus = json.text("bus")
        else {
            throw Failure(.data, "\(file) is not what setup has written", hint: "remove it, and answer again")
        }
        let sensor = json.text("sensor")
        guard sensor.map(Self.isSensor) ?? true else {
            throw Failure(.data, "\(file) is not what setup has written", hint: "remove it, and answer again")
        }
        self.init(person: person, sensor: sensor, port: port, bus: bus)
        isFinished = json["finished"] == true
    }

    var bytes: [UInt8] {
        Array(
            JSON.object(present: [
                "person": .string(person), "sensor": sensor.map(JSON.string), "port": .integer(Int64(port)),
                "bus": .string(bus), "finished": isFinished ? true : nil,
            ]).line.utf8)
    }

    // MARK: Asking

    /// What the command line says, then what an earlier run was told, then what the person at the terminal says.
    /// - Throws: `.usage` if nobody is there to ask, or if the answers differ from those of an earlier run.
    init(_ arguments: Arguments, _ call: Call, kept: Answers?) throws {
        let person = try arguments.optionalString("person")
        if let person, !Self.isPerson(person) { throw arguments.refusal(of: "person", Self.rule) }
        let sensor = try arguments.optionalString("sensor")
        if let sensor, !Self.isSensor(sensor) { throw arguments.refusal(of: "sensor", "is empty, or not one line") }
        let bus = try arguments.optionalString("bus")
        if let kept {
            self = kept
            self.person = person ?? kept.person
            self.sensor = sensor ?? kept.sensor
            self.bus = bus ?? kept.bus
            if arguments.isGiven("port") { port = call.broker.port }
            guard self == kept else {
                throw Failure(
                    .usage, "this machine was set up with other answers",
                    hint: "change the settings by hand, as deploy/setup.md says; without answers, setup only checks")
            }
            return
        }
        let asks = try !arguments.flag("yes")
        guard !asks || Secret.isTerminal else {
            throw Failure(
                .usage, "there is no terminal to ask at",
                hint: "take the defaults, and say the rest: sudo vitals setup --yes --person ada --sensor 'Polar H10'")
        }
        port = call.broker.port
        self.bus = bus ?? "system"
        self.person = try person ?? (asks ? Self.askPerson() : Self.usualPerson)
        self.sensor = try sensor ?? (asks ? Self.askSensor() : nil)
    }

    private static func askPerson() throws(Failure) -> String {
        while true {
            let question = "Whose readings are kept? A short name, such as ada [\(usualPerson)]: "
            guard let answer = Secret.answer(question) else { throw Failure(.declined, "nothing was changed") }
            if answer.isEmpty { return usualPerson }
            if isPerson(answer) { return answer }
            Output.note("\(answer) \(rule)")
        }
    }

    private static func askSensor() throws(Failure) -> String? {
        while true {
            let question = "The name that the sensor advertises, such as Polar H10 12345678 [none yet]: "
            guard let answer = Secret.answer(question) else { throw Failure(.declined, "nothing was changed") }
            if answer.isEmpty { return nil }
            if isSensor(answer) { return answer }
            Output.note("this is not a name of a sensor")
        }
    }

    /// The user who has called sudo, if that is a name for a person.
    private static var usualPerson: String {
        guard let name = variable("SUDO_USER"), name != "root", isPerson(name) else { return "me" }
        return name
    }

    private static let rule =
        "is not a name here: 1 to 36 of a to z, 0 to 9 and -, and none of \(reserved.joined(separator: ", "))"

    private static func isPerson(_ text: String) -> Bool { (try? ID(text)) != nil && !reserved.contains(text) }

    private static func isSensor(_ text: String) -> Bool {
        // A name of Bluetooth has at most 248 bytes.
        (1...248).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
