import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Readings
import Records
package import Telemetry
import Whereabouts

// One's own place, or that of a dependent whom one's programs show: `place/…`, and the topic `place` for those who want it.
// Somebody who wants it is watched as a dependent is (`Watched`). Of everybody else, what is stored is read when they ask.

extension Guardians {
    var placeVerbs: [Verb] {
        [
            Verb("place/get", .placeGet, .later { [unowned self] in showPlace($0) }),
            // Each start of publishing reads what was stored.
            Verb(
                "place/publish", .placePublish, own: Allowance(perSecond: 0.2, burst: 50),
                .atOnce { [unowned self] in try publishPlace($0) }),
        ]
    }

    // MARK: Asking

    private func showPlace(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            if let (dependent, tie) = try shownDependent(request) {
                return request.done(try place(of: dependent, tie, for: user))
            }
            let choice = [
                JSON.Member("recorded", .bool(try RecordedKinds(context.documents).recordsLocation(of: user))),
                JSON.Member("published", .bool(try OwnPlaceChoice.isPublished(context.documents, of: user))),
            ]
            if let one = watched[user], one.isLoaded {
                let place = SeenPlace(areas: try SeenPlace.areas(of: user, context.documents))
                return request.done(Self.json(place, one, choice, now: context.now()))
            }
            let (now, (day, times)) = (context.now(), try today(of: user))
            readers.statistics.answer(request) { source in
                var one = Watched(ties: [], day: day, begins: times.lowerBound, ends: times.upperBound)
                let stored = try Self.storedPlaces(of: user, from: times.lowerBound, now: now, source)
                _ = one.load(stored.fixes, stored.steps)
                let documents = Documents(store: source.store, keys: source.keys)
                let place = SeenPlace(areas: try SeenPlace.areas(of: user, documents))
                return Self.json(place, one, choice, now: now)
            }
        }
    }

    private static func json(_ place: SeenPlace, _ one: Watched, _ more: [JSON.Member], now: Int64) -> JSON {
        let age = place.age(one, now: now).map { [JSON.Member("age_s", .integer($0))] } ?? []
        return .object(place.members(one, now: now) + age + more)
    }

    /// Whom a request means: nil is the person themselves.
    private func shownDependent(_ request: PeopleRequest) throws -> (dependent: ID, tie: GuardianTie)? {
        switch request.fields["dependent"] {
        case .null?: return nil
        case nil:
            // A tie may have ended while the service was away.
            guard let chosen = try ties.dependents(of: request.user).chosen,
                let tie = try ties.tie(of: request.user, to: chosen), !context.doors.isBeingForgotten(chosen)
            else { return nil }
            return (chosen, tie)
        default: return try tie(request)
        }
    }

    private func place(of dependent: ID, _ tie: GuardianTie, for guardian: ID) throws(VaultError) -> JSON {
        var place = SeenPlace(sights: tie.allowed, since: tie.since)
        let name = try context.notifications.name(of: dependent)
        var members = [JSON.Member("dependent", .string(dependent.text))]
        if let name { members.append(JSON.Member("name", .string(name))) }
        if tie.allowed.contains(.location) {
            noteLook(guardian, at: dependent)
            place.areas = try SeenPlace.areas(of: dependent, by: guardian, context.documents)
        }
        let hidden = [Sight.location, .motion].filter { !tie.allowed.contains($0) }
        if !hidden.isEmpty {
            members.append(JSON.Member("not_shown", .array(hidden.map { .string($0.rawValue) })))
        }
        guard let one = watched[dependent] else { return .object(members) }
        return Self.json(place, one, members, now: context.now())
    }

    // MARK: The topic

    private func publishPlace(_ request: PeopleRequest) throws -> JSON {
        guard case .bool(let isPublished)? = request.fields["published"] else {
            throw ReplyError(.badRequest, "\"published\" has to be true or false", field: "published")
        }
        let user = try request.user
        if isPublished, try !RecordedKinds(context.documents).recordsLocation(of: user) {
            let words = """
                Location Services Disabled: allow that your location is recorded, with `vitals consent --record-location on` or the \
                request consent/set {"record_location": true}
                """
            throw ReplyError(.notAllowed, words, field: RecordedKinds.recordLocation)
        }
        try context.store.change(user) { () throws(VaultError) in
            try OwnPlaceChoice.keep(isPublished, context.documents, of: user)
        }
        tiesChanged(of: user)
        return ["published": .bool(isPublished)]
    }

    /// Whether somebody's own place is on their topic: they want it, and still agree that their position is recorded.
    func publishesPlace(_ user: ID) throws(VaultError) -> Bool {
        guard try OwnPlaceChoice.isPublished(context.documents, of: user) else { return false }
        return try RecordedKinds(context.documents).recordsLocation(of: user) && !context.doors.isBeingForgotten(user)
    }

    /// Somebody who withdraws consent to recording their position also stops publishing it. After new consent they must choose it again.
    func endChoice(of user: ID) throws(VaultError) {
        guard try OwnPlaceChoice.isPublished(context.documents, of: user), !context.doors.isBeingForgotten(user),
            try !RecordedKinds(context.documents).recordsLocation(of: user)
        else { return }
        try context.store.change(user) { () throws(VaultError) in
            try OwnPlaceChoice.keep(false, context.documents, of: user)
        }
    }

    /// Somebody may have agreed that their position is recorded, or may agree no longer.
    package func changedAtOnce(_ users: Set<ID>) {
        for user in users {
            attempt(user) { () throws(VaultError) in
                try endChoice(of: user)
                let isPublished = try publishesPlace(user)
                if isPublished != watched[user]?.isPublished ?? false { tiesChanged(of: user) }
            }
        }
    }

    /// Publishes somebody's own place if it has changed, or takes it back.
    /// - Parameter atOnce: whether it is made even if that was done less than a second ago.
    func settlePlace(_ user: ID, atOnce: Bool) {
        let topic = context.topics[user: user, .place]
        guard let one = watched[user], one.isPublished else {
            guard placed[user] != nil else { return }
            if context.session.publish([], to: topic, qos: .atLeastOnce, retain: true) {
                placed[user] = nil
            } else {
                unsettled.insert(user)
            }
            return
        }
        // Where they were is not known yet, and what the broker has is true until then.
        guard one.isLoaded else {
            unsettled.insert(user)
            return
        }
        let clock = self.clock()
        if !atOnce, let made = one.placeMade, clock < made + SightTopic.location.pause {
            unsettled.insert(user)
            return
        }
        attempt(user) { () throws(VaultError) in
            let place = SeenPlace(areas: try SeenPlace.areas(of: user, context.documents))
            let bytes = JSON.object(place.members(one, now: context.now())).bytes
            watched[user]?.placeMade = clock
            guard placed[user] != bytes.hashValue else { return }
            guard context.session.unfinishedCount < Self.mostUnfinished,
                context.session.publish(bytes, to: topic, qos: .atLeastOnce, retain: true)
            else {
                unsettled.insert(user)
                return
            }
            placed[user] = bytes.hashValue
        }
    }
}
