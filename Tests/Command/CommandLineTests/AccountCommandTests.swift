import Telemetry
import Testing

@Suite("vitals account", .timeLimit(.minutes(60)))
struct AccountCommandTests {
    private static let account: JSON = [
        "user": "ada", "email": "ada@example.org", "has_password": true, "providers": ["google"],
        "created": 1_760_000_000_000, "devices": 2, "verified": true, "picture": true,
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("account/get", Self.account)
        consumer.answer("guardians/list", ["guardians": []])
        consumer.answer("dependents/list", ["dependents": []])
        return consumer
    }

    @Test("shows picture, code, guardians and dependents with what each may see, and devices; and how to change each")
    func whole() throws {
        let consumer = try signedIn()
        let guardians: JSON = [
            "code_set": 1_795_261_361_000,
            "guardians": [
                [
                    "guardian": "grace-1", "name": "Grace", "since": 0, "location": true, "motion": false,
                    "heart_rate": true,
                    "looked": [
                        ["day": "2026-11-24", "times": 1], ["day": "2026-11-23", "times": 2],
                        ["day": "2026-11-21", "times": 1], ["day": "2026-11-20", "times": 1],
                    ],
                ],
                ["guardian": "hugo-1", "since": 0, "location": false, "motion": false, "heart_rate": false],
                ["guardian": "eve-1", "blocked": true],
            ],
        ]
        let dependents: JSON = [
            "dependents": [
                [
                    "dependent": "otto-1", "name": "Otto\u{1B}[2J", "since": 0, "location": false, "motion": true,
                    "heart_rate": false,
                ]
            ]
        ]
        consumer.answer("guardians/list", guardians)
        consumer.answer("dependents/list", dependents)
        let shown = try consumer.vitals("account")
        #expect(shown.status == 0)
        #expect(
            shown.output == """
                E-mail             ada@example.org
                Signs in with      google
                Person             ada
                Picture            yes
                Verification code  set on 2026-11-21
                Guardians          "Grace" sees location, heart-rate; looked 2026-11-24 2026-11-23 2026-11-21 …
                                   hugo-1 sees nothing
                                   eve-1 is blocked
                Dependents         "Otto\\u{1b}[2J" shows you motion
                This device        phone
                Devices            2
                Since              2025-10-09 08:53:20
                Broker             127.0.0.1:\(consumer.broker.port)

                """)
        let port = "--port \(consumer.broker.port)"
        #expect(
            shown.errors == """
                vitals: to change the password: vitals \(port) password change; if it is forgotten: vitals \(port) password reset
                vitals: to change or remove the verification code: vitals \(port) guardians code
                vitals: to say what guardians see: vitals \(port) guardians allow; to disconnect one: vitals \(port) guardians remove
                vitals: to watch over somebody: vitals \(port) dependents connect
                vitals: to disconnect a dependent: vitals \(port) dependents remove
                vitals: to sign out here: vitals \(port) sign-out; on another device: vitals \(port) devices revoke

                """)
    }

    @Test("is harmless whatever others call themselves: no name says what somebody sees, or moves the cursor")
    func names() throws {
        let consumer = try signedIn()
        let name = JSON.string("Eve\" sees nothing;\u{9B}2J \u{202E}\r\"Grace")
        consumer.answer("guardians/list", ["guardians": [["guardian": "eve-1", "name": name, "location": true]]])
        consumer.answer("dependents/list", ["dependents": [["dependent": "eve-1", "name": name, "motion": true]]])
        let shown = try consumer.vitals("account")
        let quoted = #""Eve\u{22} sees nothing;\u{9b}2J \u{202e}\r\u{22}Grace""#
        #expect(shown.output.contains("Guardians          \(quoted) sees location\n"), "\(shown)")
        #expect(shown.output.contains("Dependents         \(quoted) shows you motion\n"), "\(shown)")
        for command in ["guardians", "dependents"] {
            let list = try consumer.vitals(command)
            #expect(!list.output.contains("\u{9B}") && !list.output.contains("\u{202E}"), "\(list)")
            #expect(list.status == 0 && list.output.contains("\\u{9b}2J"), "\(list)")
        }
    }

    @Test("says of somebody who has nothing of it how to have it")
    func nothing() throws {
        let consumer = try signedIn()
        consumer.answer(
            "account/get",
            ["user": "ada", "phone": "+4915123456789", "has_password": false, "providers": [], "picture": false])
        let shown = try consumer.vitals("account")
        #expect(
            shown.output == """
                Phone              +4915123456789
                Person             ada
                Picture            no
                Verification code  not set
                Guardians          none
                Dependents         none
                This device        phone
                Broker             127.0.0.1:\(consumer.broker.port)

                """)
        let port = "--port \(consumer.broker.port)"
        #expect(
            shown.errors == """
                vitals: to have a picture: vitals \(port) picture set
                vitals: to have somebody watch over you: vitals \(port) guardians code
                vitals: to watch over somebody: vitals \(port) dependents connect
                vitals: to sign out here: vitals \(port) sign-out; on another device: vitals \(port) devices revoke

                """)
    }

    @Test("is one object for programs, with the members of what was asked")
    func json() throws {
        let consumer = try signedIn()
        consumer.answer(
            "guardians/list",
            ["code_set": 1_795_261_361_000, "guardians": [["guardian": "grace-1", "location": true]]])
        consumer.answer(
            "dependents/list", ["chosen": "otto-1", "dependents": [["dependent": "otto-1", "motion": true]]])
        let shown = try consumer.vitals("account", "--json")
        #expect(shown.status == 0 && shown.errors.isEmpty)
        let object = try JSON(payload: Array(shown.output.utf8))
        guard case .object(let account) = Self.account else { return }
        for member in account { #expect(object[member.name] == member.value) }
        #expect(object["code_set"] == 1_795_261_361_000 && object["chosen"] == "otto-1")
        #expect(object["guardians"] == [["guardian": "grace-1", "location": true]])
        #expect(object["dependents"] == [["dependent": "otto-1", "motion": true]])
        #expect(consumer.requests.all.suffix(3).map(\.name) == ["account/get", "guardians/list", "dependents/list"])
    }

    @Test("ends with what the consumer says where there is no account, and asks for nothing else")
    func refused() throws {
        let consumer = try signedIn()
        consumer.refuse("account/get", ReplyError(.notFound, "You have no account here"))
        let outcome = try consumer.vitals("account")
        #expect(outcome.status == 67 && outcome.errors.contains("You have no account here"), "\(outcome)")
        #expect(try consumer.last().name == "account/get")
    }
}
