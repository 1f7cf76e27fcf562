import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("vitals, for people", .timeLimit(.minutes(60)))
struct PeopleTests {
    @Test("signing up, in and out: a credential of this device is kept, its owner's only, and used")
    func signing() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("sign-up", ScriptedConsumer.credential)
        let signUp = try consumer.vitals(
            "sign-up", "ada@example.org", "--device", "Ada's Pi", input: ["Lovelace-1815!"])
        #expect(signUp == (0, "Signed in\n", ""))
        #expect(try consumer.last().user == nil)
        #expect(
            try consumer.last().fields == [
                "device": "Ada's Pi", "email": "ada@example.org", "password": "Lovelace-1815!",
            ])
        let folder = consumer.home.path(".config/vitals/accounts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files == ["127.0.0.1:\(consumer.broker.port).json", "127.0.0.1:\(consumer.broker.port).password"])
        for (path, mode) in [(folder, 0o700), ("\(folder)/\(files[0])", 0o600), ("\(folder)/\(files[1])", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        #expect(try String(contentsOfFile: "\(folder)/\(files[1])", encoding: .utf8) == "drawn\n")

        // A second time is refused; the account is asked for as that device.
        let twice = try consumer.vitals("sign-in", "ada@example.org", input: ["x"])
        #expect(twice.status == 64 && twice.errors.contains("already signed in"))
        consumer.answer(
            "account/get",
            ["user": "ada", "email": "ada@example.org", "providers": [], "created": 1_760_000_000_000, "devices": 1])
        consumer.answer("guardians/list", ["guardians": []])
        consumer.answer("dependents/list", ["dependents": []])
        let account = try consumer.vitals("account")
        #expect(account.output.hasPrefix("E-mail             ada@example.org\nPerson             ada\n"), "\(account)")
        #expect(account.output.contains("\nThis device        phone\n"), "\(account)")
        try consumer.broker.waitForLog("u'phone'")
        #expect(try consumer.vitals("whoami", "--protocol", "mqtt3.1.1").status == 0)
        // Without a name, there is nobody to ask about.
        let anonymous = try consumer.vitals("account", "--anonymous")
        #expect(anonymous.status == 77 && anonymous.errors.contains("sign-in NAME"), "\(anonymous)")

        consumer.answer("account/sign-out", [:])
        #expect(try consumer.vitals("sign-out") == (0, "Signed out\n", ""))
        #expect(try consumer.last().fields == ["device": "phone"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try consumer.vitals("account").status == 77)
    }

    @Test("the password of the device is printed nowhere, the account's comes from a file or standard input")
    func passwords() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("sign-in", ScriptedConsumer.credential)
        try consumer.home.write("Lovelace-1815!\nmore\n", to: "password")
        let outcome = try consumer.vitals(
            "sign-in", "+49 151 23456789", "--json", "--password-file", consumer.home.path("password"))
        #expect(outcome.status == 0 && !outcome.output.contains("drawn"))
        let fields = try consumer.last().fields
        #expect(fields["phone"] == "+49 151 23456789" && fields["password"] == "Lovelace-1815!")
        let nothing = try consumer.vitals("password", "change")
        #expect(nothing.status == 64 && nothing.errors.contains("--password-file"), "\(nothing)")
        consumer.answer("account/change-password", [:])
        let changed = try consumer.vitals("password", "change", input: ["Lovelace-1815!", "Babbage-1791!"])
        #expect(changed == (0, "The password was changed\n", ""))
        #expect(try consumer.last().fields == ["current": "Lovelace-1815!", "password": "Babbage-1791!"])
    }

    @Test("a refusal by the consumer is printed in its words alone, with the exit code that fits")
    func refusals() throws {
        let consumer = try ScriptedConsumer()
        consumer.refuse("sign-up", ReplyError(.invalid, "A password needs a digit", field: "password"))
        let invalid = try consumer.vitals("sign-up", "ada@example.org", input: ["Lovelace!"])
        #expect(invalid == (65, "", "vitals: A password needs a digit\n"))
        let json = try consumer.vitals("sign-up", "ada@example.org", "--json", input: ["Lovelace!"])
        #expect(
            json.errors == """
                {"code":"invalid","exit_code":\(json.status ?? 0),"field":"password","message":"A password needs a digit"}

                """)
        consumer.refuse("sign-in", ReplyError(.rateLimited, "Too many tries", retryAfterSeconds: 8))
        let later = try consumer.vitals("sign-in", "ada@example.org", input: ["x"])
        #expect(later == (75, "", "vitals: Too many tries\ntry again in 8 s\n"))
        for (words, seconds, text) in [
            ("Too many requests; try again in 1 s", 1, ""), ("Too many posts", 85_854, "try again in 23 h 51 min\n"),
            ("Too many posts", 61, "try again in 2 min\n"),
        ] {
            consumer.refuse("sign-in", ReplyError(.rateLimited, words, retryAfterSeconds: seconds))
            #expect(try consumer.vitals("sign-in", "ada@example.org", input: ["x"]).errors == "vitals: \(words)\n\(text)")
        }
        #expect(!FileManager.default.fileExists(atPath: consumer.home.path(".config/vitals/accounts")))
    }

    @Test("a provider's token is sent with a nonce that was requested before")
    func provider() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("nonce", ["nonce": "n-1", "expires": 1])
        let nonce = try consumer.vitals("sign-in", "--provider", "google")
        #expect(nonce.status == 0 && nonce.output == "n-1\n" && nonce.errors.contains("--token-file"))
        consumer.answer("sign-in-with", ScriptedConsumer.credential)
        try consumer.home.write("a.b.c\n", to: "token")
        let outcome = try consumer.vitals(
            "sign-in", "--provider", "google", "--token-file", consumer.home.path("token"), "--device", "pi")
        #expect(outcome.status == 0)
        #expect(try consumer.last().fields == ["device": "pi", "id_token": "a.b.c", "provider": "google"])
    }

    @Test("a forgotten password is reset by a code")
    func reset() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("request-reset", ["message": "A code is on its way, if there is such an account"])
        let asked = try consumer.vitals("password", "reset", "ada@example.org")
        #expect(asked == (0, "A code is on its way, if there is such an account\n", ""))
        consumer.answer("reset-password", [:])
        let done = try consumer.vitals(
            "password", "reset", "ada@example.org", "--code", input: ["123456", "Babbage-1791!"])
        #expect(done.status == 0)
        #expect(
            try consumer.last().fields == ["code": "123456", "email": "ada@example.org", "password": "Babbage-1791!"])
    }

    @Test("devices, gateways and claims are listed, and changed")
    func lists() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer(
            "devices/list",
            ["devices": [["device": "phone", "name": "Ada's \u{1B}[31mphone", "created": 1_760_000_000_000]]])
        let devices = try consumer.vitals("devices")
        #expect(
            devices.output == """
                   DEVICE  NAME                   SIGNED IN
                *  phone   Ada's \\u{1b}[31mphone  2025-10-09 08:53:20

                """)
        #expect(
            try consumer.vitals("devices", "--json").output.hasPrefix(#"{"created":1760000000000,"device":"phone""#))
        for (words, name, fields) in [
            (["devices", "revoke", "tablet"], "devices/revoke", ["device": "tablet"]),
            (["devices", "name", "tablet", "T"], "devices/name", ["device": "tablet", "name": "T"]),
            (["gateways", "rename", "attic", "A"], "gateways/rename", ["gateway": "attic", "name": "A"]),
            (
                ["gateways", "household", "attic", "on"], "gateways/household",
                ["gateway": "attic", "household": true]
            ),
            (
                ["gateways", "household", "attic", "off"], "gateways/household",
                ["gateway": "attic", "household": false]
            ),
            (["gateways", "remove", "attic"], "gateways/remove", ["gateway": "attic"]),
            (["release", "attic/strap"], "sensors/release", ["gateway": "attic", "sensor": "strap"]),
            (["picture", "remove"], "picture/remove", [:]),
        ] as [([String], String, JSON)] {
            consumer.answer(name, [:])
            let program = try RunningProgram(
                "vitals", ["--port", "\(consumer.broker.port)"] + words, environment: ["HOME": consumer.home.path])
            program.closeInput()
            #expect(program.exitStatus() == 0, "\(program.text)")
            let last = try consumer.last()
            #expect(last.user == "ada" && last.name == name && last.fields == fields)
        }
        consumer.answer("sensors/claim", ["kinds": ["steps"], "taken_over": true])
        let claim = try consumer.vitals("claim", "attic/strap", "NF6YG-W8X2X-EQSRN")
        #expect(claim.output == "attic/strap is yours; it belonged to somebody else. Recorded: steps\n")
        #expect(claim.errors.contains("live only"))
        #expect(try consumer.last().fields == ["code": "NF6YG-W8X2X-EQSRN", "gateway": "attic", "sensor": "strap"])
        #expect(try consumer.vitals("claim", "strap", "X").status == 64)
        consumer.answer(
            "gateways/list",
            ["gateways": [["gateway": "attic", "name": "Loft", "household": true, "enrolled": 1_760_000_000_000]]])
        #expect(
            try consumer.vitals("gateways").output == """
                GATEWAY  NAME  HOUSEHOLD  ENROLLED
                attic    Loft  yes        2025-10-09 08:53:20

                """)
        consumer.answer("gateways/invite", ["code": "AAAA-BBBB", "expires": 1])
        let shown = try consumer.vitals("enrol", "--show", "--name", "Loft")
        #expect(shown.output == "AAAA-BBBB\n" && shown.errors.contains("vitals-gateway enrol"))
        #expect(try consumer.last().fields == ["household": false, "name": "Loft"])
    }

    @Test("a password that is typed at a terminal is not shown, and typed twice if it is new")
    func hiddenPassword() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("sign-up", ScriptedConsumer.credential)
        let different = try consumer.terminal(
            "sign-up ada@example.org", [("Password:", "Lovelace-1815!"), ("Again:", "Lovelace-1816!")])
        #expect(different.status == 65 && different.text.contains("the two passwords differ"), "\(different)")
        #expect(consumer.requests.all.isEmpty)
        let outcome = try consumer.terminal(
            "sign-up ada@example.org", [("Password:", "Lovelace-181X\u{7F}5!"), ("Again:", "Lovelace-1815!")])
        #expect(outcome.status == 0 && !outcome.text.contains("Lovelace"), "\(outcome)")
        #expect(try consumer.last().fields["password"] == "Lovelace-1815!")
        let interrupted = try consumer.terminal("password change", [("Current password:", "\u{3}")])
        #expect(interrupted.status == 1 && interrupted.text.contains("nothing was changed"), "\(interrupted)")
    }

    @Test("an export becomes files in a folder or an archive, and nothing elsewhere")
    func export() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        let parts = [
            "1": #"{"file":"profile.json","data":"{}","next":"2"}"#,
            "2": #"{"file":"steps.csv","data":"a\n","next":"3"}"#,
            "3": #"{"file":"steps.csv","data":"b\n","next":"4"}"#,
            "4": #"{"file":"picture.jpg","data":"/9j/","encoding":"base64"}"#,
        ]
        let asked = Mutex(0)
        consumer.answer("export/part") { fields in
            // Every other time it has enough for the moment.
            if asked.withLock({
                $0 += 1
                return $0 % 2 == 0
            }) {
                return Reply(.error(ReplyError(.rateLimited, "too many", retryAfterSeconds: 0)))
            }
            guard case .string(let cursor) = fields["cursor"] ?? "1", let text = parts[cursor],
                let part = try? JSON(payload: Array(text.utf8))
            else { return Reply(.error(ReplyError(.notFound, "no such part"))) }
            return Reply(.ok(part))
        }
        let folder = consumer.home.path("out")
        let outcome = try consumer.vitals("export", folder)
        #expect(
            outcome.output
                == "FILE          BYTES\npicture.jpg   3\nprofile.json  2\nsteps.csv     4\nwritten to \(folder)\n")
        #expect(try String(contentsOfFile: "\(folder)/steps.csv", encoding: .utf8) == "a\nb\n")
        #expect(try consumer.vitals("export", folder).status == 74)
        let archive = consumer.home.path("out.tar")
        #expect(try consumer.vitals("export", archive).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions] as? Int == 0o600)
        let names = try RunningProgram.run("tar", ["-tf", archive]).split(separator: "\n").sorted()
        #expect(names == ["./", "./picture.jpg", "./profile.json", "./steps.csv"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: consumer.home.path).count { $0.hasPrefix("out") } == 2)
        for name in ["../evil", "/etc/evil", ".hidden", ""] {
            consumer.answer("export/part", ["file": .string(name), "data": "x"])
            #expect(try consumer.vitals("export", consumer.home.path("bad-\(UUID())")).status == 76)
        }
    }

    @Test("resetting everything asks, shows progress, and says what was proved")
    func resetAll() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer(
            "reset-all/ask",
            ["message": "This cannot be undone", "confirmation": "c-1", "expires": 1, "what": ["heart_rates": 12]])
        consumer.answer("reset-all/confirm") { [unowned consumer] _ in
            consumer.tell(
                "vitals/v1/users/ada/progress", ["operation": "reset-all", "step": "keys", "done": 1, "of": 7])
            return Reply(.ok(["message": "Everything was deleted", "tried": 9, "opened": 0, "next": "profile"]))
        }
        for command in ["reset-all", "delete-account"] {
            let unasked = try consumer.vitals(command, input: ["Lovelace-1815!"])
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        }
        let no = try consumer.terminal("reset-all", [("for good? [y/N]", "n")])
        #expect(no.status == 1 && no.text.contains("heart rates: 12"), "\(no)")
        #expect(try consumer.last().name == "reset-all/ask")
        let yes = try consumer.vitals("reset-all", "--yes")
        #expect(yes.status == 0 && yes.errors.contains("1 of 7: keys"), "\(yes)")
        #expect(
            yes.output == """
                Everything was deleted
                proof: 9 sealed records tried afterwards, 0 could be opened
                next: vitals --port \(consumer.broker.port) profile edit

                """)
        // People of the settings have no password that could be asked for.
        #expect(try consumer.last().fields == ["confirmation": "c-1"])
        consumer.answer("account/get", ["user": "ada", "has_password": true, "providers": []])
        consumer.answer("account/delete", [:])
        #expect(try consumer.vitals("delete-account", "--yes", input: ["Lovelace-1815!"]).status == 0)
        #expect(try consumer.last().fields == ["password": "Lovelace-1815!"])
        #expect(try consumer.vitals("account").status == 77)
    }

    @Test(
        "what cannot be undone takes the password, or a new token of the provider",
        arguments: ["reset-all", "delete-account"])
    func confirming(command: String) throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        let request = command == "reset-all" ? "reset-all/confirm" : "account/delete"
        func answer(_ account: JSON) {
            consumer.answer("account/get", account)
            consumer.answer("reset-all/ask", account)
        }
        answer(["has_password": true, "providers": []])
        let wrong = ReplyError(.wrongCredentials, "The password is not right", field: "password")
        consumer.refuse(request, wrong)
        try consumer.home.write("Lovelace-1815!\n", to: "password")
        let file = consumer.home.path("password")
        let refused = try consumer.vitals(command, "--yes", "--password-file", file)
        #expect(refused.status != 0 && refused.errors.contains("The password is not right"), "\(refused)")
        let last = try consumer.last()
        #expect(last.name == request && last.fields["password"] == "Lovelace-1815!")
        #expect(try consumer.vitals(command, "--yes").errors.contains("--password-file"))
        let typed = try consumer.terminal(command, [("? [y/N]", "y"), ("Password:", "Lovelace-1815!")])
        #expect(typed.status != 0 && !typed.text.contains("Lovelace"), "\(typed)")

        answer(["has_password": false, "providers": ["google"]])
        consumer.answer("nonce", ["nonce": "n-1", "expires": 1])
        let how = try consumer.vitals(command, "--yes")
        #expect(
            how.status == 64 && how.errors.contains(" \(command) --provider google prints the nonce"), "\(how)")
        let nonce = try consumer.vitals(command, "--provider", "google")
        #expect(
            nonce.output == "n-1\n" && nonce.errors.contains(" \(command) --provider google --token-file FILE"))
        consumer.answer(request, [:])
        try consumer.home.write("a.b.c\n", to: "token")
        let done = try consumer.vitals(command, "--yes", "--token-file", consumer.home.path("token"))
        #expect(done.status == 0, "\(done)")
        let fields = try consumer.last().fields
        #expect(fields["provider"] == "google" && fields["id_token"] == "a.b.c" && fields["password"] == nil)
    }

    @Test("what belongs to an account at its first reset is shown, and kept or deleted as its holder says")
    func hanging() throws {
        let consumer = try ScriptedConsumer()
        consumer.answer("request-reset", ["message": "A code is on its way"])
        consumer.answer("reset-password") { fields in
            guard fields["keep"] == nil else { return Reply(.ok(["changed": true, "message": "Changed"])) }
            return Reply(
                .ok([
                    "changed": false,
                    "hanging": [
                        "friends": 2, "consent": ["motion", "steps"], "gateways": ["attic"], "heart-rate": 12,
                        "from": 1_760_000_000_000,
                    ],
                ]))
        }
        let given: JSON = ["code": "123456", "email": "ada@example.org", "password": "Babbage-1791!"]
        func fields(_ keep: Bool) -> JSON {
            guard case .object(let members) = given else { return given }
            return .object((members + [JSON.Member("keep", .bool(keep))]).sorted { $0.name < $1.name })
        }
        let lines = ["123456", "Babbage-1791!"]
        let unsaid = try consumer.vitals("password", "reset", "ada@example.org", "--code", input: lines)
        #expect(unsaid.status == 64 && unsaid.errors.contains("nothing was changed"), "\(unsaid)")
        #expect(unsaid.errors.contains("friends: 2") && unsaid.errors.contains("heart rate: 12"), "\(unsaid)")
        #expect(unsaid.errors.contains("shown to others: motion, steps") && unsaid.errors.contains("from: 2025-10-09"))
        #expect(try consumer.last().fields == given)
        for (option, keep) in [("--keep", true), ("--discard", false)] {
            let done = try consumer.vitals("password", "reset", "ada@example.org", "--code", option, input: lines)
            #expect(done == (0, "Changed\n", ""))
            #expect(try consumer.last().fields == fields(keep))
        }
        // An empty answer is none: neither is done by mistake.
        for (answer, keep) in [("keep", true), ("d", false)] {
            let typed = try consumer.terminal(
                "password reset ada@example.org --code",
                [
                    ("Code:", "123456"), ("New password:", "Babbage-1791!"), ("Again:", "Babbage-1791!"),
                    ("for good? [keep/delete]", ""), ("for good? [keep/delete]", answer),
                ])
            #expect(typed.status == 0 && typed.text.contains("Changed"), "\(typed)")
            #expect(try consumer.last().fields == fields(keep))
        }
    }

    @Test("a broker is reached by TLS, and only if its certificate is one that is trusted")
    func tls() throws {
        let broker = try Broker(configuration: [
            "allow_anonymous true", "certfile {folder}/certificates/server.crt",
            "keyfile {folder}/certificates/server.key",
        ])
        let folder = broker.folder.path("certificates")
        for words in [["authority"], ["server", "127.0.0.1"]] {
            try RunningProgram.run("\(projectFolder)/deploy/certificates", [folder] + words)
        }
        try broker.start()
        defer { broker.stop() }
        let trusted = try Program.run("--port", "\(broker.port)", "--ca-file", "\(folder)/authority.crt", "status")
        #expect(trusted.status == 69 && trusted.errors.contains("there is no gateway"), "\(trusted)")
        let unknown = try Program.run("--port", "\(broker.port)", "--tls", "status")
        #expect(unknown.status == 69 && unknown.errors.contains("certificate"), "\(unknown)")
    }
}
