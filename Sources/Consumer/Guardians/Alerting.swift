import Daemon
import Days
import Features
import Files
import Fitness
import Records
import Telemetry

// An alert, the notification of the guardian who is told first, and what the rule knows from then on are written in one
// transaction, and the alert's id follows from the occasion: so each occasion is told once, whatever is killed. If nobody
// confirms it, the next guardian is told, in the order in which they were connected, until somebody does or all were told.

extension Guardians {
    var rules: WatchRules { WatchRules(store: context.store, keys: context.keys) }
    var alerts: AlertRows { AlertRows(store: context.store, keys: context.keys) }

    /// Something has happened that a guardian wants to be told of.
    /// - Parameters:
    ///   - rule: with what it knows from now on.
    ///   - key: what tells this occasion from others of the same rule.
    ///   - time: when it happened, in Unix milliseconds.
    func raise(
        _ rule: WatchRule, _ kind: Notification.Kind, _ key: String, at time: Int64, about: String? = nil
    ) throws(VaultError) {
        let (dependent, now) = (rule.dependent, context.now())
        guard !context.doors.isBeingForgotten(dependent) else { return }
        let isAllowed = raised.take(rule.id, now: clock()) == nil
        try context.store.change(naming: try people(around: dependent)) { () throws(VaultError) in
            // The guardian may have taken the rule away, or the dependent their consent, in the meantime.
            guard try rules.isThere(rule.id) else { return }
            try rules.write(rule)
            guard isAllowed else { return }
            guard let tie = try ties.tie(of: rule.guardian, to: dependent), tie.allowed.contains(rule.sight) else {
                return
            }
            let pause = rule.escalateMinutes.map { $0 * 60_000 }
            var alert = Alert(
                id: try alerts.id(rule.id.text, key), dependent: dependent, kind: kind, time: time, about: about,
                sight: rule.sight, rule: rule.id, pause: pause)
            alert.told = [rule.guardian]
            guard try alerts.add(alert, now: now, next: try next(alert) == nil ? nil : pause.map { now + $0 }) else {
                return
            }
            try tell(alert, to: rule.guardian, now: now)
        }
    }

    /// A dependent asks for help: all guardians are told at once.
    /// - Returns: how many.
    func callForHelp(_ dependent: ID, _ words: String?, _ occasion: String, now: Int64) throws(VaultError) -> Int {
        let guardians = try ties.ties(of: dependent).map(\.guardian)
        var alert = Alert(
            id: try alerts.id("help \(dependent)", occasion), dependent: dependent, kind: .helpWanted, time: now,
            about: words, sight: nil, pause: nil)
        alert.told = guardians
        guard try alerts.add(alert, now: now, next: nil) else { return guardians.count }
        for guardian in guardians { try tell(alert, to: guardian, now: now) }
        return guardians.count
    }

    /// Tells the next guardians of alerts that nobody has confirmed.
    func escalate() throws(VaultError) {
        let now = context.now()
        for due in try alerts.due(now) where !context.doors.isBeingForgotten(due.dependent) {
            attempt(due.dependent) { () throws(VaultError) in
                try context.store.change(naming: try people(around: due.dependent)) { () throws(VaultError) in
                    guard var alert = try alerts.alert(due.id), alert.confirmed == nil, let guardian = try next(alert)
                    else {
                        return try alerts.settle(due.id)
                    }
                    alert.told.append(guardian)
                    try alerts.change(alert, next: try next(alert) == nil ? nil : alert.pause.map { now + $0 })
                    try tell(alert, to: guardian, now: now)
                }
            }
        }
    }

    /// The guardian who is told next; nil if all were who may see what it is about.
    private func next(_ alert: Alert) throws(VaultError) -> ID? {
        try ties.ties(of: alert.dependent).first { tie in
            !alert.told.contains(tie.guardian) && alert.sight.map(tie.allowed.contains) ?? true
        }?.guardian
    }

    /// A dependent and their guardians, of whom anything is kept.
    func people(around dependent: ID) throws(VaultError) -> Set<ID> {
        try known(Set(ties.guardians(of: dependent).ties.map(\.guardian)).union([dependent]))
    }

    /// Tells a guardian, within a transaction.
    private func tell(_ alert: Alert, to guardian: ID, now: Int64) throws(VaultError) {
        guard try context.keys.version(of: guardian) != nil else { return }
        let notifications = context.notifications
        let language = try notifications.language(of: guardian)
        let name = try notifications.name(of: alert.dependent)
        try notifications.add(
            Notification(
                kind: alert.kind, time: alert.time, from: alert.dependent, fromName: name, alert: alert.id,
                text: try words(alert, language, name)),
            to: guardian, about: alert.dependent)
    }

    func words(_ alert: Alert, _ language: Language, _ name: String?) throws(VaultError) -> String {
        let minute = try histories.history(of: alert.dependent).localDays.minuteOfDay(at: alert.time)
        return alert.words(language, name: name ?? language(.somebody), clock: WallClock.text(minute))
    }
}
