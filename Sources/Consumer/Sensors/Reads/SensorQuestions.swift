package import MQTT
package import Records
package import Telemetry

/// What a sensor can be asked for.
package enum Question: String, CaseIterable {
    case steps
    case temperature

    fileprivate var topic: SensorTopic {
        switch self {
        case .steps: .stepsGet
        case .temperature: .temperatureGet
        }
    }

    /// The parts of a gateway's reply that are passed on: a gateway is a stranger's machine.
    fileprivate func data(_ json: JSON, of sensor: SensorName) throws(ReplyError) -> JSON {
        var members = [JSON.Member("sensor", .string("\(sensor)"))]
        guard case .integer(let time)? = json["time"] else { throw Self.noReply }
        members.append(JSON.Member("time", .integer(time)))
        switch (self, json["steps"], json["celsius"]) {
        case (.steps, .integer(let steps)?, _): members.append(JSON.Member("steps", .integer(steps)))
        case (.temperature, _, .number(let celsius)?): members.append(JSON.Member("celsius", .number(celsius)))
        case (.temperature, _, .integer(let celsius)?): members.append(JSON.Member("celsius", .integer(celsius)))
        default: throw Self.noReply
        }
        if case .string(let site)? = json["site"], site.utf8.count <= 64 {
            members.append(JSON.Member("site", .string(site)))
        }
        for name in ["derived", "intermediate"] where json[name] == true { members.append(JSON.Member(name, true)) }
        return .object(members)
    }

    private static let noReply = ReplyError(.internal, "the gateway's answer cannot be understood")
}

/// Asks gateways to read their sensors. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class SensorQuestions: @unchecked Sendable {
    package typealias Answer = Result<JSON, ReplyError>

    private let session: Session
    private let topics: Topics
    private let tail: String
    private var underWay: [SensorName: Int] = [:]

    package init(_ session: Session, _ topics: Topics) {
        self.session = session
        self.topics = topics
        // A level of its own: a home's bridge lets these replies pass, and leaves those to the household at home.
        tail = "consumer/\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    }

    /// Whether a sensor is being read.
    package func isUnderWay(_ sensor: SensorName) -> Bool { underWay[sensor] != nil }

    /// Asks a sensor for a value. A gateway's refusal is passed on in its own words.
    /// - Parameter limit: how long to wait; the gateway is told.
    package func ask(
        _ question: Question, of sensor: SensorName, within limit: Duration,
        _ answer: @escaping @Sendable (Answer) -> Void
    ) {
        underWay[sensor, default: 0] += 1
        session.request(
            [], to: topics[sensor.gateway, sensor.sensor, question.topic],
            responseTopic: topics[sensor.gateway, .response(tail)], within: limit
        ) { [self] result in
            underWay[sensor] = underWay[sensor].flatMap { $0 > 1 ? $0 - 1 : nil }
            answer(Self.answer(result, question, sensor))
        }
    }

    private static func answer(
        _ result: Result<Message, MQTTError>, _ question: Question, _ sensor: SensorName
    ) -> Answer {
        Result { () throws(ReplyError) in
            switch result {
            case .failure(let error) where error.kind == .timeout:
                throw ReplyError(
                    .timeout, "the gateway \(sensor.gateway) did not answer in time", retryAfterSeconds: 30)
            case .failure:
                throw ReplyError(.busy, "the gateway cannot be asked now", retryAfterSeconds: 5)
            case .success(let message):
                let reply = decoded { () throws(MalformedValue) in try Reply(payload: message.payload) }
                switch reply?.outcome {
                case .ok(let data): return try question.data(data, of: sensor)
                case .error(var error):
                    error.message = String(error.message.prefix(500))
                    error.field = nil
                    throw error
                case nil: throw ReplyError(.internal, "the gateway's answer cannot be understood")
                }
            }
        }
    }
}
