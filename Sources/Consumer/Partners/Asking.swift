import Daemon
import Desk
import Features
import Files
import Records
import Social
import Telemetry

// Questions whether somebody would like to train together, answers, and what follows from them.

extension Partners {
    private static let unknownAsk = ReplyError(.notFound, "there is no such question", field: "ask")
    private static let unknownPartner = ReplyError(.notFound, "you have no such partner", field: "partner")

    // MARK: Asking

    func ask(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("offer")
        let text = try request.line("text", atMost: PartnerOffer.longestText)
        return try once(request, with: try owner(of: id).map { [$0] } ?? []) { user, now in
            guard let (owner, offer) = try offers.offer(id, now: now), try !isOutOfReach(owner, of: user) else {
                throw Self.unknownOffer
            }
            guard owner != user else { throw ReplyError(.invalid, "this offer is your own", field: "offer") }
            let own = try book.list(of: user)
            let open = try book.asks(of: user, own, now: now)
            if let same = open.first(where: { $0.offer == id }) {
                if let text, text != same.text {
                    try takeQuestion(of: user)
                    try reword(same, text, by: user, to: owner)
                }
                return ["ask": .string(same.id.text)]
            }
            guard !own.declined.contains(id) else {
                throw ReplyError(.notAllowed, "they have declined: ask somebody else", field: "offer")
            }
            guard open.count < PartnerList.mostAsks else {
                let words = "\(PartnerList.mostAsks) of your questions are open: take one back first"
                throw ReplyError(.notAllowed, words)
            }
            let theirs = try book.list(of: owner)
            let asked = try book.asked(of: owner, theirs, now: now)
            guard asked.count < PartnerList.mostAsked else {
                throw ReplyError(.notAllowed, "too many people have asked about this: try again later", field: "offer")
            }
            try takeQuestion(of: user)
            let ask = try drawnID()
            func entry(_ other: ID) -> PartnerAsk {
                PartnerAsk(id: ask, offer: id, other: other, activity: offer.activity, text: text, time: now)
            }
            // What no longer stands makes room.
            try book.change(user) { list in list.asks = open + [entry(owner)] }
            try book.change(owner) { list in list.asked = asked + [entry(user)] }
            try tell(owner, .partnerAsked, from: ask, now: now) { language in
                language(.partnerAsked, ["activity": offer.activity, "area": offer.area])
            }
            return ["ask": .string(ask.text)]
        }
    }

    /// New words count as a question: the owner reads them, too.
    private func takeQuestion(of user: ID) throws(ReplyError) {
        guard let seconds = askedToday.take(user, now: millisecondsSinceBoot()) else { return }
        throw ReplyError(.rateLimited, "too many questions for a day", retryAfterSeconds: seconds)
    }

    /// Whoever asks again has thought of better words.
    private func reword(_ ask: PartnerAsk, _ text: String, by user: ID, to owner: ID) throws(VaultError) {
        func changed(_ asks: [PartnerAsk]) -> [PartnerAsk] {
            asks.map { other in
                var other = other
                if other.id == ask.id { other.text = text }
                return other
            }
        }
        try book.change(user) { list in list.asks = changed(list.asks) }
        try book.change(owner) { list in list.asked = changed(list.asked) }
    }

    private func owner(of offer: ID) throws(VaultError) -> ID? { try offers.offer(offer, now: context.now())?.user }

    private func isOutOfReach(_ other: ID, of user: ID) throws(VaultError) -> Bool {
        if context.doors.isBeingForgotten(other) { return true }
        return try book.areApart(user, other)
    }

    func takeBack(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("ask")
        let found = { (user: ID) throws -> PartnerAsk? in try self.book.list(of: user).asks.first { $0.id == id } }
        return try once(request, with: try found(request.user).map { [$0.other] } ?? []) { user, _ in
            guard let ask = try found(user) else { throw Self.unknownAsk }
            try book.end(ask, by: user, to: ask.other)
            return [:]
        }
    }

    // MARK: Answering

