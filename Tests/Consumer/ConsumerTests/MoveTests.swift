import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import Records
import Storage
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Moving to another machine")
struct MoveTests {
    @Test("a moved store goes on there, and does not start here again")
    func wholeWay() throws {
        let household = try Household()
        do {
            var parts = try household.open()
            let session = try parts.session(household)
            _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        }
        let settings = try household.settings()
        let command = MoveCommand(folder: household.path("bundle"), settingsFile: household.settingsFile)
        let lines = try output { _ = try command.run(settings, now: start, output: $0) }
        #expect(lines.contains { $0.hasPrefix("Carry apart") && $0.contains(household.path("root.key")) }, "\(lines)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: household.path("bundle")).sorted()
        #expect(names == ["consumer.json5", "data", "data/vitals.db", "keys", "keys/keys.db"])
        let copy = FileManager.default.contents(atPath: household.path("bundle/consumer.json5"))
        #expect(copy == FileManager.default.contents(atPath: household.settingsFile))

        // Neither the service nor another move nor whatever else writes here.
        let again = thrown(Failure.self) { try StateFolder(settings.state) }
        #expect(again?.exitCode == .configuration && again?.message.contains("was moved to another machine") == true)
        let service = try RunningProgram("vitals-consumer", ["--settings", household.settingsFile])
        #expect(service.exitStatus() == 78 && service.text.contains("was moved to another machine"))
        // Its readings can still be read here.
        #expect(try household.readings() == [line(0, 72)])

        try FileManager.default.moveItem(atPath: settings.state, toPath: household.path("old"))
        let bundle = household.path("bundle")
        let restore = RestoreCommand(data: bundle + "/data", keys: bundle + "/keys")
        _ = try output { _ = try restore.run(settings, now: start, output: $0) }
        #expect(try household.readings() == [line(0, 72)])
        #expect(throws: Never.self) { _ = try StateFolder(settings.state) }
    }

    @Test("a store that a service has, or that does not agree with itself, is not moved")
    func refusals() throws {
        let household = try Household()
        do {
            var parts = try household.open()
            let session = try parts.session(household)
            _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        }
        let settings = try household.settings()
        let move = { (name: String) in
            thrown(Failure.self) {
                let command = MoveCommand(folder: household.path(name), settingsFile: household.settingsFile)
                return try command.run(settings, now: start, output: 2)
            }
        }
        do {
            let service = try StateFolder(settings.state)
            #expect(move("one")?.exitCode == .temporary)
            #expect(!FileManager.default.fileExists(atPath: household.path("one")))
            withExtendedLifetime(service) {}
        }
        do {
            let database = try Database(
                settings.state + "/vitals.db", .readWrite(.full), applicationID: Store.applicationID)
            try database.execute("UPDATE counts SET number = number + 1 WHERE kind = 1")
        }
        #expect(move("two")?.exitCode == .data)
        #expect(throws: Never.self) { _ = try StateFolder(settings.state) }
    }
}
