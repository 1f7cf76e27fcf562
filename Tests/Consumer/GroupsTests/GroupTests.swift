import Fitness
import Records
import Telemetry
import TestSupport
import Testing

@testable import Groups

extension Group {
    /// A group with so many members, called a, b, c and so on.
    static func madeUp(_ count: Int = 3) throws -> Group {
        let members = try (0..<count).map { number in
            let name = "m\(number)"
            return Member(id: try ID("member-\(name)"), user: try ID(name), since: Int64(number))
        }
        var group = Group(id: try ID("birds"), name: "The early birds", founder: members[0])
        group.members = members
        return group
    }
}

@Suite("A group")
struct GroupTests {
    @Test("passes to whoever has been in it for longest, and is empty after the last")
    func owners() throws {
        var group = try Group.madeUp()
        group.remove(try ID("m1"))
        #expect(group.owner.text == "m0")
        group.remove(try ID("m0"))
        #expect(group.owner.text == "m2" && group.members.map(\.user.text) == ["m2"])
        group.remove(try ID("m2"))
        #expect(group.members.isEmpty)
    }

    @Test("remembers twelve challenges, and is the same after it was kept")
    func kept() throws {
        var group = try Group.madeUp(Group.mostMembers)
        var day = CalendarDay(daysSince1970: 20_000)
        for _ in 0..<15 {
            group.add(Challenge(.workouts, .week, from: day, target: 1_000_000_000))
            day = day.advanced(by: 7)
        }
        #expect(group.challenges.count == 12)
        #expect(group.challenges.first?.days.lowerBound == CalendarDay(daysSince1970: 20_021))
        #expect(Group(id: group.id, kept: group.kept) == group)
        #expect(group.kept.bytes.count < JSON.maximumLength)
    }

    @Test("leaves room in a person's document, however full that is")
    func full() throws {
        var list = MembershipList()
        for number in 0..<MembershipList.most {
            var membership = Membership(group: try ID("group-\(String(repeating: "x", count: 28))\(number)"), isCompeting: true)
            for week in 0..<30 {
                let from = CalendarDay(daysSince1970: 20_000 + Int64(week) * 7)
                membership.add(Membership.Place(from: from, rank: 50, value: 1_000_000_000_000_000))
            }
            #expect(membership.places.count == Group.mostChallenges)
            list.set(membership)
        }
        #expect(list.all.count == MembershipList.most && list.json.bytes.count < JSON.maximumLength)
        #expect(MembershipList(kept: list.json) == list)
    }
}

@Suite("A table")
struct ChallengeTableTests {
    @Test("has the same rank for the same value, and the next one after as many as there are")
    func ties() throws {
        let members = try Group.madeUp(6).members
        let values: [Int64] = [3, 9, 3, 9, 1, 3]
        let table = ChallengeTable(members.indices.map { (members[$0], values[$0]) })
        #expect(table.rows.map(\.rank) == [1, 1, 3, 3, 3, 6])
        #expect(table.rows.map(\.value) == [9, 9, 3, 3, 3, 1])
        #expect(table.rows.map(\.member.user.text) == ["m1", "m3", "m0", "m2", "m5", "m4"])
        #expect(ChallengeTable([]).rows.isEmpty)
        let zeros = ChallengeTable(members.map { ($0, 0) })
        #expect(zeros.rows.map(\.rank) == [1, 1, 1, 1, 1, 1] && zeros.rows.map(\.member) == members)
    }

    @Test("that is final has the ranks that it had, even if somebody has left")
    func final() throws {
        let members = try Group.madeUp(3).members
        let day = CalendarDay(daysSince1970: 20_000)
        let table = ChallengeTable(kept: [
            (members[0], Membership.Place(from: day, rank: 3, value: 5)),
            (members[2], Membership.Place(from: day, rank: 2, value: 7)),
        ])
        #expect(table.rows.map(\.rank) == [2, 3] && table.rows.map(\.member.user.text) == ["m2", "m0"])
    }

    @Test("says to each member which row is theirs, and nobody's id outside of the group")
    func sheet() throws {
        let group = try Group.madeUp(2)
        let challenge = Challenge(.steps, .week, from: CalendarDay(daysSince1970: 20_000), target: nil)
        let sheet = TableSheet(
            group: group.id, challenge: challenge, table: ChallengeTable(group.members.map { ($0, 1) }),
            names: [group.members[0].id: "Ada"])
        let json = sheet.json(for: try ID("m1"), now: challenge.over)
        guard case .array(let rows)? = json["rows"] else { throw TestFailure("\(json)") }
        #expect(rows.map { $0["you"] } == [false, true] && rows.map { $0["name"] } == ["Ada", nil])
        #expect(rows.map { $0["member"] } == ["member-m0", "member-m1"])
        #expect(json["over"] == true && json["final"] == false)
    }
}

@Suite("What is known of values")
struct KnownValueTests {
    @Test("is fresh until something changes, also while it is being read")
    func fresh() throws {
        let (ada, challenge) = (
            try ID("ada"), Challenge(.steps, .week, from: CalendarDay(daysSince1970: 20_000), target: nil)
        )
        var values = KnownValues()
        #expect(values.value(of: ada, in: challenge) == nil && !values.isFresh(ada, in: challenge))
        values.take(5, of: ada, in: challenge, before: values.changes(of: ada))
        #expect(values.value(of: ada, in: challenge) == 5 && values.isFresh(ada, in: challenge))
        values.changed(ada)
        #expect(values.value(of: ada, in: challenge) == 5 && !values.isFresh(ada, in: challenge))
        let before = values.changes(of: ada)
        values.changed(ada)
        values.take(6, of: ada, in: challenge, before: before)
        #expect(values.value(of: ada, in: challenge) == 6 && !values.isFresh(ada, in: challenge))
        values.forget(ada)
        #expect(values.value(of: ada, in: challenge) == nil)
        // What was being read when they were forgotten is not fresh.
        values.take(7, of: ada, in: challenge, before: before)
        #expect(!values.isFresh(ada, in: challenge))
        // Nor is it for somebody who had never changed before.
        let (bob, first) = (try ID("bob"), 0)
        values.forget(bob)
        values.take(7, of: bob, in: challenge, before: first)
        #expect(!values.isFresh(bob, in: challenge))
    }
}
