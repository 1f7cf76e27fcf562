import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Accounts
@testable import Admission
@testable import Features
@testable import Groups
@testable import Readings
@testable import vitals_consumer

@Suite("An account that its owner takes back", .timeLimit(.minutes(60)))
struct TakenBackTests {
    private static let new = "Wq7#horse-Pond"

    /// A code that resets the password of an address.
    private func resetCode(_ email: String, _ service: AccountService) throws -> String {
        try service.onSession { accounts in
            let lookup = try AccountName(["email": .string(email)]).lookup(accounts.context.keys)
            return try NameCodes(.reset, store: accounts.context.store, keys: accounts.context.keys)
                .issue(lookup, now: accounts.context.now())
        }
    }

    private func reset(_ email: String, _ code: String, keep: Bool? = nil) -> JSON {
        .object(present: [
            "email": .string(email), "code": .string(code), "password": .string(Self.new),
            "keep": keep.map(JSON.bool),
        ])
    }

    /// The part of an export that comes after its README.
    private func accountFile(_ device: AccountService.Asker) throws -> JSON {
        let readme = try device.done("export/part")
        let cursor = try #require(readme["next"])
        return try device.done("export/part", ["cursor": cursor])
    }

    @Test("is verified by a reset, which the account and its export say")
    func verified() throws {
        try AccountService.with { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let phone = try service.device(try service.signUp("ada@example.org"))
            defer { phone.stop() }
            #expect(try phone.done("account/get")["verified"] == false)
            let account = try accountFile(phone)
            #expect(try account["file"] == "account.json" && !account.text("data").contains("verified"))
            // Nothing but a device hangs on it, which ends in any case: nothing is asked.
            try guest.done("reset-password", reset("ada@example.org", resetCode("ada@example.org", service)))
            try phone.waitForEnd()
            let tablet = try service.device(
                try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.new)]))
            defer { tablet.stop() }
            #expect(try tablet.done("account/get")["verified"] == true)
            #expect(try accountFile(tablet).text("data").contains(#""verified":"20"#))
        }
    }

    /// Tries an enrolment code, and says why it is refused.
    private func enrolling(_ code: String, _ guest: AccountService.Asker) throws -> ReplyError.Code {
        let (code, key) = (try EnrolmentCode(code), try Ed25519.SigningKey(seed: .random()))
        return try guest.refused(
            "enrol",
            [
                "code_id": .string(code.id), "gateway_key": .string(KeyFile.text(of: key.publicKey)),
                "proof": .string(KeyFile.text(of: try code.requestProof(gatewayKey: key.publicKey))),
            ]
        ).code
    }

    @Test("has no code that is good any more when a device of it is revoked", arguments: ["revoke", "sign-out"])
    func revoked(how: String) throws {
        try AccountService.with { service in
            let (guest, first) = (try service.guest(), try service.signUp("ada@example.org"))
            let stolen = try guest.done(
                "sign-in", ["email": "ada@example.org", "password": .string(AccountService.password)])
            let (phone, thief) = (try service.device(first), try service.device(stolen))
            let bob = try service.device(try service.signUp("bob@example.org"))
            defer { for asker in [guest, phone, thief, bob] { asker.stop() } }
            let friend = try thief.done("friends/code").text("code")
            let gateway = try thief.done("gateways/invite").text("code")
            let group = try phone.done("groups/create", ["name": "Runners"])["group"] ?? .null
            let door = try thief.done("groups/code", ["group": group]).text("code")
            let reset = try resetCode("ada@example.org", service)
            if how == "revoke" {
                try phone.done("devices/revoke", ["device": stolen["device"] ?? .null])
            } else {
                try phone.done("account/sign-out", ["device": stolen["device"] ?? .null])
            }
            #expect(try bob.refused("friends/invite", ["code": .string(friend)]).code == .wrongCredentials)
            #expect(try bob.refused("groups/join", ["code": .string(door)]).code == .wrongCredentials)
            #expect(try enrolling(gateway, guest) == .wrongCredentials)
            #expect(
                try guest.refused("reset-password", self.reset("ada@example.org", reset, keep: true)).field == "code")
            #expect(try phone.done("friends/list")["friends"] == [])
        }
    }

    @Test("has no code that is good any more when the broker lets go of a revoked device, however late")
    func revokedLate() throws {
        try AccountService.with { service in
            let (guest, first) = (try service.guest(), try service.signUp("ada@example.org"))
            defer { guest.stop() }
            let (user, device) = (try ID(first.text("user")), try ID(first.text("device")))
            let (told, settled) = (Record<ReplyError?>(), Record<RulesError?>())
            service.broker.signal(SIGSTOP)
            defer { service.broker.signal(SIGCONT) }
            try service.onSession { accounts in
                accounts.context.rules?.settled = { settled.append($0) }
                try accounts.context.store.change(user) { () throws(VaultError) in
                    try accounts.devices.remove([device])
                }
                accounts.devices.end([device], of: user) { told.append($0) }
            }
            #expect(try told.wait(for: 1)[0]?.code == .busy)
            // The device is still connected, and codes are drawn.
            let code = try resetCode("ada@example.org", service)
            let group = Group(
                id: try ID("runners"), name: "Runners", founder: Group.Member(id: try ID("member"), user: user, since: 0))
            func isOpen(_ door: String) throws -> Bool {
                try service.onSession { accounts in
                    let book = GroupBook(accounts.context.documents)
                    return try book.codes.subject(of: try #require(GivenCodes.typed(door)), now: accounts.context.now()) != nil
                }
            }
            let door = try service.onSession { accounts in
                let (context, book) = (accounts.context, GroupBook(accounts.context.documents))
                return try context.store.change(user) { () throws(VaultError) in
                    try book.found(group)
                    return try book.codes.draw(for: group.id.text, most: 1, now: context.now()).text
                }
            }
            #expect(try isOpen(door))
            service.broker.signal(SIGCONT)
            #expect(try settled.wait(for: 1)[0] == nil)
            #expect(try !isOpen(door))
            #expect(
                try guest.refused("reset-password", self.reset("ada@example.org", code, keep: true)).field == "code")
        }
    }

    /// Everything that somebody may do with another's address before its owner hears of it.
    private func squat(_ service: AccountService) throws -> (friend: String, gateway: String, mallory: JSON, user: ID) {
        let eve = try service.signUp("ada@example.org")
        let mallory = try service.signUp("mallory@example.org")
        let (phone, other) = (try service.device(eve), try service.device(mallory))
        defer { for asker in [phone, other] { asker.stop() } }
        let code = try phone.done("friends/code").text("code")
        try other.done("friends/invite", ["code": .string(code)])
        try phone.done("consent/set", ["steps": true, "motion": true])
        #expect(try other.done("friends/list")["friends"] != [])
        for name in ["Runners", "Walkers"] {
            let group = try phone.done("groups/create", ["name": .string(name)])["group"]
            try phone.done("groups/compete", .object(present: ["group": group, "compete": .bool(name == "Runners")]))
        }
        try phone.done("posts/add", ["text": "Hello", "friends": true])
        try phone.done("partners/offer", ["activity": "running", "area": "Old town"])
        let codes = (try phone.done("friends/code").text("code"), try phone.done("gateways/invite").text("code"))
        let user = try ID(eve.text("user"))
        try service.onSession { accounts in
            let context = accounts.context
            let gateway = EnrolledGateway(
                id: try ID("attic"), owner: user, identity: try Ed25519.SigningKey(seed: .random()).publicKey,
                isHousehold: false, enrolled: 1)
            try context.store.change(user) { () throws(VaultError) in
                try EnrolledGateways(store: context.store, keys: context.keys).write(
                    gateway, credential: BrokerCredential(password: "x").bytes, codeKey: .random())
                try Claims(store: context.store).write(
                    SensorName(gateway: gateway.id, sensor: gateway.id), user, .all, now: 1)
            }
        }
        return (codes.0, codes.1, mallory, user)
    }

    @Test("shows at its first reset what hangs on it, and ends that where it is not kept")
    func ended() throws {
        try AccountService.with { service in
            let squatted = try squat(service)
            let guest = try service.guest()
            let other = try service.device(squatted.mallory)
            defer { for asker in [guest, other] { asker.stop() } }
            let code = try resetCode("ada@example.org", service)
            let shown = try guest.done("reset-password", reset("ada@example.org", code))
            #expect(shown["changed"] == false)
            let hanging = try #require(shown["hanging"])
            #expect(hanging["friends"] == 1 && hanging["consent"] == ["motion", "steps"] && hanging["devices"] == 1)
            #expect(hanging["gateways"] == ["attic"] && hanging["sensors"] == ["attic/attic"])
            #expect(hanging["groups"] == 2 && hanging["competing"] == 1 && hanging["posts"] == 1)
            #expect(hanging["offers"] == 1 && hanging["partners"] == nil)
            #expect(hanging["documents"] == nil, "\(hanging)")
            // Nothing was changed by that.
            #expect(
                try guest.refused("sign-in", ["email": "ada@example.org", "password": .string(Self.new)]).code
                    == .wrongCredentials)
            let done = try guest.done("reset-password", reset("ada@example.org", code, keep: false))
            #expect(done["changed"] == true)
            #expect(try other.done("friends/list")["friends"] == [])
            #expect(try other.refused("friends/invite", ["code": .string(squatted.friend)]).code == .wrongCredentials)
            #expect(try enrolling(squatted.gateway, guest) == .wrongCredentials)
            let signedIn = try service.waitOut {
                try guest.ask("sign-in", ["email": "ada@example.org", "password": .string(Self.new)])
            }
            guard case .ok(let data) = signedIn else { throw TestFailure("\(signedIn)") }
            let phone = try service.device(data)
            defer { phone.stop() }
            #expect(try phone.done("friends/list")["friends"] == [])
            let off: JSON = [
                "home_assistant": false, "location": false, "motion": false, "record_location": false, "steps": false,
            ]
            #expect(try phone.done("consent/get") == off)
            #expect(try phone.done("gateways/list")["gateways"] == [])
            #expect(try phone.done("groups/list")["groups"] == [])
            #expect(try phone.done("posts/list")["posts"] == [])
            #expect(try phone.done("sensors/list")["sensors"] == [])
            #expect(try phone.done("account/get")["devices"] == 1)
            // From now on the address is its owner's: nothing is asked again.
            try phone.done("consent/set", ["steps": true])
            let again = try resetCode("ada@example.org", service)
            #expect(try guest.done("reset-password", reset("ada@example.org", again))["changed"] == true)
        }
    }

    @Test("is not verified where it was there before that was asked, and nothing else of it changes by the upgrade")
    func upgrade() throws {
        let household = try Household()
        let settings = try household.settings()
        let (user, keys) = (try ID("ada"), try Keys(settings, .create))
        let lookup = try AccountName(["email": "ada@example.org"]).lookup(keys)
        do {
            // What the version before had.
            let own = try #require(Store.migrations.firstIndex { $0.sql.contains("verified_ms") })
            let old = try Database(
                settings.state + "/vitals.db", .readWrite(.full), applicationID: Store.applicationID)
            try old.migrate(Array(Store.migrations.prefix(own)))
            try old.execute("DROP TABLE migrations")
            try old.execute(
                "INSERT INTO accounts (user, email, created_ms) VALUES (?, ?, 7)", [.text(user.text), .blob(lookup)])
        }
        let store = try Store(folder: settings.state, adding: Feature.all.schema)
        #expect(try store.database.version == (Store.schema + Feature.all.schema).steps.count)
        let rows = AccountRows(store: store, keys: keys)
        let account = try #require(try rows.account(lookup))
        #expect(account.user == user && account.verified == nil && account.codesEnded == 0 && account.created == 7)
        try store.change(user) { () throws(VaultError) in
            try rows.setVerified(user, now: 9)
            try rows.endCodes(of: user, now: 11)
        }
        #expect(try rows.account(of: user)?.verified == 9 && rows.account(of: user)?.codesEnded == 11)
        #expect(try EnrolledGateways(store: store, keys: keys).ended().isEmpty)
    }

    @Test("keeps what hangs on it where its owner says so; codes die all the same")
    func kept() throws {
        try AccountService.with { service in
            let squatted = try squat(service)
            let guest = try service.guest()
            let other = try service.device(squatted.mallory)
            defer { for asker in [guest, other] { asker.stop() } }
            let code = try resetCode("ada@example.org", service)
            #expect(try guest.done("reset-password", reset("ada@example.org", code, keep: true))["changed"] == true)
            #expect(try elements(other.done("friends/list"), "friends").count == 1)
            #expect(try other.refused("friends/invite", ["code": .string(squatted.friend)]).code != .notAllowed)
            #expect(try enrolling(squatted.gateway, guest) == .wrongCredentials)
            let data = try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.new)])
            let phone = try service.device(data)
            defer { phone.stop() }
            #expect(try elements(phone.done("friends/list"), "friends").count == 1)
            #expect(try elements(phone.done("gateways/list"), "gateways").count == 1)
            #expect(try phone.done("consent/get")["steps"] == true)
        }
    }
}
