import Features
import Files
import Records
import Storage
import Telemetry

// Whom a guardian looks at now is on a topic of theirs, so that all of their programs show the same person.

extension Guardians {
    /// Publishes it for every guardian.
    func tellChosen() throws(VaultError) {
        let guardians = try context.store.database.query(
            "SELECT person FROM documents WHERE name = ?", [.text(DependentList.document)], row: Row.text)
        for text in guardians {
            guard let guardian = decoded({ () throws(MalformedValue) in try ID(text) }) else { continue }
            settleChosen(of: guardian)
        }
    }

    func settleChosen(of guardian: ID) {
        guard isConnected else { return }
        attempt(guardian) { () throws(VaultError) in
            var dependent = context.doors.isBeingForgotten(guardian) ? nil : try ties.dependents(of: guardian).chosen
            if let other = dependent, try ties.tie(of: guardian, to: other) == nil { dependent = nil }
            var payload: JSON?
            if let dependent {
                let name = try context.notifications.name(of: dependent)
                payload = .object(present: ["dependent": .string(dependent.text), "name": name.map(JSON.string)])
            }
            guard payload != nil || chosen[guardian] != nil, chosen[guardian] != payload?.bytes.hashValue else {
                return
            }
            let isTaken = context.session.publish(
                payload?.bytes ?? [], to: context.topics[user: guardian, .chosenDependent], qos: .atLeastOnce,
                retain: true)
            guard isTaken else { return }
            chosen[guardian] = payload?.bytes.hashValue
        }
    }
}
