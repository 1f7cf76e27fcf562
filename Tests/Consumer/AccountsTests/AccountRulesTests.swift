import Telemetry
import Testing

@testable import Accounts

@Suite("What signing up takes")
struct AccountRulesTests {
    // MARK: Names

    @Test(
        "takes an e-mail address that people have",
        arguments: [
            "ada@example.org", "Ada.Lovelace+vitals@Example.org", "a@b.co",
            "o'brien_{1}/x=?^`~|!#$%&*-@sub.example.co.uk",
            "x@xn--mnchen-3ya.de", String(repeating: "a", count: 64) + "@example.org",
            "a@" + String(repeating: "b", count: 63) + ".org", "1@2.x3",
        ])
    func emails(text: String) throws {
        #expect(EmailAddress(text)?.text == text)
        #expect(EmailAddress("  \(text)\n")?.text == text)
        #expect(EmailAddress(text.uppercased())?.lookup == EmailAddress(text)?.lookup)
    }

    static let notEmails = [
        "ada", "ada@", "@example.org", "ada@example", "a da@example.org", "ada@@example.org", "ada@exa@mple.org",
        ".ada@example.org", "ada.@example.org", "a..b@example.org", "ada@.org", "ada@example..org", "ada@example.org.",
        "ada@-example.org", "ada@example-.org", "ada@exa_mple.org", "ada@127.0.0.1", "ada@[127.0.0.1]",
        "\"ada\"@example.org",
        "ada@example.org\r\nBcc: eve@example.org", "ada\n@example.org", "ada\u{0}@example.org", "ada@exam\u{7F}ple.org",
        "Ada <ada@example.org>", "ada@example.org,eve@example.org", "ada@example.org eve@example.org",
        "äda@example.org",
        "ada@exämple.org", "ada(c)@example.org", "\(String(repeating: "a", count: 65))@example.org",
        "a@\(String(repeating: "b", count: 64)).org",
        "a@\(Array(repeating: String(repeating: "b", count: 60), count: 4).joined(separator: ".")).example.org",
        "a;b@example.org",
        "a:b@example.org", "a\\b@example.org",
    ]

