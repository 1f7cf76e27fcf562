import Daemon
import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Days
@testable import Features
@testable import vitals_consumer

/// A consumer with people who have accounts, at a broker that lets everybody do everything: what is refused is refused
/// by the consumer, and what is seen is what it publishes.
final class Circle {
    let broker: Broker
    let household: Household
    let consumer: Consumer
    let client: Client
    private let clock: ClockHand

    /// The wall clock of the consumer's requests.
    private final class ClockHand: Sendable {
        let time = Mutex<Int64>(start)
    }

    var now: Int64 { clock.time.withLock { $0 } }
    func advance(_ milliseconds: Int64) { clock.time.withLock { $0 += milliseconds } }

    /// Runs a consumer while `body` does; then, where there is a second body, another one on the same state and at the
    /// same broker, and a third one with the settings of the second.
    /// - Parameters:
    ///   - rules: what `broker_rules` has.
    ///   - otherMore, otherRules: what the second consumer's settings have; nil for the same.
    ///   - between: done while there is no consumer.
    static func with(
        more: String = "", rules: String = "", accounts: String = "accounts: {}, ", otherMore: String? = nil, otherRules: String? = nil,
        _ body: (Circle) throws -> Void, between: (ConsumerSettings, Client) throws -> Void = { _, _ in },
        then second: ((Circle) throws -> Void)? = nil, finally third: ((Circle) throws -> Void)? = nil
    ) throws {
        try Broker.with { broker in
            let household = try Household()
            func settings(_ more: String, _ rules: String) throws -> ConsumerSettings {
                try Self.settings(household, broker, "\(more) \(accounts)", rules: rules)
            }
            let first = try settings(more, rules)
            _ = try Keys(first, .create)
            let (client, clock) = (try Client(broker, "vitals/v1/users/#"), ClockHand())
            defer { client.stop() }
            try run(first, clock) { try body(Circle(broker, household, $0, client, clock)) }
            guard let second else { return }
            try between(first, client)
            let other = try settings(otherMore ?? more, otherRules ?? rules)
            for next in [second, third].compactMap({ $0 }) {
                try run(other, clock) { try next(Circle(broker, household, $0, client, clock)) }
            }
        }
    }

    private static func settings(
        _ household: Household, _ broker: Broker, _ more: String, rules: String = ""
    ) throws -> ConsumerSettings {
        try household.settings(
            port: broker.port, more: "time_zone: \"UTC\", \(more) broker_rules: { \(rules) },")
    }

    /// Lets the service read its settings again, in which there is something else now.
    func reload(_ more: String) throws {
        consumer.reload(try Self.settings(household, broker, "\(more) accounts: {},"))
    }

    private static func run(
        _ settings: ConsumerSettings, _ clock: ClockHand, _ body: (Consumer) throws -> Void
    ) throws {
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        consumer.features.context.now = { clock.time.withLock { $0 } }
        // Requests from before its subscription are not answered.
        let granted = Record<Bool>()
        consumer.start()
        defer { consumer.stop() }
        consumer.session.subscribe(consumer.desk.subscriptions) { granted.append($1 == nil) }
        #expect(try granted.wait(for: 2).allSatisfy { $0 })
        // Its broker has no rules, and will never say so.
        consumer.session.loop.sync { consumer.features.brokerIsInLine([]) }
        try body(consumer)
    }

    private init(_ broker: Broker, _ household: Household, _ consumer: Consumer, _ client: Client, _ clock: ClockHand) {
        (self.broker, self.household, self.consumer, self.client) = (broker, household, consumer, client)
        self.clock = clock
    }

    /// What `body` makes of the service's parts, on its thread.
    func onSession<Value: Sendable>(_ body: @escaping @Sendable (PeopleContext) throws -> Value) throws -> Value {
        let context = consumer.features.context
        return try consumer.session.loop.sync {
            Result {
                try body(context)
            }
        }.get()
    }

    /// What `look` finds on the service's thread, at the end of one of its turns: nothing there changes in between.
    /// - Parameter what: what is looked for, for the error if it does not come.
    func found<Value: Sendable>(_ what: String, _ look: @escaping @Sendable () throws -> Value?) throws -> Value {
        let answer = Record<Result<Value, any Error>>()
        let loop = consumer.session.loop
        loop.perform {
            var isOver = false
            loop.beforeWaiting {
                guard !isOver else { return }
                do {
                    guard let found = try look() else { return }
                    answer.append(.success(found))
                } catch {
                    answer.append(.failure(error))
                }
                isOver = true
            }
        }
        return try answer.take(what) { $0 }.get()
    }

