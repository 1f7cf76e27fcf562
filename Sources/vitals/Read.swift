import Daemon
import MQTT
import Telemetry

/// What a sensor can be asked for.
enum Question: String {
    case steps, temperature

    /// Where to ask.
    var get: SensorTopic { self == .steps ? .stepsGet : .temperatureGet }
    /// Where the reply comes in MQTT 3.1.1.
    var response: SensorTopic { self == .steps ? .stepsResponse : .temperatureResponse }
}

/// `vitals read steps` and `vitals read temperature`.
struct Read {
    private let question: Question
    private let call: Call
    private let sensor: ID?

    init(_ question: Question, _ call: Call, _ arguments: Arguments) throws {
        self.question = question
        self.call = call
        sensor = try arguments.optionalID("SENSOR").map { try ID($0) }
    }

    func run() throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let household = Household(
            try broker.gather(Household.filters(call, gateway: [.status], sensor: [.availability])), call.topics)
        let gateway = try theGateway(in: household)
        let sensor = try theSensor(of: gateway)
        let reply = try broker.ask(gateway.id, sensor, question)
        switch reply.outcome {
        case .ok(let data): try Output.write(try text(of: data) + "\n")
        case .error(let error): throw Failure(error, of: sensor, at: gateway.id)
        }
        return .ok
    }

    /// The gateway that was named, or the only one; it has to be online.
    private func theGateway(in household: Household) throws(Failure) -> Household.Gateway {
        // A gateway that never said how it is has left its sensors' topics behind at most.
        let known = household.gateways.filter { $0.status != nil }
        guard let gateway = known.first else { throw household.nobody(call) }
        guard known.count == 1 else {
            let names = known.map(\.id.text).joined(separator: ", ")
            throw Failure(
                .usage, "which gateway? At \(call.broker.address) there are \(names)", hint: "name it with --gateway ID"
            )
        }
        guard gateway.isOnline else {
            throw Failure(
                .unavailable, "gateway \(gateway.id) at \(call.broker.address) is offline", hint: Household.hint)
        }
        return gateway
    }

    /// The sensor that was named, or the only one.
    private func theSensor(of gateway: Household.Gateway) throws(Failure) -> ID {
        if let sensor { return sensor }
        let known = gateway.sensors.filter { $0.availability != nil }
        guard let sensor = known.first else {
            throw Failure(
                .unavailable, "gateway \(gateway.id) at \(call.broker.address) has no sensor",
                hint: "its settings file says which it has")
        }
        guard known.count == 1 else {
            let names = known.map(\.id.text).joined(separator: ", ")
            throw Failure(
                .usage, "which sensor? Gateway \(gateway.id) has \(names)",
                hint: "such as: vitals read \(question.rawValue) \(sensor.id)")
        }
        return sensor.id
    }

    private func text(of data: JSON) throws(Failure) -> String {
        if call.isJSON { return String(decoding: data.bytes, as: UTF8.self) }
        var time = ""
        if case .integer(let milliseconds) = data["time"] { time = " at \(LocalTime.brief(milliseconds))" }
        switch (question, data["steps"], data["celsius"]) {
        case (.steps, .integer(let steps), _): return "\(steps) steps" + remarks(data) + time
        case (.temperature, _, .number(let celsius)): return "\(celsius) °C" + remarks(data) + time
        case (.temperature, _, .integer(let celsius)): return "\(celsius).0 °C" + remarks(data) + time
        default:
            throw Failure(.failure, "the gateway's reply has no \(question.rawValue)", hint: "--json shows what it has")
        }
    }

    /// What else is to be known of a reading.
    private func remarks(_ data: JSON) -> String {
        var remarks: [String] = []
        if case .string(let site) = data["site"] { remarks.append(escaped(site)) }
        if data["intermediate"] == true { remarks.append("intermediate") }
        if data["derived"] == true { remarks.append("derived from cadence") }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
    }
}

extension Failure {
    /// What a gateway replied in place of a reading.
    fileprivate init(_ error: ReplyError, of sensor: ID, at gateway: ID) {
        let code: ExitCode =
            switch error.code {
            case .sensorOffline: .unavailable
            case .timeout: .temporary
            default: .failure
            }
        let later = error.retryAfterSeconds.map { "try again in \($0) s" }
        let hint: String? =
            switch error.code {
            case .sensorOffline: "is it worn, in range, and its battery charged?" + (later.map { " Then \($0)" } ?? "")
            case .notSupported: "`vitals sensors` shows what each sensor can do"
            case .unknownSensor: "`vitals sensors` shows which there are"
            case .malformedValue: "do the gateway's settings name the right encoding for this sensor?"
            case .internal: "the gateway's log says more"
            default: later
            }
        let field = error.field.map { ", field \($0)" } ?? ""
        self.init(code, "\(gateway)/\(sensor): \(error.message) (\(error.code.rawValue)\(field))", hint: hint)
    }
}
