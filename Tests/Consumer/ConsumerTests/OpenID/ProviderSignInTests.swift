import Daemon
import Files
import Foundation
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import OpenID
@testable import vitals_consumer

/// A provider on this machine: its key set on a web server, and tokens from Python.
private final class Provider {
    let server: WebServer
    private let signer: RunningProgram
    private var lines = 0

    init(tls: WebServer.Certificate? = nil) throws {
        server = try WebServer(tls: tls)
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "signer.py").path
        signer = try RunningProgram(python, ["-B", script])
        try publish(next())
    }

    deinit { signer.end(9) }

    /// The settings' section `accounts`.
    func settings(_ more: String = "") -> String {
        """
        { \(more) providers: { mine: {
            issuer: "\(Self.issuer)", audience: ["vitals"], keys: "\(server.address)/keys",
        } } }
        """
    }

    static let issuer = "https://login.example.com"

    /// Changes its keys.
    func rotate() throws {
        signer.send("rotate")
        try publish(next())
    }

    func token(nonce: String, subject: String = "ada", issuer: String = issuer, more: JSON = [:]) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims: [JSON.Member] = [
            .init("iss", .string(issuer)), .init("aud", "vitals"), .init("sub", .string(subject)),
            .init("iat", .integer(now)), .init("exp", .integer(now + 300)), .init("nonce", .string(nonce)),
        ]
        if case .object(let members) = more { claims += members }
        signer.send(String(decoding: JSON.object(claims).bytes, as: UTF8.self))
        return try next()
    }

    private func publish(_ keys: String) throws { try server.folder.write(keys, to: "keys") }

    private func next() throws -> String {
        guard let line = signer.line(after: lines) else { throw TestFailure("the signer has ended: \(signer.text)") }
        lines += 1
        return line
    }
}

extension AccountService.Asker {
    fileprivate func nonce() throws -> String { try done("nonce", ["provider": "mine"]).text("nonce") }

    fileprivate func signIn(_ token: String, device: String = "phone") throws -> JSON {
        try done("sign-in-with", ["provider": "mine", "id_token": .string(token), "device": .string(device)])
    }
}

