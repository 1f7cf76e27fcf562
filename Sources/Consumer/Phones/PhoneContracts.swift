import Accounts
import Contract

/// What `phones/…` ask and answer.
extension RequestContract {
    private static let phone = PayloadSchema.Field.always("phone", .id)
    private static let link = PayloadSchema.record([
        phone, .always("link", .text.about("configures the app OwnTracks: it contains a password and a secret")),
    ])

    static let phonesAdd = RequestContract(
        "Connects a phone that says where its person is. Needs the consent `record_location`.",
        asks: [
            .known("name", AccountFields.deviceName),
            .known("encrypted", .bool.about("whether the phone seals what it sends; true if it is left out")),
        ],
        answers: link)

    static let phonesList = RequestContract(
        "Lists the person's phones.",
        answers: .record([
            .always(
                "phones",
                .array(
                    of: .object(
                        "Phone", "A phone of a person's.",
                        [
                            phone, .always("name", .text), .always("encrypted", .bool), .always("created", .time),
                            .always("signed_in", .bool.about("false if its device was revoked or signed out")),
                        ]), atMost: Int64(PhoneList.limit))),
            .always("recorded", .bool.about("whether the person's position is recorded")),
        ]))

    static let phonesLink = RequestContract("The link of a phone once more.", asks: [phone], answers: link)

    static let phonesRemove = RequestContract(
        "Ends a phone. What it has sent stays.", asks: [phone], answers: .record([phone]))
}
