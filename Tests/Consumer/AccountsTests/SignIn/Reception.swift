import Daemon
import FeaturesSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Synchronization
import Telemetry
import TestSupport

@testable import Accounts
@testable import Days
@testable import Desk
@testable import Features
@testable import OpenID
@testable import Readings

/// A service that people can sign in to with two providers, `mine` and `all`, without a broker: requests are handed in
/// and answered on the spot, unless `isSlow`.
// Proof of @unchecked: a test has one of its own, or takes turns with others, and works on one thread.
final class Reception: @unchecked Sendable {
    let household: Household
    private let folder: TemporaryFolder
    let context: PeopleContext
    let nonces: Nonces
    /// Who was let in.
    private(set) var vouched: [ProviderSignIn.Vouched] = []
    /// Milliseconds since some time.
    var uptime: UInt64 = 1_000_000_000
    /// The wall clock.
    var now = Tokens.now
    /// How often keys were asked for.
    private(set) var fetches = 0
    /// Whether fetching waits for `fetchNow`.
    var isSlow = false
    /// What fetching gives.
    var served: (ProviderSettings) throws -> [UInt8] = { _ in [] }
    private var waiting: [() -> Void] = []
    let providers: [String: ProviderSettings]
    private var signIn: ProviderSignIn?

    init(nonces given: Nonces? = nil) throws {
        household = try Household()
        let written = """
            mine: {
              issuer: "https://login.example.com", audience: ["vitals", "vitals-ios"], keys_file: "keys.json",
              algorithms: ["RS256", "ES256"],
            },
            all: {
              issuer: "https://all.example.com", audience: ["vitals"], keys_file: "all.json",
              algorithms: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"],
            },
            """
        folder = try TemporaryFolder()
        providers = try AccountSettings("{ providers: { \(written) } }", in: folder).providers
        let settings = try household.houseSettings()
        let keys = try Keys(settings, .create)
        nonces = try given ?? Nonces(pepper: keys.pepper)
        context = PeopleContext(
            settings, [.accounts, .profile, .consents, .devices], store: try Store(folder: settings.state), keys: keys,
            session: Session(Options(host: "127.0.0.1", port: 1, clientID: "test")),
            changes: PeopleChanges(), doors: ClosedDoors.all)
        context.now = { [unowned self] in now }
        let keySets = KeySets(
            fetch: { [unowned self] provider in
                fetches += 1
                return try served(provider)
            },
            elsewhere: { [unowned self] work in if isSlow { waiting.append(work) } else { work() } },
            back: { $0() }, now: { [unowned self] in uptime })
        signIn = ProviderSignIn(context, providers, keySets, nil, nonces) { [unowned self] vouched, request in
            try context.store.database.attempt { try vouched.useNonce() }.get()
            self.vouched.append(vouched)
            request.done(["subject": .string(vouched.about.subject)])
        }
    }

    /// Does what was waiting.
    func fetchNow() {
        let work = waiting
        waiting = []
        for item in work { item() }
    }

    /// Serves these sets to `mine` and `all`.
    func serve(_ tokens: Tokens) {
        served = { $0.name == "mine" ? tokens.keys.bytes : tokens.all.bytes }
    }

    func show(_ token: String, provider: String = "mine") -> Reply.Outcome? {
        ask("sign-in-with", ["provider": .string(provider), "id_token": .string(token)])
    }

    /// The reply; nil while it waits for keys.
    func ask(_ name: String, _ fields: JSON) -> Reply.Outcome? {
        let answers = Answers()
        let request = PeopleRequest(asker: .guest, name: name, fields: fields, identity: nil) { answers.append($0) }
        if name == "nonce" {
            do { request.done(try signIn?.nonce(request) ?? .null) } catch {
                request.refuse(error)
            }
        } else {
            signIn?.signIn(request)
        }
        last = answers
        return answers.all.first
    }

    /// The replies to the last request.
    private(set) var last = Answers()

    typealias Answers = Record<Reply.Outcome>
}
