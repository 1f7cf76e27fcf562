import Days
import Glibc
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Admission
@testable import Desk
@testable import Features
@testable import Push
@testable import vitals_consumer

/// Hears that somebody's devices are being signed out.
private final class Leaving: PeopleObserver, PasswordObserver, Sendable {
    let people = Record<ID>()

    func resettingPassword(of user: ID) -> String? { nil }
    func signingOut(_ user: ID) { people.append(user) }
    func signedOut(_ user: ID) {}
}

@Suite("Addresses for notifications, after a password was reset", .timeLimit(.minutes(60)))
struct PushResetTests {
    private static let (changed, new) = ("Kp5#river-Stone", "Wq7#horse-Pond")

    @Test(
        "are switched off, and hear of that and of nothing else, until they are confirmed; a mere change leaves them on"
    )
    func reset() throws {
        let receiver = try PushReceiver()
        try AccountService.with(more: Circle.pushSettings) { service in
            let guest = try service.guest()
            let signedUp = try service.signUp("ada@example.org")
            let phone = try service.device(signedUp)
            defer { for asker in [guest, phone] { asker.stop() } }
            let user = try ID(signedUp.text("user"))
            let address: JSON = ["address": .string("json://\(receiver.place)/"), "kinds": ["goal-reached"]]
            let added = try phone.done("push/add", address)
            #expect(added["enabled"] == true)
            try phone.done(
                "account/change-password",
                ["current": .string(AccountService.password), "password": .string(Self.changed)])
            #expect(try elements(phone.done("push/list"), "addresses")[0]["enabled"] == true)

            // What is on its way goes nowhere any more.
            try receiver.answers("status 500")
            let first = try tell(user, "one", service)
            try receiver.wait(for: 1)
            #expect(try waiting(user, service) == [first])
            let reply = try reset(guest, service)
            #expect(
                try reply.text("message").hasSuffix(
                    ": sign in. Your notifications go to no address until you confirm it: vitals push"), "\(reply)")
            let left = try waiting(user, service)
            #expect(left.count == 1 && left != [first])
            try receiver.answers("status 200")
            #expect(try receiver.wait(for: 2)[1].headers["vitals-notification"] == left[0])
            #expect(receiver.texts[1].contains("your password was reset"))

            let tablet = try service.device(
                try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.new)]))
            defer { tablet.stop() }
            #expect(try elements(tablet.done("push/list"), "addresses")[0]["enabled"] == false)
            let told = try elements(tablet.done("notifications/list"), "notifications")
            #expect(told.contains { $0["kind"] == "push-off" && $0["id"] == .string(left[0]) })
            _ = try tell(user, "two", service)
            #expect(try waiting(user, service).isEmpty)
            let fields: JSON = ["push": added["push"] ?? .null]
            #expect(try tablet.done("push/confirm", fields)["enabled"] == true)
            let third = try tell(user, "three", service)
            #expect(try receiver.wait(for: 3)[2].headers["vitals-notification"] == third)
            #expect(receiver.requests.count == 3)
        }
    }

    @Test("hear of it, too, if something was just being sent there, which is over afterwards")
    func underWay() throws {
        let receiver = try PushReceiver()
        try AccountService.with(more: Circle.pushSettings) { service in
            let guest = try service.guest()
            let signedUp = try service.signUp("ada@example.org")
            let phone = try service.device(signedUp)
            defer { for asker in [guest, phone] { asker.stop() } }
            let user = try ID(signedUp.text("user"))
            try phone.done("push/add", ["address": .string("json://\(receiver.place)/"), "kinds": ["goal-reached"]])
            try receiver.answers("hold")
            let first = try tell(user, "one", service)
            #expect(try receiver.wait(for: 1)[0].headers["vitals-notification"] == first)
            _ = try reset(guest, service)
            let left = try waiting(user, service)
            #expect(left.count == 1 && left != [first])
            try receiver.answers("status 200")
            #expect(try receiver.wait(for: 2)[1].headers["vitals-notification"] == left[0])
        }
    }

    @Test(
        "are neither added nor confirmed while the devices of before are being signed out, whether the broker confirms that at once or late",
        arguments: [false, true])
    func signingOut(isLate: Bool) throws {
        let receiver = try PushReceiver()
        try AccountService.with(more: Circle.pushSettings) { service in
            let (guest, signedUp) = (try service.guest(), try service.signUp("ada@example.org"))
            let phone = try service.device(signedUp)
            defer { for asker in [guest, phone] { asker.stop() } }
            let user = try ID(signedUp.text("user"))
            let added = try phone.done("push/add", ["address": .string("json://\(receiver.place)/")])
            let code = try resetCode("ada@example.org", service)
            let (confirm, other): (JSON, JSON) = (
                ["push": added["push"] ?? .null], ["address": .string("json://\(receiver.place)/other")]
            )
            service.broker.signal(SIGSTOP)
            defer { service.broker.signal(SIGCONT) }
            let leaving = Leaving()
            try service.onSession { $0.context.changes.add(leaving) }
            let outcomes = Record<Reply.Outcome>()
            try service.ask(
                nil, "reset-password",
                [
                    "email": "ada@example.org", "code": .string(code), "password": .string(Self.new), "keep": true,
                ]
            ) { outcomes.append($0) }
            let settled = Record<RulesError?>()
            if isLate {
                try service.onSession { $0.context.rules?.settled = { settled.append($0) } }
                guard case .ok(let data) = try outcomes.wait(for: 1)[0] else { throw TestFailure("it was not reset") }
                #expect(try data.text("message").contains("all devices will be signed out soon"))
            } else {
                #expect(try leaving.people.wait(for: 1) == [user])
            }
            // As a device would ask that is still connected.
            for (verb, fields) in [("push/confirm", confirm), ("push/add", other)] {
                #expect(try service.refusal(of: verb, fields, by: user)?.code == .busy, "\(verb)")
            }
            service.broker.signal(SIGCONT)
            if isLate { #expect(try settled.wait(for: 1)[0] == nil) } else { _ = try outcomes.wait(for: 1) }
            let tablet = try service.device(
                try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.new)]))
            defer { tablet.stop() }
            #expect(try tablet.done("push/confirm", confirm)["enabled"] == true)
            try tablet.done("push/add", other)
        }
    }

    @Test("are neither added nor confirmed after a start until the broker lets in only devices that should be")
    func started() throws {
        try AccountService.with(more: Circle.pushSettings) { service in
            let user = try ID(service.signUp("ada@example.org").text("user"))
            let codes = try service.onSession { accounts in
                // As another run of the consumer begins, at a broker whose rules are not in line yet.
                let delivery = PushDelivery(accounts.context)
                func code() -> ReplyError.Code? {
                    do throws(ReplyError) { try delivery.requireSettled(user) } catch { return error.code }
                    return nil
                }
                let before = code()
                delivery.brokerIsInLine([])
                return [before, code()]
            }
            #expect(codes == [.busy, nil])
        }
    }

    @Test("that were off before another reset hear nothing again, and what was left for them stays")
    func again() throws {
        let receiver = try PushReceiver()
        try AccountService.with(more: Circle.pushSettings) { service in
            let (guest, signedUp) = (try service.guest(), try service.signUp("ada@example.org"))
            let phone = try service.device(signedUp)
            defer { for asker in [guest, phone] { asker.stop() } }
            let user = try ID(signedUp.text("user"))
            try receiver.answers("status 500")
            try phone.done("push/add", ["address": .string("json://\(receiver.place)/first")])
            _ = try reset(guest, service)
            let first = try waiting(user, service)
            #expect(first.count == 1)
            let tablet = try service.device(
                try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.new)]))
            defer { tablet.stop() }
            try tablet.done("push/add", ["address": .string("json://\(receiver.place)/second")])
            _ = try reset(guest, service)
            let left = try waiting(user, service)
            #expect(left.count == 2 && left.first == first[0] && left.last != first[0], "\(left) \(first)")
        }
    }

    @Test("are nothing to speak of where there are none")
    func none() throws {
        try AccountService.with(more: Circle.pushSettings) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            _ = try service.signUp("ada@example.org")
            let reply = try guest.done(
                "reset-password",
                [
                    "email": "ada@example.org", "code": .string(try resetCode("ada@example.org", service)),
                    "password": .string(Self.new),
                ])
            #expect(reply["message"] == "The password was changed, and all devices are signed out: sign in")
        }
    }

    /// Resets Ada's password, and leaves what hangs on her account.
    private func reset(_ guest: AccountService.Asker, _ service: AccountService) throws -> JSON {
        try guest.done(
            "reset-password",
            [
                "email": "ada@example.org", "code": .string(try resetCode("ada@example.org", service)),
                "password": .string(Self.new), "keep": true,
            ])
    }

    /// A code that resets the password of an address.
    private func resetCode(_ email: String, _ service: AccountService) throws -> String {
        try service.onSession { accounts in
            let (context, name) = (accounts.context, try AccountName(["email": .string(email)]))
            return try NameCodes(.reset, store: context.store, keys: context.keys)
                .issue(name.lookup(context.keys), now: context.now())
        }
    }

    /// Tells a person that they have reached a goal.
    /// - Returns: the notification's id.
    private func tell(_ user: ID, _ text: String, _ service: AccountService) throws -> String {
        try service.onSession { accounts in
            let context = accounts.context
            return try context.store.change(user) { () throws(VaultError) in
                let kind = Notification.Kind(kept: "goal-reached")
                return try context.notifications.add(Notification(kind: kind, time: start, text: text), to: user)
            }
        }
    }

    /// The ids of the notifications that are on their way to a person.
    private func waiting(_ user: ID, _ service: AccountService) throws -> [String] {
        try service.onSession { accounts in
            try accounts.context.store.database.query(
                "SELECT notification FROM push_queue WHERE person = ? ORDER BY number", [.text(user.text)],
                row: Row.text)
        }
    }
}

extension AccountService {
    /// Asks something without the broker, as somebody whose request has come already.
    /// - Parameter user: nil for somebody who is not signed in.
    fileprivate func ask(
        _ user: ID?, _ name: String, _ fields: JSON, _ answer: @escaping @Sendable (Reply.Outcome) -> Void
    ) throws {
        let request = PeopleRequest(
            asker: user.map { .person($0) } ?? .guest, name: name, fields: fields, identity: nil, answer: answer)
        let consumer = consumer
        try consumer.session.loop.sync {
            Result {
                guard let verb = consumer.desk.verbs.first(where: { $0.name == name }) else {
                    throw TestFailure("no \(name)")
                }
                switch verb.handling {
                case .atOnce(let body): request.answering { request.done(try body(request)) }
                case .later(let body): body(request)
                }
            }
        }.get()
    }

    /// Why something is refused that is answered at once; nil if it is done.
    fileprivate func refusal(of name: String, _ fields: JSON, by user: ID) throws -> ReplyError? {
        let outcomes = Record<Reply.Outcome>()
        try ask(user, name, fields) { outcomes.append($0) }
        guard case .error(let error) = try outcomes.wait(for: 1)[0] else { return nil }
        return error
    }
}
