import Contract
import Telemetry
import Workouts

/// What `partners/…` ask and answer.
extension RequestContract {
    private static func line(_ longest: (characters: Int, bytes: Int)) -> PayloadSchema {
        .text(atMost: longest.bytes).about("up to \(longest.characters) characters on one line")
    }

    private static let offer = PayloadSchema.Field.always("offer", .id)
    private static let askID = PayloadSchema.Field.always("ask", .id)
    private static let partnerID = PayloadSchema.Field.always("partner", .id)
    private static let seconds = PayloadSchema.integer(in: PartnerOffer.paces)
    private static let known = Activity.known.map { "`\($0.name)`" }.joined(separator: ", ")
    private static let activity = PayloadSchema.text(atMost: PartnerOffer.longestActivity).about(
        "\(known), or a name that a person has made up")
    private static let pace = PayloadSchema.object(
        "Pace", "Seconds for a kilometre, the fastest and the slowest.",
        [.always("from_s_per_km", seconds), .always("to_s_per_km", seconds)])

    private static let fields: [PayloadSchema.Field] = [
        offer, .always("activity", .text), .always("area", .text.about("what the person calls it, never a position")),
        .known("pace", pace), .known("text", .text), .always("since", .time),
    ]
    private static let own = PayloadSchema.object(
        "OwnOffer", "What the asker would like to do together with others.",
        fields + [.always("expires", .time.about("until when it is found, unless it is made again"))])
    private static let found = PayloadSchema.object(
        "Offer", "What somebody would like to do together with others.", fields)
    private static let question = PayloadSchema.object(
        "PartnerAsk", "A question whether somebody would like to train together.",
        [askID, offer, .always("activity", .text), .known("text", .text), .always("time", .time)])
    private static let partner = PayloadSchema.object(
        "Partner", "Somebody with whom the asker trains.",
        [
            partnerID, .known("name", .text), .known("contact", .text.about("what they have typed for this")),
            .always("activity", .text), .always("since", .time),
        ])
    private static func list(_ schema: PayloadSchema, _ most: Int) -> PayloadSchema {
        .array(of: schema, atMost: Int64(most))
    }

    static let partnersOffer = RequestContract(
        "Offers to train together, for ninety days. The same activity in the same area is the same offer, which then lasts from now on.",
        asks: [
            .always("activity", activity),
            .always("area", line(PartnerOffer.longestArea).about("a name, never a position")), .known("pace", pace),
            .known("text", line(PartnerOffer.longestText).about("for those who find it")),
        ],
        answers: own)

    static let partnersWithdraw = RequestContract(
        "Withdraws an offer, and with it the questions about it.", asks: [offer])

    static let partnersFind = RequestContract(
        "Finds others' offers, without names: of a pace that overlaps the one that is asked for, and those of none.",
        asks: [
            .known("activity", activity), .known("area", line(PartnerOffer.longestArea).about("a part of its name")),
            .known("pace", pace),
            .known("after", .text(atMost: 64).about("where the reply before ended: its `next`")),
        ],
        answers: .record([
            .always("offers", list(found, Partners.page)),
            .known("next", .text.about("there may be more after this, also if `offers` is empty")),
        ]))

    static let partnersAsk = RequestContract(
        "Asks whoever has made an offer. To ask again is the same question, with other words if there are some.",
        asks: [offer, .known("text", line(PartnerOffer.longestText).about("for them"))], answers: .record([askID]))

    static let partnersTakeBack = RequestContract("Takes a question back.", asks: [askID])

    static let partnersList = RequestContract(
        "Lists the asker's offers, questions that are open, and partners.",
        answers: .record([
            .always("offers", list(own, PartnerOffer.most)),
            .always("asked", list(question, PartnerList.mostAsked)),
            .always("asks", list(question, PartnerList.mostAsks)),
            .always("partners", list(partner, PartnerList.mostPartners)),
            .known("contact", .text.about("what the asker's partners see")),
        ]))

    static let partnersAnswer = RequestContract(
        "Answers a question. Only if both agree do they see each other's names and contacts.",
        asks: [askID, .always("accept", .bool)], answers: .record([.known("partner", partner)]))

    static let partnersEnd = RequestContract("Ends a partnership. The other one is not told.", asks: [partnerID])

    static let partnersBlock = RequestContract(
        "Blocks whoever has asked, or a partner: one of the two. `friends/unblock` takes it back.",
        asks: [.known("ask", .id), .known("partner", .id)],
        answers: .record([.always("friend", .id.about("what `friends/unblock` takes"))]))

    static let partnersContact = RequestContract(
        "Says how the asker's partners reach them.",
        asks: [.always("contact", line(PartnerList.longestContact).orNull.about("null to show none any longer"))],
        answers: .record([.known("contact", .text)]))
}
