package import Files
package import Records
package import Telemetry

/// The name of an account: an e-mail address or a phone number, one of the two.
package enum AccountName: Hashable {
    case email(EmailAddress)
    case phone(PhoneNumber)

    /// The name in a request's fields. Errors name the field, and are looked for in this order: neither, both, of
    /// another type, empty, not an address or number.
    package init(_ fields: JSON) throws(ReplyError) {
        let (email, phone) = (present("email", fields), present("phone", fields))
        switch (email, phone) {
        case (nil, nil):
            throw ReplyError(.badRequest, "Enter an e-mail address or a phone number", field: "email")
        case (_?, _?):
            throw ReplyError(.badRequest, "Enter an e-mail address or a phone number, not both", field: "phone")
        case (let value?, nil):
            let text = try Self.text(value, "email", ifEmpty: "Enter an e-mail address")
            guard let address = EmailAddress(text) else {
                throw ReplyError(
                    .invalid, "Enter a valid e-mail address, such as ada@example.org", field: "email")
            }
            self = .email(address)
        case (nil, let value?):
            let text = try Self.text(value, "phone", ifEmpty: "Enter a phone number")
            guard let number = PhoneNumber(text) else {
                throw ReplyError(
                    .invalid, "Enter a valid phone number with its country code, such as +49 151 23456789",
                    field: "phone")
            }
            self = .phone(number)
        }
    }

    private static func text(_ value: JSON, _ field: String, ifEmpty message: String) throws(ReplyError) -> String {
        let text = try requireText(value, field)
        guard !text.trimmed.isEmpty else { throw ReplyError(.invalid, message, field: field) }
        return text
    }

    /// The request's field, and the column of `accounts`.
    package var field: String {
        switch self {
        case .email: "email"
        case .phone: "phone"
        }
    }

    /// The name in plain text, as mail and people write it.
    package var text: String {
        switch self {
        case .email(let address): address.text
        case .phone(let number): number.text
        }
    }

    /// Whether a text in which somebody has written a name means this one: an address distinguishes accounts without its capitals.
    package func isSame(as text: String) -> Bool { self.text.lowercased() == text.lowercased() }

    /// The keyed hash that the account is found by.
    package func lookup(_ keys: Keys) throws(VaultError) -> [UInt8] {
        switch self {
        case .email(let address): try keys.lookup("email", address.lookup)
        case .phone(let number): try keys.lookup("phone", number.text)
        }
    }

    /// The error if somebody has this name already. A sign-up cannot keep that secret: requirement B1.
    var alreadyRegistered: ReplyError {
        let name =
            switch self {
            case .email: "This e-mail address"
            case .phone: "This phone number"
            }
        return ReplyError(
            .alreadyRegistered, "\(name) is already registered: sign in, or reset the password", field: field)
    }
}

/// A field's value; nil if it is left out or null.
package func present(_ field: String, _ fields: JSON) -> JSON? {
    fields[field].flatMap { $0 == .null ? nil : $0 }
}

/// A value that has to be a text.
package func requireText(_ value: JSON, _ field: String) throws(ReplyError) -> String {
    guard case .string(let text) = value else {
        throw ReplyError(.badRequest, "\"\(field)\" must be text", field: field)
    }
    return text
}
