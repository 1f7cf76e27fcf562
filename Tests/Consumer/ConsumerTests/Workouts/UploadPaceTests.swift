import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

/// Files that come without ever being there.
@Suite("Files that come too slowly", .timeLimit(.minutes(60)))
struct UploadPaceTests {
    private static let large = 16 << 20

    @Test("a byte at a time does not bring a file on, and it is dropped after a minute")
    func trickle() {
        var pace = UploadPace(size: Self.large, now: 0)
        pace.came(45_000, now: 0)
        pace.came(45_001, now: 25_000)
        pace.came(45_002, now: 50_000)
        #expect(!pace.isOver(59_999))
        #expect(pace.isOver(60_000))
    }

    @Test("a file that comes over a slow link is waited for, and one that takes longer is not")
    func deadline() {
        // A part each 15 seconds: 3 kB a second.
        var (pace, count, now) = (UploadPace(size: Self.large, now: 0), 0, UInt64(0))
        while count < Self.large {
            count = min(Self.large, count + 45_000)
            now += 15_000
            #expect(!pace.isOver(now))
            pace.came(count, now: now)
        }
        #expect(now > 5_000_000)
        // Each part brings the file on, and yet it would take a day.
        (pace, count, now) = (UploadPace(size: Self.large, now: 0), 0, 0)
        while !pace.isOver(now) {
            count += 17_000
            pace.came(count, now: now)
            now += 50_000
        }
        #expect(now >= pace.deadline && now < pace.deadline + 50_000)
        #expect(pace.deadline == 300_000 + 8_192_000 && count < Self.large)
    }

    @Test("a file whose part we could not take yet is not slow for that, and still has its deadline")
    func waited() {
        var pace = UploadPace(size: Self.large, now: 0)
        pace.came(Self.large - 1, now: 1000)
        for now in stride(from: 2000 as UInt64, through: 100_000, by: 2000) { pace.waited(now) }
        #expect(pace.slowness(101_000) == nil && !pace.isOver(101_000))
        #expect(pace.slowness(111_000) == 11_000)
        pace.waited(pace.deadline)
        #expect(pace.isOver(pace.deadline))
    }

    @Test("the latest bytes say how slow a file is, however quickly its beginning came")
    func slowness() {
        var pace = UploadPace(size: Self.large, now: 0)
        for number in 1...200 { pace.came(number * 45_000, now: UInt64(number)) }
        #expect(pace.slowness(10_198) == nil)
        #expect(pace.slowness(10_199) == 10_000)
        pace.came(9_000_001, now: 25_000)
        #expect(pace.slowness(25_000) == 24_801)
        for number in 1...2 { pace.came(9_000_001 + number * 45_000, now: 25_000 + UInt64(number)) }
        #expect(pace.slowness(25_010) == nil)
    }

    /// A file with so many bytes that have come.
    private static func standing(_ count: Int, since time: UInt64) -> Imports.Import {
        var (upload, pace) = (Upload(name: "file", size: large), UploadPace(size: large, now: time))
        let data = [UInt8](repeating: 0, count: count)
        try? upload.add(Upload.Part(name: "file", size: large, offset: 0, data: data))
        pace.came(count, now: time)
        return Imports.Import(state: .coming(upload, pace), time: time, number: time)
    }

    @Test("where three people's files stand still and fill the room, a newcomer's file fits, and the owner learns why")
    func displaced() throws {
        let part = 45_000
        try AccountService.with { service throws in
            let people = try (1...4).map { try service.signUp("\($0)@example.org") }
            let imports = try ImportsAtService(service.consumer)
            let users = try people.map { try ID($0.text("user")) }
            let clock = WorkoutHouse.Clock(1_000_000)
            imports.onLoop { imports in
                imports.clock = { UInt64(clock.time) }
                // Three people fill the room.
                for (number, user) in users.prefix(3).enumerated() {
                    imports.imports[user] = Self.standing(Self.large - 1, since: UInt64(1_000_000 + number))
                }
            }
            #expect(imports.onLoop { $0.bytes } == 3 * (Self.large - 1))
            let device = try service.device(people[3])
            defer { device.stop() }
            let data = Data(repeating: 0, count: part).base64EncodedString()
            let fields: JSON = ["size": .integer(Int64(2 * part)), "data": .string(data)]
            // They may still be coming.
            #expect(try device.refused("imports/file", fields).code == .busy)
            clock.time += 15_000
            #expect(try device.done("imports/file", fields)["received"] == .integer(Int64(part)))
            #expect(imports.onLoop { $0.bytes } == 2 * (Self.large - 1) + part)
            // The one that has stood still for the longest time.
            let owner = try service.device(people[0])
            defer { owner.stop() }
            let next: JSON = [
                "size": .integer(Int64(Self.large)), "offset": .integer(Int64(Self.large - 1)), "data": "AA==",
            ]
            let refusal = try owner.refused("imports/file", next)
            #expect(refusal.code == .timeout && refusal.field == "offset", "\(refusal)")
            #expect(refusal.message.contains("send it again from byte 0"))
        }
    }
}
