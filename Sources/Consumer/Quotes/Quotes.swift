import Daemon
import Days
package import Desk
package import Features
import Files
import Fitness
package import MQTT
import Readings
import Records
package import Telemetry

// The quote of a person's day is retained at `users/{user}/quote`. The databases, the settings and the clock alone determine what
// should be there: it is worked out again at each connection, at the person's midnight, and when something may have
// changed about them, such as their language. What is different from what the broker has is published.

/// Answers `quotes/…`, and keeps people's quotes of the day as they should be. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Quotes: FeatureService, PeopleObserver, @unchecked Sendable {
    /// How often a person is looked at because something may have changed, milliseconds.
    private static let interval: UInt64 = 10_000
    /// When it is tried again if the session takes no message, milliseconds.
    private static let patience: UInt64 = 5000

    /// What the broker has for a person.
    private struct Shown {
        /// A hash of the message, or 0 if only that there is one is known.
        var payload: Int
        /// When they were last looked at, in milliseconds since boot.
        var looked: UInt64?
        /// When their day is over, in Unix milliseconds.
        var end: Int64?
    }

    private let context: PeopleContext
    private let histories: Histories
    private let readers: FeatureReaders
    private let people: KnownPeople
    private var shown: [ID: Shown] = [:]
    private lazy var turns = PeopleInTurn(context, "sees as the day's quote") {
        [unowned self] (user, isUrgent) throws(VaultError) in try look(user, isUrgent: isUrgent)
    }

    private var catalogue: QuoteCatalogue { context.settings[QuotesSetting.self].catalogue }
    private var liked: LikedQuotes { LikedQuotes(context.store, context.keys) }

    package init(_ parts: FeatureParts) {
        (context, histories, readers) = (parts.context, parts.days.histories, parts.readers)
        people = KnownPeople(parts.context)
        context.changes.add(self)
    }

    // MARK: The broker, and what changes

    package func connected() {
        shown = [:]
        turns.connected()
        lookAtAll()
    }

    package func disconnected() {
        shown = [:]
        turns.disconnected()
    }

    package func settingsChanged() {
        turns.addAtOnce(Set(shown.keys))
        lookAtAll()
    }

    /// The broker had kept this: it sends what is retained on the topics of all features.
    package func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, case .user(let user, .quote) = topic else { return }
        shown[user] = Shown(payload: message.payload.hashValue)
        turns.add([user])
    }

    package func changed(_ users: Set<ID>) { turns.add(users) }

    package func forgotten(_ user: ID) { turns.addAtOnce([user]) }

    private func lookAtAll() {
        do throws(VaultError) { turns.add(try people.everybody()) } catch {
            if turns.isDue(error) { log.error("the list of people was not read: \(error)") }
        }
    }
}

// MARK: Publishing

extension Quotes {
    private func look(_ user: ID, isUrgent: Bool) throws(VaultError) {
        guard !catalogue.quotes.isEmpty, try people.hasDay(user) else { return takeBack(user) }
        let (clock, now) = (millisecondsSinceBoot(), context.now())
        if !isUrgent, let known = shown[user], let looked = known.looked, clock < looked + Self.interval,
            now < known.end ?? .min
        {
            return turns.wait(user, until: looked + Self.interval)
        }
        let localDays = try histories.history(of: user).localDays
        let day = localDays.day(of: now)
        guard let quote = try json(of: user, on: day) else { return takeBack(user) }
        let (bytes, end) = (quote.bytes, localDays.end(of: day))
        turns.dayEnds(user, at: end)
        var payload = bytes.hashValue
        if shown[user]?.payload != payload, !publish(bytes, to: user) { payload = 0 }
        shown[user] = Shown(payload: payload, looked: clock, end: end)
        if payload == 0 { turns.wait(user, until: clock + Self.patience) }
    }

    private func takeBack(_ user: ID) {
        turns.dayEnds(user, at: nil)
        guard shown[user] != nil else { return }
        if publish([], to: user) {
            shown[user] = nil
        } else {
            turns.wait(user, until: millisecondsSinceBoot() + Self.patience)
        }
    }

    /// - Returns: whether the session has taken it.
    private func publish(_ payload: [UInt8], to user: ID) -> Bool {
        context.session.publish(payload, to: context.topics[user: user, .quote], qos: .atLeastOnce, retain: true)
    }

    /// Nil if there are no quotes.
    private func json(of user: ID, on day: CalendarDay) throws(VaultError) -> JSON? {
        guard let quote = catalogue.quote(of: day) else { return nil }
        return quote.json(
            on: day, in: try context.notifications.language(of: user), isLiked: try liked.contains(quote.id, of: user))
    }
}

// MARK: Requests

extension Quotes {
    package var verbs: [Verb] {
        [
            Verb("quotes/today", .quotesToday, .atOnce { [unowned self] in try today(of: $0.user) }),
            Verb("quotes/like", .quotesLike, .atOnce { [unowned self] in try like($0) }),
            Verb("quotes/unlike", .quotesUnlike, .atOnce { [unowned self] in try unlike($0) }),
            readers.questions.verb("quotes/liked", .quotesLiked) { [unowned self] request in
                let (user, catalogue) = (try request.user, self.catalogue)
                let page = try LikedPage(after: request.optionalText("after", atMost: LikedPage.longestCursor))
                return { source in
                    let language = try Notifications(source.store, source.keys).language(of: user)
                    return page.json(
                        of: try LikedQuotes(source.store, source.keys).all(of: user), catalogue, in: language)
                }
            },
        ]
    }

    private func today(of user: ID) throws -> JSON {
        let day = try histories.history(of: user).localDays.day(of: context.now())
        guard let json = try json(of: user, on: day) else {
            let words = "this home has no quotes: its operator can name a file of them in the settings, in quotes.files"
            throw ReplyError(.notSupported, words, field: QuotesSetting.key)
        }
        return json
    }

    private func like(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("quote"))
        try context.store.attempt(naming: [user]) {
            guard try !liked.contains(id, of: user) else { return }
            guard let quote = catalogue[id] else { throw Self.unknown }
            guard try liked.count(of: user) < LikedQuotes.most else {
                throw ReplyError(.notAllowed, "you like \(LikedQuotes.most) quotes already: unlike one first")
            }
            try liked.add(quote, of: user, now: context.now())
        }.get()
        turns.addAtOnce([user])
        return ["quote": .string(id.text), "liked": true]
    }

    private func unlike(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("quote"))
        try context.store.attempt(naming: [user]) {
            guard try catalogue[id] != nil || liked.contains(id, of: user) else { throw Self.unknown }
            try liked.remove(id, of: user)
        }.get()
        turns.addAtOnce([user])
        return ["quote": .string(id.text), "liked": false]
    }

    private static let unknown = ReplyError(.notFound, "there is no such quote", field: "quote")
}

extension UserTopic {
    /// The quote of the person's day.
    package static let quote = UserTopic.published("quote")
}
