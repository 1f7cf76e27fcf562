import Telemetry

/// Who has done how much in a challenge, as all members of the group see it.
struct ChallengeTable: Equatable, Sendable {
    struct Row: Equatable, Sendable {
        let rank: Int
        let member: Group.Member
        let value: Int64
    }

    /// The best first; of those who have done the same, whoever joined first.
    let rows: [Row]

    /// A table of those who compete. Same value, same rank: 1, 1, 3.
    /// - Parameter values: what they have done, in the order in which they joined.
    init(_ values: [(member: Group.Member, value: Int64)]) {
        let sorted = values.enumerated().sorted { one, other in
            (one.element.value, other.offset) > (other.element.value, one.offset)
        }.map(\.element)
        var rows: [Row] = []
        for (index, entry) in sorted.enumerated() {
            let before = rows.last.flatMap { $0.value == entry.value ? $0.rank : nil }
            rows.append(Row(rank: before ?? index + 1, member: entry.member, value: entry.value))
        }
        self.rows = rows
    }

    /// A table that is final: ranks stay as they were, even if somebody has left in the meantime.
    /// - Parameter places: in the order in which their members joined.
    init(kept places: [(member: Group.Member, place: Membership.Place)]) {
        rows = places.enumerated().sorted { one, other in
            (one.element.place.rank, one.offset) < (other.element.place.rank, other.offset)
        }.map { Row(rank: $0.element.place.rank, member: $0.element.member, value: $0.element.place.value) }
    }
}

/// A table with everything that is said with it.
struct TableSheet: Equatable, Sendable {
    let group: ID
    let challenge: Challenge
    let table: ChallengeTable
    /// What members call themselves, by their ids in the group.
    let names: [ID: String]

    init(group: ID, challenge: Challenge, table: ChallengeTable, names: [ID: String]) {
        (self.group, self.challenge, self.table, self.names) = (group, challenge, table, names)
    }

    /// As a member sees it.
    func json(for user: ID, now: Int64) -> JSON {
        let state = challenge.state(at: now)
        return .object(present: [
            "group": .string(group.text), "measure": .string(challenge.measure.rawValue),
            "period": .string(challenge.period.rawValue), "target": challenge.target.map { .integer($0) },
            "from": .string("\(challenge.days.lowerBound)"), "to": .string("\(challenge.days.upperBound)"),
            "over": .bool(state != .isOn), "final": .bool(state == .isFinal),
            "rows": .array(table.rows.map { row($0, user) }),
        ])
    }

    private func row(_ row: ChallengeTable.Row, _ user: ID) -> JSON {
        .object(present: [
            "rank": .integer(Int64(row.rank)), "member": .string(row.member.id.text),
            "name": names[row.member.id].map(JSON.string), "value": .integer(row.value),
            "you": .bool(row.member.user == user),
        ])
    }
}
