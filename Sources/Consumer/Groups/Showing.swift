import Daemon
import Days
import Features
import Files
package import MQTT
package import Reactor
import Records
package import Telemetry

// What members see without asking: the table of the challenge that is on, retained, on the topic `groups/{group}/table` of each member.
//
// It is made again when something about one of those who compete has changed, at most every ten seconds; but what must not be seen any
// longer goes at once. What people have done is read on a reader's thread. At each connection the broker tells what it has kept, because
// a consumer that was killed has not taken back what it should have.

/// A group with a challenge for which there is something to be done.
struct LiveGroup {
    /// Everybody in it, for what changes about them.
    var people: Set<ID>
    /// When there is something to be done besides showing the table, in Unix milliseconds.
    var due: Int64
    /// When the table was shown, in milliseconds since boot; nil if it was not yet.
    var made: UInt64?
    /// Since when what is due waits for readings that are not counted, in milliseconds since boot.
    var delayed: UInt64?
    /// When it had its turn, counted in turns of all groups.
    var turn = 0
    /// Whether something may look different.
    var isChanged = true
    /// Whether values are being read for it.
    var isBeingRead = false
}

extension Groups: PeopleObserver {
    /// How many groups are read at the same time, and how many rows are looked at in a turn.
    private static let (mostReading, portion) = (4, 50)
    /// How long groups are worked on at once, in milliseconds.
    private static let longestTurn: UInt64 = 5

    // MARK: The service

    package func start(_ loop: EventLoop) {
        self.loop = loop
        tick()
    }

    package func connected() {
        isConnected = true
        shown = [:]
        for id in live.keys {
            live[id]?.isChanged = true
            live[id]?.made = nil
        }
    }

    package func disconnected() {
        isConnected = false
        (shown, unwanted) = ([:], [])
    }

