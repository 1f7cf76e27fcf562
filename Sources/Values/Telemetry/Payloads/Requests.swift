/// A request: nothing at all, or a JSON object, with an optional `"id"` that the reply echoes.
///
/// Clients of MQTT 5 have correlation data and need no id.
public struct Request: Hashable, Sendable {
    /// What the reply echoes.
    public let id: RequestID?
    /// All members, the id included; an empty object for an empty payload.
    public let fields: JSON

    /// What an error is about if a payload is no valid request, unless it is about the id.
    private static let subject = "request"
    private static let idSubject = "request's id"

    /// The most bytes of Correlation Data that a reply carries back.
    public static let maximumCorrelationData = 1024

    /// No request is longer, except those with a limit of their own, such as a picture's.
    public static let maximumLength = 4096

    /// The request that a payload spells. What this throws is a `bad-request`.
    /// - Parameter limit: how many bytes it may have.
    public init(payload: [UInt8], limit: Int = Request.maximumLength) throws(MalformedValue) {
        guard payload.count <= limit else {
            throw MalformedValue(Self.subject, .outOfRange("more than \(limit) bytes"))
        }
        guard !payload.isEmpty else {
            id = nil
            fields = [:]
            return
        }
        fields = try JSON.read(payload, of: Self.subject)
        guard case .object = fields else {
            throw MalformedValue(Self.subject, .notAllowed("a JSON object or nothing at all"))
        }
        if let id = fields["id"] {
            self.id = try RequestID(json: id, of: Self.idSubject)
        } else {
            id = nil
        }
    }

    /// What to reply if the payload is no request.
    public static func refusal(_ fault: MalformedValue) -> ReplyError {
        ReplyError(.badRequest, "\(fault)", field: fault.subject == idSubject ? "id" : "payload")
    }

    /// What to reply if a request carries more Correlation Data than is carried back; nil if it does not.
    public static func refusal(ofCorrelationData data: [UInt8]?) -> ReplyError? {
        guard let data, data.count > maximumCorrelationData else { return nil }
        let words = "Correlation Data has at most \(maximumCorrelationData) bytes"
        return ReplyError(.badRequest, words, field: "correlation data")
    }
}

/// What a client calls its request: a text of at most 128 bytes or a whole number. Other values could not be echoed as
/// they came.
public enum RequestID: Hashable, Sendable {
    /// A text.
    case string(String)
    /// A whole number.
    case number(Int64)

    init(json: JSON, of subject: String = "reply") throws(MalformedValue) {
        switch json {
        case .string(let text) where text.utf8.count <= 128: self = .string(text)
        case .integer(let number): self = .number(number)
        default:
            throw MalformedValue(
                subject, .notAllowed("\"id\" is a text of at most 128 bytes or a whole number"))
        }
    }

    var json: JSON {
        switch self {
        case .string(let text): .string(text)
        case .number(let number): .integer(number)
        }
    }
}

/// The one reply to a request: `{"status":"ok","data":…}` or `{"status":"error","error":{…}}`, and the request's id.
public struct Reply: Hashable, Sendable {
    /// How it went.
    public enum Outcome: Hashable, Sendable {
        /// Done, with this result.
        case ok(JSON)
        /// Not done.
        case error(ReplyError)
    }

    /// How it went.
    public var outcome: Outcome
    /// The request's id.
    public var id: RequestID?

    /// A reply from its parts.
    public init(_ outcome: Outcome, id: RequestID? = nil) {
        self.outcome = outcome
        self.id = id
    }

    /// The reply with the value of a reading.
    public init(_ reading: Reading, id: RequestID? = nil) {
        let time = JSON.integer(reading.moment.wall)
        let data: JSON =
            switch reading.value {
            case .heartRate(let heartRate): HeartRatePayload(heartRate, at: reading.moment.wall).json
            case .steps(let steps):
                .object(present: [
                    "time": time, "steps": .integer(Int64(steps.counter)), "derived": steps.isDerived ? true : nil,
                ])
            case .temperature(let temperature):
                .object(present: [
                    "time": time, "celsius": .number(temperature.celsius),
                    "site": temperature.site.map { .string($0.description) },
                    "intermediate": temperature.isIntermediate ? true : nil,
                ])
            case .position(let position): position.json(at: reading.moment.wall)
            case .motion(let motion): motion.json(at: reading.moment.wall)
            case .pedometer(let span): span.json(at: reading.moment.wall)
            }
        self.init(.ok(data), id: id)
    }

