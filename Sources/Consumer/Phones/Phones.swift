import Accounts
import Admission
import Daemon
import Days
package import Desk
package import Features
import Files
import MQTT
import OwnTracks
import Readings
import Records
import Storage
package import Telemetry
import Vault

// A phone with the app OwnTracks tells the broker where it is. A person connects it with a link, in which everything is that
// the app needs: where the broker is, the name and the password that the phone has there, its topic, and the secret that it
// seals its messages with. The phone is a device of the person's that may do nothing but publish there
// (Admission/BrokerRole.swift), and a sensor of the consumer's own gateway (Readings/OwnGateway.swift), which a row of
// `claims` gives to the person. So a password that is reset, a device that is revoked and a person who is erased end it like
// any other.

/// Answers `phones/…`, and takes what phones send. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Phones: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    var questions = StepQuestions()
    private struct Entry {
        weak var listener: (any PhoneListener)?
    }

    private var entries: [Entry] = []
    private(set) var isConnected = false
    private let devices: Devices
    /// How often a person may connect a phone: each leaves a stream.
    private var allowance = Allowance<ID>(perSecond: 1.0 / 600, burst: 20)
    /// How often a phone may send something. One that was out of reach sends what it kept.
    var messages = Allowance<ID>(perSecond: 5, burst: 2000)
    var list: PhoneList { PhoneList(documents: context.documents) }

    package init(_ context: PeopleContext) {
        self.context = context
        devices = Devices(context)
        context.changes.add(self)
    }

    package var verbs: [Verb] {
        [
            Verb("phones/add", .phonesAdd, .later { [unowned self] in add($0) }),
            Verb("phones/list", .phonesList, .atOnce { [unowned self] in try list(of: $0.user) }),
            Verb("phones/link", .phonesLink, .atOnce { [unowned self] in try link($0) }),
            Verb("phones/remove", .phonesRemove, .later { [unowned self] in remove($0) }),
        ]
    }

    package func brokerIsInLine(_ found: Set<ID>) { devices.brokerIsInLine(found) }
    package func connected() { isConnected = true }
    package func disconnected() { isConnected = false }

    /// - Parameter listener: is not kept alive.
    package func add(_ listener: any PhoneListener) { entries.append(Entry(listener: listener)) }

    /// Tells other features what a phone says.
    func tell(_ news: PhoneNews, of user: ID) { for entry in entries { entry.listener?.heard(news, of: user) } }

    // MARK: Coming

    private func add(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            let name = try DeviceName(request.fields, field: "name")
            let isEncrypted = try request.optionalBool("encrypted") ?? true
            try requireConsent(of: user)
            let place = try place()
            try requireRoom(for: user)
            if let seconds = allowance.take(user, now: millisecondsSinceBoot()) {
                let words = "you have connected too many phones: try again in \(seconds) s"
                throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
            }
            let phone = Phone(
                id: try ID(BrokerRole.phonePrefix + drawnID().text), password: try Devices.drawnPassword(),
                secret: isEncrypted ? try PhoneSecret.random().text : nil, created: context.now())
            let reply = try reply(phone, of: user, place, name)
            let rows = { @Sendable [unowned self] in try keep(phone, of: user) }
            devices.add(name, of: user, as: (phone.id, phone.password), with: rows) { [unowned self] result in
                request.answering {
                    _ = try result.get()
                    context.doors.bringStreamsInLine(of: [try sensor(phone.id)])
                    context.limitedLog.notice("phone of \(user)") { "\(user) has connected a phone\($0)" }
                    request.done(reply)
                }
            }
        }
    }

    /// Keeps a phone and gives it to its person, within a transaction.
    private func keep(_ phone: Phone, of user: ID) throws {
        // Others may have asked for the same in the meantime.
        try requireConsent(of: user)
        try requireRoom(for: user)
        try list.keep(try list.phones(of: user) + [phone], of: user)
        let kinds = try RecordedKinds(context.documents).kindsOfPhones(of: user)
        try Claims(store: context.store).write(sensor(phone.id), user, kinds, now: context.now())
    }

    private func requireConsent(of user: ID) throws {
        guard try !RecordedKinds(context.documents).recordsLocation(of: user) else { return }
        let words = """
            Location Services Disabled: allow that your location is recorded, with `vitals consent --record-location on` or the \
            request consent/set {"record_location": true}
            """
        throw ReplyError(.notAllowed, words, field: RecordedKinds.recordLocation)
    }

    private func requireRoom(for user: ID) throws {
        guard try list.phones(of: user).count < PhoneList.limit else {
            throw ReplyError(.notAllowed, "you have \(PhoneList.limit) phones already: remove one")
        }
    }

    private func place() throws -> PhonesSetting.Place {
        guard let place = context.settings[PhonesSetting.self].place else {
            let words = """
                this home does not say where phones reach its broker: its operator has to add phones: { host: … } to consumer.json5
                """
            throw ReplyError(.notSupported, words, field: PhonesSetting.key)
        }
        return place
    }

    private func sensor(_ phone: ID) throws -> SensorName {
        SensorName(gateway: try ID(OwnGateway.name), sensor: phone)
    }

    // MARK: Being there

    private func list(of user: ID) throws -> JSON {
        let names = try devices.names(of: user)
        let phones = try list.phones(of: user).map { phone in
            JSON.object([
                JSON.Member("phone", .string(phone.id.text)), JSON.Member("name", .string(names[phone.id] ?? "")),
                JSON.Member("encrypted", .bool(phone.secret != nil)), JSON.Member("created", .integer(phone.created)),
                JSON.Member("signed_in", .bool(names[phone.id] != nil)),
            ])
        }
        return [
            "phones": .array(phones), "recorded": .bool(try RecordedKinds(context.documents).recordsLocation(of: user)),
        ]
    }

    private func link(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let phone = try own(request)
        guard let text = try devices.names(of: user)[phone.id] else {
            throw ReplyError(.notAllowed, "this phone was signed out: remove it, and connect it again", field: "phone")
        }
        return try reply(phone, of: user, place(), DeviceName(["name": .string(text)], field: "name"))
    }

    /// The phone that a request names, which has to be the asker's.
    private func own(_ request: PeopleRequest) throws -> Phone {
        let id = try request.id("phone")
        guard let phone = try list.phone(id, of: request.user) else {
            throw ReplyError(.notFound, "You have no such phone", field: "phone")
        }
        return phone
    }

    private func reply(_ phone: Phone, of user: ID, _ place: PhonesSetting.Place, _ name: DeviceName) throws -> JSON {
        var configuration = try PhoneConfiguration(
            host: place.host, port: place.port, username: phone.id.text, password: phone.password,
            deviceID: phone.id.text, clientID: phone.id.text,
            topic: context.topics[user: user, .published("phone/\(phone.id)")])
        (configuration.usesTLS, configuration.usesWebSocket) = (place.usesTLS, place.usesWebSocket)
        configuration.secret = try phone.secret.map(PhoneSecret.init)
        let letters = name.text.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }.prefix(2)
        if !letters.isEmpty { configuration.trackerID = String(String.UnicodeScalarView(letters)) }
        return ["phone": .string(phone.id.text), "link": .string(try configuration.link())]
    }

    // MARK: Going

    /// Ends a phone: nothing that it sends is kept any more, and the broker lets it out. What it has sent stays.
    private func remove(_ request: PeopleRequest) {
        request.answering {
            let (user, id) = (try request.user, try request.id("phone"))
            let sensor = try sensor(id)
            let reply = try context.answered.once(request, now: context.now()) {
                let phone = try own(request)
                try list.keep(try list.phones(of: user).filter { $0.id != phone.id }, of: user)
                try Claims(store: context.store).remove(sensor)
                try devices.remove([phone.id])
                return ["phone": .string(phone.id.text)]
            }
            context.doors.bringStreamsInLine(of: [sensor])
            context.limitedLog.notice("phone of \(user) removed") { "\(user) has removed a phone\($0)" }
            devices.end([id], of: user) { refusal in
                if let refusal { request.refuse(refusal) } else { request.done(reply) }
            }
        }
    }
}
