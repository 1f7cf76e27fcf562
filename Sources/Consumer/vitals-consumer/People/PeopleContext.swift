import Admission
import Daemon
import MQTT
import Records
import Telemetry
import Vault

/// What all features that answer people share. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class PeopleContext: @unchecked Sendable {
    /// The parts that a running service takes from settings that were read again change here, too.
    var settings: ConsumerSettings
    let store: Store
    let keys: Keys
    let session: Session
    /// Nil where the broker's rules are the operator's own.
    var rules: BrokerRules?
    var topics: Topics { settings.topics }
    var documents: Documents { Documents(store: store, keys: keys) }
    /// Requests that must not be done twice.
    let answered: Answered
    let notifications: Notifications
    /// The totals of people's days; nil where nobody asks.
    let days: Days?
    /// The wall clock, Unix milliseconds.
    var now: () -> Int64 = unixMilliseconds
    /// Log messages that people and guests can cause go here.
    var limitedLog = LimitedLog()
    /// What a feature asks of the service.
    unowned let doors: any Doors

    /// - Parameters:
    ///   - doors: of the service, which lives longer.
    ///   - notifications: what people are told.
    init(
        _ settings: ConsumerSettings, store: Store, keys: Keys, session: Session, rules: BrokerRules? = nil,
        days: Days? = nil, notifications: Notifications? = nil, doors: any Doors
    ) {
        answered = Answered(store, keys)
        self.notifications = notifications ?? Notifications(store, keys)
        self.settings = settings
        self.store = store
        self.keys = keys
        self.session = session
        self.rules = rules
        self.days = days
        self.doors = doors
    }
}

/// What features ask of the service that they are part of. On the session's thread.
protocol Doors: AnyObject {
    /// Brings the streams of these sensors in line with settings and claims, and publishes their grants: now, or, where
    /// that fails, as soon as possible. Not within a transaction.
    func bringStreamsInLine(of sensors: Set<SensorName>)

    /// Whether everything of a person is being deleted now: nothing new of theirs may be made meanwhile.
    func isBeingForgotten(_ user: ID) -> Bool

    /// What others see of these people's days has changed: see Today/.
    func daysChanged(of users: Set<ID>)

    /// Gateways were enrolled or removed.
    func gatewaysChanged()

    /// Gateways were removed, and the broker should forget them.
    func gatewaysEnded()
}
