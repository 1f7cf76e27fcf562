package import Contract
import Features

/// Fields that several requests about accounts have.
package enum AccountFields {
    /// What an account is found by: one of the two.
    package static let name: [PayloadSchema.Field] = [
        .known("email", .text(atMost: EmailAddress.maximumLength)),
        .known(
            "phone", .text(atMost: PhoneNumber.maximumLength).about("with its country code, such as +49 151 23456789")),
    ]
    /// What a person calls a device.
    package static let deviceName = PayloadSchema.text(atMost: 4 * DeviceName.maximumLength)
        .about("at most \(DeviceName.maximumLength) characters on one line")

    static let device = PayloadSchema.Field.known("device", deviceName.about("what the list of devices calls it"))
    static let newPassword = PayloadSchema.Field.always(
        "password", .text(from: Password.Rule.minimumLength, atMost: Password.Rule.maximumLength))
    static let password = PayloadSchema.text.about("the account's")
    static let provider = PayloadSchema.text(atMost: ProviderSignIn.longestName)
        .about("of those in the consumer's settings")
    static let token = PayloadSchema.text(atMost: ProviderSignIn.maximumLength)
        .about("the provider's, with a nonce that `accounts/nonce` gave")
    static let message = PayloadSchema.Field.always("message", .text.about("for people"))
    /// What confirms something that cannot be undone.
    static let confirming: [PayloadSchema.Field] = [
        .known("password", password), .known("provider", provider.about("instead, if there is no password")),
        .known("id_token", token.about("goes with `provider`")),
    ]
    /// What a person can confirm with.
    static let confirmable: [PayloadSchema.Field] = [
        .known("has_password", .bool), .known("providers", .array(of: .text)),
    ]
}

/// What guests ask about accounts, and what the consumer answers.
extension RequestContract {
    private static let signedIn: [PayloadSchema.Field] = [
        .always("user", .id), .always("device", .id.about("the user name at the broker from now on")),
        .always("password", .text.about("goes with it: told only this once")), AccountFields.message,
    ]

    static let signUp = RequestContract(
        "Makes an account and signs in.",
        asks: AccountFields.name + [AccountFields.newPassword, AccountFields.device], answers: .record(signedIn))

    static let signIn = RequestContract(
        "Signs in.",
        asks: AccountFields.name + [.always("password", AccountFields.password), AccountFields.device],
        answers: .record(signedIn))

    static let nonce = RequestContract(
        "Draws a nonce for the ID token of a provider.", asks: [.always("provider", AccountFields.provider)],
        answers: .record([.always("nonce", .text), .always("expires", .time)]))

    static let signInWith = RequestContract(
        "Signs in with a provider, and makes an account if there is none.",
        asks: [
            .always("provider", AccountFields.provider), .always("id_token", AccountFields.token), AccountFields.device,
        ],
        answers: .record(signedIn + [.known("new", .bool.about("whether it made an account"))]))

    static let requestReset = RequestContract(
        "Asks for a code to reset the password. The reply is the same whether there is such an account or not.",
        asks: AccountFields.name, answers: .record([AccountFields.message]))

    static let resetPassword = RequestContract(
        "Sets a new password with a code.",
        asks: AccountFields.name + [
            .always("code", .text(atMost: NameCodes.longest)), AccountFields.newPassword,
            .known("keep", .bool.about("whether to keep what belongs to the account, if that is asked")),
        ],
        answers: .record([
            .always("changed", .bool.about("if not, nothing was changed, and the code still works")),
            AccountFields.message, .known("hanging", Hanging.schema),
        ]))
}
