import Foundation
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Rules of time zones")
struct ZoneRulesTests {
    @Test("agree with Foundation's, for every zone, around each change of some years and now and then")
    func foundation() throws {
        var zones = 0
        for name in TimeZone.knownTimeZoneIdentifiers {
            // Foundation knows names that the system has no file for, and the other way about.
            guard let rules = ZoneRules(name), let zone = TimeZone(identifier: name) else { continue }
            zones += 1
            var times: [Int64] = [-5_000_000_000, -1, 0, 1_795_262_400]
            var date = Date(timeIntervalSince1970: 946_684_800)
            while let next = zone.nextDaylightSavingTimeTransition(after: date),
                next.timeIntervalSince1970 < 2_145_916_800
            {
                let time = Int64(next.timeIntervalSince1970)
                times += [time - 1, time, time + 1]
                date = next
            }
            times += stride(from: Int64(0), to: 4_000_000_000, by: 40_000_000)
            for time in times where time >= 0 {
                let expected = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(time))))
                if rules.offset(at: time) != expected {
                    Issue.record("\(name) at \(time): \(rules.offset(at: time)) instead of \(expected)")
                }
            }
        }
        #expect(zones > 300)
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
