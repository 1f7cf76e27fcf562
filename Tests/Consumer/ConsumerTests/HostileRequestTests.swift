import Daemon
import Foundation
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Hostile requests", .timeLimit(.minutes(60)))
struct HostileRequestTests {
    /// Every field that some request knows.
    private static let fields = [
        "email", "phone", "password", "current", "device", "name", "gateway", "sensor", "code", "code_id", "proof",
        "gateway_key", "confirmation", "cursor", "picture", "provider", "id_token", "household", "location", "motion",
        "steps", "date_of_birth", "gender", "weight_kg", "height_cm", "voice", "continuous_heart_rate", "time_zone",
        "locale", "units", "ids", "all", "before", "limit", "day", "goal", "distance_m", "energy_kcal", "friend",
        "muted",
        "thumb", "record_location", "phone", "encrypted",
        "from", "to", "points", "time", "month", "year", "format", "theme", "hidden_m", "without", "activity",
        "activities", "kind", "before_m", "retired", "gear", "plan", "period", "count", "at", "workout", "id", "size",
        "offset", "data", "source", "heart_rates", "push", "endpoint", "p256dh", "auth", "address", "label", "kinds", "details", "user",
        "delete", "workouts", "minutes", "kilometres", "miles", "say",
        "group", "member", "compete", "measure", "target", "offer", "ask", "accept", "partner", "area", "pace", "contact", "text", "after",
        "post", "friends", "groups", "reason", "own",
        "what", "share", "service",
        "quote",
        "equipment", "level", "muscles", "muscle", "seed", "random", "choice", "exercise",
        "food", "meal", "grams", "portions", "portion_g", "protein_g", "carbohydrate_g", "fat_g",
    ]

    /// What each of them is set to, as JSON.
    private static let values = [
        "null", "true", "0", "-1", "0.1", "1e308", "9223372036854775807", "-9223372036854775808", "[]", "{}", "[[]]",
        #""""#, #"" ""#, #""\u0000""#, #""a\u0000b""#, #""../../etc/passwd""#, #""' OR '1'='1' --""#,
        ##""vitals/v1/#""##,
        #""+""#, ##""#""##, #""$CONTROL/dynamic-security/v1""#, #""consumer""#, #""-rf""#, #""$(id)""#,
        #""a\r\nBcc: b@c.d""#,
        #""\u202eevil""#, #""\ud83d\udc69\u200d\ud83d\udc66""#, "\"\u{FDFA}\u{FDFA}\"", #""2025-02-30""#,
        #""0000-00-00""#,
        // Ids and cursors that have a number in them.
        #""9223372036854775807-x""#, #""-9223372036854775808-9223372036854775807""#, #""9223372036854775807:-1""#,
        "\"\(String(repeating: "a", count: 300))\"", "\"e\(String(repeating: "\u{301}", count: 100))\"",
    ]

    /// What is hardly JSON, or none.
    private static let payloads = [
        "", " ", "[]", "null", "\"text\"", "{", "{\"a\":1,\"a\":2}", #"{"id":{}}"#, #"{"id":1e400}"#, "\u{FEFF}{}",
        "{\"a\":\(String(repeating: "[", count: 2000))\(String(repeating: "]", count: 2000))}",
        "{\"a\":\(String(repeating: "[", count: 14))1\(String(repeating: "]", count: 14))}",
        "{\"a\":\"\(String(repeating: "x", count: 70_000))\"}",
    ]

