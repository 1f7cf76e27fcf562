import Daemon
import Days
import Features
import Files
import MQTT
import Reactor
import Records
import Telemetry
import Vault

// Notifications are brought to the addresses of their person: `PushQueue` has what is on its way, and here is decided what
// goes next.
//
// - Alerts go before everything else. Otherwise people take turns, and of each person one message is under way at a time, so
//   that nobody with a slow receiver keeps others waiting. What failed before never takes the last slot.
// - An address at which something fails is left alone for 5 s, then for twice as long each time, up to an hour, and a
//   notification is given up after a day. An alert is tried at once all the same.
// - When a person resets their password, somebody else may have added an address: all are switched off, after one last
//   notification that says so, until the person confirms them.
// - A browser that takes nothing any more, as its push service says, is removed; so is one whose device is signed out.
// - A notification that its person has confirmed, or that is no longer kept, such as a withdrawn invitation, goes nowhere.

/// Brings notifications to people's addresses. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class PushDelivery: FeatureService, PeopleObserver, NotificationObserver, PasswordObserver, DeviceObserver,
    @unchecked Sendable
{
    let context: PeopleContext
    let queue: PushQueue
    /// How often a person may add an address.
    var additions = Allowance<ID>(perSecond: 1.0 / 60, burst: 10)
    /// How often a person may try one.
    var trials = Allowance<ID>(perSecond: 1.0 / 30, burst: 5)
    /// Who has reset their password, until the devices of before are out: these could add and confirm addresses.
    private var leaving: Set<ID> = []
    /// Whether the broker has confirmed, since the start, that only devices are let in that should be. Until it has, devices may
    /// still ask that a reset has signed out in an earlier run.
    private var isBrokerInLine = false
    /// How long an address is left alone.
    var backoff = Backoff(first: .seconds(5), limit: .seconds(3600))
    /// What became of the latest message to each address.
    private(set) var results: [ID: PushResult] = [:]
    private let courier = PushCourier(["push-1", "push-2"])
    private var running: [Int: Errand] = [:]
    private var trialsWaiting: [(errand: Errand, message: PushMessage)] = []
    /// What is over, and not yet in the database.
    private var finished: [(row: PushQueue.Row, isOver: Bool)] = []
    /// Browsers that take nothing any more, and are not yet removed.
    private var ended: [(person: ID, address: ID)] = []
    private var browserKey: P256KeyPair?
    /// Until when addresses are left alone, milliseconds since boot.
    private var pauses: [ID: UInt64] = [:]
    /// The same for all of Apprise's, because it is not there.
    private var pause: UInt64 = 0
    /// In which turn each person was last.
    private var turns: [ID: UInt64] = [:]
    private var turn: UInt64 = 0
    private var wakeUp: (time: UInt64, timer: EventLoop.Timer)?

    /// How many addresses may be waiting to be tried.
    private static let mostTrials = 16
    /// How many results are remembered.
    private static let mostResults = 10_000
    /// How many rows without a message are removed before others have their turn.
    private static let portion = 32
    private static let patience: UInt64 = 5000
    private static let patienceWithoutApprise: UInt64 = 60_000

    /// A message that is under way.
    private struct Errand {
        let person: ID
        let address: ID
        /// Nil if the address is only being tried.
        var row: PushQueue.Row?
        var completion: ((PushOutcome) -> Void)?
    }

    init(_ context: PeopleContext) {
        self.context = context
        queue = PushQueue(store: context.store)
        context.notifications.tell(self)
        context.changes.add(self)
    }

    func start(_ loop: EventLoop) { goOn(at: 0) }
    func settingsChanged() { goOn(at: 0) }

    func added(_ notification: Notification, _ id: String, to user: ID) throws(VaultError) {
        // Where this goes, `resettingPassword` knows.
        guard notification.kind != .pushOff else { return }
        let wanting = try PushList(context.documents, of: user).entries.filter { $0.wants(notification.kind) }
        try bring(id, notification.kind, to: wanting.map(\.id), of: user)
    }

    /// Has a notification brought to some addresses of a person, within the transaction that keeps it.
    private func bring(
        _ id: String, _ kind: Notification.Kind, to addresses: [ID], of user: ID
    ) throws(VaultError) {
        guard context.settings[PushSetting.self].push != nil, !addresses.isEmpty else { return }
        let isUrgent = context.features.kind(kind.name)?.isAlert ?? false
        guard try queue.add(id, for: addresses, of: user, isUrgent: isUrgent, now: context.now()) else {
            return context.limitedLog.warning("push full") { "a notification is brought nowhere: too many wait\($0)" }
        }
        if isUrgent { for address in addresses { pauses[address] = nil } }
        goOn(at: 0)
    }

    func forgotten(_ user: ID) {
        trialsWaiting.removeAll { $0.errand.person == user }
        turns[user] = nil
    }

    func resettingPassword(of user: ID) throws(VaultError) -> String? {
        var list = try PushList(context.documents, of: user)
        // Those that are off have heard of it, or have nothing else on its way.
        let switchedOff = list.entries.filter(\.isEnabled).map(\.id)
        guard !switchedOff.isEmpty else { return nil }
        for index in list.entries.indices { list.entries[index].isEnabled = false }
        try list.keep(context.documents, of: user)
        for address in switchedOff { try queue.remove(to: address, of: user) }
        // The last that goes there.
        let text = try context.notifications.language(of: user)(.pushOff)
        let last = try context.notifications.add(
            Notification(kind: .pushOff, time: context.now(), text: text), to: user)
        try bring(last, .pushOff, to: switchedOff, of: user)
        return "Your notifications go to no address until you confirm it: vitals push"
    }

    func brokerIsInLine(_ found: Set<ID>) { isBrokerInLine = true }

    func signingOut(_ user: ID) { leaving.insert(user) }
    func signedOut(_ user: ID) { leaving.remove(user) }

    /// - Throws: while a device of before a reset may still ask.
    func requireSettled(_ user: ID) throws(ReplyError) {
        if leaving.contains(user) {
            let words = "your password was reset, and your devices are being signed out: try again soon"
            throw ReplyError(.busy, words, retryAfterSeconds: 5)
        }
        // Without rules at the broker there are no accounts, and nobody resets a password.
        guard isBrokerInLine || context.rules == nil else {
            let words = "the broker has not confirmed yet that devices of before a reset are signed out: try again soon"
            throw ReplyError(.busy, words, retryAfterSeconds: 5)
        }
    }

    func endingDevice(_ device: ID, of user: ID) throws(VaultError) {
        for entry in try PushList(context.documents, of: user).entries where entry.device == device {
            try remove(entry.id, of: user)
        }
    }

    /// Removes an address of a person's with what is on its way there, within a transaction.
    func remove(_ address: ID, of user: ID) throws(VaultError) {
        var list = try PushList(context.documents, of: user)
        list.entries.removeAll { $0.id == address }
        try list.keep(context.documents, of: user)
        try queue.remove(to: address, of: user)
        forget(address)
    }

    /// The key that people's browsers subscribe with. It is nobody's secret but the consumer's own, and a restored backup has it again.
    func keyForBrowsers() throws(VaultError) -> P256KeyPair {
        if let browserKey { return browserKey }
        let made = try P256KeyPair.derived(from: context.keys.pepper, for: "web push")
        browserKey = made
        return made
    }

    /// Nothing more is known of an address.
    func forget(_ address: ID) { (results[address], pauses[address]) = (nil, nil) }

    /// Has an address tried when its turn comes.
    /// - Returns: whether there is room.
    func enqueue(
        _ message: PushMessage, to address: ID, of user: ID, completion: @escaping (PushOutcome) -> Void
    ) -> Bool {
        guard trialsWaiting.count < Self.mostTrials else { return false }
        trialsWaiting.append((Errand(person: user, address: address, completion: completion), message))
        goOn(at: 0)
        return true
    }

    // MARK: What goes next

    /// Works at some time, milliseconds since boot, or before. Not within the transaction that may be open now.
    private func goOn(at time: UInt64) {
        if let wakeUp {
            guard time < wakeUp.time else { return }
            wakeUp.timer.cancel()
        }
        let now = millisecondsSinceBoot()
        let timer = context.session.loop.after(.milliseconds(Int64(clamping: max(time, now) - now))) {
            [unowned self] in
            wakeUp = nil
            work()
        }
        wakeUp = (time, timer)
    }

    private func work() {
        do throws(VaultError) {
            try settle()
            guard let settings = context.settings[PushSetting.self].push else { return }
            try send(settings)
        } catch {
            context.limitedLog.error("push \(error.reason)") { "notifications are brought in 5 s\($0): \(error)" }
            goOn(at: millisecondsSinceBoot() + Self.patience)
        }
    }

    /// Writes down what is over.
    private func settle() throws(VaultError) {
        while let (row, isOver) = finished.first {
            try context.store.change(row.person) { () throws(VaultError) in
                if isOver { try queue.remove(row) } else { try queue.countTry(row) }
            }
            finished.removeFirst()
        }
        while let (person, address) = ended.first {
            try context.store.change(person) { () throws(VaultError) in try remove(address, of: person) }
            ended.removeFirst()
        }
    }

    private func send(_ settings: PushSettings) throws(VaultError) {
        let now = millisecondsSinceBoot()
        pauses = pauses.filter { $0.value > now }
        let toBrowsers = PushToBrowser(key: try keyForBrowsers(), settings: settings, now: unixMilliseconds)
        while let slot = courier.slots.first(where: { running[$0] == nil }) {
            // Tests take one way at most: whoever asks for them must not keep others' alerts waiting.
            let isTrying = running.values.contains { $0.row == nil }
            if !isTrying, let index = trialsWaiting.firstIndex(where: { !isBusy($0.errand.person) }) {
                let (errand, message) = trialsWaiting.remove(at: index)
                carry(message, errand, settings, toBrowsers, in: slot)
                continue
            }
            guard let (errand, message) = try next(settings) else { break }
            carry(message, errand, settings, toBrowsers, in: slot)
        }
        if let next = pauses.values.min() { goOn(at: next) }
    }

    private func isBusy(_ person: ID) -> Bool { running.values.contains { $0.person == person } }

    /// The next notification that is due; nil if there is none now.
    private func next(_ settings: PushSettings) throws(VaultError) -> (Errand, PushMessage)? {
        let expired = try queue.removeExpired(now: context.now())
        if expired > 0 {
            context.limitedLog.warning("push expired") { _ in "\(expired) notifications were not brought within a day" }
        }
        let waiting = try queue.waiting()
        let people = Set(waiting.map(\.person))
        turns = turns.filter { people.contains($0.key) }
        let due = waiting.filter { one in
            pauses[one.address] == nil && !isBusy(one.person) && !context.doors.isBeingForgotten(one.person)
        }
        // Of those alike, the one that came first stays first.
        let inTurn = due.enumerated().sorted { one, other in
            if one.element.hasUrgent != other.element.hasUrgent { return one.element.hasUrgent }
            let (mine, theirs) = (turns[one.element.person] ?? 0, turns[other.element.person] ?? 0)
            return mine != theirs ? mine < theirs : one.offset < other.offset
        }.map(\.element)
        let isRetrying = running.values.contains { $0.row.map { $0.tries > 0 } ?? false }
        var removed = 0
        for address in inTurn {
            while let row = try queue.next(to: address) {
                if row.tries > 0, isRetrying { break }
                if let message = try message(row, settings) {
                    guard message.address.subscription != nil || pause <= millisecondsSinceBoot() else {
                        pauses[row.address] = pause
                        break
                    }
                    return (Errand(person: row.person, address: row.address, row: row), message)
                }
                try context.store.change(row.person) { () throws(VaultError) in try queue.remove(row) }
                removed += 1
                guard removed < Self.portion else {
                    goOn(at: 0)
                    return nil
                }
            }
        }
        return nil
    }

    /// What an address gets of a notification; nil if nothing.
    private func message(_ row: PushQueue.Row, _ settings: PushSettings) throws(VaultError) -> PushMessage? {
        let list = try PushList(context.documents, of: row.person)
        guard let entry = list.entries.first(where: { $0.id == row.address }),
            let stored = try context.notifications.notification(row.notification, of: row.person),
            !stored.isConfirmed, entry.wants(stored.notification.kind)
        else { return nil }
        let address: PushAddress
        do throws(ReplyError) { address = try PushAddress(kept: entry.address, settings) } catch {
            // The settings allow less than when it was added.
            note(error.message, row.address)
            return nil
        }
        let (notification, language) = (stored.notification, try context.notifications.language(of: row.person))
        let kind = context.features.kind(notification.kind.name) ?? notification.kind
        return PushMessage(
            address: address, id: row.notification,
            text: list.hasDetails ? notification.text : language(kind.neutral), isAlert: kind.isAlert)
    }

    // MARK: Under way

    private func carry(
        _ message: PushMessage, _ errand: Errand, _ settings: PushSettings, _ toBrowsers: PushToBrowser, in slot: Int
    ) {
        turn += 1
        turns[errand.person] = turn
        running[slot] = errand
        let loop = context.session.loop
        courier.carry(message, settings, toBrowsers, in: slot) { [weak self] outcome in
            loop.perform { [weak self] in self?.over(outcome, in: slot) }
        }
    }

    private func over(_ outcome: PushOutcome, in slot: Int) {
        guard let errand = running.removeValue(forKey: slot), outcome != .cancelled else { return }
        note(outcome == .sent ? nil : outcome.told.words, errand.address)
        if outcome == .noApprise { tellOperator() }
        if outcome == .isPrivate, errand.row == nil {
            context.limitedLog.info("push \(errand.person)") {
                "a trial of \(errand.person) is brought nowhere: \(outcome.words)\($0)"
            }
        }
        if outcome == .gone { ended.append((errand.person, errand.address)) }
        if let row = errand.row { over(outcome, row) }
        errand.completion?(outcome.told)
        goOn(at: 0)
    }

    private func over(_ outcome: PushOutcome, _ row: PushQueue.Row) {
        switch outcome {
        case .sent: finished.append((row, isOver: true))
        case .notUnderstood:
            finished.append((row, isOver: true))
            context.limitedLog.info("push \(row.person)") {
                "a notification of \(row.person) is brought nowhere: \(outcome.words)\($0)"
            }
        // What is on its way there goes with the address.
        case .gone: break
        case .noApprise: pause = millisecondsSinceBoot() + Self.patienceWithoutApprise
        case .notTaken, .isPrivate, .tookTooLong, .failed, .cancelled:
            finished.append((row, isOver: false))
            let pause = backoff.longest(afterFailures: row.tries + 1)
            pauses[row.address] = millisecondsSinceBoot() + UInt64(pause / .milliseconds(1))
            context.limitedLog.info("push \(row.person)") {
                "a notification of \(row.person) is brought later: \(outcome.words)\($0)"
            }
        }
    }

    private func tellOperator() {
        let python = context.settings[PushSetting.self].push?.apprise.python ?? "python3"
        context.limitedLog.error("push without apprise") {
            "notifications are brought nowhere\($0): \(python) is not there, or has no Apprise: apt install apprise"
        }
    }

    private func note(_ problem: String?, _ address: ID) {
        if results.count >= Self.mostResults { results = [:] }
        results[address] = PushResult(time: context.now(), problem: problem)
    }
}
