import Daemon
import MQTT
import Synchronization
import Telemetry

/// Requests for steps and temperature: each gets exactly one reply, a value or the reason why there is none.
///
/// They come in on the mqtt loop and are read on the dbus loop; the reply leaves once the reading is on the disk.
// Proof of @unchecked: constants, and a count under a lock.
final class Requests: @unchecked Sendable {
    /// Without a Message Expiry, a request waits as long as this.
    private static let usualLimit = Duration.seconds(10)
    private static let longestLimit = Duration.seconds(60)
    /// So many may be under way; the rest are told to come back.
    private static let mostUnderWay = 256

    /// Where a reply goes, and what it carries back.
    private struct Asker {
        let responseTopic: String
        let correlationData: [UInt8]?
        let id: RequestID?
    }

    private unowned let gateway: Gateway
    private let underWay = Mutex(0)

    init(_ gateway: Gateway) { self.gateway = gateway }

    /// Answers a request, sooner or later.
    func receive(_ message: Message, _ kind: SensorReads.Kind, of sensorID: ID) {
        let settings = gateway.settings
        let listed = settings.topics[
            settings.gateway, sensorID, kind == .steps ? .stepsResponse : .temperatureResponse]
        let asked = message.properties?.responseTopic
        let isAllowed =
            asked.map {
                settings.topics.allowsResponse(at: $0, of: settings.gateway, prefixes: settings.responsePrefixes)
            } ?? true
        let request: Request?
        let fault: MalformedValue?
        do throws(MalformedValue) { (request, fault) = (try Request(payload: message.payload), nil) } catch {
            (request, fault) = (nil, error)
        }
        let asker = Asker(
            responseTopic: isAllowed ? asked ?? listed : listed, correlationData: message.properties?.correlationData,
            id: request?.id)
        guard isAllowed else {
            let words = "a response topic lies under \(settings.topics[settings.gateway, .response("…")])"
            return reply(.error(ReplyError(.badRequest, words, field: "response topic")), to: asker)
        }
        guard !message.retain else {
            return reply(.error(ReplyError(.badRequest, "a request is not to be retained", field: "retain")), to: asker)
        }
        if let fault { return reply(.error(ReplyError(.badRequest, "\(fault)")), to: asker) }
        guard begin() else {
            return reply(
                .error(ReplyError(.busy, "too many requests are under way", retryAfterSeconds: 5)), to: asker)
        }
        let limit = message.properties?.messageExpirySeconds.map { Duration.seconds(Int64($0)) } ?? Self.usualLimit
        gateway.central.loop.perform { [self] in
            read(kind, of: sensorID, limit: min(limit, Self.longestLimit), for: asker)
        }
    }

    private func read(_ kind: SensorReads.Kind, of sensorID: ID, limit: Duration, for asker: Asker) {
        guard let sensor = gateway.sensor(sensorID) else {
            return end(.error(ReplyError(.unknownSensor, "this gateway has no sensor \(sensorID)")), asker)
        }
        sensor.reads.read(kind, limit: limit) { [self] result in
            switch result {
            case .failure(let error): end(.error(error), asker)
            case .success(let reading): end(Reply(reading).outcome, asker)
            }
        }
    }

    private func begin() -> Bool {
        underWay.withLock { count in
            guard count < Self.mostUnderWay else { return false }
            count += 1
            return true
        }
    }

    private func end(_ outcome: Reply.Outcome, _ asker: Asker) {
        underWay.withLock { $0 -= 1 }
        reply(outcome, to: asker)
    }

    private func reply(_ outcome: Reply.Outcome, to asker: Asker) {
        let properties = asker.correlationData.map { Message.Properties(correlationData: $0) }
        gateway.session.publish(
            Reply(outcome, id: asker.id).bytes, to: asker.responseTopic, qos: .atLeastOnce, properties: properties)
    }
}
