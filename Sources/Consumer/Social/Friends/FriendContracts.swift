import Accounts
import Contract

/// What `friends/…` ask and answer.
extension RequestContract {
    private static let friend = PayloadSchema.Field.always(
        "friend", .id.about("a friend, or an invitation, as `friends/list` has it"))

    private static let share = PayloadSchema.Field.known(
        "share",
        .object("AskedShare", "What all friends see; what is left out stays as it is.", [.known("steps", .bool)]))

    private static let shared = PayloadSchema.Field.always(
        "share", .object("Share", "What all friends see from now on.", [.always("steps", .bool)]))

    private static func state(_ states: Tie.State...) -> PayloadSchema.Field {
        .always("state", .word(states.map(\.rawValue)))
    }

    static let friendsList = RequestContract(
        "Lists friends, invitations and people who are blocked.",
        answers: .record([
            .always(
                "friends",
                .array(
                    of: .object(
                        "Friend", "Somebody in a person's list.",
                        [
                            friend, .known("name", .text), .always("state", .word(Tie.State.allCases.map(\.rawValue))),
                            .known("to", .text.about("the address or number that was invited")),
                            .always("since", .time), .always("muted", .bool.about("their thumbs are not announced")),
                            .known("day", .day.about("the friend's day that `steps` are of")), .known("steps", .count),
                        ])))
        ]))

    static let friendsCode = RequestContract(
        "Draws a code: anyone who gets it becomes a friend with `friends/invite`.", asks: [share],
        answers: .record([.always("code", .text), .always("expires", .time), shared]))

    static let friendsInvite = RequestContract(
        "Invites the person of an address or a number, or redeems a code: one of the three.",
        asks: AccountFields.name + [.known("code", .text(atMost: 64)), share],
        answers: .record([
            state(.invited, .friend), .known("friend", .id.about("after a code: the friend")), shared,
        ]))

    static let friendsAccept = RequestContract(
        "Accepts an invitation.", asks: [friend, share], answers: .record([state(.friend), friend, shared]))

    static let friendsRefuse = RequestContract("Refuses an invitation.", asks: [friend])

    static let friendsRemove = RequestContract("Ends a friendship, or takes an invitation back.", asks: [friend])

    static let friendsBlock = RequestContract(
        "Blocks a friend, somebody who asks to be one, or the person that a notification is about.",
        asks: [.always("friend", .id.about("or the id of a notification"))],
        answers: .record([state(.blocked), .always("friend", .id.about("what `friends/unblock` takes"))]))

    static let friendsUnblock = RequestContract("Unblocks somebody.", asks: [friend])

    static let friendsMute = RequestContract(
        "Says whether a friend's thumbs are announced. The friend is not told.",
        asks: [friend, .always("muted", .bool)],
        answers: .record([.always("muted", .bool)]))

    static let friendsCheer = RequestContract(
        "Gives a friend a thumb.", asks: [friend, .always("thumb", .word(["up", "down"]))],
        answers: .record([
            .always("left", .integer(in: 0...mostThumbs).about("how many there are for that friend on this day"))
        ]))

    private static let mostThumbs = Friends.mostThumbs - 1
}
