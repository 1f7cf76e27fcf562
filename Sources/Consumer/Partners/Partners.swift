import Daemon
import Days
package import Desk
package import Features
package import Files
package import Reactor
import Records
import Social
import Storage
package import Telemetry
import Workouts

// Training partners.
//
// Somebody offers to do something together, in an area that they name themselves. Others find the offer by activity and area, without a
// name, and ask. Only when both agree does each see the other's name, and what the other has typed as a contact. Either ends it at any
// time. Nobody finds, or asks, somebody who has blocked them or whom they have blocked.
//
// An offer ends after ninety days, unless its owner makes it again. The questions about it end with it.

/// Offers, questions and partners of all people. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
package final class Partners: FeatureService, PeopleObserver, BlockObserver, @unchecked Sendable {
    let context: PeopleContext
    private let readers: FeatureReaders
    private var loop: EventLoop?
    /// What each person may do in a day.
    private var offered = Allowance<ID>(perSecond: 20.0 / 86_400, burst: 20)
    var askedToday = Allowance<ID>(perSecond: 20.0 / 86_400, burst: 20)

    var book: PartnerBook { PartnerBook(context.documents) }
    var offers: OfferRows { book.offers }

    package init(_ parts: FeatureParts) {
        (context, readers) = (parts.context, parts.readers)
        context.changes.add(self)
    }

    package var verbs: [Verb] {
        [
            Verb("partners/offer", .partnersOffer, .atOnce { [unowned self] in try offer($0) }),
            Verb("partners/withdraw", .partnersWithdraw, own: .defence, .atOnce { [unowned self] in try withdraw($0) }),
            readers.questions.verb("partners/find", .partnersFind) { [unowned self] in try find($0) },
            Verb("partners/ask", .partnersAsk, .atOnce { [unowned self] in try ask($0) }),
            Verb("partners/take-back", .partnersTakeBack, own: .defence, .atOnce { [unowned self] in try takeBack($0) }),
            // Each of the partners and questions is looked at.
            Verb(
                "partners/list", .partnersList, bulk: Allowance(perSecond: 2, burst: 50),
                .atOnce { [unowned self] in try list($0) }),
            Verb("partners/answer", .partnersAnswer, namesOthers: true, .atOnce { [unowned self] in try answer($0) }),
            Verb("partners/end", .partnersEnd, own: .defence, .atOnce { [unowned self] in try end($0) }),
            Verb("partners/block", .partnersBlock, own: .defence, .atOnce { [unowned self] in try block($0) }),
            Verb("partners/contact", .partnersContact, own: .defence, .atOnce { [unowned self] in try contact($0) }),
        ]
    }

    /// Does what a person asks, only once, in one transaction.
    /// - Parameter others: of whom it changes something, too.
    func once(
        _ request: PeopleRequest, with others: @autoclosure () throws -> [ID] = [],
        _ body: (ID, Int64) throws -> JSON
    ) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        return try context.answered.once(
            request, now: now,
            with: Set(try others().filter { try context.keys.version(of: $0) != nil })
        ) { try body(user, now) }
    }

    // MARK: The service

    package func start(_ loop: EventLoop) {
        self.loop = loop
        prune()
    }

    /// Somebody who blocks another one trains with them no longer, even if they unblock them later.
    package func blocking(_ other: ID, by user: ID) throws(VaultError) { try book.endPartnerships(user, and: other) }

    /// Each hour: offers that are over, with the questions about them.
    private func prune() {
        endWhatIsOver()
        loop?.after(.seconds(3600)) { [unowned self] in prune() }
    }

    func endWhatIsOver() {
        do throws(VaultError) {
            for user in try offers.peopleWithEnded(at: context.now()) {
                let standing = Set(try offers.offers(of: user, now: context.now()).map(\.id))
                let asks = try book.list(of: user).asked.filter { !standing.contains($0.offer) }
                var people: Set<ID> = [user]
                for ask in asks where try context.keys.version(of: ask.other) != nil { people.insert(ask.other) }
                try context.store.change(people) { () throws(VaultError) in
                    for ask in asks where people.contains(ask.other) { try book.end(ask, by: ask.other, to: user) }
                    try offers.removeEnded(of: user, at: context.now())
                }
            }
        } catch {
            context.limitedLog.error("partners") { "offers that are over are not removed yet\($0): \(error)" }
        }
    }

    // MARK: Offers

    private func offer(_ request: PeopleRequest) throws -> JSON {
        let activity = try request.partnerActivity("activity")
        let area = try request.text("area", atMost: PartnerOffer.longestArea.bytes)
        guard PartnerOffer.isArea(area) else {
            let words = """
                an area is a name such as "Old Town", of up to \(PartnerOffer.longestArea.characters) characters on one line, and no position
                """
            throw ReplyError(.invalid, words, field: "area")
        }
        let (pace, text) = (try request.pace(), try request.line("text", atMost: PartnerOffer.longestText))
        guard text.map({ !WrittenPosition(in: $0).isThere }) ?? true else {
            throw ReplyError(.invalid, "others need no position: say where with \"area\", by its name", field: "text")
        }
        return try once(request) { user, now in
            let own = try offers.offers(of: user, now: now)
            let compared = [activity, area].map(PartnerOffer.compared)
            let same = own.first { [$0.activity, $0.area].map(PartnerOffer.compared) == compared }
            guard same != nil || own.count < PartnerOffer.most else {
                let words = "you have \(PartnerOffer.most) offers already: withdraw one first"
                throw ReplyError(.notAllowed, words)
            }
            if let seconds = offered.take(user, now: millisecondsSinceBoot()) {
                throw ReplyError(.rateLimited, "too many offers for a day", retryAfterSeconds: seconds)
            }
            let new = PartnerOffer(
                id: try same?.id ?? drawnID(), activity: activity, area: area, pace: pace, text: text,
                since: same?.since ?? now, expires: now + PartnerOffer.lifetime)
            try offers.write(new, of: user)
            return new.own
        }
    }

    private func withdraw(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("offer")
        let askers = { (user: ID) throws -> [PartnerAsk] in
            try self.book.list(of: user).asked.filter { $0.offer == id }
        }
        return try once(request, with: try askers(request.user).map(\.other)) { user, now in
            guard try offers.offers(of: user, now: now).contains(where: { $0.id == id }) else {
                throw Self.unknownOffer
            }
            for ask in try askers(user) { try book.end(ask, by: ask.other, to: user) }
            try offers.remove(id, of: user)
            return [:]
        }
    }

    static let unknownOffer = ReplyError(.notFound, "there is no such offer", field: "offer")

    // MARK: Finding

    /// How many offers a reply has, and how many are looked at for it.
    static let (page, looked) = (50, 500)

    private func find(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, now) = (try request.user, context.now())
        let activity = try request.optionalText("activity", atMost: PartnerOffer.longestActivity)
        let area = try request.optionalText("area", atMost: PartnerOffer.longestArea.bytes)
        let (pace, after) = (try request.pace(), try request.optionalText("after", atMost: 64) ?? "")
        let hidden = context.doors.peopleBeingForgotten
        return { source in
            let book = PartnerBook(Documents(store: source.store, keys: source.keys))
            let rows = try book.offers.offers(after: after, limit: Self.looked, now: now)
            var (found, last): ([JSON], String?) = ([], nil)
            for row in rows {
                guard found.count < Self.page else { break }
                last = row.id
                guard let (owner, offer) = row.entry, owner != user, !hidden.contains(owner),
                    offer.isMeant(activity: activity, area: area, pace: pace), try !book.areApart(user, owner)
                else { continue }
                found.append(offer.json)
            }
            let hasMore = rows.count == Self.looked || last != rows.last?.id
            return .object(present: [
                "offers": .array(found), "next": hasMore ? last.map(JSON.string) : nil,
            ])
        }
    }

    // MARK: The contact

    private func contact(_ request: PeopleRequest) throws -> JSON {
        guard request.fields["contact"] != nil else {
            throw ReplyError(
                .badRequest, "\"contact\" is missing: a text, or null to show none any longer", field: "contact")
        }
        let text = try request.line("contact", atMost: PartnerList.longestContact)
        return try once(request) { user, _ in
            try book.change(user) { list in list.contact = text }
            return .object(present: ["contact": text.map(JSON.string)])
        }
    }
}

