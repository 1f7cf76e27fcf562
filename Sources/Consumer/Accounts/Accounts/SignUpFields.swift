package import Telemetry

/// The fields of a sign-up. Errors are looked for in the order of the properties, and each names its field.
struct SignUpFields {
    let name: AccountName
    let password: Password
    let device: DeviceName

    init(_ fields: JSON) throws(ReplyError) {
        name = try AccountName(fields)
        password = try Password(new: fields, names: [name])
        device = try DeviceName(fields)
    }
}

/// The fields of a sign-in. The password need only be there: whether it is right is another question.
struct SignInFields {
    let name: AccountName
    let password: Password
    let device: DeviceName

    init(_ fields: JSON) throws(ReplyError) {
        name = try AccountName(fields)
        password = try Password(ofSignIn: fields)
        device = try DeviceName(fields)
    }
}

/// What a person calls one of their devices: up to 64 characters on one line, or nothing.
package struct DeviceName: Hashable {
    package let text: String

    package static let maximumLength = 64

    /// The name in a request's field; empty if there is none.
    package init(_ fields: JSON, field: String = "device") throws(ReplyError) {
        guard let value = present(field, fields) else {
            text = ""
            return
        }
        text = try requireText(value, field).trimmed
        guard text.count <= Self.maximumLength, text.utf8.count <= 4 * Self.maximumLength, !text.contains(where: \.isNewline) else {
            throw ReplyError(
                .invalid, "A device's name has at most \(Self.maximumLength) characters on one line", field: field)
        }
        guard PlainText.isHarmless(text) else {
            throw ReplyError(.invalid, "A device's name is a line \(PlainText.refused)", field: field)
        }
    }
}
