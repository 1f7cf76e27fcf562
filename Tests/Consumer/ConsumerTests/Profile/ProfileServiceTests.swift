import DaysSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Readings
@testable import vitals_consumer

@Suite("Profiles, with a broker that knows who is who", .timeLimit(.minutes(60)))
struct ProfileServiceTests {
    @Test(
        "saves, shows and cancels a profile with the words of the requirements; what others may see is off until said")
    func profile() throws {
        try AccountService.with { service in
            let phone = try service.device(try service.signUp("ada@example.org"))
            defer { phone.stop() }
            #expect(try phone.done("profile/get") == ["profile": .null])
            #expect(try phone.done("profile/cancel") == ["message": "Enter Details to Proceed"])
            let empty = ReplyError(.invalid, "Empty Fields", field: "date_of_birth")
            #expect(try phone.refused("profile/set") == empty)
            let saved = try phone.done("profile/set", properProfile)
            #expect(
                saved["message"] == "Data Saved Successfully" && saved["bmi"] == .number(21.9)
                    && saved["bmi_class"] == "normal")
            #expect(saved["profile"]?["name"] == "Ada Lovelace" && saved["profile"]?["voice"] == false)
            #expect(try phone.done("profile/get")["profile"] == saved["profile"])
            #expect(try phone.done("profile/cancel") == ["message": "Changes Discarded"])

            func said(motion: Bool) -> JSON {
                [
                    "home_assistant": false, "location": false, "motion": .bool(motion), "steps": false,
                    "record_location": false,
                ]
            }
            #expect(try phone.done("consent/get") == sorted(said(motion: false)))
            #expect(try phone.done("consent/set", ["motion": true]) == sorted(said(motion: true)))
            #expect(try phone.refused("consent/set", ["steps": "yes"]).field == "steps")
            #expect(try phone.done("consent/get")["motion"] == true)

            #expect(try phone.refused("picture/get").code == .notFound)
            let picture = Data(smallestJPEG()).base64EncodedString()
            #expect(try phone.done("picture/set", ["picture": .string(picture)])["type"] == "image/jpeg")
            #expect(try phone.done("picture/get")["picture"] == .string(picture))
            try phone.done("picture/remove")
            #expect(try phone.refused("picture/get").code == .notFound)
            // As large as it may be, through the broker.
            let large =
                Array(smallestJPEG().dropLast(2)) + [UInt8](repeating: 1, count: Picture.maximumLength - smallestJPEG().count) + [
                    0xFF, 0xD9,
                ]
            try phone.done("picture/set", ["picture": .string(Data(large).base64EncodedString())])

            for name in ["vitals.db", "vitals.db-wal", "keys.db", "keys.db-wal"] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: service.household.path("state/\(name)")))
                for text in ["Lovelace", "1990-12-10", "Europe/Berlin", picture] {
                    #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) lies in \(name)")
                }
            }
        }
    }

    /// As what was read comes.
    private func sorted(_ json: JSON) -> JSON { (try? JSON(payload: json.bytes)) ?? json }

    @Test("records heart rates of a person's sensors only where the person wants them kept, and tells the gateway")
    func continuous() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let phone = try service.device(signedIn)
            defer { phone.stop() }
            let user = try ID(signedIn.text("user"))
            let sensor = SensorName(gateway: try ID("home"), sensor: try ID("watch"))
            try service.onSession { accounts in
                let context = accounts.context
                let kinds = try RecordedKinds(context.documents).kinds(of: user)
                #expect(kinds == [.steps, .temperature, .motion])
                try context.store.database.execute(
                    "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', 'watch', ?, ?, 0)",
                    [.text(user.text), .integer(Int64(kinds.rawValue))])
                context.doors.bringStreamsInLine(of: [sensor])
            }
            func kinds() throws -> Grant.Kinds? {
                let consumer = service.consumer
                return try consumer.session.loop.sync {
                    Result { try consumer.streams.grants.current(of: [sensor]).first?.grant.kinds }
                }.get()
            }
            #expect(try kinds() == [.steps, .temperature, .motion])
            func save(_ isOn: Bool?) throws {
                guard case .object(let members) = properProfile else { return }
                try phone.done(
                    "profile/set",
                    .object(members + (isOn.map { [JSON.Member("continuous_heart_rate", .bool($0))] } ?? [])))
            }
            let all: Grant.Kinds = [.heartRate, .steps, .temperature, .motion]
            for (isOn, expected) in [
                (nil, [.steps, .temperature, .motion]), (true, all), (nil, all),
                (false, [.steps, .temperature, .motion]),
            ]
                as [(Bool?, Grant.Kinds)]
            {
                try save(isOn)
                #expect(try kinds() == expected)
            }
        }
    }
}
