package import Desk
package import Features
import Readings
import Records
import Storage
import Telemetry

// `steps/read` and `temperature/read`: a person asks for a value of their own sensors now. A sensor's open stream says
// whose it is.
//
// Without "sensor" the person's sensors are asked one after another, until one answers: sensors that cannot answer or
// are not there are passed over. If none answers, the first reason that is not "not-supported" counts.

/// Answers people's requests to their sensors. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class ReadRequests: @unchecked Sendable {
    private let context: PeopleContext
    private let questions: SensorQuestions
    private var underWay: [ID: Int] = [:]
    /// The length of a sensor's name with its gateway's, in bytes.
    static let longestName = 80
    /// How many reads of one person run at a time: a radio is slow.
    private static let most = 8

    package init(_ context: PeopleContext, _ questions: SensorQuestions) {
        self.context = context
        self.questions = questions
    }

    /// What people may ask.
    package var verbs: [Verb] {
        Question.allCases.map { question in
            Verb(
                "\(question.rawValue)/read", .reads(question),
                .later { [self] request in request.answering { try begin(question, request) } })
        }
    }

    private func begin(_ question: Question, _ request: PeopleRequest) throws {
        let user = try request.user
        var sensors = try context.store.openSensors(of: user)
        if let text = try request.optionalText("sensor", atMost: Self.longestName) {
            guard let sensor = SensorName(text) else {
                throw ReplyError(.badRequest, "\"sensor\" has to name a sensor, such as home/strap", field: "sensor")
            }
            guard sensors.contains(sensor) else {
                throw ReplyError(.notFound, "you have no sensor \(sensor)", field: "sensor")
            }
            sensors = [sensor]
        }
        guard !sensors.isEmpty else { throw ReplyError(.notFound, "you have no sensors: claim one first") }
        guard underWay[user, default: 0] < Self.most else {
            throw ReplyError(.busy, "your sensors are being read: try again", retryAfterSeconds: 5)
        }
        underWay[user, default: 0] += 1
        // Our reply should be there before its asker has gone.
        let end = ContinuousClock.now + max(request.limit - .seconds(1), request.limit / 2)
        ask(question, sensors[...], until: end, nil) { [self] answer in
            underWay[user] = underWay[user].flatMap { $0 > 1 ? $0 - 1 : nil }
            request.finish(answer)
        }
    }

    /// Asks the first of some sensors, and if that fails, the rest.
    private func ask(
        _ question: Question, _ sensors: ArraySlice<SensorName>, until end: ContinuousClock.Instant,
        _ reason: ReplyError?, _ answer: @escaping @Sendable (SensorQuestions.Answer) -> Void
    ) {
        let left = end - ContinuousClock.now
        guard let sensor = sensors.first, left > .zero else {
            return answer(.failure(reason ?? ReplyError(.timeout, "no sensor answered in time")))
        }
        questions.ask(question, of: sensor, within: left) { [self] result in
            guard case .failure(let error) = result, sensors.count > 1, error.mayBeAnothers else {
                return answer(result)
            }
            let first = reason.flatMap { $0.code == .notSupported ? nil : $0 } ?? error
            ask(question, sensors.dropFirst(), until: end, first, answer)
        }
    }
}

extension ReplyError {
    /// Whether another sensor may well answer.
    fileprivate var mayBeAnothers: Bool {
        [.notSupported, .sensorOffline, .unknownSensor, .noValue].contains(code)
    }
}

extension Store {
    /// The sensors that a person has at gateways now. The consumer's own, such as phones, answer no questions.
    func openSensors(of user: ID) throws(VaultError) -> [SensorName] {
        try database.query(
            "SELECT gateway, sensor FROM streams WHERE person = ? AND until_ms IS NULL ORDER BY gateway, sensor",
            [.text(user.text)]
        ) { row throws(VaultError) in "\(try row.text("gateway"))/\(try row.text("sensor"))" }
        .compactMap(SensorName.init).filter { !$0.isOfConsumer }
    }

    /// The sensors at gateways that record any of these kinds now, and the person each belongs to.
    func openSensors(recording kinds: Grant.Kinds) throws(VaultError) -> [SensorName: ID] {
        var sensors: [SensorName: ID] = [:]
        try database.forEach(
            "SELECT gateway, sensor, person FROM streams WHERE until_ms IS NULL AND kinds & ? != 0",
            [.integer(Int64(kinds.rawValue))]
        ) { row throws(VaultError) in
            let (name, text) = ("\(try row.text("gateway"))/\(try row.text("sensor"))", try row.text("person"))
            guard let sensor = SensorName(name), !sensor.isOfConsumer,
                let user = decoded({ () throws(MalformedValue) in try ID(text) })
            else { return }
            sensors[sensor] = user
        }
        return sensors
    }
}
