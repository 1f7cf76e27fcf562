package import Admission
package import Daemon
package import Days
package import Files
package import MQTT
package import Readings
package import Records
package import Telemetry

/// What all features that answer people share. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class PeopleContext: @unchecked Sendable {
    /// The parts that a running service takes from settings that were read again change here, too.
    package var settings: any HouseSettings
    package let store: Store
    package let keys: Keys
    package let session: Session
    /// Nil where the broker's rules are the operator's own.
    package var rules: BrokerRules?
    package var topics: Topics { settings.topics }
    package var documents: Documents { Documents(store: store, keys: keys) }
    /// Requests that must not be done twice.
    package let answered: Answered
    package let notifications: Notifications
    /// All features there are.
    package let features: [Feature]
    /// Hear what features change about people.
    package let changes: PeopleChanges
    /// The wall clock, Unix milliseconds.
    package var now: () -> Int64 = unixMilliseconds { didSet { answered.now = now } }
    /// Log messages that people and guests can cause go here.
    package var limitedLog = LimitedLog()
    /// What a feature asks of the service.
    package let doors: any Doors

    /// - Parameters:
    ///   - notifications: what people are told.
    package init(
        _ settings: any HouseSettings, _ features: [Feature], store: Store, keys: Keys, session: Session,
        rules: BrokerRules? = nil, changes: PeopleChanges, notifications: Notifications? = nil,
        doors: any Doors
    ) {
        answered = Answered(store, keys)
        self.notifications = notifications ?? Notifications(store, keys)
        self.settings = settings
        self.features = features
        self.store = store
        self.keys = keys
        self.session = session
        self.rules = rules
        self.changes = changes
        self.doors = doors
    }
}

/// What features ask of the service that they are part of. On the session's thread.
package protocol Doors: AnyObject {
    /// Brings the streams of these sensors in line with settings and claims, and publishes their grants: now, or, where
    /// that fails, as soon as possible. Not within a transaction.
    func bringStreamsInLine(of sensors: Set<SensorName>)

    /// The same, but throws where that fails. It is tried again then, too.
    func settle(_ sensors: Set<SensorName>) throws(VaultError)

    /// Has a reading of one of the consumer's own sensors, such as a phone, stored with the batch in which it came, unless
    /// it is stored already or its person does not want it recorded. Other features hear of it once it is stored.
    /// - Returns: whether there was room for it.
    func record(_ reading: Reading, of sensor: ID) -> Bool

    /// Has many readings of one of the consumer's own sensors stored soon, also if no message comes: those that are not stored
    /// already, and that their person wants recorded.
    /// - Parameter completion: called once, on the session's thread, as soon as they are durable: how many of them
    ///   could not be stored, because a limit of the person's was reached or the sensor's stream is not open. While the
    ///   disk refuses, it is tried again.
    func store(_ readings: [Reading], of sensor: ID, completion: @escaping @Sendable (_ lost: Int) -> Void)

    /// Whether everything of a person is being deleted now: nothing new of theirs may be made until that is done.
    func isBeingForgotten(_ user: ID) -> Bool

    /// All of whom that is so.
    var peopleBeingForgotten: Set<ID> { get }

    /// Has everything of a person forgotten, and goes on until it is done, through errors and restarts. Not within a
    /// transaction.
    /// - Parameters:
    ///   - keepingAccount: whether the account stays, with its contact, devices and claims, under a new secret.
    ///   - operation: what the person is told of, step by step, on their topic `progress`; nil if they are not.
    ///   - completion: called once, on the session's thread: how many sealed rows were tried with every key there is,
    ///     how many of them opened, and what the person has to do themselves, in sentences; or why the forgetting goes on later by
    ///     itself.
    func forget(
        _ user: ID, keepingAccount: Bool, telling operation: String?,
        completion: @escaping @Sendable (Result<(tried: Int, opened: Int, left: [String]), VaultError>) -> Void)
}
