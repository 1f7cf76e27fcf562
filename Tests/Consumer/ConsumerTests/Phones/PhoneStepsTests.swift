import HouseholdSupport
import MQTT
import Telemetry
import TestSupport
import Testing

@testable import OwnTracks
@testable import Readings

/// An iPhone that is asked for steps during a workout, with a broker that knows who is who.
@Suite("Steps that phones are asked for", .timeLimit(.minutes(60)))
struct PhoneStepsTests {
    /// What a phone is asked next, opened.
    private func question(_ phone: TestPhone, _ number: Int) throws -> JSON {
        let message = try phone.heard.wait(for: number)[number - 1]
        #expect(message.topic == "\(phone.topic)/cmd" && !message.retain)
        guard let secret = phone.secret else { return try JSON(payload: message.payload) }
        guard case .sealed(let sealed) = try PhoneReport(payload: message.payload) else {
            throw TestFailure("not sealed: \(message)")
        }
        return try JSON(payload: secret.open(sealed))
    }

    private func asked(from: Int64, to: Int64) -> JSON {
        let begin = start / 1000
        return [
            "_type": "cmd", "action": "reportSteps", "from": .integer(begin + from), "to": .integer(begin + to),
        ]
    }

    /// The answer as the booklet has it.
    private func answer(_ question: JSON, _ steps: Int64) throws -> [UInt8] {
        let json: JSON = [
            "_type": "steps", "tst": question["to"] ?? .null, "steps": .integer(steps),
            "from": question["from"] ?? .null, "to": question["to"] ?? .null,
        ]
        return json.bytes
    }

    @Test("every five minutes of a workout and at its end, each of them once", arguments: [true, false])
    func workout(isEncrypted: Bool) throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            let (_, other) = try service.walker("bob@example.org")
            defer {
                device.stop()
                other.stop()
            }
            let phone = try TestPhone(device.done("phones/add", ["encrypted": .bool(isEncrypted)]), service)
            let bobs = try TestPhone(other.done("phones/add"), service)
            defer { for phone in [phone, bobs] { phone.stop() } }
            for phone in [phone, bobs] { #expect(try phone.maySubscribe("\(phone.topic)/cmd")) }
            #expect(try !bobs.maySubscribe("\(phone.topic)/cmd"))
            try device.done("workouts/start", ["activity": "running"])
            try service.set(3600 + 310)
            let first = try question(phone, 1)
            #expect(first == asked(from: 3600, to: 3900))
            // Twice, as after an outage.
            for _ in 1...2 { try phone.send(answer(first, 700), .step) }
            try service.set(3600 + 450)
            let id = try device.done("workouts/stop").text("id")
            let second = try question(phone, 2)
            #expect(second == asked(from: 3900, to: 4050))
            try phone.send(answer(second, 300), .step)
            try device.done("phones/list")
            #expect(try service.stored(user, .pedometer) == [3900, 4050])
            #expect(try device.done("workouts/show", ["id": .string(id)])["steps"] == 1000)
            // Nobody is asked for a workout that is cancelled, or that never was.
            try service.set(5000)
            try device.done("workouts/start", ["activity": "running"])
            try service.set(5200)
            try device.done("workouts/cancel")
            try service.set(6000)
            try device.done("workouts/start", ["activity": "running"])
            try service.set(6301)
            #expect(try question(phone, 3) == asked(from: 6000, to: 6300))
            #expect(bobs.heard.all.isEmpty)
        }
    }

    @Test("only of the time since their person has agreed")
    func consent() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (_, device) = try service.walker()
            defer { device.stop() }
            let phone = try TestPhone(device.done("phones/add"), service)
            defer { phone.stop() }
            #expect(try phone.maySubscribe("\(phone.topic)/cmd"))
            try device.done("workouts/start", ["activity": "running"])
            try device.done("consent/set", ["record_location": false])
            try service.set(3600 + 250)
            try device.done("consent/set", ["record_location": true])
            try service.set(3600 + 310)
            #expect(try question(phone, 1) == asked(from: 3850, to: 3900))
        }
    }
}
