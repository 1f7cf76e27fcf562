import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals --timeout", .timeLimit(.minutes(60)))
struct TimeoutTests {
    @Test(
        "ends each command that nobody answers",
        arguments: [
            ["today"], ["goals"], ["week"], ["heart-rate"], ["friends"], ["notifications"], ["account"], ["devices"],
            ["devices", "revoke", "d"], ["profile"], ["consent"], ["gateways"], ["gateways", "remove", "g", "--yes"],
            ["claims"],
            ["claim", "g/s", "c"], ["release", "g/s"], ["enrol", "--show"], ["picture", "remove"], ["sign-out"],
            ["reset-all", "--yes"], ["read", "steps", "--mine"],
            ["--anonymous", "password", "reset", "ada@example.org"],
            ["--anonymous", "sign-up", "ada@example.org"], ["password", "change"], ["delete-account", "--yes"],
            ["password", "reset", "ada@example.org", "--code"], ["--anonymous", "sign-in", "--provider", "google"],
        ])
    func silence(words: [String]) throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.ignore("profile/get")
        let begun = ContinuousClock.now
        let outcome = try consumer.vitals(
            ["--timeout", "0.5"] + words, input: ["Lovelace-1815!", "Babbage-1791!", "Babbage-1791!"])
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.errors.contains("did not answer in 0.5 s"), "\(outcome)")
        // As long as was said, a second for the broker's goodbye, and what a busy machine takes.
        #expect(ContinuousClock.now - begun < .seconds(8), "\(outcome)")
    }

    @Test("makes nothing of our own wait longer: completion, and asking what a gateway is called")
    func ownLimits() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        for (words, status) in [
            (["completion", "friends"], 0), (["completion", "claims"], 0), (["--gateway", "attic", "status"], 69),
        ] as [([String], Int32)] {
            let begun = ContinuousClock.now
            let outcome = try consumer.vitals(["--timeout", "20"] + words)
            #expect(outcome.status == status, "\(words): \(outcome)")
            #expect(ContinuousClock.now - begun < .seconds(12), "\(words)")
        }
        #expect(
            Set(consumer.requests.all.map(\.name)).isSuperset(of: ["friends/list", "sensors/list", "gateways/list"]))
    }

    @Test("ends an export if the consumer keeps telling it to ask for the parts later")
    func patience() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("export/begin", [:])
        consumer.refuse("export/part", .init(.busy, "later", retryAfterSeconds: 1))
        let begun = ContinuousClock.now
        let outcome = try consumer.vitals("--timeout", "2", "export", consumer.home.path("data"))
        #expect(outcome.status == 75, "\(outcome)")
        #expect(ContinuousClock.now - begun < .seconds(10))
    }
}
