import Daemon
import Exercise
import Features
import Files
import Fitness
import Readings
import Records
import Telemetry

// When a challenge is over everywhere, those who compete are told their rank. Two days later the table is final, and everybody's place is
// kept in their own document. Each of these is one transaction with the note that it was done, so it is done once, whatever is killed.
//
// Readings may have come in time, and wait to be counted: after an outage of days, many do. Ranks and places wait for that.

extension Groups {
    /// For how long those whose readings cannot be counted delay the others, in milliseconds.
    private static let longestDelay: UInt64 = 600_000

    /// Does for a challenge what is due, once all that has come of those who compete is counted.
    func finish(_ challenge: Challenge, of group: Group, now: Int64) throws(VaultError) {
        guard let due = challenge.due, now >= due, try isCounted(challenge, of: group) else { return }
        if !challenge.isTold, now >= challenge.over { try finish(challenge, of: group.id, tellRanks, now: now) }
        if now >= challenge.final { try finish(challenge, of: group.id, keepPlaces, now: now) }
    }

    private func isCounted(_ challenge: Challenge, of group: Group) throws(VaultError) -> Bool {
        for entry in try book.members(of: group)
        where entry.membership.isCompeting && !context.doors.isBeingForgotten(entry.member.user) {
            if try isCounted(entry.member.user, in: challenge) { continue }
            let since = live[group.id]?.delayed ?? millisecondsSinceBoot()
            live[group.id]?.delayed = since
            return millisecondsSinceBoot() >= since + Self.longestDelay
        }
        live[group.id]?.delayed = nil
        return true
    }

    private func isCounted(_ user: ID, in challenge: Challenge) throws(VaultError) -> Bool {
        guard values.isFresh(user, in: challenge), try !context.store.isStale(user) else { return false }
        return try WorkoutRows(context.store, context.keys).marked(of: user.text, after: "") == nil
    }

    private typealias Step = (inout Group, inout Challenge, ChallengeTable, Int64) throws(VaultError) -> Void

    private func finish(
        _ challenge: Challenge, of id: ID, _ step: Step, now: Int64
    ) throws(VaultError) {
        let people = { () throws(VaultError) -> Set<ID> in try self.book.group(id).map(self.known) ?? [] }
        try context.store.change(naming: try people()) { () throws(VaultError) in
            guard var group = try book.group(id), var one = group.challenge(from: challenge.days.lowerBound),
                let table = try table(of: one, in: group)
            else { return }
            try step(&group, &one, table, now)
            group.change(one)
            try book.write(group)
        }
        try load(id)
    }

    /// The table of those who compete; nil if it is not known what one of them has done.
    private func table(of challenge: Challenge, in group: Group) throws(VaultError) -> ChallengeTable? {
        var done: [(member: Group.Member, value: Int64)] = []
        for entry in try book.members(of: group)
        where entry.membership.isCompeting && !context.doors.isBeingForgotten(entry.member.user) {
            guard let value = values.value(of: entry.member.user, in: challenge) else { return nil }
            done.append((entry.member, value))
        }
        return ChallengeTable(done)
    }

    private func tellRanks(
        _ group: inout Group, _ challenge: inout Challenge, _ table: ChallengeTable, now: Int64
    ) throws(VaultError) {
        guard !challenge.isTold else { return }
        challenge.isTold = true
        let (name, isFinal) = (group.name, now >= challenge.final)
        let last = CalendarDay(daysSince1970: challenge.final.floorDivided(by: 86_400_000))
        try tell(group, .challengeOver, now: now) { language, present in
            guard let row = table.rows.first(where: { $0.member.id == present.member.id }) else { return nil }
            return language(
                isFinal ? .challengeFinal : .challengeOver,
                [
                    "group": name, "rank": "\(row.rank)", "count": "\(table.rows.count)", "day": language.date(last),
                ])
        }
    }

    private func keepPlaces(
        _ group: inout Group, _ challenge: inout Challenge, _ table: ChallengeTable, now: Int64
    ) throws(VaultError) {
        guard !challenge.isKept else { return }
        challenge.isKept = true
        let (id, first) = (group.id, challenge.days.lowerBound)
        for row in table.rows {
            try book.change(row.member.user) { list in
                guard var own = list.membership(id) else { return }
                own.add(Membership.Place(from: first, rank: row.rank, value: row.value))
                list.set(own)
            }
        }
    }
}
