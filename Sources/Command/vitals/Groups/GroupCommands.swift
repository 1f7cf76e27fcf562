import Daemon

/// The commands about groups and training partners.
enum GroupCommands {
    static let all = [groups, partners]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let (groups, partners) = (Groups(call, arguments), Partners(call, arguments))
        return switch arguments.command {
        case ["groups"]: try groups.list()
        case ["groups", "show"]: try groups.show()
        case ["groups", "create"]: try groups.create()
        case ["groups", "code"]: try groups.code()
        case ["groups", "join"]: try groups.join()
        case ["groups", "leave"]: try groups.leave()
        case ["groups", "delete"]: try groups.delete()
        case ["groups", "rename"]: try groups.rename()
        case ["groups", "remove"]: try groups.remove()
        case ["groups", "compete"]: try groups.compete()
        case ["groups", "challenge"]: try groups.challenge()
        case ["groups", "end-challenge"]: try groups.endChallenge()
        case ["groups", "table"]: try groups.table()
        case ["partners"]: try partners.list()
        case ["partners", "offer"]: try partners.offer()
        case ["partners", "withdraw"]: try partners.withdraw()
        case ["partners", "find"]: try partners.find()
        case ["partners", "ask"]: try partners.ask()
        case ["partners", "take-back"]: try partners.takeBack()
        case ["partners", "accept"]: try partners.answer(true)
        case ["partners", "decline"]: try partners.answer(false)
        case ["partners", "end"]: try partners.end()
        case ["partners", "block"]: try partners.block()
        case ["partners", "contact"]: try partners.contact()
        default: nil
        }
    }

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let group = Positional.required("GROUP", "its id or name", offers: Offers.groups.rawValue)

    private static let groups = Command(
        name: "groups", summary: "Lists your groups, and the challenges in them.",
        discussion: """
            The members of a group see each other's names. In a challenge, they see how much each member who competes has done, and \
            nobody competes unless they say so.

            Before it does what cannot be undone, it asks on a terminal. Without one, as in a script, it needs --yes.
            """,
        examples: [
            Example("vitals groups create 'The early birds'"),
            Example("vitals groups code 'The early birds'", "prints a code for the others"),
            Example("vitals groups join 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E --compete"),
            Example("vitals groups challenge 'The early birds' steps week"),
            Example("vitals groups table 'The early birds'"),
        ],
        subcommands: [
            Command(name: "show", summary: "Shows a group, its members and its challenges.", arguments: [group]),
            Command(
                name: "create", summary: "Makes a group of your own.",
                arguments: [.required("NAME", "what it is called")]),
            Command(
                name: "code", summary: "Prints a code with which others join your group.",
                discussion: "It works for a week, for everybody who has it. Another code ends the one before.",
                arguments: [group]),
            Command(
                name: "join", summary: "Joins the group of a code.",
                options: [.flag("compete", "lets the others see what you do in challenges")],
                arguments: [.required("CODE", "the code that its owner gave you")]),
            Command(
                name: "leave", summary: "Leaves a group; your rows vanish from its tables.", options: [yes],
                arguments: [group]),
            Command(name: "delete", summary: "Deletes a group of yours.", options: [yes], arguments: [group]),
            Command(
                name: "rename", summary: "Gives a group of yours another name.",
                arguments: [group, .required("NAME", "the new name")]),
            Command(
                name: "remove", summary: "Removes somebody from a group of yours, and ends its code.", options: [yes],
                arguments: [group, .required("MEMBER", "the member's name, its beginning, or the id")]),
            Command(
                name: "compete", summary: "Says whether the others see what you do.",
                discussion: "With off, your rows vanish at once, also from tables that are final.",
                arguments: [group, .required("ON", "on or off", values: ["on", "off"])]),
            Command(
                name: "challenge", summary: "Begins a challenge in a group of yours, today.",
                discussion: "Each day counts where its person is. Late readings change the table for two days after the end.",
                options: [
                    .value("target", "N", "what everybody wants to reach; of a distance, kilometres or miles")
                ],
                arguments: [
                    group,
                    .required(
                        "MEASURE", "steps, distance (on foot), all-distance (in all ways), minutes (of workouts) or workouts", values: Groups.measures),
                    .required(
                        "PERIOD", "week (seven days), or month (to the day before the same date of the next)",
                        values: ["week", "month"]),
                ],
                examples: [Example("vitals groups challenge 'The early birds' distance month --target 100")]),
            Command(
                name: "end-challenge", summary: "Ends the challenge that is on, without a result.", options: [yes],
                arguments: [group]),
            Command(
                name: "table", summary: "Shows who has done how much.",
                options: [.value("from", "DAY", "the first day of an earlier challenge, as `vitals groups show` has it")],
                arguments: [group],
                examples: [
                    Example("vitals groups table 'The early birds'"),
                    Example("vitals groups table 'The early birds' --from 2026-11-16 --json"),
                ]),
        ], runsAlone: true)

    private static let ask = Positional.required(
        "ASK", "the id of a question", offers: Offers.partnerAsks.rawValue)

    private static let partners = Command(
        name: "partners", summary: "Lists your training partners, questions and offers, and finds others.",
        discussion: """
            Others find what you offer by activity and area, without your name. Only when both agree do you see each other's name and \
            contact. An area is a name, never a position. An offer lasts for ninety days; offering it again renews it.

            Before it ends or blocks something, it asks on a terminal. Without one, as in a script, it needs --yes.
            """,
        examples: [
            Example("vitals partners offer running --area 'Old Town' --pace 5:30-6:15"),
            Example("vitals partners find --activity running --area old"),
            Example("vitals partners contact 'ada@example.org'", "for your partners"),
        ],
        subcommands: [
            Command(
                name: "offer", summary: "Offers to train with others, or renews that.",
                options: [
                    .value("area", "NAME", "where: a name, such as 'Old Town'"),
                    .value("pace", "FROM-TO", "minutes for a kilometre or mile, the faster one first: 5:30-6:15"),
                    .value("text", "TEXT", "for those who find it"),
                ],
                arguments: [.required("ACTIVITY", "running, walking, cycling, or what you call it")]),
            Command(
                name: "withdraw", summary: "Withdraws an offer.",
                arguments: [.required("OFFER", "its id", offers: Offers.partnerOffers.rawValue)]),
            Command(
                name: "find", summary: "Finds what others offer.",
                options: [
                    .value("activity", "NAME", "only this activity"),
                    .value("area", "TEXT", "only where the area's name has this in it"),
                    .value("pace", "FROM-TO", "only a pace that overlaps this, in minutes for a kilometre or mile: 5:30-6:15"),
                ],
                examples: [Example("vitals partners find --activity running --area town --pace 5:30-6:15")]),
            Command(
                name: "ask", summary: "Asks whoever has made an offer.", options: [.value("text", "TEXT", "for them")],
                arguments: [.required("OFFER", "its id, as `vitals partners find` has it")]),
            Command(
                name: "take-back", summary: "Takes a question back.",
                arguments: [.required("ASK", "the question's id", offers: Offers.partnerOwnAsks.rawValue)]),
            Command(
                name: "accept", summary: "Agrees to train with whoever asks; both then see name and contact.",
                arguments: [ask]),
            Command(name: "decline", summary: "Declines.", arguments: [ask]),
            Command(
                name: "end", summary: "Ends a partnership. The other one is not told.", options: [yes],
                arguments: [.required("PARTNER", "the name, its beginning, or the id", offers: Offers.partners.rawValue)]),
            Command(
                name: "block", summary: "Blocks whoever asks, or a partner; `vitals friends unblock` takes it back.",
                options: [yes],
                arguments: [
                    .required(
                        "WHOM", "the id of a question, or a partner", offers: Offers.partnersAndAsks.rawValue)
                ]),
            Command(
                name: "contact", summary: "Says how your partners reach you.",
                options: [.flag("clear", "shows none any longer")],
                arguments: [.optional("TEXT", "an address, a number, or whatever you like")]),
        ], runsAlone: true)
}
