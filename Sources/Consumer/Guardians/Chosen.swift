import Features
import Files
import Records
import Storage
import Telemetry

// Whom a guardian looks at now is on a topic of theirs, so that all of their programs show the same person.

/// What the broker has about a guardian's chosen dependent.
struct PublishedChoice {
    /// 0 if we only know that it has something.
    var hash = 0
    /// Nil if we do not know the dependent.
    var dependent: ID?
}

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
            if let other = dependent {
                let tie = try ties.tie(of: guardian, to: other)
                if tie == nil || context.doors.isBeingForgotten(other) { dependent = nil }
            }
            var payload: JSON?
            if let dependent {
                let name = try context.notifications.name(of: dependent)
                payload = .object(present: ["dependent": .string(dependent.text), "name": name.map(JSON.string)])
            }
            let hash = payload?.bytes.hashValue
            guard payload != nil || chosen[guardian] != nil, chosen[guardian]?.hash != hash else { return }
            let isTaken = context.session.publish(
                payload?.bytes ?? [], to: context.topics[user: guardian, .chosenDependent], qos: .atLeastOnce,
                retain: true)
            guard isTaken else { return }
            chosen[guardian] = hash.map { PublishedChoice(hash: $0, dependent: dependent) }
        }
    }

    /// Removes a dependent, whose data is being deleted, from the topics of guardians who have chosen them.
    func takeBackChosen(_ dependent: ID) {
        for (guardian, one) in chosen where one.dependent == nil || one.dependent == dependent {
            settleChosen(of: guardian)
        }
    }
}
