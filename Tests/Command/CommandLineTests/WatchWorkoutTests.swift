import Foundation
import Glibc
import Telemetry
import TestSupport
import Testing

@Suite("vitals watch, during a workout", .timeLimit(.minutes(60)))
struct WatchWorkoutTests {
    private static let topic = "vitals/v1/users/ada/workout"

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    @Test("a terminal shows a dashboard that is drawn again in the same place, until the workout is over")
    func dashboard() throws {
        let consumer = try signedIn()
        let program = try consumer.watchedTerminal("watch", environment: ["NO_COLOR": "1"])
        try consumer.broker.waitForLog("\t\(Self.topic) (QoS 0)")
        consumer.tell(Self.topic, WorkoutTests.running)
        #expect(program.prints("running, under way"))
        #expect(program.prints("Distance    2.31 km"))
        // The time goes on between two messages, and what was drawn is erased.
        #expect(program.prints("\u{1B}[9A\r\u{1B}[J"))
        #expect(program.prints("Time        12:31"))
        consumer.tell(
            "vitals/v1/gateways/home/sensors/strap/heart-rate", ["time": 1_760_000_000_000, "bpm": 199])
        var paused = WorkoutTests.running
        if case .object(let members) = paused {
            paused = .object(members.map { $0.name == "state" ? JSON.Member("state", "paused") : $0 })
        }
        consumer.tell(Self.topic, paused)
        #expect(program.prints("running, paused"))
        consumer.clear(Self.topic)
        #expect(program.prints("the workout is over: vitals --port \(consumer.broker.port) workout show latest"))
        #expect(!program.text.contains("199 bpm"))
        consumer.tell(
            "vitals/v1/gateways/home/sensors/strap/heart-rate", ["time": 1_760_000_000_000, "bpm": 201])
        #expect(program.prints("strap  201 bpm"))
        program.signal(SIGKILL)
    }

    @Test("elsewhere there is a line each time, and nothing for programs or about one sensor")
    func lines() throws {
        let consumer = try signedIn()
        func watch(_ words: [String]) throws -> RunningProgram {
            try RunningProgram(
                "vitals", ["--port", "\(consumer.broker.port)", "watch"] + words,
                environment: ["HOME": consumer.home.path, "TZ": "UTC"], inheritsEnvironment: false, output: .apart)
        }
        let program = try watch([])
        try consumer.broker.waitForLog("\t\(Self.topic) (QoS 0)")
        consumer.tell(Self.topic, WorkoutTests.running)
        #expect(program.line(after: 0) == "running  12:30  2.31 km  5:24 /km  149 bpm")
        consumer.clear(Self.topic)
        #expect(program.line(after: 1)?.hasPrefix("the workout is over: vitals") == true)
        program.signal(SIGINT)
        #expect(program.exitStatus() == 0)
        for (index, words) in [["--json"], ["--count", "1"], ["strap"]].enumerated() {
            let program = try watch(words)
            try consumer.broker.waitForLog("Received UNSUBSCRIBE from vitals-", times: index + 2)
            consumer.tell(Self.topic, WorkoutTests.running)
            consumer.tell(
                "vitals/v1/gateways/home/sensors/strap/heart-rate", ["time": 1_760_000_000_000, "bpm": 199])
            #expect(program.line(after: 0)?.contains("199") == true, "\(program.text)")
            program.signal(SIGINT)
            #expect(program.exitStatus() == 0)
        }
        #expect(consumer.broker.log.components(separatedBy: "\t\(Self.topic) (QoS 0)").count == 2)
    }
}