    func answer(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("ask")
        guard let isAccepted = try request.optionalBool("accept") else {
            throw ReplyError(.badRequest, "\"accept\" is missing", field: "accept")
        }
        let found = { (user: ID, now: Int64) throws -> PartnerAsk? in
            try self.book.asked(of: user, self.book.list(of: user), now: now).first { $0.id == id }
        }
        // The reply is not kept: it has the other's name and contact, and would outlive them.
        let reply = try once(request, with: try found(request.user, context.now()).map { [$0.other] } ?? []) { user, now in
            guard let ask = try found(user, now), !context.doors.isBeingForgotten(ask.other) else {
                throw Self.unknownAsk
            }
            guard isAccepted else {
                try book.end(ask, by: ask.other, to: user)
                try book.change(ask.other) { list in list.decline(ask.offer) }
                try tell(ask.other, .partnerDeclined, now: now) { language in
                    language(.partnerDeclined, ["activity": ask.activity])
                }
                return [:]
            }
            // One of them has blocked the other since it was asked. It ends as if it had been taken back.
            guard try !book.areApart(user, ask.other) else {
                try book.end(ask, by: ask.other, to: user)
                return ["gone": true]
            }
            for person in [user, ask.other] {
                guard try book.list(of: person).partners.count < PartnerList.mostPartners else {
                    throw ReplyError(
                        .notAllowed,
                        person == user
                            ? "you have \(PartnerList.mostPartners) partners already: end one"
                            : "they have as many partners as one may have")
                }
            }
            try book.end(ask, by: ask.other, to: user)
            let partner = Partner(id: try drawnID(), other: ask.other, activity: ask.activity, since: now)
            try book.change(user) { list in list.partners.append(partner) }
            try book.change(ask.other) { list in
                list.partners.append(Partner(id: partner.id, other: user, activity: ask.activity, since: now))
            }
            let name = try context.notifications.name(of: user)
            try tell(ask.other, .partnerFound, from: partner.id, called: name, now: now) { language in
                language(.partnerFound, ["name": name ?? language(.somebody), "activity": ask.activity])
            }
            return ["partner": .string(partner.id.text)]
        }
        guard reply["gone"] == nil else { throw Self.unknownAsk }
        let user = try request.user
        guard case .string(let text)? = reply["partner"], let id = ID(kept: .string(text)),
            let partner = try book.partners(of: user, book.list(of: user)).first(where: { $0.id == id }),
            !context.doors.isBeingForgotten(partner.other)
        else { return [:] }
        return ["partner": try json(partner)]
    }

    private func tell(
        _ user: ID, _ kind: Notification.Kind, from: ID? = nil, called name: String? = nil, now: Int64,
        _ text: (Language) -> String
    ) throws(VaultError) {
        let language = try context.notifications.language(of: user)
        try context.notifications.add(
            Notification(kind: kind, time: now, from: from, fromName: name, text: text(language)), to: user)
    }

    // MARK: Listing

    func list(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let list = try book.list(of: user)
        var partners: [JSON] = []
        for partner in try book.partners(of: user, list) where !context.doors.isBeingForgotten(partner.other) {
            partners.append(try json(partner))
        }
        return .object(present: [
            "offers": .array(try offers.offers(of: user, now: now).map(\.own)),
            "asked": .array(try book.asked(of: user, list, now: now).map(\.json)),
            "asks": .array(try book.asks(of: user, list, now: now).map(\.json)), "partners": .array(partners),
            "contact": list.contact.map(JSON.string),
        ])
    }

    /// What somebody sees of a partner: what the partner shows of themselves now.
    private func json(_ partner: Partner) throws(VaultError) -> JSON {
        .object(present: [
            "partner": .string(partner.id.text),
            "name": try context.notifications.name(of: partner.other).map(JSON.string),
            "contact": try book.list(of: partner.other).contact.map(JSON.string),
            "activity": .string(partner.activity), "since": .integer(partner.since),
        ])
    }

    // MARK: Ending

    func end(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("partner")
        let found = { (user: ID) throws -> Partner? in try self.book.list(of: user).partners.first { $0.id == id } }
        return try once(request, with: try found(request.user).map { [$0.other] } ?? []) { user, _ in
            guard let partner = try found(user) else { throw Self.unknownPartner }
            try book.end(partner, of: user)
            return [:]
        }
    }

    /// Blocks a partner, as `friends/block` does, or the person of a question. Of somebody who has only asked, no name is learned by that:
    /// only their questions go.
    func block(_ request: PeopleRequest) throws -> JSON {
        let ask = try request.optionalID("ask")
        let isAsk = ask != nil
        let id = try ask ?? request.id("partner")
        let found = { (user: ID) throws -> ID? in
            let list = try self.book.list(of: user)
            return isAsk
                ? list.asked.first { $0.id == id }?.other : list.partners.first { $0.id == id }?.other
        }
        var other: ID?
        let reply = try once(request, with: try found(request.user).map { [$0] } ?? []) { user, now in
            guard let blocked = try found(user) else { throw isAsk ? Self.unknownAsk : Self.unknownPartner }
            let lists = FriendLists(context.documents)
            if isAsk {
                try lists.blockUnnamed(blocked, by: user, as: id, now: now)
                try book.endQuestions(user, and: blocked)
            } else {
                // Somebody who is no friend does not know who has blocked them.
                if try lists.list(of: user).isFriend(blocked) { other = blocked }
                try lists.block(blocked, by: user, as: id, now: now)
                try book.endPartnerships(user, and: blocked)
            }
            return ["friend": .string(id.text)]
        }
        if let other { context.changes.friendsParted(try request.user, other) }
        return reply
    }
}
