import Contract
import Features
import Fitness
import Records
import Telemetry

/// What `groups/…` ask and answer.
extension RequestContract {
    private static let group = PayloadSchema.Field.always("group", .id)
    private static let name = PayloadSchema.Field.always(
        "name",
        .text(atMost: Group.longestName.bytes).about("up to \(Group.longestName.characters) characters on one line"))
    private static let measure = PayloadSchema.Field.always(
        "measure", .word(Challenge.Measure.allCases.map(\.rawValue)).about("distance is that on foot, all-distance that in all ways"))
    private static let period = PayloadSchema.Field.always("period", .word(Challenge.Period.allCases.map(\.rawValue)))
    private static let days: [PayloadSchema.Field] = [.always("from", .day), .always("to", .day)]

    private static let challenge = PayloadSchema.object(
        "Challenge", "What the members of a group compare.",
        [measure, period] + days + [.known("target", .integer(in: Challenge.targets))])

    private static let fields: [PayloadSchema.Field] = [
        group, .always("name", .text), .always("owner", .bool.about("whether it is the asker's")),
        .always("members", .count), .known("since", .time.about("when the asker joined")),
        .always("competing", .bool.about("whether the others see what the asker does")), .known("challenge", challenge),
    ]
    private static let listed = PayloadSchema.object("Group", "A group of people who compare themselves.", fields)

    private static let member = PayloadSchema.object(
        "GroupMember", "A member of a group.",
        [
            .always("member", .id.about("an id that is theirs in this group only")), .known("name", .text),
            .always("since", .time), .always("competing", .bool), .always("owner", .bool), .always("you", .bool),
        ])

    static let groupsCreate = RequestContract("Makes a group, whose owner the asker is.", asks: [name], answers: listed)

    static let groupsList = RequestContract(
        "Lists the groups that the asker is in.",
        answers: .record([.always("groups", .array(of: listed, atMost: Int64(MembershipList.most)))]))

    static let groupsShow = RequestContract(
        "Shows a group and its members.", asks: [group],
        answers: .object(
            "GroupWithPeople", "A group, its members, and its challenges, the latest first.",
            fields + [
                .always("people", .array(of: member, atMost: Int64(Group.mostMembers))),
                .always("challenges", .array(of: challenge, atMost: Int64(Group.mostChallenges))),
            ]))

    static let groupsCode = RequestContract(
        "Draws a code: anyone who gets it can join, as often as it takes, until it is too old or another one is drawn. Owners only.",
        asks: [group], answers: .record([.always("code", .text), .always("expires", .time)]))

    static let groupsJoin = RequestContract(
        "Joins the group of a code.",
        asks: [
            .always("code", .text(atMost: 64)),
            .known("compete", .bool.about("whether the others see what the asker does; false if it is left out")),
        ],
        answers: listed)

    static let groupsLeave = RequestContract(
        "Leaves a group. The asker's rows vanish from its tables. A group without an owner passes to whoever has been in it for longest.",
        asks: [group])

    static let groupsDelete = RequestContract("Deletes a group. Owners only.", asks: [group])

    static let groupsRename = RequestContract(
        "Gives a group another name. Owners only.", asks: [group, name], answers: listed)

    static let groupsRemove = RequestContract(
        "Removes a member, and ends the group's code. Owners only.", asks: [group, .always("member", .id)])

    static let groupsCompete = RequestContract(
        "Says whether the others see what the asker does. Without it, the asker's rows vanish from all tables.",
        asks: [group, .always("compete", .bool)], answers: listed)

    static let groupsChallenge = RequestContract(
        "Begins a challenge on the asker's today: of seven days, or of a month. Owners only.",
        asks: [
            group, measure, period,
            .known(
                "target", .integer(in: Challenge.targets).about("what everybody wants to reach, in the unit of `value`")),
        ],
        answers: listed)

    static let groupsEndChallenge = RequestContract(
        "Ends the challenge that is on, without a result. Owners only.", asks: [group], answers: listed)

    static let groupsTable = RequestContract(
        "Shows the table of a challenge.",
        asks: [
            group,
            .known("from", .day.about("the first day of the challenge; that of the latest one if it is left out")),
        ],
        answers: table)

    private static let table = PayloadSchema.object(
        "GroupTable", "Who has done how much in a challenge.",
        [
            group, measure, period, .known("target", .count.about("in the unit of the values")),
        ] + days + [
            .always("over", .bool.about("its last day is over everywhere")),
            .always("final", .bool.about("late readings no longer change it")),
            .always(
                "rows",
                .array(
                    of: .object(
                        "GroupTableRow", "A member who competes.",
                        [
                            .always("rank", .integer(from: 1).about("the same for the same value: 1, 1, 3")),
                            .always("member", .id), .known("name", .text),
                            .always("value", .count.about("steps, metres, whole minutes or workouts")),
                            .always("you", .bool),
                        ]), atMost: Int64(Group.mostMembers))),
        ])

    /// What the topic of a group's table has.
    static var groupTable: PayloadSchema { table }
}

extension FeatureTopic {
    static let groupTable = FeatureTopic(
        "groups/+/table", isRetained: true, isTakenBackByFeature: true, RequestContract.groupTable)
}

extension UserTopic {
    static func groupTable(_ group: ID) -> UserTopic { .published("groups/\(group)/table") }

    /// The group whose table it is; nil if it is no such topic.
    var groupOfTable: ID? {
        guard case .published(let name) = self, name.utf8.starts(with: "groups/".utf8) else { return nil }
        let levels = name.split(separator: "/")
        guard levels.count == 3, levels[2] == "table" else { return nil }
        return decoded { () throws(MalformedValue) in try ID(String(levels[1])) }
    }
}
