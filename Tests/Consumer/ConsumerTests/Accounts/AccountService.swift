import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport

@testable import Accounts
@testable import Admission
@testable import vitals_consumer

/// A consumer with accounts at a broker that it rules.
final class AccountService {
    let broker: Broker
    let household: Household
    let consumer: Consumer

    /// Runs them while `body` does.
    /// - Parameters:
    ///   - accounts: the settings' section.
    ///   - more: other sections, each with a comma after it.
    ///   - isRecorded: whether what is asked is what clients ask: false where a test asks nonsense that may be answered.
    static func with<Result>(
        accounts: String = "{}", more: String = "", isRecorded: Bool = true, _ body: (AccountService) throws -> Result
    ) throws -> Result {
        let household = try Household()
        var settings: ConsumerSettings?
        let write = { (broker: Broker) in
            settings = try household.settings(
                port: broker.port,
                broker: "username: \"consumer\", password_file: \"\(broker.folder.path("consumer.password"))\", ",
                more: "\(more) accounts: \(accounts), broker_rules: {},")
            return household.path("consumer.json5")
        }
        return try Broker.withRules(settings: write) { broker in
            guard let settings else { throw TestFailure("no settings") }
            _ = try Keys(settings, .create)
            let service = AccountService(broker, household, settings, try started(settings, broker, isRecorded))
            defer { service.consumer.stop() }
            let clock = service.clock
            try service.onSession { $0.clock = { clock.all.reduce(0, +) } }
            return try body(service)
        }
    }

    let settings: ConsumerSettings
    /// What waits are measured by: it stands still until it is advanced.
    private let clock = Record<UInt64>()

    private init(_ broker: Broker, _ household: Household, _ settings: ConsumerSettings, _ consumer: Consumer) {
        self.broker = broker
        self.household = household
        self.settings = settings
        self.consumer = consumer
    }

    private static func started(_ settings: ConsumerSettings, _ broker: Broker, _ isRecorded: Bool) throws -> Consumer {
        let consumer = try Consumer(settings, readiness: Readiness()) { print("the consumer failed: \($0)") }
        if isRecorded { consumer.desk.recordRequests() }
        let settled = Record<RulesError?>()
        consumer.rules?.settled = { settled.append($0) }
        consumer.start()
        do {
            if let error = try settled.wait(for: 1)[0] { throw error }
            try broker.waitForLog("vitals/v1/users/+/requests/#")
        } catch {
            consumer.stop()
            throw error
        }
        return consumer
    }

    /// What `body` makes of the service's parts, on its thread.
    func onSession<Value: Sendable>(_ body: @escaping @Sendable (Accounts) throws -> Value) throws -> Value {
        let accounts = consumer.features.only(AccountsService.self)?.accounts
        return try consumer.session.loop.sync {
            Result {
                guard let accounts else { throw TestFailure("there are no accounts") }
                return try body(accounts)
            }
        }.get()
    }

    /// The answer when the wait is over, if there is one.
    func waitOut(_ ask: () throws -> Reply.Outcome) throws -> Reply.Outcome {
        let outcome = try ask()
        guard case .error(let error) = outcome, error.code == .rateLimited else { return outcome }
        clock.append(UInt64(error.retryAfterSeconds ?? 0) * 1000)
        return try ask()
    }

    /// Somebody who is not signed in.
    func guest() throws -> Asker { try Asker(broker, nil, self) }

    /// A device that was signed in.
    func device(_ signedIn: JSON) throws -> Asker { try Asker(broker, signedIn, self) }

    /// Signs somebody up.
    func signUp(_ email: String, _ password: String = AccountService.password) throws -> JSON {
        let guest = try guest()
        defer { guest.stop() }
        return try guest.done("sign-up", ["email": .string(email), "password": .string(password)])
    }

    static let password = "Zq7#horse-Pond"

    /// A session with the broker that asks things.
    final class Asker {
        let session: Session
        private let root: String
        private let responses: String
        private let file: String?
        private let states = Record<State>()
        private var isKnownConnected = false

        fileprivate init(_ broker: Broker, _ signedIn: JSON?, _ service: AccountService) throws {
            var options = Options(host: "127.0.0.1", port: broker.port, clientID: "test-\(UUID().uuidString)")
            if let signedIn {
                guard case .string(let user)? = signedIn["user"], case .string(let device)? = signedIn["device"],
                    case .string(let password)? = signedIn["password"]
                else { throw TestFailure("nobody is signed in by \(signedIn)") }
                let name = "device-\(UUID().uuidString)"
                file = try service.broker.folder.write(password + "\n", to: name)
                options.username = device
                options.passwordFile = file
                root = "vitals/v1/users/\(user)/requests/"
                responses = "vitals/v1/users/\(user)/responses/\(name)"
            } else {
                file = nil
                root = "vitals/v1/accounts/"
                responses =
                    "vitals/v1/accounts/responses/\(StreamID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))"
            }
            session = Session(options)
            let states = states
            session.start(Handlers(stateChanged: { states.append($0) }))
        }

        func stop() { session.stop() }

        /// Waits until the broker has let it in, or has not.
        func isConnected() throws -> Bool {
            if isKnownConnected { return true }
            isKnownConnected = try states.take("the broker's answer") { state in
                switch state {
                case .connected: true
                case .waiting: false
                default: nil
                }
            }
            return isKnownConnected
        }

        /// Waits until the broker has thrown it out.
        func waitForEnd() throws {
            _ = try states.take("the end of the connection") { if case .waiting = $0 { true } else { nil } }
        }

        /// The reply to a request.
        func ask(_ name: String, _ fields: JSON = [:]) throws -> Reply.Outcome {
            guard try isConnected() else { throw TestFailure("the broker has not let it in") }
            let message = try session.requestAndWait(
                fields.bytes, to: root + name, responseTopic: responses, within: .seconds(40))
            return try Reply(payload: message.payload).outcome
        }

        /// Asks, and does not wait for the reply.
        func send(_ name: String, _ fields: JSON = [:]) throws {
            guard try isConnected() else { throw TestFailure("the broker has not let it in") }
            session.publish(
                Message(
                    topic: root + name, payload: fields.bytes, qos: .atLeastOnce,
                    properties: Message.Properties(responseTopic: responses)))
        }

        /// The data of a reply that has to be a good one.
        @discardableResult
        func done(_ name: String, _ fields: JSON = [:]) throws -> JSON {
            switch try ask(name, fields) {
            case .ok(let data): return data
            case .error(let error): throw TestFailure("\(name): \(error)")
            }
        }

        /// The error of a reply that has to be a bad one.
        func refused(_ name: String, _ fields: JSON = [:]) throws -> ReplyError {
            switch try ask(name, fields) {
            case .ok(let data): throw TestFailure("\(name) was done: \(data)")
            case .error(let error): return error
            }
        }
    }
}
