import Custody
import Daemon
import Days
import Features
import Files
import MQTT
import Readings
import Records
import Telemetry

/// What features ask of the service. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class ServiceDoors: Doors, @unchecked Sendable {
    private let streams: Streams
    private let forgetting: Forgetting
    private let beingForgotten: BeingForgotten
    private let own: OwnGateway
    private let session: Session
    private let topics: Topics

    init(
        _ streams: Streams, _ forgetting: Forgetting, _ beingForgotten: BeingForgotten, _ own: OwnGateway,
        _ session: Session, _ topics: Topics
    ) {
        self.streams = streams
        self.forgetting = forgetting
        self.beingForgotten = beingForgotten
        self.own = own
        self.session = session
        self.topics = topics
    }

    func settle(_ sensors: Set<SensorName>) throws(VaultError) { try streams.settle(sensors) }

    func bringStreamsInLine(of sensors: Set<SensorName>) { streams.bringInLine(sensors) }

    func record(_ reading: Reading, of sensor: ID) -> Bool { own.take(reading, of: sensor) }

    func store(_ readings: [Reading], of sensor: ID, completion: @escaping @Sendable (_ lost: Int) -> Void) {
        guard own.take(readings, of: sensor) else {
            session.loop.after(.seconds(1)) { [self] in store(readings, of: sensor, completion: completion) }
            return
        }
        commit(sensor, completion)
    }

    private func commit(_ sensor: ID, _ completion: @escaping @Sendable (_ lost: Int) -> Void) {
        session.commitSoon()
        session.loop.perform { [self] in
            guard own.isWaiting(sensor) else { return completion(own.takeLost(of: sensor)) }
            session.loop.after(.seconds(1)) { [self] in commit(sensor, completion) }
        }
    }

    func isBeingForgotten(_ user: ID) -> Bool { beingForgotten.contains(user) }
    var peopleBeingForgotten: Set<ID> { beingForgotten.users }

    func forget(
        _ user: ID, keepingAccount: Bool, telling operation: String?,
        completion: @escaping @Sendable (Result<(tried: Int, opened: Int, left: [String]), VaultError>) -> Void
    ) {
        forgetting.forget(
            user, keepingAccount: keepingAccount,
            progress: { [self] in if let operation { tell(user, operation, $0) } },
            completion: { result, left in
                completion(result.map { (tried: $0.tried, opened: $0.opened, left: left) })
            })
    }

    /// Tells a person how far an operation that they asked for has come.
    private func tell(_ user: ID, _ operation: String, _ progress: Forgetting.Progress) {
        let payload: JSON = [
            "operation": .string(operation), "step": .string(progress.step), "done": .integer(Int64(progress.done)),
            "of": .integer(Int64(progress.of)),
        ]
        session.publish(payload.bytes, to: topics[user: user, .progress], qos: .atLeastOnce) { error in
            if let error { log.debug("progress was not told: \(error)") }
        }
    }
}
