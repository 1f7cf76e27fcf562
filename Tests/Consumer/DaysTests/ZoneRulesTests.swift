import Fitness
import Foundation
import TestSupport
import Testing

@testable import Days

@Suite("Rules of time zones")
struct ZoneRulesTests {
    /// Python reads the same files, and its own rules; Foundation has a copy of the database, which may be years old.
    @Test("agree with Python's, for every zone, around each change of some years and now and then")
    func python() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "zones.py").path
        var zones: [Substring: ZoneRules] = [:]
        for line in try RunningProgram.runPython([script]).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let time = Int64(words[1]), let expected = Int64(words[2]) else {
                throw TestFailure("\(line)")
            }
            guard let rules = zones[words[0]] ?? ZoneRules(String(words[0])) else {
                throw TestFailure("there is no zone \(words[0])")
            }
            zones[words[0]] = rules
            if rules.offset(at: time) != expected { Issue.record("\(line): \(rules.offset(at: time))") }
        }
        #expect(zones.count > 300)
    }

    @Test("say which day it is on the wall")
    func days() throws {
        let now: Int64 = 1_795_262_400_000
        for (name, day) in [
            ("Pacific/Kiritimati", "2026-11-22"), ("Pacific/Pago_Pago", "2026-11-21"), ("Asia/Kolkata", "2026-11-21"),
            ("UTC", "2026-11-21"),
        ] {
            #expect(try #require(ZoneRules(name)).day(at: now).description == day)
        }
        #expect(try #require(ZoneRules("America/New_York")).day(at: -1).description == "1969-12-31")
    }

    @Test("are none where the file is damaged")
    func damaged() throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(ZoneRules(bytes) != nil)
        for length in 0..<bytes.count { #expect(ZoneRules(Array(bytes.prefix(length))) == nil) }
        // Whatever is in the file, reading it does not end the process.
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = ZoneRules(damaged)?.offset(at: 4_000_000_000)
        }
    }
}
