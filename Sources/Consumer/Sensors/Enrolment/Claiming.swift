import Daemon
package import Desk
package import Features
import Readings
import Records
import Storage
import Telemetry
import Vault

// How people get and release sensors.
//
// A person who reads a claim code off the sensor's gateway may have the sensor: the code shows that they are at the
// gateway. Claiming opens a stream that is sealed to the person; releasing ends it; a claim by somebody else ends it,
// too, and opens another. Neither sees the other's readings. See Grants.swift.

/// Answers `sensors/…`. Belongs to the session's thread, and lives as long as the desk that has its verbs.
// Proof of @unchecked: as for `PeopleContext`.
package final class Claiming: @unchecked Sendable {
    private let context: PeopleContext
    /// Counted by person. They are not counted by sensor: nobody guesses one of 2^55 codes, and anybody who knows the
    /// sensor's name could keep its owner from claiming it.
    private var wrongTries = WrongTries<ID>()
    /// How often a person may claim: each claim leaves a stream and a retained grant, and the owner of a gateway can
    /// make up sensors. It is kept in memory only, so it begins again after a restart.
    private var allowance = Allowance<ID>(perSecond: 1.0 / 600, burst: 20)
    private var claims: Claims { Claims(store: context.store) }
    private var gateways: EnrolledGateways { EnrolledGateways(store: context.store, keys: context.keys) }

    /// How many sensors a person may have.
    private static let mostSensors = 64

    package init(_ context: PeopleContext) {
        self.context = context
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb("sensors/claim", .sensorsClaim, .atOnce { [self] in try claim($0) }),
            Verb("sensors/release", .sensorsRelease, .atOnce { [self] in try release($0) }),
            Verb("sensors/list", .sensorsList, .atOnce { [self] in try list($0) }),
        ]
    }

    private func claim(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let sensor = SensorName(gateway: try request.id("gateway"), sensor: try request.id("sensor"))
        guard let code = ClaimCode(try request.text("code", atMost: 64)) else {
            throw ReplyError(.invalid, "a claim code looks like NF6YG-W8X2X-EQSRN", field: "code")
        }
        let clock = millisecondsSinceBoot()
        if let seconds = wrongTries.wait(user, now: clock) {
            throw ReplyError(
                .rateLimited, "too many wrong codes: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        let now = context.now()
        // Only people who are at a gateway learn which gateways and sensors there are.
        let keys = try gateways.claimKeys(of: sensor.gateway)
        let window = try keys.flatMap { try code.window(for: sensor.sensor.text, around: now, key: $0.current) }
        guard let window else {
            wrongTries.failed(user, now: clock)
            if let keys, try code.window(for: sensor.sensor.text, around: now, key: keys.code) != nil {
                let words = "this code is from an earlier version of vitals-gateway: update it, and make another code"
                throw ReplyError(.wrongCredentials, words, field: "code")
            }
            let words = "this code is wrong or too old for \(sensor): vitals-gateway claim-code shows another"
            throw ReplyError(.wrongCredentials, words, field: "code")
        }
        guard !context.settings.people.contains(where: { $0.sensors.contains(sensor) }) else {
            throw ReplyError(.notAllowed, "the operator has given \(sensor) to somebody", field: "sensor")
        }
        let before = try claims.claim(of: sensor)?.user
        let count = try claims.sensors(of: user).count { !$0.isOfConsumer }
        guard before == user || count < Self.mostSensors else {
            throw ReplyError(.notAllowed, "you have \(Self.mostSensors) sensors already: release one")
        }
        if let seconds = allowance.take(user, now: clock) {
            throw ReplyError(
                .rateLimited, "you have claimed too many sensors: try again in \(seconds) s", retryAfterSeconds: seconds
            )
        }
        let kinds = try RecordedKinds(context.documents).kinds(of: user)
        let isNew = try context.store.change(naming: Set([user, try claims.claim(of: sensor)?.user].compactMap { $0 }))
        {
            () throws(VaultError) in
            guard try claims.use(code, window, for: sensor) else { return false }
            let before = try claims.claim(of: sensor)?.user
            try claims.write(sensor, user, kinds, now: now)
            if let before, before != user { try tell(before, thatIsLost: sensor, now: now) }
            return true
        }
        guard isNew else {
            throw ReplyError(
                .expired, "this code was used already: vitals-gateway claim-code shows another", field: "code")
        }
        context.doors.bringStreamsInLine(of: [sensor])
        let owner = before.map { $0 == user ? "" : ", which was \($0)'s" } ?? ""
        context.limitedLog.notice("claimed \(user)") { "\(user) has claimed \(sensor)\(owner)\($0)" }
        let stream = try context.store.latestStreams(of: [sensor]).first { $0.user == user.text && $0.until == nil }?.id
        return .object(present: [
            "gateway": .string(sensor.gateway.text), "sensor": .string(sensor.sensor.text),
            "stream": stream.map { .string("\($0)") }, "kinds": kinds.names,
            "taken_over": before != nil && before != user ? true : nil,
        ])
    }

    /// Tells the person who had a sensor that it records for somebody else now, but not for whom.
    private func tell(_ user: ID, thatIsLost sensor: SensorName, now: Int64) throws(VaultError) {
        guard !context.doors.isBeingForgotten(user), try context.keys.version(of: user) != nil else { return }
        let language = try context.notifications.language(of: user)
        try context.notifications.add(
            Notification(
                kind: .sensorLost, time: now, text: language(.sensorLost, ["sensor": "\(sensor)"])), to: user)
    }

    private func release(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let sensor = SensorName(gateway: try request.id("gateway"), sensor: try request.id("sensor"))
        let reply = try context.answered.once(request, now: context.now()) {
            guard !sensor.isOfConsumer, try claims.claim(of: sensor)?.user == user else {
                throw ReplyError(.notFound, "you have not claimed \(sensor)", field: "sensor")
            }
            try claims.remove(sensor)
            return ["gateway": .string(sensor.gateway.text), "sensor": .string(sensor.sensor.text)]
        }
        context.doors.bringStreamsInLine(of: [sensor])
        context.limitedLog.notice("released \(user)") { "\(user) has released \(sensor)\($0)" }
        return reply
    }

    private func list(_ request: PeopleRequest) throws -> JSON {
        let own = try claims.claims(of: request.user).filter { !$0.sensor.isOfConsumer }.map { claim in
            JSON.object([
                JSON.Member("gateway", .string(claim.sensor.gateway.text)),
                JSON.Member("sensor", .string(claim.sensor.sensor.text)),
                JSON.Member("claimed", .integer(claim.time)), JSON.Member("kinds", claim.kinds.names),
            ])
        }
        return ["sensors": .array(own)]
    }
}
