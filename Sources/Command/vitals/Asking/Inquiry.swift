import Daemon
import Telemetry

/// What a sensor can be asked for.
enum Question: String {
    case steps, temperature

    /// Where to ask.
    var get: SensorTopic { self == .steps ? .stepsGet : .temperatureGet }
    /// Where the reply comes in MQTT 3.1.1.
    var response: SensorTopic { self == .steps ? .stepsResponse : .temperatureResponse }
}

/// A question or request to a gateway.
struct Inquiry {
    /// Where to ask.
    let topic: GatewayTopic
    /// Where the reply comes in MQTT 3.1.1.
    let response: GatewayTopic
    /// What the request says.
    let fields: [JSON.Member]
    /// What it is about, for people: a sensor, or nothing in particular.
    let subject: ID?

    /// A question to a sensor.
    init(_ question: Question, of sensor: ID) {
        topic = .sensor(sensor, question.get)
        response = .sensor(sensor, question.response)
        fields = []
        subject = sensor
    }

    /// A request about the music in the house.
    init(_ request: MusicRequest, _ fields: [(String, JSON?)]) {
        topic = .musicRequest(request)
        response = .response("\(MusicRequest.prefix)\(request.rawValue)")
        self.fields = fields.compactMap { name, value in value.map { JSON.Member(name, $0) } }
        subject = nil
    }

    /// A request about the gateway itself, such as `scan`.
    init(_ name: String, _ fields: [(String, JSON?)], about subject: ID? = nil) throws(MalformedValue) {
        topic = .request(try ID(name))
        response = .response(name)
        self.fields = fields.compactMap { name, value in value.map { JSON.Member(name, $0) } }
        self.subject = subject
    }
}

extension Broker {
    /// Asks a gateway, and returns the data of its reply; a refusal is thrown.
    func data(
        _ inquiry: Inquiry, of gateway: ID, within limit: Duration? = nil,
        meanwhile: (Event) throws(Failure) -> Void = { _ throws(Failure) in }
    ) throws(Failure) -> JSON {
        switch try ask(inquiry, of: gateway, within: limit, meanwhile: meanwhile).outcome {
        case .ok(let data): return data
        case .error(let error): throw Failure(error, of: inquiry.subject, at: gateway)
        }
    }
}

extension Failure {
    /// The error that a gateway replied with.
    fileprivate init(_ error: ReplyError, of sensor: ID?, at gateway: ID) {
        let later = error.retryAfterSeconds.map { "try again in \($0) s" }
        let hint: String? =
            switch error.code {
            case .sensorOffline: "is it worn, in range and charged?" + (later.map { " Then \($0)" } ?? "")
            case .notSupported: "`vitals sensors` shows what each sensor can do"
            case .unknownSensor: "`vitals sensors` lists all of them"
            case .unknownDevice: "`vitals scan` shows those nearby"
            case .malformedValue: "do the gateway's settings name the right encoding for this sensor?"
            case .internal: "the gateway's log says more"
            default: later
            }
        let who = sensor.map { "\(gateway)/\($0)" } ?? gateway.text
        self.init(
            error.code.exitCode, "\(who): \(escaped(error.message))", hint: hint, code: error.code.rawValue,
            field: error.field)
    }
}

extension ReplyError.Code {
    /// What a refusal by a gateway or the consumer means to the shell.
    var exitCode: ExitCode {
        switch self {
        case .sensorOffline, .notReady, .notSupported: .unavailable
        case .timeout, .busy, .rateLimited: .temporary
        case .unknownSensor, .unknownDevice, .notFound, .noValue: .notFound
        case .badRequest, .invalid, .alreadyRegistered: .data
        case .refused, .wrongCredentials, .locked, .expired, .notAllowed: .refused
        case .malformedValue: .protocolError
        case .internal: .internalError
        }
    }
}