@Suite("Signing in with a provider", .timeLimit(.minutes(60)))
struct ProviderSignInTests {
    @Test("makes a person at the first time and finds them again, and their devices are let in by the broker")
    func signsIn() throws {
        let provider = try Provider()
        try AccountService.with(accounts: provider.settings()) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let token = try provider.token(nonce: guest.nonce())
            let first = try guest.signIn(token)
            #expect(first["new"] == true)
            let device = try service.device(first)
            defer { device.stop() }
            #expect(try device.isConnected())
            #expect(try device.done("account/get")["providers"] == ["mine"])
            guard case .array(let devices)? = try device.done("devices/list")["devices"] else {
                throw TestFailure("no devices")
            }
            #expect(devices.map { $0["name"] } == ["phone"])

            // The same token is good once, and so is the nonce in another one.
            let used = try guest.refused("sign-in-with", ["provider": "mine", "id_token": .string(token)])
            #expect(used == TokenRefusal.nonce(.used).reply)
            // Another sign-in of the same person is another device.
            let second = try guest.signIn(try provider.token(nonce: guest.nonce()), device: "tablet")
            #expect(second["user"] == first["user"] && second["device"] != first["device"] && second["new"] == nil)
            // Somebody else is somebody else.
            let eve = try guest.signIn(try provider.token(nonce: guest.nonce(), subject: "Ada"))
            #expect(eve["user"] != first["user"] && eve["new"] == true)
            #expect(provider.server.requests == ["/keys"])
        }
    }

    @Test("gives nobody an account for an e-mail address in a token")
    func noLinking() throws {
        let provider = try Provider()
        try AccountService.with(accounts: provider.settings()) { service in
            let ada = try service.signUp("ada@example.com")
            let guest = try service.guest()
            defer { guest.stop() }
            let token = try provider.token(
                nonce: guest.nonce(), subject: "eve",
                more: ["email": "ada@example.com", "email_verified": true])
            let eve = try guest.signIn(token)
            #expect(eve["user"] != ada["user"] && eve["new"] == true)
            let device = try service.device(eve)
            defer { device.stop() }
            #expect(try device.done("account/get")["email"] == nil)
        }
    }

    @Test("lets nobody new in where nobody can sign up, and those who are known all the same")
    func noSignUp() throws {
        let provider = try Provider()
        try AccountService.with(accounts: provider.settings("sign_up: false,")) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let token = try provider.token(nonce: guest.nonce())
            let refused = try guest.refused("sign-in-with", ["provider": "mine", "id_token": .string(token)])
            #expect(refused.code == .notAllowed)
            // It was not used up: had the person been known, it would still be good.
            let user = try ID("ada-of-before")
            try service.onSession { accounts in
                _ = try accounts.context.keys.currentVersion(of: user)
                try accounts.context.store.change(user) { () throws(VaultError) in
                    try accounts.rows.add(user, nil, nil, now: unixMilliseconds())
                    try accounts.rows.add(user, provider: "mine", issuer: Provider.issuer, subject: "ada")
                }
            }
            #expect(try guest.signIn(token)["user"] == .string(user.text))
        }
    }

    @Test("fetches keys over TLS from a server of one's own, and believes no other server")
    func tls() throws {
        let provider = try Provider(tls: .good)
        let authority = provider.server.folder.path("ca.pem")
        let trusting = provider.settings().replacingOccurrences(
            of: "mine: {", with: "mine: { ca_file: \"\(authority)\",")
        try AccountService.with(accounts: trusting) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            #expect(try guest.signIn(try provider.token(nonce: guest.nonce()))["new"] == true)
        }
        try AccountService.with(accounts: provider.settings()) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let token = try provider.token(nonce: guest.nonce())
            let refused = try guest.refused("sign-in-with", ["provider": "mine", "id_token": .string(token)])
            #expect(refused.code == .busy && refused.retryAfterSeconds != nil)
        }
    }

    @Test("ends with the service while keys are still being fetched")
    func ends() throws {
        let provider = try Provider()
        let slow = provider.settings().replacingOccurrences(of: "/keys", with: "/slow")
        let clock = ContinuousClock()
        var begun = clock.now
        try AccountService.with(accounts: slow) { service in
            let guest = try service.guest()
            defer { guest.stop() }
            _ = try guest.nonce()
            try provider.server.waitForRequest("/slow")
            // The service goes on meanwhile.
            #expect(try service.signUp("ada@example.com")["user"] != nil)
            begun = clock.now
        }
        // A fetch may take ten seconds; it is broken off.
        #expect(clock.now - begun < .seconds(8))
    }

    @Test("has what cannot be undone done only with another sign-in, of the same person, with a nonce of its own")
    func confirms() throws {
        let provider = try Provider()
        try AccountService.with(accounts: provider.settings()) { service in
            let guest = try service.guest()
            let phone = try service.device(try guest.signIn(try provider.token(nonce: guest.nonce())))
            defer { for asker in [guest, phone] { asker.stop() } }
            let asked = try phone.done("reset-all/ask")
            #expect(asked["has_password"] == false && asked["providers"] == ["mine"])
            func fields(_ subject: String, _ nonce: String? = nil) throws -> JSON {
                let token = try provider.token(nonce: nonce ?? guest.nonce(), subject: subject)
                return [
                    "confirmation": asked["confirmation"] ?? .null, "provider": "mine", "id_token": .string(token),
                ]
            }
            for name in ["reset-all/confirm", "account/delete"] {
                let confirmation = asked["confirmation"] ?? .null
                #expect(try phone.refused(name, ["confirmation": confirmation]).field == "provider")
                #expect(try phone.refused(name, fields("eve")).code == .wrongCredentials)
                #expect(try phone.refused(name, fields("ada", "nonsense")).code == .wrongCredentials)
            }
            #expect(try phone.done("reset-all/confirm", fields("ada"))["next"] == "profile")
            let used = try fields("ada")
            #expect(try phone.refused("reset-all/confirm", used).field == "confirmation")
            let confirming: JSON = ["provider": "mine", "id_token": used["id_token"] ?? .null]
            #expect(try phone.done("account/delete", confirming)["message"] == "Your account was deleted")
        }
    }

    @Test("does not sign in with what was begun before a device was revoked")
    func revoked() throws {
        let provider = try Provider()
        try AccountService.with(accounts: provider.settings()) { service in
            let guest = try service.guest()
            let first = try guest.signIn(try provider.token(nonce: guest.nonce()))
            let stolen = try guest.signIn(try provider.token(nonce: guest.nonce()))
            let phone = try service.device(first)
            defer { for asker in [guest, phone] { asker.stop() } }
            let token = try provider.token(nonce: guest.nonce())
            try phone.done("devices/revoke", ["device": stolen["device"] ?? .null])
            let refusal = try guest.refused("sign-in-with", ["provider": "mine", "id_token": .string(token)])
            #expect(refusal.code == .expired)
            _ = try guest.signIn(try provider.token(nonce: guest.nonce()))
        }
    }
}
