import Daemon
import Telemetry

// `vitals account`. What belongs to an account is known to several features of the consumer, of which none knows the others: so
// the page is put together of what they answer.

/// Shows a person's account, and names the commands that change what it shows.
struct OwnAccount {
    private let call: Call

    init(_ call: Call) { self.call = call }

    func show() throws -> ExitCode {
        let (account, guardians, dependents) = try Office.visit(call) { office in
            (try office.ask("account/get"), try office.ask("guardians/list"), try office.ask("dependents/list"))
        }
        guard !call.isJSON else {
            try Output.write(JSON.object([account, guardians, dependents].flatMap(\.members)).line)
            return .ok
        }
        let isUnverified = account["verified"] == false && account["sends_mail"] == true
        let email = account.text("email").map { isUnverified ? "\($0), not verified" : $0 }
        var rows = [("E-mail", email), ("Phone", account.text("phone"))]
        let providers = account.list("providers")
        if !providers.isEmpty { rows.append(("Signs in with", JSON.array(providers).words)) }
        rows += [
            ("Person", account.text("user")), ("Picture", account["picture"]?.words),
            ("Verification code", Sights.code(guardians) ?? "not set"),
        ]
        rows += Self.rows("Guardians", guardians.list("guardians").map(Self.words(ofGuardian:)))
        rows += Self.rows("Dependents", dependents.list("dependents").map(Self.words(ofDependent:)))
        rows += [
            ("This device", call.credential?.device.text), ("Devices", account["devices"]?.words),
            ("Since", account.time("created")), ("Broker", call.broker.address),
        ]
        try Output.write(lines(rows))
        for hint in Self.hints(account, guardians, dependents) { Output.note(hint) }
        return .ok
    }

    /// One row for each person, under one heading.
    private static func rows(_ heading: String, _ people: [String]) -> [(String, String?)] {
        guard !people.isEmpty else { return [(heading, "none")] }
        return people.enumerated().map { ($0.offset == 0 ? heading : "", $0.element) }
    }

    private static func words(ofGuardian guardian: JSON) -> String {
        let name = name(guardian, id: "guardian")
        guard guardian["blocked"] != true else { return "\(name) is blocked" }
        let looked = Sights.looked(guardian).map { "; looked \($0)" } ?? ""
        return "\(name) sees \(Sights.words(guardian))\(looked)"
    }

    private static func words(ofDependent dependent: JSON) -> String {
        "\(name(dependent, id: "dependent")) shows you \(Sights.words(dependent))"
    }

    /// A person's name within a sentence, in quotes that end where the name ends: people call themselves what they like, such as
    /// `Eve sees nothing; Grace`. Their id if they have given no name.
    private static func name(_ person: JSON, id: String) -> String {
        guard let name = person.text("name") else { return person.text(id) ?? "-" }
        return "\"" + name.replacing("\"", with: "\\u{22}") + "\""
    }

    private static func hints(_ account: JSON, _ guardians: JSON, _ dependents: JSON) -> [String] {
        var hints: [String] = []
        if account["verified"] == false, account["sends_mail"] == true, account["email"] != nil {
            hints.append("to show that the address is yours: vitals verify")
        }
        if account["picture"] == false { hints.append("to have a picture: vitals picture set") }
        if account["has_password"] == true {
            hints.append("to change the password: vitals password change; if it is forgotten: vitals password reset")
        }
        hints.append(
            guardians["code_set"] == nil
                ? "to have somebody watch over you: vitals guardians code"
                : "to change or remove the verification code: vitals guardians code")
        if !guardians.list("guardians").isEmpty {
            hints.append(
                "to say what guardians see: vitals guardians allow; to disconnect one: vitals guardians remove")
        }
        hints.append("to watch over somebody: vitals dependents connect")
        if !dependents.list("dependents").isEmpty {
            hints.append("to disconnect a dependent: vitals dependents remove")
        }
        hints.append("to sign out here: vitals sign-out; on another device: vitals devices revoke")
        return hints
    }
}

extension JSON {
    /// The members of an object.
    fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
