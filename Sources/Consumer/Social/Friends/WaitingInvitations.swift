import Days
import Features
package import Files
import Records
import Storage
package import Telemetry
import Vault

// Invitations to addresses that belong to nobody, or to somebody who has not shown that the address is theirs. They are in
// the inviter's list like all others. Here is what leads from an address to them, once somebody shows that it is theirs:
// with a code that went there, and not by signing up, because anybody can sign up with any address.
//
// An address is kept as a keyed hash of its own, which the accounts' is not: these rows do not tell who was invited. They
// are over after two months, or when the inviter takes the invitation back, or is forgotten. The list still shows the
// invitation then: otherwise it would tell whose address that is.

/// The table `waiting_invitations`. Belongs to the thread of its store and keys.
struct WaitingInvitations {
    static let name = "waiting_invitations"
    /// How long an invitation waits, milliseconds.
    static let lifetime: Int64 = 60 * 86_400_000
    /// How many of those that wait for an address reach its holder at once: the latest. The others wait on.
    static let most = FriendList.mostAsked

    static let schema = Schema(
        "friends/1",
        making: [
            Table(
                name, [.text("id"), .text("person"), .blob("address", length: 32), .integer("expires_ms")], key: ["id"],
                indexes: [
                    Index("waiting_invitations_by_person", ["person"]),
                    Index("waiting_invitations_by_address", ["address"]),
                ])
        ])

    /// An invitation, and who has made it.
    struct Entry {
        let id: ID
        let inviter: ID
    }

    let store: Store
    let keys: Keys

    /// - Parameter address: the keyed hash that an account is found by.
    private func key(_ address: [UInt8]) throws(VaultError) -> Value {
        .blob(try keys.lookup("invited", KeyFile.text(of: address)))
    }

    /// Has an invitation wait, within a transaction, in place of an earlier one of the same person to the same address: nobody pushes out
    /// those of others by inviting again and again. A list has a limited number of invitations, and so has this table.
    func add(_ id: ID, by inviter: ID, to address: [UInt8], now: Int64) throws(VaultError) {
        try store.database.removeExpired(from: Self.name, at: now)
        let key = try key(address)
        try store.database.execute(
            "DELETE FROM waiting_invitations WHERE person = ? AND address = ?", [.text(inviter.text), key])
        try store.database.execute(
            "INSERT INTO waiting_invitations (id, person, address, expires_ms) VALUES (?, ?, ?, ?)",
            [.text(id.text), .text(inviter.text), key, .integer(now + Self.lifetime)])
    }

    /// An invitation was taken back, or has reached somebody.
    func remove(_ id: ID) throws(VaultError) {
        try store.database.execute("DELETE FROM waiting_invitations WHERE id = ?", [.text(id.text)])
    }

    /// What waits for an address, the latest at the end.
    func entries(for address: [UInt8], now: Int64) throws(VaultError) -> [Entry] {
        let rows = try store.database.query(
            """
            SELECT id, person FROM waiting_invitations WHERE address = ? AND expires_ms > ?
            ORDER BY expires_ms DESC, id LIMIT \(Self.most)
            """, [try key(address), .integer(now)]
        ) { row throws(VaultError) in (id: try row.text("id"), person: try row.text("person")) }
        return rows.reversed().compactMap { row in
            decoded { () throws(MalformedValue) in Entry(id: try ID(row.id), inviter: try ID(row.person)) }
        }
    }
}

// MARK: Somebody shows that an address is theirs

extension Friends: PeopleObserver, AddressObserver {
    var waiting: WaitingInvitations { WaitingInvitations(store: context.store, keys: context.keys) }

    package func people(waitingFor address: [UInt8]) throws(VaultError) -> Set<ID> {
        var people: Set<ID> = []
        for entry in try waiting.entries(for: address, now: context.now()) {
            if try context.keys.version(of: entry.inviter) != nil { people.insert(entry.inviter) }
        }
        return people
    }

    /// Puts the invitations that have waited before the person, as if they came now.
    package func showedAddress(_ address: [UInt8], _ user: ID, now: Int64) throws(VaultError) {
        for entry in try waiting.entries(for: address, now: now) {
            let (id, inviter) = (entry.id, entry.inviter)
            try waiting.remove(id)
            guard inviter != user, try context.keys.version(of: inviter) != nil,
                !context.doors.isBeingForgotten(inviter)
            else { continue }
            let list = try lists.list(of: inviter)
            // They may have blocked the person since: accepting would lift that.
            guard list.tie(id, .invited) != nil, !list.isBlocked(user) else { continue }
            try lists.change(inviter) { list in list.connectInvitation(id, to: user) }
            try ask(user, id, by: inviter, now: now)
        }
    }
}