    @Test("refuses what no mail can be sent to", arguments: notEmails)
    func notEmail(text: String) { #expect(EmailAddress(text) == nil) }

    @Test(
        "takes a phone number however people write it",
        arguments: [
            ("+4915123456789", "+4915123456789"), ("+49 151 23456789", "+4915123456789"),
            (" +1 (212) 555-0100 ", "+12125550100"), ("+39 06 1234 5678", "+390612345678"),
            ("+44\u{A0}20\u{2011}7946\u{2013}0000", "+442079460000"), ("+12345678", "+12345678"),
            ("+123456789012345", "+123456789012345"), ("+49.151.23456789", "+4915123456789"),
        ])
    func phones(written: String, number: String) { #expect(PhoneNumber(written)?.text == number) }

    @Test(
        "refuses what is no number with its country code",
        arguments: [
            "15123456789", "004915123456789", "+0151234567", "+1234567", "+1234567890123456", "+49 151 abc 456",
            "++4915123456789",
            "+49+15123456789", "+49 (0)151 23456789", "+49 (151 23456789", "+49 151) 23456789", "+49 ((151)) 23456789",
            "+49 () 15123456789", "+49\n15123456789", "+٤٩١٥١٢٣٤٥٦٧٨٩", "+49 151/23456789", "+", "+ ",
            "+49 151 23456789 ext. 5", "+4" + String(repeating: " ", count: 70) + "915123456789",
        ])
    func notPhone(text: String) { #expect(PhoneNumber(text) == nil) }

    // MARK: Every combination

    /// What may stand in a field, and what is then wrong with it.
    struct Entry: Sendable {
        let name: String
        let value: JSON?
        /// Code and message; nil where nothing is wrong, or where that depends on the other field.
        let error: (ReplyError.Code, String)?
        var isThere: Bool { value != nil && value != .null }
    }

    static let emailEntries = [
        Entry(name: "absent", value: nil, error: nil), Entry(name: "null", value: .null, error: nil),
        Entry(name: "a number", value: 7, error: (.badRequest, "\"email\" must be text")),
        Entry(name: "a list", value: ["ada@example.org"], error: (.badRequest, "\"email\" must be text")),
        Entry(name: "empty", value: "", error: (.invalid, "Enter an e-mail address")),
        Entry(name: "blank", value: " \t", error: (.invalid, "Enter an e-mail address")),
        Entry(
            name: "invalid", value: "ada@example",
            error: (.invalid, "Enter a valid e-mail address, such as ada@example.org")),
        Entry(name: "valid", value: "ada@example.org", error: nil),
    ]

    static let phoneEntries = [
        Entry(name: "absent", value: nil, error: nil), Entry(name: "null", value: .null, error: nil),
        Entry(name: "a number", value: 4_915_123_456_789, error: (.badRequest, "\"phone\" must be text")),
        Entry(name: "empty", value: "", error: (.invalid, "Enter a phone number")),
        Entry(name: "blank", value: "  ", error: (.invalid, "Enter a phone number")),
        Entry(
            name: "invalid", value: "0151 23456789",
            error: (.invalid, "Enter a valid phone number with its country code, such as +49 151 23456789")),
        Entry(name: "valid", value: "+49 151 23456789", error: nil),
    ]

    static let short = "The password must have at least 10 characters"
    static let noUpper = "The password must have at least one upper-case letter"
    static let noLower = "The password must have at least one lower-case letter"
    static let noDigit = "The password must have at least one digit"
    static let noSpecial = "The password must have at least one special character, such as \"!\""
    static let tooLong = "The password must have at most 128 bytes"
    static let control = "The password must not contain control characters"
    static let common = "This password is one of those that are tried first: choose another"

    /// Every set of broken rules, and a password that breaks them and keeps the others.
    static let passwordEntries: [Entry] = {
        var entries = [
            Entry(name: "absent", value: nil, error: (.badRequest, "Enter a password")),
            Entry(name: "null", value: .null, error: (.badRequest, "Enter a password")),
            Entry(name: "a number", value: 1_234_567_890, error: (.badRequest, "\"password\" must be text")),
            Entry(name: "empty", value: "", error: (.invalid, "Enter a password")),
            Entry(name: "common", value: "Password1!", error: (.invalid, common)),
        ]
        for broken in 0..<1 << 7 {
            func isBroken(_ bit: Int) -> Bool { broken & 1 << bit != 0 }
            let (isControl, isShort, isTooLong) = (isBroken(0), isBroken(1), isBroken(2))
            // A password cannot be both, unless its characters have many bytes.
            if isShort && isTooLong { continue }
            var text = isControl ? "\u{7}" : ""
            let rules = [(3, "Q", noUpper), (4, "j", noLower), (5, "7", noDigit), (6, "#", noSpecial)]
            var messages = isControl ? [control] : []
            if isShort { messages.append(short) }
            if isTooLong { messages.append(tooLong) }
            for (bit, character, message) in rules {
                if isBroken(bit) { messages.append(message) } else { text += character }
            }
            // Letters without a case, and different ones.
            let fill = (0..<200).compactMap { Unicode.Scalar(UInt32(0x4E00) + $0).map(Character.init) }
            if isTooLong {
                text += String(fill.prefix(50))
            } else {
                text += String(fill.prefix((isShort ? 9 : 12) - text.count))
            }
            entries.append(
                Entry(
                    name: "\(broken)", value: .string(text),
                    error: messages.isEmpty ? nil : (.invalid, messages.joined(separator: ". "))))
        }
        return entries
    }()

    static let deviceEntries = [
        Entry(name: "absent", value: nil, error: nil), Entry(name: "valid", value: "Ada's phone", error: nil),
        Entry(name: "a number", value: 1, error: (.badRequest, "\"device\" must be text")),
        Entry(
            name: "two lines", value: "a\nb",
            error: (.invalid, "A device's name has at most 64 characters on one line")),
        Entry(
            name: "long", value: .string(String(repeating: "a", count: 65)),
            error: (.invalid, "A device's name has at most 64 characters on one line")),
    ]

    @Test(
        "tells what is wrong for every combination of what may stand in the fields, naming the first field that is wrong"
    )
    func everyCombination() throws {
        var tried = 0
        for email in Self.emailEntries {
            for phone in Self.phoneEntries {
                for password in Self.passwordEntries {
                    for device in Self.deviceEntries {
                        let fields = JSON.object(present: [
                            "email": email.value, "phone": phone.value, "password": password.value,
                            "device": device.value,
                        ])
                        let expected = Self.expected(email, phone, password, device)
                        var found: ReplyError?
                        do throws(ReplyError) { _ = try SignUpFields(fields) } catch { found = error }
                        if found != expected {
                            Issue.record(
                                "\(String(decoding: fields.bytes, as: UTF8.self)): \(String(describing: found))")
                        }
                        tried += 1
                    }
                }
            }
        }
        #expect(tried == 8 * 7 * (5 + 96) * 5)
    }

    private static func expected(_ email: Entry, _ phone: Entry, _ password: Entry, _ device: Entry) -> ReplyError? {
        func error(_ entry: Entry, _ field: String) -> ReplyError? {
            entry.error.map { ReplyError($0.0, $0.1, field: field) }
        }
        let name: ReplyError?
        switch (email.isThere, phone.isThere) {
        case (false, false):
            name = ReplyError(.badRequest, "Enter an e-mail address or a phone number", field: "email")
        case (true, true):
            name = ReplyError(.badRequest, "Enter an e-mail address or a phone number, not both", field: "phone")
        case (true, false): name = error(email, "email")
        case (false, true): name = error(phone, "phone")
        }
        return name ?? error(password, "password") ?? error(device, "device")
    }

    @Test("asks of a sign-in's password only that it is there")
    func signIn() throws {
        for password in Self.passwordEntries {
            let fields = JSON.object(present: ["email": "ada@example.org", "password": password.value])
            let isThere = password.value.map { $0 != .null && $0 != "" } ?? false
            var found: ReplyError?
            do throws(ReplyError) { _ = try SignInFields(fields) } catch { found = error }
            if case .string? = password.value, isThere {
                #expect(found == nil)
            } else {
                #expect(found == password.error.map { ReplyError($0.0, $0.1, field: "password") })
            }
        }
    }

    // MARK: Passwords

    func refusal(_ password: String, _ name: AccountName? = nil, person: String? = nil) -> String? {
        do throws(ReplyError) {
            _ = try Password(new: ["password": .string(password)], names: name.map { [$0] } ?? [], personName: person)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "takes letters, digits and special characters of any script",
        arguments: [
            "Äöü-zebra-42", "ΑθήναΩ#2026x", "Пароль-длинный-7", "xkQ٣٤٥٦٧٨٩-zw", "Straße und 9 Bäume!",
            "correct Horse 7 battery.",
            "Kaffee🍰teilchen7", "Zq7#Zq8$Zq9%",
        ])
    func scripts(password: String) { #expect(refusal(password) == nil) }

    @Test("counts characters as people see them, whatever their code points")
    func length() {
        #expect(refusal("E\u{301}a\u{308}o\u{308}u\u{308}7#xy")?.contains(Self.short) == true)
        #expect(refusal("👨‍👩‍👧‍👦Qj7#vkwpy") == nil)
        #expect(refusal("👨‍👩‍👧‍👦Qj7#vkwp")?.contains(Self.short) == true)
    }

    @Test(
        "takes no blank or invisible character for a special one",
        arguments: [" ", "\u{A0}", "\u{200B}", "\u{2060}", "ª", "½"])
    func blanks(character: String) {
        #expect(refusal("Qwasdyxcv7\(character)kkkk")?.contains(Self.noSpecial) == true)
    }

    @Test("reads an accent the same as one code point and as two")
    func composed() {
        let pairs = [
            ("É", "E\u{301}"), ("ü", "u\u{308}"), ("ế", "e\u{302}\u{301}"), ("Å", "\u{212B}"),
            ("한", "\u{1112}\u{1161}\u{11AB}"),
            ("ё", "\u{435}\u{308}"),
        ]
        for (one, several) in pairs {
            #expect(Array(Password(one).bytes) == Array(Password(several).bytes), "\(one)")
            #expect(Array(Password(one).bytes) == Array(one.unicodeScalars.map { String($0) }.joined().utf8))
        }
        for text in ["é;K`·Ω", "e\u{301}\u{37E}\u{212A}\u{1FEF}\u{387}\u{2126}"] {
            #expect(Password(text).bytes == Array(text.precomposedStringWithCanonicalMapping.utf8), "\(text)")
        }
        #expect(Password("e").bytes != Password("é").bytes)
        #expect(Password("q\u{307}\u{323}").bytes.count == 5)
    }

    @Test(
        "refuses what others try first",
        arguments: [
            "Password1!", "P@ssw0rd1!", "P@$$w0rd2026", "pASSWORD#12", "!1Password1", "Summer2026!", "Qwertz123!",
            "Qwerty!234",
            "Abcdefgh1!", "Zyxwvuts9.", "Iloveyou1!", "Dragon#2024", "Passwort12!", "PasswordPassword1!", "Aaaaaaaaa1!",
            "1Qazwsxedc!", "Letmein#123", "M0nkey!!!2", "January12!", "Welcome1234!", "Football#99",
            "Azertyuiop1!",
        ])
    func common(password: String) {
        #expect(refusal(password) == Self.common)
    }

    @Test(
        "leaves alone what only has a common word in it",
        arguments: [
            "Summer-rain-on-3-roofs", "Q7#dragon-Vx2pL", "Tr0ub4dor&3xyz", "jW9$rLp2qZ",
            "Password-that-is-7-words-long", "kV8?nB3!tGx0",
        ])
    func uncommon(password: String) { #expect(refusal(password) == nil) }

    @Test("refuses a password with the account's name or the person's in it")
    func names() throws {
        let message = "The password must not contain your e-mail address, phone number or name"
        let email = try AccountName(["email": "Ada.Lovelace@example.org"])
        for password in ["xx-LOVELACE-77", "7#ada.lovelaceX", "Ada.Lovelace@example.org7"] {
            #expect(refusal(password, email) == message)
        }
        #expect(refusal("xx-Adamant-77", email) == nil)
        let phone = try AccountName(["phone": "+49 151 23456789"])
        #expect(refusal("Zz#15123456789", phone) == message)
        #expect(refusal("Zz#+4915123456789", phone) == message)
        #expect(refusal("Zz#9876543210", phone) == nil)
        #expect(refusal("xx#Byron-1815", nil, person: "Augusta Byron") == message)
    }

    @Test("prints no password")
    func secret() {
        let password = Password("Zq7#Zq8$Zq9%")
        var text = ""
        dump(password, to: &text)
        #expect(!"\(password) \(String(reflecting: password)) \(text)".contains("Zq7"))
    }
}
