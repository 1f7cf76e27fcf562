package import Telemetry

// What a new password must have (requirement B2), and how it is read.
//
// Letters are Unicode's: É is an upper-case letter, ß a lower-case one, and letters of scripts without cases are
// neither. A digit is a decimal digit of any script. A special character is one that shows and is neither letter nor
// digit. Length is counted in characters as people see them.
//
// The same é comes from one keyboard as one code point and from another as two. A character that has a single code
// point in Unicode is hashed as that, which is its normal form NFC for everything that keyboards type; rarer
// combinations are taken as they come.

/// A password on its way to its hash. Nothing prints it.
package struct Password: CustomStringConvertible, CustomReflectable {
    /// With combined characters as one code point each.
    package let text: String

    /// A password as it came.
    package init(_ given: String) { text = given.utf8.allSatisfy { $0 < 0x80 } ? given : Composition.compose(given) }

    /// The bytes that are hashed.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// `a password`
    package var description: String { "a password" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Password {
    /// The password to sign in with: anything that was once allowed.
    package init(ofSignIn fields: JSON, field: String = "password") throws(ReplyError) {
        let given = try Self.given(fields, field)
        guard !given.isEmpty else { throw ReplyError(.invalid, "Enter a password", field: field) }
        self.init(given)
    }

    /// A new password, which has to keep all of the rules. The error's message has a sentence for each that is broken,
    /// in the order of `Rule`; whether a password is easily guessed is checked only if it keeps the other rules.
    /// - Parameter names: what it must not contain: the account's e-mail address, phone number or person's name.
    package init(new fields: JSON, field: String = "password", names: [AccountName] = [], personName: String? = nil)
        throws(ReplyError)
    {
        try self.init(ofSignIn: fields, field: field)
        var broken = Rule.shape.filter { !$0.isKept(text) }
        if broken.isEmpty {
            if contains(names, personName) {
                broken = [.withoutName]
            } else if CommonPasswords.isCommon(text) {
                broken = [.uncommon]
            }
        }
        guard broken.isEmpty else {
            throw ReplyError(.invalid, broken.map(\.message).joined(separator: ". "), field: field)
        }
    }

    private static func given(_ fields: JSON, _ field: String) throws(ReplyError) -> String {
        guard let value = present(field, fields) else {
            throw ReplyError(.badRequest, "Enter a password", field: field)
        }
        return try requireText(value, field)
    }

    /// What a password must be; the messages are in this order.
    package enum Rule: CaseIterable {
        case printable, longEnough, shortEnough, upperCase, lowerCase, digit, special, withoutName, uncommon

        /// The rules that need nothing but the password.
        fileprivate static let shape: [Rule] = allCases.filter { $0 != .withoutName && $0 != .uncommon }

        /// Characters.
        static let minimumLength = 10
        /// Bytes of UTF-8.
        package static let maximumLength = 128

        /// The rule, in the words for a person who breaks it.
        package var message: String {
            switch self {
            case .printable: "The password must not contain control characters"
            case .longEnough: "The password must have at least \(Rule.minimumLength) characters"
            case .shortEnough: "The password must have at most \(Rule.maximumLength) bytes"
            case .upperCase: "The password must have at least one upper-case letter"
            case .lowerCase: "The password must have at least one lower-case letter"
            case .digit: "The password must have at least one digit"
            case .special: "The password must have at least one special character, such as \"!\""
            case .withoutName: "The password must not contain your e-mail address, phone number or name"
            case .uncommon: "This password is one of those that are tried first: choose another"
            }
        }

        fileprivate func isKept(_ text: String) -> Bool {
            switch self {
            case .printable: text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            case .longEnough: text.count >= Rule.minimumLength
            case .shortEnough: text.utf8.count <= Rule.maximumLength
            case .upperCase: text.contains { $0.isUppercase }
            case .lowerCase: text.contains { $0.isLowercase }
            case .digit: text.unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber }
            case .special: text.contains { !$0.isLetter && !$0.isNumber && !$0.isWhitespace && !Rule.isHidden($0) }
            case .withoutName, .uncommon: true
            }
        }

        private static func isHidden(_ character: Character) -> Bool {
            character.unicodeScalars.allSatisfy {
                [.control, .format, .unassigned].contains($0.properties.generalCategory)
            }
        }
    }

    /// Whether the password contains a name, in whatever case. Parts of fewer than four characters may be: Al's
    /// password may have an "al" in it.
    private func contains(_ names: [AccountName], _ personName: String?) -> Bool {
        var parts = (personName ?? "").split { !$0.isLetter }.map { String($0) }
        for name in names {
            switch name {
            case .email(let address):
                parts += [address.text, String(address.localPart)]
                parts += address.localPart.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
            case .phone(let number):
                // Without the country code, which may have one to three digits.
                parts += (1...3).map { String(number.text.dropFirst($0 + 1)) }
            }
        }
        let password = text.lowercased()
        return parts.contains { $0.count >= 4 && password.contains($0.lowercased()) }
    }
}

/// Replaces characters of several code points with the single one that Unicode has for them.
///
/// Foundation's normal forms are not in FoundationEssentials; but Swift treats characters as equal if they are
/// canonically equivalent (Unicode Standard Annex 15), so a dictionary of characters with one code point finds them by
/// any of their spellings.
enum Composition {
    static func compose(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for character in text {
            if let single = singles[character] { result.append(single) } else { result += character.unicodeScalars }
        }
        return String(result)
    }

    /// All such characters up to Greek Extended, a few symbols, and Hangul. Of several that are equivalent, the first,
    /// which is the one that normal forms have: Å is a letter and was a unit, and K and ; are not the signs of Kelvin
    /// and of Greek questions.
    private static let singles: [Character: Unicode.Scalar] = {
        var singles: [Character: Unicode.Scalar] = [:]
        for range in [UInt32(0x20)...0x1FFF, 0x2126...0x212B, 0xAC00...0xD7A3] {
            for value in range {
                guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else {
                    continue
                }
                let character = Character(scalar)
                if singles[character] == nil { singles[character] = scalar }
            }
        }
        return singles
    }()
}
