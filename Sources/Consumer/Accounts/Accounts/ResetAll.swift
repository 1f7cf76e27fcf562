package import Desk
package import Features
import Records
import Telemetry
import Vault

/// `reset-all/ask` and `reset-all/confirm`: a person has everything of theirs forgotten, except the account. Belongs to
/// the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
package final class ResetAll: @unchecked Sendable {
    private struct Confirmation {
        let code: String
        let expires: Int64
    }

    /// In bytes.
    static let longestConfirmation = 64
    /// How long a confirmation is valid, in milliseconds.
    package static let lifetime: Int64 = 600_000

    private let context: PeopleContext
    /// Confirms the asker's identity; nil if there are no accounts.
    private let accounts: Accounts?
    /// One for each person at a time, in memory only: after a restart people ask again.
    private var confirmations: [ID: Confirmation] = [:]

    package init(_ context: PeopleContext, _ accounts: Accounts?) {
        self.context = context
        self.accounts = accounts
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb("reset-all/ask", .resetAllAsk, own: .defence, .atOnce { [self] request in try ask(request.user) }),
            Verb(
                "reset-all/confirm", .resetAllConfirm, maximumLength: Accounts.longestConfirmation, own: .hashing,
                .later { [self] request in confirm(request) }),
        ]
    }

    private func ask(_ user: ID) throws -> JSON {
        let now = context.now()
        confirmations = confirmations.filter { $0.value.expires > now }
        let code = StreamID(stored: try RandomBytes.draw(16)).description
        confirmations[user] = Confirmation(code: code, expires: now + Self.lifetime)
        let words = """
            Everything of yours will be deleted: readings, workouts, trainings, meals, goals, posts, profile and picture; and you \
            leave your friends, groups and training partners. Nobody can bring it back. Your account, its devices and sensors will \
            stay.
            """
        let sentences = [words] + (try context.changes.announceLeave(of: user).map { "\($0)." })
        let members: [JSON.Member] = [
            JSON.Member("message", .string(sentences.joined(separator: " "))),
            JSON.Member("confirmation", .string(code)), JSON.Member("expires", .integer(now + Self.lifetime)),
            JSON.Member("what", try context.store.extent(of: user, context.features)),
        ]
        return .object(members + (try accounts?.confirmation(of: user) ?? []))
    }

    /// The confirmation is looked at first, and used up only when the person has shown who they are.
    private func confirm(_ request: PeopleRequest) {
        request.answering {
            try checkConfirmation(request)
            guard let accounts else { return try begin(request) }
            accounts.confirm(request) { [self] result in
                request.answering {
                    try result.get()
                    try begin(request)
                }
            }
        }
    }

    private func checkConfirmation(_ request: PeopleRequest) throws {
        let user = try request.user
        let code = try request.text("confirmation", atMost: Self.longestConfirmation)
        guard !context.doors.isBeingForgotten(user) else {
            throw ReplyError(.busy, "this is already being done", retryAfterSeconds: 10)
        }
        guard let known = confirmations[user], known.code == code else {
            throw ReplyError(
                .wrongCredentials, "this confirmation is not the latest one", field: "confirmation")
        }
        guard known.expires > context.now() else {
            confirmations[user] = nil
            throw ReplyError(.expired, "this confirmation is too old: ask again", field: "confirmation")
        }
    }

    private func begin(_ request: PeopleRequest) throws {
        let user = try request.user
        // Two requests with the same confirmation may have been checked at the same time.
        try checkConfirmation(request)
        confirmations[user] = nil
        context.doors.forget(user, keepingAccount: true, telling: "reset-all") {
            request.finish($0.map(Self.reply))
        }
    }

    private static func reply(tried: Int, opened: Int, left: [String]) -> JSON {
        let sentences = ["Everything of yours was deleted, and the key to it with it."] + left.map { "\($0)." }
        return [
            "message": .string(sentences.joined(separator: " ")),
            "tried": .integer(Int64(tried)), "opened": .integer(Int64(opened)), "next": "profile",
        ]
    }
}