    /// The broker had kept this.
    package func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, !message.payload.isEmpty, case .user(let user, let topic) = topic,
            let group = topic.groupOfTable
        else { return }
        let key = Shown(user: user, group: group)
        if shown[group]?[user] == nil { shown[group, default: [:]][user] = 0 }
        // Whether it should be there is known once the group was read.
        unwanted.insert(key)
        live[group]?.isChanged = true
    }

    private func tick() {
        var isLeft = findSome()
        if found == nil { isLeft = lookAround() }
        loop?.after(isLeft ? .milliseconds(10) : .seconds(1)) { [unowned self] in tick() }
    }

    /// At the start: some of the groups that have a challenge.
    /// - Returns: whether others can be looked for right away. After an error they wait until the next second.
    private func findSome() -> Bool {
        guard let last = found else { return false }
        var isLeft = false
        attempt("groups") { () throws(VaultError) in
            let ids = try book.dueIDs(after: last, limit: Self.portion)
            for id in ids { try load(id) }
            found = ids.last?.text
            isLeft = found != nil
        }
        return isLeft
    }

    /// Each second: what may be shown again, what should not be seen, and challenges that are over.
    /// - Returns: whether the time was too short for all of it.
    @discardableResult
    func lookAround() -> Bool {
        for key in unwanted where live[key.group]?.people.contains(key.user) != true { takeBack(key) }
        return workInTurn()
    }

    /// Works on groups for which there is something to be done. Those that had their turn longest ago come first, so that none of many
    /// waits for ever.
    /// - Returns: whether the time was too short for all of them.
    private func workInTurn() -> Bool {
        let (clock, now) = (millisecondsSinceBoot(), context.now())
        let waiting = live.filter { _, group in
            let isDue = group.isChanged && group.made.map { clock >= $0 + interval } ?? true
            return !group.isBeingRead && (isDue || now >= group.due)
        }
        for (id, _) in waiting.sorted(by: { $0.value.turn < $1.value.turn }) {
            // What is read goes on with the next ones.
            guard reading < Self.mostReading else { return false }
            guard millisecondsSinceBoot() <= clock + Self.longestTurn else { return true }
            turns += 1
            live[id]?.turn = turns
            work(id)
        }
        return false
    }

    func attempt(_ what: String, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error(what) { "tables of groups are not as they should be\($0): \(error)" }
        }
    }

    // MARK: What changes

    /// Finds out what there is to be done for a group.
    func load(_ id: ID) throws(VaultError) {
        let group = try book.group(id)
        let people = Set(group?.members.map(\.user) ?? [])
        for user in (live[id]?.people ?? []).subtracting(people) { unwatch(user, in: id) }
        guard let group, let due = group.due else {
            for user in people { unwatch(user, in: id) }
            live[id] = nil
            return
        }
        for user in people { liveGroups[user, default: []].insert(id) }
        var one = live[id] ?? LiveGroup(people: people, due: due)
        (one.people, one.due, one.isChanged) = (people, due, true)
        live[id] = one
    }

    /// What changes about somebody no longer matters to a group. If it matters to none, it is not heard either, and what is known of them
    /// would grow old.
    private func unwatch(_ user: ID, in group: ID) {
        liveGroups[user]?.remove(group)
        guard liveGroups[user]?.isEmpty ?? true else { return }
        liveGroups[user] = nil
        values.forget(user)
    }

    /// A group is different: what must not be seen any longer goes before anything else is done.
    /// - Parameter hides: whether a row must not be seen any longer.
    func changed(_ id: ID, hides: Bool = false) {
        attempt("group \(id)") { () throws(VaultError) in try load(id) }
        for key in keys(of: id) where live[id]?.people.contains(key.user) != true { takeBack(key) }
        guard !work(id, takingOld: true), hides else { return }
        // It takes a moment to make the table again, or until it can be published.
        for key in keys(of: id) { takeBack(key) }
    }

    /// What the broker has of a group.
    private func keys(of id: ID) -> [Shown] { (shown[id] ?? [:]).keys.map { Shown(user: $0, group: id) } }

    package func changed(_ users: Set<ID>) {
        for user in users {
            guard let groups = liveGroups[user], !groups.isEmpty else { continue }
            values.changed(user)
            for id in groups { live[id]?.isChanged = true }
        }
    }

    package func changedAtOnce(_ users: Set<ID>) { changed(users) }
    package func corrected(_ user: ID) { changed([user]) }
    /// Called before it is kept, so it is read again at the next turn.
    package func moved(_ user: ID) { changed([user]) }

    package func forgotten(_ user: ID) {
        values.forget(user)
        for (group, people) in shown where people[user] != nil { takeBack(Shown(user: user, group: group)) }
        for id in liveGroups[user] ?? [] { changed(id, hides: true) }
    }

    // MARK: Working on a group

    /// Shows the table of a group, and does what is due. What is not known is read first, on another thread.
    /// - Parameter takingOld: whether what has changed a moment ago may wait for the next turn.
    /// - Returns: whether it is done, and everybody is shown what is true now.
    @discardableResult
    func work(_ id: ID, takingOld: Bool = false) -> Bool {
        guard let one = live[id] else { return true }
        guard !one.isBeingRead || takingOld else { return false }
        var isDone = false
        attempt("group \(id)") { () throws(VaultError) in
            guard let group = try book.group(id) else { return try load(id) }
            let present = try book.members(of: group).filter { !context.doors.isBeingForgotten($0.member.user) }
            let (now, open) = (context.now(), group.challenges.filter { !$0.isKept })
            let old = missing(open, present, takingOld: false)
            let missing = takingOld ? missing(open, present, takingOld: true) : old
            guard missing.isEmpty else { return one.isBeingRead ? () : read(missing, for: id) }
            live[id]?.isChanged = !old.isEmpty
            for challenge in open { try finish(challenge, of: group, now: now) }
            isDone = try show(group, open.last { $0.state(at: now) == .isOn }, present, now: now)
        }
        return isDone
    }

    private typealias Missing = (user: ID, challenge: Challenge, before: Int)

    private func missing(_ open: [Challenge], _ present: [GroupBook.Present], takingOld: Bool) -> [Missing] {
        var missing: [Missing] = []
        for entry in present where entry.membership.isCompeting {
            let user = entry.member.user
            for challenge in open {
                let isKnown =
                    takingOld ? values.value(of: user, in: challenge) != nil : values.isFresh(user, in: challenge)
                if !isKnown { missing.append((user, challenge, values.changes(of: user))) }
            }
        }
        return missing
    }

    private func read(_ missing: [Missing], for id: ID) {
        guard reading < Self.mostReading else { return }
        reading += 1
        live[id]?.isBeingRead = true
        let zone = context.settings.timeZone
        readers.statistics.read { source in
            let values = ChallengeValues(source.store, source.keys, zone: zone)
            return try missing.map { try values.value(of: $0.user, in: $0.challenge) }
        } completion: { [unowned self] result in
            reading -= 1
            live[id]?.isBeingRead = false
            switch result {
            case .success(let found):
                for (entry, value) in zip(missing, found) {
                    values.take(value, of: entry.user, in: entry.challenge, before: entry.before)
                }
                work(id, takingOld: true)
                _ = workInTurn()
            case .failure(let error):
                context.limitedLog.error("group \(id)") { "what members have done was not read\($0): \(error)" }
            }
        }
    }

    // MARK: Showing

    /// - Returns: whether nobody is left with an older table.
    private func show(
        _ group: Group, _ challenge: Challenge?, _ present: [GroupBook.Present], now: Int64
    ) throws(VaultError) -> Bool {
        guard isConnected else { return true }
        let wanted = challenge == nil ? [] : Set(present.map(\.member.user))
        for key in keys(of: group.id) where !wanted.contains(key.user) { takeBack(key) }
        guard let challenge else { return true }
        var known: [ID: Int64] = [:]
        for entry in present { known[entry.member.user] = values.value(of: entry.member.user, in: challenge) }
        let reading = GroupReading(
            context.store, context.keys, zone: context.settings.timeZone, hiding: [])
        let sheet = try reading.sheet(challenge, of: group, present, knowing: known)
        var isShown = true
        for entry in present {
            if !publish(sheet, to: entry.member.user, now: now) { isShown = false }
        }
        live[group.id]?.made = millisecondsSinceBoot()
        return isShown
    }

    /// - Returns: false if too much is on its way: then the broker has an older table still.
    private func publish(_ sheet: TableSheet, to user: ID, now: Int64) -> Bool {
        let key = Shown(user: user, group: sheet.group)
        let bytes = sheet.json(for: user, now: now).bytes
        let hash = bytes.hashValue
        unwanted.remove(key)
        guard shown[sheet.group]?[user] != hash else { return true }
        guard context.session.unfinishedCount < mostUnfinished,
            context.session.publish(
                bytes, to: context.topics[user: user, .groupTable(sheet.group)], qos: .atLeastOnce, retain: true)
        else {
            // It is tried again with the next one.
            live[sheet.group]?.isChanged = true
            return false
        }
        shown[sheet.group, default: [:]][user] = hash
        return true
    }

    func takeBack(_ key: Shown) {
        let topic = context.topics[user: key.user, .groupTable(key.group)]
        guard isConnected else { return }
        if context.session.publish([], to: topic, qos: .atLeastOnce, retain: true) {
            shown[key.group]?[key.user] = nil
            if shown[key.group]?.isEmpty == true { shown[key.group] = nil }
            unwanted.remove(key)
        } else {
            unwanted.insert(key)
        }
    }
}
