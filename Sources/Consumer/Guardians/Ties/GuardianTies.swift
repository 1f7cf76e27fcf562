import Features
package import Files
package import Records
import Storage
package import Telemetry

// A guardian and their dependent each have the other in a document, and both are changed in one transaction. Only what both
// documents say counts: one of the two people may have been forgotten, or restored from a backup.

/// Who watches over whom. Belongs to the thread of its store and keys.
package struct GuardianTies {
    package let documents: Documents
    /// What people are told of each other.
    static let kinds: [Notification.Kind] =
        [.guardianConnected, .guardianLeft, .codeTries, .dependentEnded, .dependentConsent] + Notification.Kind.alerts

    package init(_ documents: Documents) { self.documents = documents }

    package func guardians(of dependent: ID) throws(VaultError) -> GuardianList {
        GuardianList(kept: try documents.read(GuardianList.document, of: dependent))
    }

    package func dependents(of guardian: ID) throws(VaultError) -> DependentList {
        DependentList(kept: try documents.read(DependentList.document, of: guardian))
    }

    /// The ties that both sides have, in the order in which they were made.
    package func ties(of dependent: ID) throws(VaultError) -> [GuardianTie] {
        var ties: [GuardianTie] = []
        for tie in try guardians(of: dependent).ties
        where try dependents(of: tie.guardian).all.contains(dependent) { ties.append(tie) }
        return ties
    }

    /// What a dependent lets a guardian see; nil if they are not connected.
    package func tie(of guardian: ID, to dependent: ID) throws(VaultError) -> GuardianTie? {
        guard try dependents(of: guardian).all.contains(dependent) else { return nil }
        return try guardians(of: dependent).tie(guardian)
    }

    /// Everybody who has guardians.
    package func everyDependent() throws(VaultError) -> [ID] {
        try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(GuardianList.document)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    // MARK: Changing, within a transaction

    /// Changes a list. Nothing is written if nothing changes; so nothing is written for a person who was forgotten in the
    /// meantime and has no list.
    func change(guardiansOf dependent: ID, _ body: (inout GuardianList) -> Void) throws(VaultError) {
        let old = try guardians(of: dependent)
        var new = old
        body(&new)
        guard new != old else { return }
        guard !new.ties.isEmpty || !new.blocked.isEmpty else {
            return try documents.remove(GuardianList.document, of: dependent)
        }
        try documents.write(new.json, GuardianList.document, of: dependent)
    }

    func change(dependentsOf guardian: ID, _ body: (inout DependentList) -> Void) throws(VaultError) {
        let old = try dependents(of: guardian)
        var new = old
        body(&new)
        guard new != old else { return }
        guard !new.all.isEmpty else { return try documents.remove(DependentList.document, of: guardian) }
        try documents.write(new.json, DependentList.document, of: guardian)
    }

    func connect(_ guardian: ID, to dependent: ID, now: Int64) throws(VaultError) {
        try change(guardiansOf: dependent) { list in
            list.remove(guardian)
            list.ties.append(GuardianTie(guardian: guardian, since: now))
        }
        try change(dependentsOf: guardian) { list in if !list.all.contains(dependent) { list.all.append(dependent) } }
    }

    func end(_ guardian: ID, of dependent: ID) throws(VaultError) {
        try change(guardiansOf: dependent) { list in list.remove(guardian) }
        try change(dependentsOf: guardian) { list in list.remove(dependent) }
        let before = try Looks.read(documents, of: dependent)
        var looks = before
        looks.remove(guardian)
        if looks != before { try looks.write(documents, of: dependent) }
    }

    /// Everybody whom a person's two lists name.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        Set(try guardians(of: user).ties.map(\.guardian) + dependents(of: user).all).subtracting([user])
    }

    /// The others of whom something changes when a person is forgotten: those whom their lists name, and those who were told
    /// something of them before it ended.
    func touched(byForgetting user: ID) throws(VaultError) -> Set<ID> {
        try others(of: user).union(Notifications(documents.store, documents.keys).people(toldOf: user))
    }

    /// Forgets a person: nobody watches over them any more, and they watch over nobody. People who have blocked them have
    /// them blocked as before, because they may come back under the same account.
    func forget(_ user: ID) throws(VaultError) {
        let notifications = Notifications(documents.store, documents.keys)
        for other in try touched(byForgetting: user) {
            try notifications.forgetName(of: user, knownAs: [user], in: Self.kinds, toldTo: other)
            try change(guardiansOf: other) { list in list.remove(user) }
            try change(dependentsOf: other) { list in list.remove(user) }
        }
    }
}
