import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport

@testable import Days
@testable import Exercise
@testable import Features
@testable import vitals_consumer

/// A consumer whose only person has a strap at home that also knows where it is, and a clock that the test sets.
final class WorkoutHouse {
    let household: Household
    let broker: Broker
    let client: Client
    private let clock = Clock(start)
    private var consumer: Consumer?
    private let key: [UInt8]
    private let session: GatewaySession
    /// What the settings have besides people and gateways.
    private let more: String

    /// Milliseconds after `start`, which the test sets.
    final class Clock: Sendable {
        private let now: Mutex<Int64>
        init(_ time: Int64) { now = Mutex(time) }
        var time: Int64 {
            get { now.withLock { $0 } }
            set { now.withLock { $0 = newValue } }
        }
    }

    private static let always = #"accounts: {}, broker_rules: {}, workouts: { end_after: "10 min" },"#

    private init(_ broker: Broker, household given: Household? = nil, more: String) throws {
        self.broker = broker
        self.more = Self.always + more
        household = try given ?? Household()
        client = try Client(
            broker, "vitals/v1/gateways/home/#", "vitals/v1/users/+/responses/#", "vitals/v1/users/+/workout",
            "vitals/v1/users/+/notifications", "vitals/v1/users/+/training", "vitals/v1/stores/#")
        let settings = try household.settings(
            people: Household.peopleWithPositions, port: broker.port, more: self.more)
        key = try Keys(settings, .create).identity.publicKey
        consumer = try Self.started(settings, clock)
        try Self.waitForConsumer(client)
        let (client, key) = (client, key)
        let grant = try client.wait("a grant") { message -> Grant? in
            guard message.topic.hasSuffix("/grant"), !message.payload.isEmpty else { return nil }
            guard case .grant(let grant) = try SignedControlMessage(bytes: message.payload).message.body else {
                return nil
            }
            return grant
        }
        _ = key
        session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
        try publish([session.keyBlock])
    }

    /// - Parameter more: for the settings.
    static func with(more: String = "", _ body: (WorkoutHouse) throws -> Void) throws {
        try Broker.with { broker in
            let house = try WorkoutHouse(broker, more: more)
            defer {
                house.consumer?.stop()
                house.client.stop()
            }
            try body(house)
        }
    }

    /// The part of the service that takes files.
    func imports() throws -> ImportsAtService {
        guard let consumer else { throw TestFailure("the consumer was stopped") }
        return try ImportsAtService(consumer)
    }

    /// Waits until something is so of the workouts that are under way: each turn of the session's thread is looked at.
    func wait(_ isReached: @escaping @Sendable (RunningWorkouts) -> Bool) throws {
        guard let consumer, let running = consumer.features.only(RunningWorkouts.self) else {
            throw TestFailure("nobody keeps workouts")
        }
        let end = ContinuousClock.now + .seconds(60)
        while !consumer.session.loop.sync({ isReached(running) }) {
            guard ContinuousClock.now < end else { throw TestFailure("it has not come to this within a minute") }
        }
    }

    private static func started(
        _ settings: ConsumerSettings, _ clock: Clock, _ prepare: (RunningWorkouts?) -> Void = { _ in }
    ) throws -> Consumer {
        let consumer = try Consumer(settings, readiness: Readiness()) { _ in }
        consumer.desk.recordRequests()
        consumer.features.context.now = { clock.time }
        prepare(consumer.features.only(RunningWorkouts.self))
        consumer.start()
        return consumer
    }

    /// Ends the consumer without a word, and starts another one.
    /// - Parameter prepare: called in between.
    func restart(_ prepare: (RunningWorkouts?) -> Void = { _ in }) throws {
        consumer?.stop()
        // It holds the lock of its folder for as long as it lives.
        consumer = nil
        consumer = try Self.started(
            try household.settings(people: Household.peopleWithPositions, port: broker.port, more: more), clock,
            prepare)
        try Self.waitForConsumer(client)
    }

    /// Lets the service read its settings again, in which there is something else now.
    func reload(_ other: String) throws {
        consumer?.reload(
            try household.settings(
                people: Household.peopleWithPositions, port: broker.port, more: Self.always + other))
    }

    /// It says that it is there when it hears everything.
    private static func waitForConsumer(_ client: Client) throws {
        _ = try client.wait("the consumer") { message -> Bool? in
            guard message.topic.contains("/stores/") else { return nil }
            return try StatusPayload(payload: message.payload).state == .online ? true : nil
        }
    }

    /// Sets the clock to some seconds after `start`.
    func set(_ seconds: Int64) { clock.time = start + seconds * 1000 }

    // MARK: Readings

    /// Hands in blocks, and returns when they are acknowledged.
    func publish(_ blocks: [[UInt8]]) throws {
        for block in blocks { client.publish(block, to: "vitals/v1/gateways/home/blocks") }
        var left = blocks.count
        while left > 0 {
            if case .acknowledgement(let identities) = try client.control(key).body { left -= identities.count }
        }
    }

    func publish(_ readings: [Reading]) throws { try publish(try blocks(readings)) }

    /// Blocks of readings, with the next numbers.
    func blocks(_ readings: [Reading]) throws -> [[UInt8]] { try session.blocks(readings) }

