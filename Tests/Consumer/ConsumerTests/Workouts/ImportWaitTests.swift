import ActivityFiles
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import Features
@testable import Records
@testable import vitals_consumer

/// What happens to files while something else happens.
@Suite("Files that come while something else happens", .timeLimit(.minutes(60)))
struct ImportWaitTests {
    /// A part of a file of nine bytes.
    private func part(at offset: Int64) -> JSON { ["size": 9, "offset": .integer(offset), "data": "AAAA"] }

    @Test(
        "a result is asked for while the file comes, and the file is dropped when nothing of it has come for a minute")
    func waiting() throws {
        try WorkoutHouse.with { house throws in
            let imports = try house.imports()
            let clock = WorkoutHouse.Clock(start)
            imports.onLoop { $0.clock = { UInt64(clock.time - start) } }
            #expect(try house.done("imports/file", part(at: 0))["received"] == 3)
            // The asker waits, and hears how far it is before giving up.
            let place = house.asked("imports/result")
            try imports.wait { $0.imports.values.contains { !$0.waiting.isEmpty } }
            clock.time += 9000
            let told = try house.reply(at: place)
            #expect(told.data == ["received": 3, "state": "coming"], "\(told)")
            // What comes just in time is taken.
            clock.time = start + 59_999
            #expect(try house.done("imports/file", part(at: 3))["received"] == 6)
            clock.time += 59_999
            let waits = house.asked("imports/result")
            try imports.wait { $0.imports.values.contains { !$0.waiting.isEmpty } }
            clock.time += 1
            #expect(try house.reply(at: waits).error?.code == .timeout)
            #expect(try house.refused("imports/file", part(at: 6)).message.contains("again from byte 0"))
            #expect(try house.refused("imports/result").code == .notFound)
        }
    }

    @Test("four files are read and stored at the same time, and the fifth person is asked to try again")
    func four() throws {
        let file = try FITFile.write(
            Recording(
                sport: .walking, start: start - 600_000, end: start,
                samples: [Sample(time: start - 300_000, heartRate: 90)]))
        let fields: JSON = ["size": .integer(Int64(file.count)), "data": .string(Data(file).base64EncodedString())]
        try AccountService.with { service throws in
            let people = try (1...5).map { try service.signUp("\($0)@example.org") }
            let devices = try people.map { try service.device($0) }
            defer { for device in devices { device.stop() } }
            let imports = try ImportsAtService(service.consumer)
            // Nothing is read until then.
            let gate = DispatchSemaphore(value: 0)
            imports.onLoop { imports in
                imports.readers.background.read { _ in
                    gate.wait()
                } completion: { (_: Result<Void, any Error>) in
                }
            }
            var isOpen = false
            defer { if !isOpen { gate.signal() } }
            for device in devices.prefix(4) { try device.send("imports/file", fields) }
            let users = try people.prefix(4).map { try ID($0.text("user")) }
            try imports.wait { imports in
                users.allSatisfy { user in if case .reading? = imports.imports[user]?.state { true } else { false } }
            }
            let refusal = try devices[4].refused("imports/file", fields)
            #expect(refusal.code == .busy && refusal.retryAfterSeconds != nil, "\(refusal)")
            gate.signal()
            isOpen = true
            for device in devices.prefix(4) {
                #expect(try device.done("imports/result").list("workouts")[0]["outcome"] == "imported")
            }
            #expect(try devices[4].done("imports/file", fields).list("workouts")[0]["outcome"] == "imported")
        }
    }

    @Test("everything of a person is deleted in the middle of an import, and the rest of it is not stored")
    func deleted() throws {
        // Very many more readings than are stored at once.
        let samples = (0..<60_000).map { Sample(time: start + Int64($0) * 1000, heartRate: UInt16(60 + $0 % 90)) }
        let file = try FITFile.write(
            Recording(sport: .cycling, start: start, end: start + 60_000_000, samples: samples))
        try WorkoutHouse.with { house throws in
            house.set(70_000)
            let imports = try house.imports()
            let (told, demo) = (Record<Int>(), try ID("demo"))
            let place = try house.sent(file)
            // Some are stored, and some are not.
            try imports.wait { imports in
                guard case .storing(let job)? = imports.imports.values.first?.state else { return false }
                guard (1..<60_000).contains(job.left) else { return false }
                imports.context.doors.forget(demo, keepingAccount: true, telling: nil) { result in
                    told.append((try? result.get().opened) ?? -1)
                }
                return true
            }
            let refusal = try #require(house.reply(at: place).error)
            #expect(refusal.code == .busy && refusal.message.contains("being deleted"))
            #expect(try told.wait(for: 1) == [0])
            #expect(try house.refused("imports/result").code == .notFound)
            #expect(try house.counted(.heartRate) == 0 && house.stored(.heartRate) == 0)
            #expect(try house.done("workouts/list").list("workouts").isEmpty)
            #expect(try house.done("imports/list").list("sources").isEmpty)
            // What is sent again is stored whole.
            let again = try house.imported(file)
            #expect(try again.list("workouts")[0]["outcome"] == "imported" && again["readings"] == 60_000)
        }
    }

    @Test("parts of a file that was made from other readings do not come after those of an earlier one")
    func changed() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(1000)
            try house.publish(house.run(5..<900))
            try house.done("workouts/stop")
            try house.settle()
            let id = try house.done("workouts/list").list("workouts")[0].text("id")
            func part(_ format: String, _ offset: JSON? = nil, _ mark: JSON? = nil) throws -> Reply.Outcome {
                let asked: JSON = .object(present: [
                    "id": .string(id), "format": .string(format), "offset": offset, "mark": mark,
                ])
                return try house.ask("workouts/file", asked)
            }
            let first = try #require(part("gpx").data)
            let (next, mark) = (try #require(first["next"]), try #require(first["mark"]))
            // Only one file of a person is kept: this one is made again, and is the same.
            _ = try #require(part("tcx").data)
            #expect(try part("gpx", next, mark).data?["mark"] == mark)
            try house.publish(house.run(900..<950))
            try house.settle()
            _ = try #require(part("tcx").data)
            let refusal = try #require(part("gpx", next, mark).error)
            #expect(refusal.field == "mark" && refusal.message.contains("from offset 0"))
            #expect(try part("gpx").data?["mark"] != mark)
        }
    }
}

/// The part of a service that takes files, on the session's thread.
struct ImportsAtService {
    private let consumer: Consumer
    private let imports: Imports

    init(_ consumer: Consumer) throws {
        guard let imports = consumer.features.only(Imports.self) else { throw TestFailure("no imports") }
        (self.consumer, self.imports) = (consumer, imports)
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Imports) -> Value) -> Value {
        let imports = imports
        return consumer.session.loop.sync { body(imports) }
    }

    /// Each turn of the session's thread is looked at.
    func wait(_ isReached: @escaping @Sendable (Imports) -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !onLoop(isReached) {
            guard ContinuousClock.now < end else { throw TestFailure("it has not come to this within a minute") }
        }
    }
}
