import Foundation
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Accounts
@testable import vitals_consumer

@Suite("Accounts, with a broker that knows who is who", .timeLimit(.minutes(60)))
struct AccountServiceTests {
    static let password = AccountService.password

    @Test(
        "signs up, and the device is let in with what it got; its account says what it is, and nothing of it lies in the clear"
    )
    func signUp() throws {
        try AccountService.with { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let fields: JSON = [
                "email": "Ada@Example.org", "password": .string(Self.password), "device": "Ada's phone",
            ]
            let signedIn = try guest.done("sign-up", fields)
            #expect(signedIn["message"] == "You are registered and signed in")
            #expect(try signedIn.text("user").count == 16 && signedIn.text("device").count == 16)
            #expect(try KeyFile.bytes(of: signedIn.text("password")).count == 32)

            let phone = try service.device(signedIn)
            defer { phone.stop() }
            #expect(try phone.isConnected())
            let account = try phone.done("account/get")
            #expect(account["user"] == signedIn["user"] && account["email"] == "Ada@Example.org")
            #expect(account["phone"] == nil && account["providers"] == [] && account["devices"] == 1)
            #expect(account["picture"] == false)
            let devices = try phone.done("devices/list")
            guard case .array(let list)? = devices["devices"], let device = list.first else {
                throw TestFailure("\(devices)")
            }
            #expect(list.count == 1 && device["device"] == signedIn["device"] && device["name"] == "Ada's phone")

            #expect(
                try guest.refused("sign-up", ["email": "ada@example.ORG", "password": .string(Self.password)]).code
                    == .alreadyRegistered)
            let again = try guest.refused("sign-up", ["email": "Ada@Example.org", "password": .string(Self.password)])
            #expect(again.field == "email")
            #expect(again.message == "This e-mail address is already registered: sign in, or reset the password")
            for name in ["vitals.db", "vitals.db-wal", "keys.db", "keys.db-wal"] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: service.household.path("state/\(name)")))
                for text in ["Ada", "xample.org", Self.password, try signedIn.text("password")] {
                    #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) lies in \(name)")
                }
            }
        }
    }

    @Test("signs in by phone number, however it is written, and by nothing else than the right password")
    func signIn() throws {
        try AccountService.with { service in
            let guest = try service.guest()
            defer { guest.stop() }
            _ = try guest.done("sign-up", ["phone": "+49 151 23456789", "password": .string(Self.password)])
            let phone: JSON = ["phone": "+49 (151) 234-567-89", "password": .string(Self.password), "device": "watch"]
            let signedIn = try guest.done("sign-in", phone)
            #expect(signedIn["message"] == "You are signed in" && signedIn["new"] == nil)
            let device = try service.device(signedIn)
            defer { device.stop() }
            #expect(try device.done("account/get")["phone"] == "+4915123456789")
            #expect(try device.done("account/get")["devices"] == 2)

            let wrong = try guest.refused("sign-in", ["phone": "+4915123456789", "password": "Zq7#horse-pond"])
            #expect(wrong == ReplyError(.wrongCredentials, "The phone number or the password is not right"))
            // The same for somebody who is not there, and then the same wait.
            let nobody = try guest.refused("sign-in", ["phone": "+4915123456780", "password": "Zq7#horse-pond"])
            #expect(nobody == wrong)
            for number in ["+4915123456789", "+4915123456780"] {
                let again = try guest.refused(
                    "sign-in", ["phone": .string(number), "password": .string(Self.password)])
                #expect(again.code == .rateLimited && again.retryAfterSeconds == 1)
                #expect(again.message == "Too many failures: try again in 1 s")
            }
        }
    }

    @Test(
        "locks after a hundred failures, which a restart does not forget, until the password is reset; waits do not count"
    )
    func lock() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let user = try ID(signedIn.text("user"))
            try service.onSession { accounts in
                for _ in 1...99 { try accounts.rows.addFailure(of: user) }
            }
            let guest = try service.guest()
            defer { guest.stop() }
            let wrong: JSON = ["email": "ada@example.org", "password": "Zq7#horse-pond"]
            let right: JSON = ["email": "ada@example.org", "password": .string(Self.password)]
            #expect(try guest.refused("sign-in", wrong).code == .wrongCredentials)
            let locked = try guest.refused("sign-in", right)
            #expect(locked.code == .locked)
            #expect(locked.message == "There were 100 failures in a row: reset the password to sign in again")
            // Whoever is signed in stays so.
            let phone = try service.device(signedIn)
            defer { phone.stop() }
            #expect(try phone.done("account/get")["user"] == signedIn["user"])

            let program = try RunningProgram(
                "vitals-consumer",
                ["unlock", "--user", user.text, "--settings", service.household.path("consumer.json5")])
            #expect(program.exitStatus() == 0, "\(program.text)")
            // The wait after the last failure may go on.
            guard case .ok = try service.waitOut({ try guest.ask("sign-in", right) }) else {
                throw TestFailure("still locked")
            }
        }
    }

    @Test("names, lists and revokes devices, and no other person's; who is revoked is thrown out and stays out")
    func devices() throws {
        try AccountService.with { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let first = try service.signUp("ada@example.org")
            let second = try guest.done(
                "sign-in", ["email": "ada@example.org", "password": .string(Self.password), "device": "tablet"])
            let other = try service.signUp("eve@example.org")
            let (phone, tablet, eve) = (
                try service.device(first), try service.device(second), try service.device(other)
            )
            defer { for device in [phone, tablet, eve] { device.stop() } }
            for device in [phone, tablet, eve] { #expect(try device.isConnected()) }

            try phone.done("devices/name", ["device": first["device"] ?? .null, "name": "  Ada's 📱 "])
            func names() throws -> [JSON?] {
                guard case .array(let list)? = try phone.done("devices/list")["devices"] else { return [] }
                return list.map { $0["name"] }
            }
            #expect(try names() == ["Ada's 📱", "tablet"])
            #expect(
                try phone.refused("devices/name", ["device": first["device"] ?? .null, "name": "a\nb"]).field == "name")
            #expect(try phone.refused("devices/name", ["device": first["device"] ?? .null]).field == "name")

            let foreign: JSON = ["device": first["device"] ?? .null, "name": "mine"]
            for name in ["devices/name", "devices/revoke", "account/sign-out"] {
                #expect(try eve.refused(name, foreign).code == .notFound)
                #expect(try eve.refused(name, ["device": "aaaaaaaaaaaaaaaa", "name": "x"]).code == .notFound)
                #expect(try eve.refused(name, ["name": "x"]).code == .badRequest)
            }
            try phone.done("devices/revoke", ["device": second["device"] ?? .null])
            try tablet.waitForEnd()
            let again = try service.device(second)
            defer { again.stop() }
            #expect(try !again.isConnected())
            #expect(try names() == ["Ada's 📱"])

            #expect(try phone.done("account/sign-out", ["device": first["device"] ?? .null])["message"] == "Signed out")
            try phone.waitForEnd()
            #expect(try eve.done("account/get")["devices"] == 1)
        }
    }

    @Test("keeps to 32 devices a person")
    func tooMany() throws {
        try AccountService.with { service in
            let first = try service.signUp("ada@example.org")
            let user = try ID(first.text("user"))
            let added = Record<Bool>()
            for _ in 2...32 {
                try service.onSession { accounts in
                    accounts.devices.add(try DeviceName([:]), of: user) { result in
                        if case .success = result { added.append(true) } else { added.append(false) }
                    }
                }
            }
            #expect(try added.wait(for: 31).allSatisfy { $0 })
            let guest = try service.guest()
            defer { guest.stop() }
            let refusal = try guest.refused(
                "sign-in", ["email": "ada@example.org", "password": .string(Self.password)])
            #expect(refusal.code == .notAllowed)
            #expect(refusal.message == "You have 32 devices: revoke one, or reset the password, which revokes all")
        }
    }

    @Test("changes a password for whoever knows the present one")
    func changePassword() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let (phone, guest) = (try service.device(signedIn), try service.guest())
            defer { for asker in [phone, guest] { asker.stop() } }
            func change(_ current: JSON, _ new: JSON) throws -> ReplyError {
                try phone.refused("account/change-password", ["current": current, "password": new])
            }
            #expect(try change(.null, "Wq7#horse-Pond").field == "current")
            #expect(try change(.string(Self.password), "short").field == "password")
            #expect(try change(.string(Self.password), "Ada@example.org7").field == "password")
            let wrong = try change("Zq7#horse-pond", "Wq7#horse-Pond")
            #expect(wrong == ReplyError(.wrongCredentials, "The current password is not right", field: "current"))
            #expect(try change(.string(Self.password), "Wq7#horse-Pond").code == .rateLimited)
            // That was counted for this device only.
            _ = try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.password)])
            let done = try service.waitOut {
                try phone.ask(
                    "account/change-password", ["current": .string(Self.password), "password": "Wq7#horse-Pond"])
            }
            #expect(done == .ok(["message": "The password was changed"]))
            _ = try guest.done("sign-in", ["email": "ada@example.org", "password": "Wq7#horse-Pond"])
            #expect(
                try guest.refused("sign-in", ["email": "ada@example.org", "password": .string(Self.password)]).code
                    == .wrongCredentials)
            #expect(try phone.done("account/get")["devices"] == 3)
        }
    }

    @Test(
        "resets a password with the code of a mail, and signs out all devices",
        arguments: ["ada@example.org", "ADA@example.org"])
    func reset(asked: String) throws {
        let (mails, pipes) = (try TemporaryFolder(), try TemporaryFolder())
        let arrived = try NamedPipe(in: pipes)
        let script = "cat > \(mails.path)/$$ && cat \(mails.path)/$$ > \(arrived.path)"
        try AccountService.with(accounts: "{ mail_command: [\"/bin/sh\", \"-c\", \"\(script)\"] }") { service in
            let signedIn = try service.signUp("Ada@example.org")
            #expect(try arrived.read().contains("Subject: Your code to verify this address"))
            let (phone, guest) = (try service.device(signedIn), try service.guest())
            defer { for asker in [phone, guest] { asker.stop() } }
            #expect(try phone.isConnected())
            let answer = try guest.done("request-reset", ["email": .string(asked)])
            #expect(try guest.done("request-reset", ["email": "nobody@example.org"]) == answer)
            let mail = try arrived.read()
            #expect(mail.hasPrefix("To: Ada@example.org\nSubject: "))
            let code = try #require(mail.firstMatch(of: /[0-9A-Z]{5}-[0-9A-Z]{5}/)).output

            func reset(_ code: String, _ password: String, _ email: String = asked) throws -> Reply.Outcome {
                try guest.ask(
                    "reset-password", ["email": .string(email), "code": .string(code), "password": .string(password)])
            }
            let wrong = Reply.Outcome.error(
                ReplyError(
                    .wrongCredentials, "The code is not right, or too old: ask for a new one", field: "code"))
            #expect(try reset("00000-00000", "Wq7#horse-Pond") == wrong)
            #expect(try reset(String(code), "Wq7#horse-Pond", "nobody@example.org") == wrong)
            #expect(try reset(String(code), "Wq7#horse-Pond", "eve@example.org") == wrong)
            guard case .error(let rule) = try reset(String(code), "short") else { throw TestFailure("no error") }
            #expect(rule.field == "password")
            let typed = String(code).lowercased().replacingOccurrences(of: "-", with: " ").replacingOccurrences(
                of: "0", with: "o")
            let words = "The password was changed, and all devices are signed out: sign in"
            #expect(try reset(typed, "Wq7#horse-Pond") == .ok(["changed": true, "message": .string(words)]))
            try phone.waitForEnd()
            #expect(try reset(String(code), "Wq7#horse-Pond") == wrong, "good once")
            #expect(
                try guest.refused("sign-in", ["email": .string(asked), "password": .string(Self.password)]).code
                    == .wrongCredentials)
            let again = try service.waitOut {
                try guest.ask("sign-in", ["email": .string(asked), "password": "Wq7#horse-Pond"])
            }
            guard case .ok(let data) = again else { throw TestFailure("\(again)") }
            let tablet = try service.device(data)
            defer { tablet.stop() }
            #expect(try tablet.done("account/get")["devices"] == 1)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: mails.path).count == 2, "nobody else got a mail")
        }
    }

    @Test("prints a code for the operator, lists people without who they are, and with who they are where asked")
    func operators() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let user = try signedIn.text("user")
            let settings = ["--settings", service.household.path("consumer.json5")]
            func run(_ arguments: String...) throws -> (status: Int32?, text: String) {
                let program = try RunningProgram("vitals-consumer", arguments + settings)
                return (program.exitStatus(), program.text)
            }
            let list = try JSON(payload: Array(run("people").text.utf8))
            #expect(list["user"] == signedIn["user"] && list["devices"] == 1 && list["locked"] == false)
            #expect(list["email"] == nil)
            #expect(try JSON(payload: Array(run("people", "--show").text.utf8))["email"] == "ada@example.org")

            let guest = try service.guest()
            defer { guest.stop() }
            let code = try run("reset-password", "--user", user)
            #expect(code.status == 0)
            #expect(try run("reset-password", "--email", "ADA@example.org").text == code.text)
            #expect(try run("reset-password", "--phone", "+4915123456789").status == 67)
            #expect(try run("reset-password", "--email", "nobody").status == 64)
            #expect(try run("reset-password").status == 64)
            #expect(try run("unlock", "--user", "nobody").status == 67)
            let first = try #require(code.text.split(separator: "\n").first)
            try guest.done(
                "reset-password",
                ["email": "ada@example.org", "code": .string(String(first)), "password": "Wq7#horse-Pond"])
            _ = try guest.done("sign-in", ["email": "ada@example.org", "password": "Wq7#horse-Pond"])
        }
    }

    @Test("deletes an account for whoever knows its password, and lets the name be taken again")
    func delete() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let phone = try service.device(signedIn)
            defer { phone.stop() }
            #expect(try phone.refused("account/delete").field == "password")
            #expect(try phone.refused("account/delete", ["password": "Zq7#horse-pond"]).code == .wrongCredentials)
            let people = "SELECT person FROM people ORDER BY person"
            let before = try service.onSession { try $0.context.store.database.query(people, row: Row.text) }
            #expect(signedIn["user"].map { before.map(JSON.string).contains($0) } == true)
            let done = try service.waitOut { try phone.ask("account/delete", ["password": .string(Self.password)]) }
            #expect(done == .ok(["message": "Your account was deleted"]))
            try phone.waitForEnd()
            // After the broker has confirmed the end of the device, its codes are ended.
            let left = try service.onSession { try $0.context.store.database.query(people, row: Row.text) }
            #expect(left.map(JSON.string) == before.map(JSON.string).filter { $0 != signedIn["user"] })
            let next = try service.signUp("ada@example.org")
            #expect(next["user"] != signedIn["user"])
        }
    }
}