    /// A heart rate and a position each second, `metresPerSecond` to the north.
    func run(_ seconds: Range<Int64>, metresPerSecond: Double = 3, bpm: UInt16 = 140) throws -> [Reading] {
        try seconds.flatMap { second -> [Reading] in
            let moment = Moment(wall: start + second * 1000, monotonic: UInt64(1_000_000 + second * 1000))
            let degrees = 48 + Double(second) * metresPerSecond / 111_195.08
            guard let position = Position(latitude: degrees, longitude: 11, accuracyMetres: 2, source: .sensor) else {
                throw TestFailure("no position")
            }
            return [
                Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: bpm))),
                Reading(at: moment, .position(position)),
            ]
        }
    }

    /// Saves a profile that is complete, with something else.
    func saveProfile(_ more: KeyValuePairs<String, JSON>) throws {
        guard case .object(let members) = properProfile else { throw TestFailure("no profile") }
        _ = try done("profile/set", .object(members + more.map { JSON.Member($0.key, $0.value) }))
    }

    /// How many readings of a kind anybody can see.
    func stored(_ kind: ReadingKind) throws -> Int {
        let settings = try household.settings(people: Household.peopleWithPositions, port: broker.port, more: more)
        let command = ReadingsCommand(user: try ID("demo"), kind: kind)
        return try output { _ = try command.run(settings, output: $0) }.count
    }

    /// Waits until all workouts that were marked are counted: each answer says that the service goes on.
    func settle() throws {
        for _ in 0..<100_000 {
            let settings = try household.settings(
                people: Household.peopleWithPositions, port: broker.port, more: more)
            if try WorkoutRows(Store(settings, readOnly: true), Keys(settings, .read)).personWithMarks(after: "") == nil {
                return
            }
            _ = consumer?.session.loop.sync { 0 }
        }
        throw TestFailure("a workout stays marked")
    }

    /// How many rows of blocks there are, and how many readings they are counted to have, by kind.
    func counted(_ kind: Reading.Kind) throws -> Int64 {
        let settings = try household.settings(people: Household.peopleWithPositions, port: broker.port, more: more)
        return try Store(settings, readOnly: true).database.first(
            "SELECT coalesce(sum(number), 0) FROM counts WHERE kind = ?", [.integer(Int64(kind.rawValue))],
            row: Row.int) ?? -1
    }

    /// How much of what is kept differs from a recount; the service counts again what was marked.
    func recounted() throws -> Int64 {
        let settings = try household.settings(people: Household.peopleWithPositions, port: broker.port, more: more)
        let (keys, store) = (try Keys(settings, .read), try Store(settings, readOnly: true))
        let derivations = Feature.all.derivations(DerivationParts(store, keys, zone: "UTC"))
        let findings = try RecountCommand(user: try ID("demo")).findings(store, keys, derivations)
        return findings.differing
    }

    // MARK: Requests

    func ask(_ verb: String, _ fields: JSON = [:]) throws -> Reply.Outcome {
        try reply(at: asked(verb, fields), to: verb)
    }

    /// Asks, and does not wait.
    /// - Returns: the topic on which the reply comes.
    func asked(_ verb: String, _ fields: JSON = [:]) -> String {
        let place = "vitals/v1/users/demo/responses/\(UUID().uuidString.lowercased())"
        client.session.publish(
            Message(
                topic: "vitals/v1/users/demo/requests/\(verb)", payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place)))
        return place
    }

    func reply(at place: String, to verb: String = "a request") throws -> Reply.Outcome {
        try client.wait("a reply to \(verb)") {
            $0.topic == place ? try Reply(payload: $0.payload).outcome : nil
        }
    }

    @discardableResult
    func done(_ verb: String, _ fields: JSON = [:]) throws -> JSON {
        guard let data = try ask(verb, fields).data else { throw TestFailure("\(verb): \(try ask(verb, fields))") }
        return data
    }

    func refused(_ verb: String, _ fields: JSON = [:]) throws -> ReplyError {
        guard let error = try ask(verb, fields).error else { throw TestFailure("\(verb) was not refused") }
        return error
    }

    /// The next message about the workout that is under way which is as wanted; nil for the empty one.
    func published(_ what: String, _ isMeant: (JSON?) -> Bool) throws -> JSON? {
        try client.wait(what) { message -> JSON?? in
            guard message.topic.hasSuffix("/workout") else { return nil }
            let json = message.payload.isEmpty ? nil : try JSON(payload: message.payload)
            return isMeant(json) ? .some(json) : nil
        }
    }

    /// The next notification of a kind.
    func notified(_ kind: String) throws -> JSON {
        try client.wait("a notification") { message in
            guard message.topic.hasSuffix("/notifications") else { return nil }
            let json = try JSON(payload: message.payload)
            return json["kind"] == .string(kind) ? json : nil
        }
    }
}

extension JSON {
    /// A number that has to be there.
    func number(_ name: String) throws -> Double {
        switch self[name] {
        case .integer(let whole)?: return Double(whole)
        case .number(let number)?: return number
        default: throw TestFailure("no number \"\(name)\" in \(self)")
        }
    }

    /// A list that has to be there.
    func list(_ name: String) throws -> [JSON] {
        guard case .array(let list)? = self[name] else { throw TestFailure("no list \"\(name)\" in \(self)") }
        return list
    }
}
