import Accounts
import Daemon
import Days
import Features
import Files
import MQTT
import Reactor
import Readings
import Records
import Telemetry

// What Home Assistant is told of people who agree to it (`Consents`), where the operator's settings allow it at all:
//
//     {prefix}/device/vitals_people/{user}/config     a device with entities, by Home Assistant's MQTT discovery
//     {root}/home-assistant/{user}/today              what the entities show
//
// Both are retained. The second is a copy of what the person sees, and of less: so Home Assistant may read all that is there,
// and nothing else of anybody. No rule at the broker changes when somebody agrees, or no longer does.
//
// The databases alone determine what should be there (`HomeAssistantDays`). It is worked out again when something may have
// changed, at the person's midnight, and at each connection. A day is published at most every ten seconds; what must no longer
// be seen goes at once: first the device, then the values.
//
// At each connection the broker tells what it has kept, because a consumer that was killed has not taken back what it should
// have. What was told under another prefix, by an earlier run, is taken back likewise (`DiscoveryPrefixes`).
//
// When Home Assistant says that it was born, the devices are published again. Anybody whom the broker lets publish there can
// say so: it is done at most every ten seconds.

/// Keeps what Home Assistant knows of people as it should be. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class HomeAssistantPeople: FeatureService, PeopleObserver, MessageTaker, @unchecked Sendable {
    /// How often a day is published, and the devices because of births, milliseconds.
    private static let interval: UInt64 = 10_000
    /// When it is tried again if the session takes no message, milliseconds.
    private static let patience: UInt64 = 5000
    /// How long after its subscription an earlier prefix has to be empty, to be forgotten.
    private static let silence = Duration.seconds(60)

    /// What the broker has of a person: a hash of each message, or 0 if we only know that it has something.
    private struct Told {
        var device: Int?
        var day: Int?
        /// When it was published, milliseconds since boot.
        var time: UInt64?
    }

    private let context: PeopleContext
    private let source: HomeAssistantDays
    private let discovery: HomeAssistantTopics?
    private let presence: Topic
    private let prefixes: DiscoveryPrefixes
    /// Of earlier runs, that are not ours.
    private var earlier: [HomeAssistantTopics]
    /// Those of them under which something was found on this connection.
    private var found: Set<HomeAssistantTopics> = []
    private var isRemembered = false
    private var told: [ID: Told] = [:]
    private var isConnected = false
    private var birth: EventLoop.Timer?
    /// Milliseconds since boot.
    private var lastBirth: UInt64?
    private lazy var turns = PeopleInTurn(context, "shows in Home Assistant") {
        [unowned self] (user, isUrgent) throws(VaultError) in try look(user, isUrgent: isUrgent)
    }

    /// Nil if the settings want none of it, and no earlier run has told anything.
    init?(_ context: PeopleContext, _ source: HomeAssistantDays) throws(VaultError) {
        (self.context, self.source, discovery) = (context, source, source.discovery)
        prefixes = DiscoveryPrefixes(store: context.store)
        let known = try prefixes.all()
        earlier = known.filter { $0 != source.discovery }
        guard let presence = decoded({ () throws(MalformedValue) in try Topic.presence(of: context.store.id) }),
            discovery != nil || !known.isEmpty
        else { return nil }
        self.presence = presence
        context.changes.add(self)
    }

    /// With these the broker sends what it has kept.
    var subscriptions: [Subscription] {
        let day = Subscription(context.topics.everyHomeAssistantDay, qos: .atLeastOnce, noLocal: true)
        guard let discovery else { return [day] }
        return [
            day, Subscription(discovery.everyPerson, qos: .atLeastOnce, noLocal: true),
            // What the broker has kept there is of an earlier life.
            Subscription(discovery.status, qos: .atMostOnce, retainHandling: .doNotSend),
        ]
    }

    // MARK: From the broker

    func connected() {
        isConnected = true
        told = [:]
        turns.connected()
        takeBackEarlier()
        guard discovery != nil else { return }
        lookAtAll()
    }

    func disconnected() {
        isConnected = false
        told = [:]
        birth?.cancel()
        birth = nil
        turns.disconnected()
        context.session.unsubscribe(earlier.map(\.everyPerson))
    }

    func takes(_ message: Message) -> Bool {
        if let discovery {
            if message.topic == discovery.status {
                if message.payload == Array("online".utf8) { born() }
                return true
            }
            if let user = discovery.person(at: message.topic) {
                guard message.retain, isOurs(message, user) else { return true }
                if told[user]?.device == nil { told[user, default: Told()].device = 0 }
                turns.add([user])
                return true
            }
        }
        for topics in earlier {
            guard let user = topics.person(at: message.topic) else { continue }
            guard message.retain, isOurs(message, user) else { return true }
            found.insert(topics)
            publish([], to: message.topic)
            return true
        }
        return false
    }

    private func isOurs(_ message: Message, _ user: ID) -> Bool {
        DiscoveryPayload.isOurs(message.payload, of: user, context.topics)
    }

    func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, case .homeAssistant(let user) = topic else { return }
        if told[user]?.day == nil { told[user, default: Told()].day = 0 }
        turns.add([user])
    }

    private func born() {
        guard isConnected, birth == nil else { return }
        let now = millisecondsSinceBoot()
        let due = max(now, lastBirth.map { $0 + Self.interval } ?? now)
        birth = context.session.loop.after(.milliseconds(Int64(due - now))) { [unowned self] in
            birth = nil
            lastBirth = millisecondsSinceBoot()
            let users = Set(told.keys)
            for user in users {
                told[user]?.device = 0
                told[user]?.time = nil
            }
            turns.add(users)
        }
    }

    // MARK: What changes about people

    func settingsChanged() {
        turns.addAtOnce(Set(told.keys))
        if discovery != nil { lookAtAll() }
    }

    /// People who have agreed are known: it comes at once, and at each connection.
    func changed(_ users: Set<ID>) { turns.add(users.filter { told[$0] != nil }) }

    /// Heart rates change the day, too, and nobody else tells of them where there are no accounts.
    func stored(_ readings: PersonsReadings) { changed([readings.user]) }

    func changedAtOnce(_ users: Set<ID>) { turns.addAtOnce(users) }

    func forgotten(_ user: ID) { turns.addAtOnce([user]) }

    private func lookAtAll() {
        do throws(VaultError) { turns.add(try source.candidates()) } catch {
            if turns.isDue(error) { log.error("the list of people for Home Assistant was not read: \(error)") }
        }
    }
}