    private static let all =
        values.map { value in "{\(fields.map { "\"\($0)\":\(value)" }.joined(separator: ","))}" } + payloads

    @Test("get one reply each, none of which says that something broke, and the service goes on")
    func hostile() throws {
        try AccountService.with(more: WorkoutHouse.catalogue, isRecorded: false) { service in
            let client = try Client(service)
            defer { client.session.stop() }
            // Nobody may ask more than fifty things at once.
            var person = try service.person()
            var asked = 0
            let desk = service.consumer.desk
            let (ofPersons, ofGuests) = try service.onSession { _ in
                (desk.requests(of: .persons), desk.requests(of: .guests))
            }
            for name in ofPersons.sorted() + ["nothing/here"] {
                for payload in Self.all {
                    if asked % 25 == 0 { person = try service.person() }
                    asked += 1
                    client.ask("users/\(person)/requests/\(name)", payload, "users/\(person)/responses/r\(asked)")
                }
                try client.expectReplies(to: name, Self.all)
            }
            for name in ofGuests.sorted() + ["nothing"] {
                for payload in Self.all.prefix(12) {
                    asked += 1
                    let drawn = String(repeating: "0", count: 27) + "\(10_000 + asked)"
                    client.ask("accounts/\(name)", payload, "accounts/responses/\(drawn)")
                }
                try client.expectReplies(to: name, Array(Self.all.prefix(12)))
            }
            #expect(asked > 1400)
            #expect(try service.signUp("ada@example.org")["user"] != nil)
            #expect(
                try service.onSession { accounts in
                    try CheckCommand.findings(accounts.context.store, accounts.context.keys).isGood
                })
        }
    }

    @Test("in a flood hold up neither a person nor the service")
    func flood() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let ada = try service.device(signedIn)
            defer { ada.stop() }
            #expect(try ada.done("account/get")["user"] == signedIn["user"])
            let client = try Client(service)
            defer { client.session.stop() }
            // The longest that is read, of what costs the reader most, with and without a place to reply to.
            let objects = Array(repeating: "{}", count: 5900).joined(separator: ",")
            for number in 1...1500 {
                let drawn = String(repeating: "0", count: 27) + "\(10_000 + number)"
                client.ask(
                    "accounts/sign-in-with", "{\"id_token\":[\(objects)]}",
                    number % 2 == 0 ? "accounts/responses/\(drawn)" : nil)
            }
            for _ in 1...5 { #expect(try ada.done("account/get")["user"] == signedIn["user"]) }
        }
    }

    /// A client that may do everything, so that what is tried here is the desk, and not the broker's rules.
    private final class Client {
        let session: Session
        private let replies = Record<Message>()
        private var expected: [String] = []

        init(_ service: AccountService) throws {
            var options = Options(host: "127.0.0.1", port: service.broker.port, clientID: "hostile")
            options.username = "consumer"
            options.passwordFile = service.broker.folder.path("consumer.password")
            session = Session(options)
            let granted = Record<Bool>()
            session.subscribe(["users/+/responses/#", "accounts/responses/#"].map { Subscription("vitals/v1/\($0)") }) {
                granted.append($1 == nil)
            }
            session.start(Handlers(received: { [replies] in replies.append($0) }))
            #expect(try granted.wait(for: 2).allSatisfy { $0 })
        }

        func ask(_ topic: String, _ payload: String, _ response: String?) {
            if let response { expected.append("vitals/v1/\(response)") }
            session.publish(
                Message(
                    topic: "vitals/v1/\(topic)", payload: Array(payload.utf8), qos: .atLeastOnce,
                    properties: response.map { Message.Properties(responseTopic: "vitals/v1/\($0)") }))
        }

        /// Waits for one reply to each request since the last time.
        func expectReplies(to name: String, _ payloads: [String]) throws {
            let came = try replies.wait(for: expected.count)
            #expect(Set(came.map(\.topic)) == Set(expected) && came.count == expected.count, "\(name)")
            for message in came {
                let payload = expected.firstIndex(of: message.topic).map { payloads[$0].prefix(200) } ?? ""
                guard case .error(let error) = try Reply(payload: message.payload).outcome else { continue }
                #expect(error.code != .internal, "\(name) \(payload): \(error)")
                // The document promises that a field says where.
                #expect(
                    ![.badRequest, .invalid].contains(error.code) || error.field != nil, "\(name) \(payload): \(error)")
                // It is not the desk's limit that is tried here; what costs much is limited to a few.
                #expect(!error.message.hasPrefix("too many requests") || name == "statistics/recount", "\(name)")
                #expect(error.message.utf8.count < 500, "\(name) \(payload)")
            }
            replies.removeAll()
            expected = []
        }
    }
}

extension AccountService {
    /// Somebody with an account, who never signed in.
    fileprivate func person() throws -> ID {
        try onSession { accounts in
            let user = try drawnID()
            _ = try accounts.context.keys.currentVersion(of: user)
            try accounts.context.store.change(user) { () throws(VaultError) in
                try accounts.rows.add(user, nil, nil, now: unixMilliseconds())
            }
            return user
        }
    }
}
