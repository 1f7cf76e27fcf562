import Daemon
import Features
import Files
import Glibc
import HouseholdSupport
import MQTT
import Reactor
import Records
import Storage
import Telemetry
import TestSupport

@testable import Push
@testable import vitals_consumer

extension Circle {
    /// What the settings say where people may have notifications brought to this machine.
    static let pushSettings = #"push: { schemes: ["json", "ntfy", "ntfys"], private_hosts: ["127.0.0.1"] },"#

    /// A consumer whose people may have notifications brought to this machine, with short pauses after failures.
    static func withPush(
        _ body: (Circle) throws -> Void, between: (ConsumerSettings, Client) throws -> Void = { _, _ in },
        then second: ((Circle) throws -> Void)? = nil
    ) throws {
        func hurried(_ circle: Circle, _ body: (Circle) throws -> Void) throws {
            try circle.onDelivery { $0.backoff = Backoff(first: .milliseconds(20), limit: .milliseconds(200)) }
            try body(circle)
        }
        try Circle.with(
            more: pushSettings, { try hurried($0, body) }, between: between,
            then: second.map { second in { circle in try hurried(circle, second) } })
    }

    /// What `body` makes of what brings notifications, on the session's thread.
    func onDelivery<Value: Sendable>(_ body: @escaping @Sendable (PushDelivery) throws -> Value) throws -> Value {
        let delivery = try delivery
        return try onSession { _ in try body(delivery) }
    }

    private var delivery: PushDelivery {
        get throws {
            guard let found = consumer.features.only(PushDelivery.self) else {
                throw TestFailure("nothing brings notifications")
            }
            return found
        }
    }

    /// Adds an address of a person's.
    /// - Returns: its id.
    @discardableResult
    func addPush(_ user: ID, _ address: String, kinds: [String]? = nil) throws -> String {
        let kinds = kinds.map { JSON.array($0.map(JSON.string)) }
        return try done(user, "push/add", .object(present: ["address": .string(address), "kinds": kinds])).text("push")
    }

    /// Tells a person something.
    /// - Returns: the notifications' ids.
    @discardableResult
    func tell(_ user: ID, _ kind: String, _ texts: String...) throws -> [String] {
        let now = now
        return try onSession { context in
            try context.store.change(user) { () throws(VaultError) in
                var ids: [String] = []
                for text in texts {
                    ids.append(
                        try context.notifications.add(
                            Notification(kind: Notification.Kind(kept: kind), time: now, text: text), to: user))
                }
                return ids
            }
        }
    }

    /// The rows of what is on its way.
    func pushRows(_ user: ID) throws -> Int64 {
        try onSession { context in
            try context.store.database.first(
                "SELECT count(*) FROM push_queue WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0
        }
    }

    /// A person's addresses, as soon as their list is as wanted.
    func pushes(_ user: ID, until isWanted: @escaping @Sendable ([JSON]) -> Bool) throws -> [JSON] {
        let delivery = try delivery
        return try found("a list of addresses as wanted") {
            let addresses = try elements(delivery.list(of: user), "addresses")
            return isWanted(addresses) ? addresses : nil
        }
    }

    /// Waits until nothing is on its way to a person.
    @discardableResult
    func waitForDelivery(_ user: ID) throws -> [JSON] {
        try pushes(user) { $0.allSatisfy { $0["waiting"] == 0 } }
    }
}

extension PushReceiver {
    /// The texts that it was sent, in their order.
    var texts: [String] {
        requests.compactMap { try? JSON(payload: Array($0.body.utf8)).text("message") }
    }
}
