import Features
import Files
import Records
import Social
import Telemetry

// A question and a partnership are in the documents of two people, and are changed in both in one transaction. Only what both say counts:
// one of them may have been forgotten, or restored from a backup.
//
// Somebody who has blocked the other, or is blocked by them, has no partnership with them, and no new questions. Questions that were asked
// before stay where they are listed, because nobody knows whom they are from or to: one that went with a block would tell. Nothing comes of
// them.

/// Who asks whom, and who trains with whom. Belongs to the thread of its store and keys.
struct PartnerBook {
    let documents: Documents
    private var friends: FriendLists { FriendLists(documents) }
    private var notifications: Notifications { Notifications(documents.store, documents.keys) }

    init(_ documents: Documents) { self.documents = documents }

    var offers: OfferRows { OfferRows(documents.store, documents.keys) }

    func list(of user: ID) throws(VaultError) -> PartnerList {
        PartnerList(kept: try documents.read(PartnerList.document, of: user))
    }

    /// Whether one of two people has blocked the other.
    func areApart(_ one: ID, _ other: ID) throws(VaultError) -> Bool {
        if try friends.list(of: one).isBlockedInAnyWay(other) { return true }
        return try friends.list(of: other).isBlockedInAnyWay(one)
    }

    /// A person's questions that stand.
    func asks(of user: ID, _ list: PartnerList, now: Int64) throws(VaultError) -> [PartnerAsk] {
        try standing(list.asks, of: user, now: now) { other, ask in
            other.asked.contains { $0.id == ask.id && $0.other == user }
        }
    }

    /// The questions to a person that stand.
    func asked(of user: ID, _ list: PartnerList, now: Int64) throws(VaultError) -> [PartnerAsk] {
        try standing(list.asked, of: user, now: now) { other, ask in
            other.asks.contains { $0.id == ask.id && $0.other == user }
        }
    }

    /// Questions end with the offer that they are about.
    private func standing(
        _ asks: [PartnerAsk], of user: ID, now: Int64, _ isThere: (PartnerList, PartnerAsk) -> Bool
    ) throws(VaultError) -> [PartnerAsk] {
        var standing: [PartnerAsk] = []
        for ask in asks {
            guard try isThere(list(of: ask.other), ask), try offers.offer(ask.offer, now: now) != nil else { continue }
            standing.append(ask)
        }
        return standing
    }

    /// The people with whom a person trains.
    func partners(of user: ID, _ list: PartnerList) throws(VaultError) -> [Partner] {
        guard !list.partners.isEmpty else { return [] }
        let own = try friends.list(of: user)
        var partners: [Partner] = []
        for partner in list.partners {
            let isThere = try self.list(of: partner.other).partners.contains {
                $0.id == partner.id && $0.other == user
            }
            guard isThere, !own.isBlocked(partner.other), try !friends.list(of: partner.other).isBlocked(user) else { continue }
            partners.append(partner)
        }
        return partners
    }

    // MARK: Changing, within a transaction that names both

    /// Changes a list. Nothing is written if nothing changes; so nothing is written for a person who was forgotten in the
    /// meantime and has no list.
    func change(_ user: ID, _ body: (inout PartnerList) -> Void) throws(VaultError) {
        let old = try list(of: user)
        var new = old
        body(&new)
        guard new != old else { return }
        guard new != PartnerList() else { return try documents.remove(PartnerList.document, of: user) }
        try documents.write(new.json, PartnerList.document, of: user)
    }

    /// Ends a question, and what the person who was asked was told of it.
    func end(_ ask: PartnerAsk, by asker: ID, to owner: ID) throws(VaultError) {
        try change(asker) { list in list.asks.removeAll { $0.id == ask.id } }
        try change(owner) { list in list.asked.removeAll { $0.id == ask.id } }
        try notifications.remove(.partnerAsked, from: ask.id, of: owner)
    }

    /// Ends a partnership, and takes the names from what both were told.
    func end(_ partner: Partner, of user: ID) throws(VaultError) {
        for person in [user, partner.other] {
            try change(person) { list in list.partners.removeAll { $0.id == partner.id } }
            try notifications.forgetName(knownAs: [partner.id], in: [.partnerFound], toldTo: person)
        }
    }

    /// Ends the questions of two people to each other.
    func endQuestions(_ user: ID, and other: ID) throws(VaultError) {
        let list = try list(of: user)
        for ask in list.asks where ask.other == other { try end(ask, by: user, to: other) }
        for ask in list.asked where ask.other == other { try end(ask, by: other, to: user) }
    }

    /// Two people train with each other no longer.
    func endPartnerships(_ user: ID, and other: ID) throws(VaultError) {
        for partner in try list(of: user).partners where partner.other == other { try end(partner, of: user) }
    }

    // MARK: Forgetting

    /// Everybody whom a person's list names.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        let list = try list(of: user)
        return Set((list.asks + list.asked).map(\.other) + list.partners.map(\.other)).subtracting([user])
    }

    /// Forgets a person, with their own document: what is left in it was sealed again as the others went.
    func forget(_ user: ID) throws(VaultError) {
        for other in try others(of: user) {
            try endQuestions(user, and: other)
            try endPartnerships(user, and: other)
        }
        try documents.remove(PartnerList.document, of: user)
    }
}