    /// Somebody with an account, and a profile where they have a name.
    func person(
        _ email: String? = nil, name: String? = nil, locale: String? = nil, units: String? = nil
    ) throws -> ID {
        let user = try onSession { context in
            let user = try drawnID()
            _ = try context.keys.currentVersion(of: user)
            try context.store.change(user) { () throws(VaultError) in
                let address = email.flatMap { EmailAddress($0) }.map(AccountName.email)
                try AccountRows(store: context.store, keys: context.keys).add(user, address, nil, now: start)
            }
            return user
        }
        if let name {
            try done(
                user, "profile/set",
                .object(present: [
                    "name": .string(name), "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170,
                    "weight_kg": .number(63.5), "locale": locale.map(JSON.string), "units": units.map(JSON.string),
                ]))
        }
        return user
    }

    /// The reply to a request.
    func ask(_ user: ID, _ name: String, _ fields: JSON = [:], correlation: [UInt8]? = nil) throws -> Reply.Outcome {
        let place = "vitals/v1/users/\(user)/responses/\(UUID().uuidString)"
        return try ask(user, name, fields, correlation: correlation, replyAt: place)
    }

    func ask(
        _ user: ID, _ name: String, _ fields: JSON, correlation: [UInt8]?, replyAt place: String
    ) throws -> Reply.Outcome {
        send(user, name, fields, correlation: correlation, replyAt: place)
        return try reply(to: name, at: place)
    }

    /// Sends a request, and does not wait.
    func send(_ user: ID, _ name: String, _ fields: JSON, correlation: [UInt8]? = nil, replyAt place: String) {
        client.session.publish(
            Message(
                topic: "vitals/v1/users/\(user)/requests/\(name)", payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place, correlationData: correlation)))
    }

    func reply(to name: String, at place: String) throws -> Reply.Outcome {
        try client.wait("a reply to \(name)") { $0.topic == place ? try Reply(payload: $0.payload).outcome : nil }
    }

    @discardableResult
    func done(_ user: ID, _ name: String, _ fields: JSON = [:]) throws -> JSON {
        switch try ask(user, name, fields) {
        case .ok(let data): return data
        case .error(let error): throw TestFailure("\(name): \(error)")
        }
    }

    func refused(_ user: ID, _ name: String, _ fields: JSON = [:]) throws -> ReplyError {
        switch try ask(user, name, fields) {
        case .ok(let data): throw TestFailure("\(name) was done: \(data)")
        case .error(let error): return error
        }
    }

    /// What comes next on a person's topic; nil where it is taken back.
    func next(_ user: ID, _ topic: String) throws -> JSON? {
        let place = "vitals/v1/users/\(user)/\(topic)"
        return try client.wait("a message at \(topic)") { message -> JSON?? in
            guard message.topic == place else { return nil }
            return .some(message.payload.isEmpty ? nil : try JSON(payload: message.payload))
        }
    }

    /// Waits until a person's topic says something.
    func wait(_ user: ID, _ topic: String, until isMeant: (JSON?) -> Bool) throws {
        while true { if isMeant(try next(user, topic)) { return } }
    }

    /// Makes two people friends by a code.
    /// - Parameter share: whether both say that their steps are shown; nil where neither says anything.
    func befriend(_ one: ID, _ other: ID, sharing share: Bool? = true) throws {
        let words = share.map { JSON.object([JSON.Member("steps", .bool($0))]) }
        let code = try done(one, "friends/code", .object(present: ["share": words])).text("code")
        let taken = try done(other, "friends/invite", .object(present: ["code": .string(code), "share": words]))
        #expect(taken["state"] == "friend" && taken["friend"] == .string(one.text))
    }

    /// The entries of a person's list.
    func friends(_ user: ID) throws -> [JSON] { try elements(done(user, "friends/list"), "friends") }

    /// The texts of a person's notifications, newest first.
    func notifications(_ user: ID, all: Bool = false) throws -> [JSON] {
        try elements(done(user, "notifications/list", ["all": .bool(all)]), "notifications")
    }

    /// Has the person walked so many steps, as if a sensor had counted them.
    /// - Parameter moment: when they began, in Unix milliseconds; now if it is left out.
    func walk(_ user: ID, at moment: Int64? = nil, _ counts: UInt32...) throws {
        let today = now
        let time = moment ?? today
        try onSession { [consumer] context in
            let days = consumer.days
            let entries = counts.enumerated().map { index, count in
                PersonsReadings.Entry(
                    sensor: "home/watch",
                    reading: Reading(
                        at: Moment(wall: time + Int64(index) * 60_000, monotonic: 0),
                        .steps(StepCount(count))))
            }
            do throws(VaultError) {
                try context.store.change(user) { () throws(VaultError) in
                    try days.take([PersonsReadings(user: user, entries: entries)], now: today)
                }
            } catch {
                days.rolledBack()
                throw error
            }
            days.committed()
        }
    }
}

/// The elements of a member that is a list.
func elements(_ json: JSON, _ name: String) throws -> [JSON] {
    guard case .array(let elements)? = json[name] else { throw TestFailure("no list \"\(name)\" in \(json)") }
    return elements
}