    /// The reply that a payload spells. Error codes that this version does not know are read as `internal`.
    public init(payload: [UInt8]) throws(MalformedValue) {
        let json = try JSON.read(payload, of: "reply")
        if let id = json["id"] { self.id = try RequestID(json: id) }
        switch json["status"] {
        case .string("ok"): outcome = .ok(json["data"] ?? .null)
        case .string("error"): outcome = .error(ReplyError(json: json["error"] ?? [:]))
        default: throw MalformedValue("reply", .notAllowed("\"status\" is ok or error"))
        }
    }

    /// The reply as it is published.
    public var bytes: [UInt8] {
        switch outcome {
        case .ok(let data): JSON.object(present: ["status": "ok", "data": data, "id": id?.json]).bytes
        case .error(let error): JSON.object(present: ["status": "error", "error": error.json, "id": id?.json]).bytes
        }
    }
}

/// Why a request was not carried out.
public struct ReplyError: Error, Hashable, Sendable {
    /// The kinds of failure, for programs.
    public enum Code: String, CaseIterable, Sendable {
        /// The sensor is not connected.
        case sensorOffline = "sensor-offline"
        /// The sensor did not answer in time.
        case timeout
        /// The sensor has no such characteristic.
        case notSupported = "not-supported"
        /// The sensor answered that it has no value.
        case noValue = "no-value"
        /// The sensor answered something that is not a value.
        case malformedValue = "malformed-value"
        /// The sensor is there, but refused.
        case refused
        /// The message is not a valid request.
        case badRequest = "bad-request"
        /// The same request is being carried out already, or too many others are.
        case busy
        /// The gateway has no such sensor.
        case unknownSensor = "unknown-sensor"
        /// No device with that address or name was seen.
        case unknownDevice = "unknown-device"
        /// Bluetooth cannot be used now; the message says why and what to do.
        case notReady = "not-ready"
        /// A field has a value that is not allowed: `field` says which.
        case invalid
        /// Somebody has this name already.
        case alreadyRegistered = "already-registered"
        /// The name does not go with the password or the code.
        case wrongCredentials = "wrong-credentials"
        /// There were too many failures; the message says how to continue.
        case locked
        /// The asker asked too often in too short a time.
        case rateLimited = "rate-limited"
        /// There is no such thing, or it is not the asker's.
        case notFound = "not-found"
        /// The asker may not do that.
        case notAllowed = "not-allowed"
        /// A code or a confirmation is too old.
        case expired
        /// The gateway or the consumer failed.
        case `internal`
    }

    /// For programs.
    public var code: Code
    /// For people.
    public var message: String
    /// The field of the request that is wrong.
    public var field: String?
    /// When to try again.
    public var retryAfterSeconds: Int?

    /// An error from its parts.
    public init(_ code: Code, _ message: String, field: String? = nil, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message
        self.field = field
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The error to reply if a sensor's value did not decode: `no-value` or `malformed-value`.
    public init(_ malformed: MalformedValue) {
        self.init(malformed.fault == .noValue ? .noValue : .malformedValue, malformed.description)
    }

    init(json: JSON) {
        if case .string(let name) = json["code"], let known = Code(rawValue: name) {
            code = known
        } else {
            code = .internal
        }
        if case .string(let text) = json["message"] { message = text } else { message = "" }
        if case .string(let name) = json["field"] { field = name }
        if case .integer(let seconds) = json["retry_after_s"] { retryAfterSeconds = Int(seconds) }
    }

    var json: JSON {
        .object(present: [
            "code": .string(code.rawValue), "message": .string(message), "field": field.map(JSON.string),
            "retry_after_s": retryAfterSeconds.map { .integer(Int64($0)) },
        ])
    }
}
