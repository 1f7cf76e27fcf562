import Daemon
import Glibc
import MQTT
import Telemetry

/// `vitals reset-all` and `vitals delete-account`.
struct Forgetting {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Deletes everything that is stored about the person, and keeps the account.
    func resetAll() throws -> ExitCode {
        if let code = try confirming.drawNonce() { return code }
        try refuseUnasked()
        return try Office.visit(call) { office in
            let asked = try office.ask("reset-all/ask")
            if !call.isJSON {
                Output.note(asked.text("message") ?? "Everything that is stored about you will be deleted")
                for (name, count) in Self.counts(asked["what"]) { Output.note("  \(name): \(count)") }
            }
            guard try isSure || isConfirmed("Delete all of it for good?") else {
                throw Failure(.declined, "nothing was changed")
            }
            let fields = [("confirmation", asked["confirmation"])] + (try confirming.fields(asked))
            try office.listen(to: .progress)
            let data = try office.ask("reset-all/confirm", fields, within: .usually(.seconds(300))) {
                (event) throws(Failure) in
                try show(event, office)
            }
            if let place = call.place { unlink(place.draftFile) }
            guard !call.isJSON else {
                try Output.write(data.line)
                return .ok
            }
            try Output.write((data.text("message") ?? "Everything was deleted") + "\n")
            if case .integer(let tried) = data["tried"], case .integer(let opened) = data["opened"] {
                try Output.write(
                    "proof: \(counted(tried, "sealed record")) tried afterwards, \(opened) could be opened\n")
            }
            if data["next"] == "profile" { try Output.write(Hints.completed("next: vitals profile edit\n")) }
            return .ok
        }
    }

    private var confirming: Confirming { Confirming(call, arguments) }

    private var isSure: Bool { get throws { try arguments.flag("yes") } }

    /// Something that cannot be undone must not be done just because there was nobody to ask: `ssh pi vitals reset-all`
    /// has no terminal.
    private func refuseUnasked() throws {
        guard try isSure || Secret.isTerminal else {
            throw Failure(
                .usage, "what is deleted cannot be brought back, and there is no terminal to ask at",
                hint: "if you are sure, add --yes")
        }
    }

    private func show(_ event: Event, _ office: Office) throws(Failure) {
        guard case .message(let message) = event, let progress = try? JSON(payload: message.payload),
            progress["operation"] == "reset-all"
        else { return }
        if call.isJSON { try Output.write(progress.line) } else { Output.note(Self.step(progress)) }
    }

    private static func step(_ progress: JSON) -> String {
        "\(progress["done"]?.words ?? "?") of \(progress["of"]?.words ?? "?"): \(progress.text("step") ?? "")"
    }

    private static func counts(_ what: JSON?) -> [(String, String)] {
        guard case .object(let members) = what else { return [] }
        return members.map { ($0.name, $0.value.words) }.filter { !$0.1.isEmpty }.map { name, words in
            (escaped(name).replacing("_", with: " "), words)
        }
    }

    /// Deletes the account, and everything that is stored about the person.
    func deleteAccount() throws -> ExitCode {
        if let code = try confirming.drawNonce() { return code }
        try refuseUnasked()
        let data = try Office.visit(call) { office in
            let account = try office.ask("account/get")
            guard try isSure || isConfirmed("Your account and everything in it will be deleted for good. Delete it?")
            else {
                throw Failure(.declined, "nothing was changed")
            }
            return try office.ask("account/delete", confirming.fields(account), within: .usually(.seconds(300)))
        }
        if let place = call.place { Credential.remove(place) }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The account was deleted") + "\n")
        return .ok
    }
}
