import Daemon
import Features
package import MQTT
import OwnTracks
import Readings
import Records
package import Telemetry

// A phone publishes on `users/{user}/phone/{phone}` and on topics one level beneath it. Which phone it is follows from the
// topic, which the broker lets nobody else publish on. What a message costs is limited first: its length, how often the
// phone sends, and that it is not retained. Then it is opened with the phone's secret; a phone that has one must seal.

extension Phones {
    /// No message of the app that says something to us is longer, in bytes.
    static let maximumLength = 16 * 1024

    /// Where phones publish. A retained message can be told from others, and comes even if it was published before we
    /// connected, so that it can be taken back.
    package var subscriptions: [Subscription] {
        ["+", "+/+"].map { levels in
            let filter = "\(context.topics.root)/users/+/phone/\(levels)"
            return Subscription(filter, qos: .atLeastOnce, noLocal: true, retainAsPublished: true)
        }
    }

    package func heard(_ topic: Topic, _ message: Message) {
        guard case .user(let user, .published(let name)) = topic, let phone = Self.phone(name) else { return }
        takeBack(message)
        guard !message.payload.isEmpty, !context.doors.isBeingForgotten(user) else { return }
        guard !message.retain else { return tell(user, "retained, which no position may be") }
        guard message.payload.count <= Self.maximumLength else { return tell(user, "too long") }
        guard messages.take(phone, now: millisecondsSinceBoot()) == nil else { return tell(user, "too frequent") }
        do {
            try take(message.payload, from: phone, of: user)
        } catch {
            tell(user, (error as? PhoneReadings.Refusal)?.rawValue ?? "\(error)")
        }
    }

    /// A phone may publish one level beneath its topic, whatever that is called.
    package func heardElsewhere(_ message: Message) {
        if subscriptions.contains(where: { MQTT.topic(message.topic, matches: $0.filter) }) { takeBack(message) }
    }

    /// Retained, it would show a person's place to everybody who may look, even after the person is forgotten.
    private func takeBack(_ message: Message) {
        if message.retain, !message.payload.isEmpty { context.session.clear(message.topic, heardBy: subscriptions) }
    }

    /// The phone of a topic's levels `phone/{phone}` and `phone/{phone}/{anything}`.
    private static func phone(_ name: String) -> ID? {
        guard name.utf8.starts(with: "phone/".utf8) else { return nil }
        let levels = name.split(separator: "/")
        guard levels.count == 2 || levels.count == 3 else { return nil }
        return decoded { () throws(MalformedValue) in try ID(String(levels[1])) }
    }

    private func take(_ payload: [UInt8], from id: ID, of user: ID) throws {
        // Without consent, nothing is even opened.
        guard let begin = try RecordedKinds(context.documents).beginOfLocation(of: user) else { return }
        guard let phone = try list.phone(id, of: user) else { return tell(user, "of no phone that is connected") }
        guard let report = try opened(PhoneReport(payload: payload), phone, user) else { return }
        let now = context.now()
        if let news = PhoneNews(report, phone: id, since: begin, now: now) { tell(news, of: user) }
        guard let (wall, value) = try PhoneReadings.reading(report, since: begin, now: now) else { return }
        if !context.doors.record(Reading(at: OwnGateway.moment(wall), value), of: id) {
            tell(user, "more than there is room for while the disk refuses")
        }
    }

    /// What a message says; nil if it is not sealed as it has to be.
    private func opened(_ report: PhoneReport, _ phone: Phone, _ user: ID) throws -> PhoneReport? {
        switch (report, phone.secret) {
        case (.sealed(let sealed), let secret?): return try sealed.open(with: PhoneSecret(secret))
        case (.sealed, nil):
            tell(user, "sealed, by a phone that was connected without encryption")
            return nil
        // The broker itself sends the will.
        case (.other, _), (.unknown, _), (.nothing, _): return nil
        case (_, nil): return report
        case (_, _?):
            tell(user, "not sealed, by a phone that was connected with encryption")
            return nil
        }
    }

    /// Logs that a message was not kept, once a minute of each person and reason; never what it says.
    private func tell(_ user: ID, _ reason: String) {
        context.limitedLog.info("phone of \(user): \(reason)") { times in
            "a phone of \(user) has sent a message that is not kept: \(reason)\(times)"
        }
    }
}