// MARK: Publishing

extension HomeAssistantPeople {
    private func look(_ user: ID, isUrgent: Bool) throws(VaultError) {
        guard let discovery, try source.isShown(user) else { return takeBack(user) }
        let now = millisecondsSinceBoot()
        if !isUrgent, let time = told[user]?.time, now < time + Self.interval {
            return turns.wait(user, until: time + Self.interval)
        }
        if !isRemembered {
            try prefixes.remember(discovery)
            isRemembered = true
        }
        let shown = try source.shown(of: user)
        turns.dayEnds(user, at: shown.end)
        var told = self.told[user] ?? Told()
        let device = DiscoveryPayload(
            person: user, called: shown.name, with: shown.goals, context.topics, presence: presence, version: version
        ).bytes
        // The values first: as soon as there is a device, they are read.
        let day = JSON.object(shown.day).bytes.hashValue
        if told.day != day {
            let timed = JSON.object([JSON.Member("time", .integer(context.now()))] + shown.day)
            told.day = publish(timed.bytes, to: context.topics[.homeAssistant(user)]) ? day : 0
            told.time = now
        }
        if told.device != device.hashValue {
            told.device = publish(device, to: discovery.device(person: user)) ? device.hashValue : 0
            told.time = now
        }
        self.told[user] = told
        if told.day == 0 || told.device == 0 { turns.wait(user, until: now + Self.patience) }
    }

    private func takeBack(_ user: ID) {
        turns.dayEnds(user, at: nil)
        guard var told = told[user] else { return }
        if let discovery, told.device != nil, publish([], to: discovery.device(person: user)) { told.device = nil }
        if told.day != nil, publish([], to: context.topics[.homeAssistant(user)]) { told.day = nil }
        let isGone = (discovery == nil || told.device == nil) && told.day == nil
        self.told[user] = isGone ? nil : told
        if !isGone { turns.wait(user, until: millisecondsSinceBoot() + Self.patience) }
    }

    /// - Returns: whether the session has taken it.
    @discardableResult
    private func publish(_ payload: [UInt8], to topic: String) -> Bool {
        context.session.publish(payload, to: topic, qos: .atLeastOnce, retain: true) { [context] error in
            guard let error, error.kind == .refused else { return }
            context.limitedLog.error("home assistant refused") {
                "\(error)\($0). The broker has to let the consumer publish there: deploy/home-assistant.md"
            }
        }
    }

    // MARK: Earlier prefixes

    /// Subscribes again at each connection, to hear each answer: the session tells only the first.
    private func takeBackEarlier() {
        found = []
        for topics in earlier {
            let subscription = Subscription(topics.everyPerson, qos: .atLeastOnce, noLocal: true)
            context.session.subscribe([subscription]) { [unowned self] _, error in
                guard error == nil else { return }
                context.session.loop.after(Self.silence) { [unowned self] in forget(topics) }
            }
        }
    }

    private func forget(_ topics: HomeAssistantTopics) {
        guard isConnected, !found.contains(topics), let index = earlier.firstIndex(of: topics) else { return }
        do throws(VaultError) { try prefixes.forget(topics) } catch {
            if turns.isDue(error) { log.error("\(error)") }
            return
        }
        earlier.remove(at: index)
        context.session.unsubscribe([topics.everyPerson])
    }
}