extension PeopleRequest {
    /// A text on one line; nil if the field is absent or null.
    func line(_ field: String, atMost longest: (characters: Int, bytes: Int)) throws(ReplyError) -> String? {
        guard let text = try optionalText(field, atMost: longest.bytes) else { return nil }
        guard PlainText.isLine(text, atMost: longest) else {
            let words = "\"\(field)\" has to be a text of 1 to \(longest.characters) characters on one line"
            throw ReplyError(.invalid, words, field: field)
        }
        return text
    }

    fileprivate func partnerActivity(_ field: String) throws(ReplyError) -> String {
        let text = try text(field, atMost: PartnerOffer.longestActivity)
        guard let activity = Activity(named: text), PlainText.isLine(text, atMost: PartnerOffer.longestArea),
            !WrittenPosition(in: text).isThere
        else {
            let known = Activity.known.map(\.name).joined(separator: ", ")
            throw ReplyError(.invalid, "\"\(field)\" is what you do: \(known), or a name of your own", field: field)
        }
        return activity.name
    }

    fileprivate func pace() throws(ReplyError) -> ClosedRange<Int64>? {
        switch fields["pace"] {
        case nil, .null?: return nil
        case .object?:
            let range = PartnerOffer.paces
            if case .integer(let from)? = fields["pace"]?["from_s_per_km"],
                case .integer(let to)? = fields["pace"]?["to_s_per_km"], from <= to, range.contains(from),
                range.contains(to)
            {
                return from...to
            }
            fallthrough
        default:
            let (least, most) = (PartnerOffer.paces.lowerBound, PartnerOffer.paces.upperBound)
            let words = """
                "pace" has to be {"from_s_per_km":…,"to_s_per_km":…}, the faster one first, each from \(least) to \(most) seconds
                """
            throw ReplyError(.invalid, words, field: "pace")
        }
    }
}
