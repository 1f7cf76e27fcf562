import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals profile, pictures and consents", .timeLimit(.minutes(60)))
struct ProfileTests {
    @Test("the profile: what is not named stays; edited field by field, and discarded")
    func profile() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer(
            "profile/get",
            ["profile": ["name": "Ada", "weight_kg": 60, "voice": true, "height_cm": .null], "bmi": .number(21.3)])
        #expect(
            try consumer.vitals("profile").output == """
                Name         Ada
                Weight (kg)  60
                Voice        on
                BMI          21.3

                """)
        consumer.answer("profile/set", ["message": "Data Saved Successfully", "profile": [:]])
        let set = try consumer.vitals("profile", "set", "--weight-kg", "61.5", "--continuous-heart-rate", "off")
        #expect(set == (0, "Data Saved Successfully\n", ""))
        #expect(
            try consumer.last().fields == [
                "continuous_heart_rate": false, "name": "Ada", "voice": true, "weight_kg": .number(61.5),
            ])
        #expect(try consumer.vitals("profile", "set", "--voice", "loud").status == 64)
        #expect(try consumer.vitals("profile", "edit").status == 64)

        let edited = try consumer.terminal(
            "profile edit",
            [
                ("Name [Ada]:", "Ada Lovelace"), ("Date of birth", "1985-12-10"), ("Gender", "female"),
                ("Weight (kg) [60]:", "heavy"), ("a number from 2 to 500, please:", "61,5"), ("Height (cm):", "168"),
                ("Voice [on]:", ""), ("Continuous", "on"), ("Time zone", ""), ("Language", ""), ("Units", ""),
                ("Save? [Y/n]", ""),
            ])
        #expect(edited.status == 0 && edited.text.contains("Data Saved Successfully"), "\(edited)")
        #expect(
            try consumer.last().fields == [
                "continuous_heart_rate": true, "date_of_birth": "1985-12-10", "gender": "female", "height_cm": 168,
                "name": "Ada Lovelace", "voice": true, "weight_kg": .number(61.5),
            ])
        consumer.answer("profile/cancel", ["message": "Changes Discarded"])
        let cancelled = try consumer.terminal("profile edit", [("Name [Ada]:", "\u{4}")])
        #expect(cancelled.status == 1 && cancelled.text.contains("Changes Discarded"), "\(cancelled)")
        #expect(try consumer.last().name == "profile/cancel")
    }

    @Test("the profile is edited with each answer checked when it is given, and what is wrong with it")
    func checkedAnswers() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("profile/get", ["profile": .null])
        consumer.answer("profile/set", ["message": "Data Saved Successfully", "profile": [:]])
        let edited = try consumer.terminal(
            "profile edit",
            [
                ("Name:", ""), ("a name of at most 100 characters, please:", "Ada"), ("Date of birth", "10.12.1985"),
                ("a date such as 1985-12-10, in the past and at most 130 years ago, please:", "1985-12-10"),
                ("Gender", "f"), ("female, male, other or undisclosed, please:", "Female"),
                ("Weight (kg):", "610"), ("a number from 2 to 500, please:", "61"), ("Height (cm):", "1.68"),
                ("a number from 40 to 275, please:", "168"), ("Voice", "maybe"), ("on or off, please:", "on"),
                ("Continuous", ""), ("Time zone", "here"), ("a time zone such as Europe/Berlin, please:", ""),
                ("Language", "Deutsch"), ("a language tag such as de-DE, please:", "de-DE"), ("Units", "stones"),
                ("metric or imperial, please:", ""), ("Save? [Y/n]", "y"),
            ])
        #expect(edited.status == 0, "\(edited)")
        #expect(
            try consumer.last().fields == [
                "date_of_birth": "1985-12-10", "gender": "female", "height_cm": 168, "locale": "de-DE", "name": "Ada",
                "voice": true, "weight_kg": 61,
            ])
        #expect(try consumer.vitals("profile", "set", "--weight-kg", "610").errors.contains("from 2 to 500"))
    }

    @Test(
        "answers for the profile outlive an interruption and a refusal, and end with a save, a cancellation or the account"
    )
    func keptAnswers() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("profile/get", ["profile": ["name": "Ada", "weight_kg": 60]])
        let draft = consumer.home.path(".config/vitals/accounts/127.0.0.1:\(consumer.broker.port).draft")
        let interrupted = try consumer.terminal(
            "profile edit", [("Name [Ada]:", "Ada Lovelace"), ("Date of birth", "1985-12-10"), ("Gender", "\u{3}")])
        #expect(interrupted.status != 0)
        #expect(try FileManager.default.attributesOfItem(atPath: draft)[.posixPermissions] as? Int == 0o600)
        consumer.answer("profile/set") { fields in
            fields["time_zone"] == "Europe/Berlin"
                ? Reply(.ok(["message": "Data Saved Successfully", "profile": [:]]))
                : Reply(.error(ReplyError(.invalid, "Enter a known time zone", field: "time_zone")))
        }
        let saved = try consumer.terminal(
            "profile edit",
            [
                ("not saved", ""), ("Date of birth [1985-12-10]:", ""), ("Gender", "female"), ("Weight (kg) [60]:", ""),
                ("Height (cm):", "168"), ("Voice", ""), ("Continuous", ""), ("Time zone", "Europe/Nowhere"),
                ("Language", ""), ("Units", ""), ("Save? [Y/n]", ""), ("Enter a known time zone", "Europe/Berlin"),
                ("Save? [Y/n] ", ""),
            ])
        #expect(saved.status == 0 && saved.text.contains("Name [Ada Lovelace]:"), "\(saved)")
        #expect(
            try consumer.last().fields == [
                "date_of_birth": "1985-12-10", "gender": "female", "height_cm": 168, "name": "Ada Lovelace",
                "time_zone": "Europe/Berlin", "weight_kg": 60,
            ])
        #expect(!FileManager.default.fileExists(atPath: draft))
        consumer.answer("profile/cancel", ["message": "Changes Discarded"])
        consumer.answer("account/sign-out", [:])
        let nobody = try consumer.vitals("profile", "edit")
        #expect(nobody.status == 64, "\(nobody)")
        #expect(nobody.errors.hasPrefix("vitals: there is nobody to ask: this is not a terminal"), "\(nobody)")
        for end in ["profile edit", "sign-out"] {
            _ = try consumer.terminal("profile edit", [("Name [Ada]:", "Augusta"), ("Date of birth", "\u{3}")])
            #expect(FileManager.default.fileExists(atPath: draft))
            _ = try consumer.terminal(end, end == "sign-out" ? [] : [("Name [Augusta]:", "\u{4}")])
            #expect(!FileManager.default.fileExists(atPath: draft), "\(end)")
        }
    }

    @Test("pictures and consents")
    func others() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("picture/set", [:])
        consumer.answer("picture/get", ["picture": "/9j/"])
        let file = try consumer.home.write("picture", to: "ada.jpg")
        #expect(try consumer.vitals("picture", "set", file).status == 0)
        #expect(try consumer.last().fields == ["picture": .string(Data("picture".utf8).base64EncodedString())])
        let copy = consumer.home.path("copy.jpg")
        #expect(try consumer.vitals("picture", "get", copy).status == 0)
        #expect(FileManager.default.contents(atPath: copy) == Data([0xFF, 0xD8, 0xFF]))
        try consumer.home.write(String(repeating: "x", count: 40_000), to: "big.jpg")
        let big = try consumer.vitals("picture", "set", consumer.home.path("big.jpg"))
        #expect(big.status == 65 && big.errors.contains("32 KiB"))
        consumer.answer("consent/get", ["location": false, "motion": false, "steps": true])
        #expect(
            try consumer.vitals("consent").output == """
                Location        not shared
                Motion          not shared
                Steps           shared
                Home Assistant  not shared
                Recording       not of your position

                """)
        consumer.answer("consent/set", ["location": true, "motion": false, "steps": true])
        #expect(try consumer.vitals("consent", "--location", "on").status == 0)
        #expect(try consumer.last().fields == ["location": true])
        consumer.answer("consent/set", ["record_location": true])
        let recorded = try consumer.vitals("consent", "--record-location", "on")
        #expect(recorded.output.hasSuffix("\nRecording       of your position\n"), "\(recorded)")
        #expect(try consumer.last().fields == ["record_location": true])
        #expect(
            try consumer.vitals("consent", "--record-location", "?").errors.contains("--record-location: expected on"))
    }
}
