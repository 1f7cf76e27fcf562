import Contract
import Features

/// What people ask about their own accounts, devices and all that is theirs.
extension RequestContract {
    private static let device = PayloadSchema.Field.always("device", .id)

    static let accountGet = RequestContract(
        "The person's account.",
        answers: .record([
            .always("user", .id), .known("email", .text), .known("phone", .text), .always("has_password", .bool),
            .always("providers", .array(of: .text).about("that the person signs in with")), .always("created", .time),
            .always("devices", .integer(in: 0...Int64(Devices.limit)).about("how many there are")),
            .known("verified", .bool.about("whether somebody has shown that the address or number is theirs")),
            .always("sends_mail", .bool.about("whether this service sends codes by mail")),
            .always("picture", .bool.about("whether the person has one")),
        ]))

    static let accountSendCode = RequestContract(
        "Sends another code to the account's e-mail address, which is not verified yet.",
        answers: .record([AccountFields.message]))

    static let accountVerify = RequestContract(
        "Shows with a code that the account's e-mail address is the person's.",
        asks: [.always("code", .text(atMost: NameCodes.longest).about("that was sent there"))],
        answers: .record([.always("verified", .bool), AccountFields.message]))

    static let accountSignOut = RequestContract(
        "Signs a device out: the reply comes first.", asks: [device], answers: .record([AccountFields.message]))

    static let accountChangePassword = RequestContract(
        "Changes the password. Other devices stay signed in.",
        asks: [.always("current", AccountFields.password), AccountFields.newPassword],
        answers: .record([AccountFields.message]))

    static let accountDelete = RequestContract(
        "Deletes the account, and everything that belongs to it.", asks: AccountFields.confirming,
        answers: .record([AccountFields.message]))

    static let devicesList = RequestContract(
        "Lists the person's devices, the oldest first.",
        answers: .record([
            .always(
                "devices",
                .array(
                    of: .object(
                        "SignedInDevice", "A device of a person's.",
                        [device, .always("name", .text), .always("created", .time)]), atMost: Int64(Devices.limit)))
        ]))

    static let devicesName = RequestContract(
        "Names a device.", asks: [device, .always("name", AccountFields.deviceName)])

    static let devicesRevoke = RequestContract("Signs a device out: the reply comes when it is out.", asks: [device])

    static let resetAllAsk = RequestContract(
        "Asks for all that is the person's to be deleted, except for the account: a confirmation has to follow.",
        answers: .record(
            [
                AccountFields.message, .always("confirmation", .text), .always("expires", .time),
                .always("what", StoredExtent.schema),
            ] + AccountFields.confirmable))

    static let resetAllConfirm = RequestContract(
        "Deletes all that is the person's, except for the account.",
        asks: [.always("confirmation", .text(atMost: ResetAll.longestConfirmation))] + AccountFields.confirming,
        answers: .record([
            AccountFields.message, .always("tried", .count.about("sealed things that were tried with every key left")),
            .always("opened", .count.about("how many of them opened: none")),
            .always("next", .only("profile").about("what the person's program shows next")),
        ]))
}
