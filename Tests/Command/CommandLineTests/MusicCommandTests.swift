import Daemon
import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import vitals

@Suite("vitals music", .timeLimit(.minutes(60)))
struct MusicCommandTests {
    private static let one = TrackPayload(
        song: 7, position: 1, title: "One", artist: "Ada", album: "Numbers", durationSeconds: 60)

    private static func reply(
        _ state: MusicPayload.State, length: Int = 2, _ track: TrackPayload? = one, elapsed: Double? = 12.3,
        secondsAgo: Int64 = 100
    ) -> Reply {
        Reply(
            .ok(
                MusicPayload(
                    time: unixMilliseconds() - secondsAgo * 1000, state: state, length: length, version: 4,
                    elapsedSeconds: elapsed,
                    track: track
                ).json))
    }

    @Test("shows what is played, with what is known of the track")
    func show() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.show) { _ in Self.reply(.paused) }
            #expect(
                try vitals("music").output == """
                    Paused    One
                    Artist    Ada
                    Album     Numbers
                    Track     1 of 2
                    Time      0:12 of 1:00

                    """)
            try gateway.answer(.show) { _ in
                let bare = TrackPayload(
                    song: 1, position: 2, title: "a\u{1B}[2Jb", artist: nil, album: nil, durationSeconds: nil)
                return Self.reply(.paused, bare, elapsed: 3725)
            }
            let bare = try vitals("music").output
            #expect(bare == "Paused    a\\u{1b}[2Jb\nTrack     2 of 2\nTime      1:02:05\n")
            try gateway.answer(.show) { _ in Self.reply(.stopped, nil, elapsed: nil) }
            #expect(try vitals("music").output == "Stopped, 2 tracks\n")
            try gateway.answer(.show) { _ in Self.reply(.stopped, length: 0, nil, elapsed: nil) }
            #expect(try vitals("music").output == "Empty Playlist\n")
            // A gateway says whatever it likes.
            try gateway.answer(.show) { _ in
                Reply(
                    .ok([
                        "time": 0, "available": true, "state": "\u{1B}[2J", "length": 2, "elapsed_s": 1,
                        "track": Self.one.json,
                    ]))
            }
            let wrong = try vitals("music")
            #expect(wrong.status == 76 && !wrong.output.contains("\u{1B}"), "\(wrong)")
            try gateway.answer(.show) { _ in
                Reply(
                    .ok([
                        "time": .integer(.min), "available": true, "state": "playing", "length": 2, "elapsed_s": 1,
                        "track": Self.one.json,
                    ]))
            }
            #expect(try vitals("music").output.hasSuffix("Time      1:00 of 1:00\n"))
            // A track that has gone on since is not beyond its end, and one that is told of the future has not begun again.
            try gateway.answer(.show) { _ in Self.reply(.playing) }
            #expect(try vitals("music").output.hasSuffix("Time      1:00 of 1:00\n"))
            try gateway.answer(.show) { _ in Self.reply(.playing, secondsAgo: -1000) }
            #expect(try vitals("music").output.hasSuffix("Time      0:12 of 1:00\n"))
            let json = try vitals("music", "--json").output
            #expect(try MusicPayload(payload: Array(json.utf8)).track == Self.one)
        }
    }

    @Test("asks for what it is named after", arguments: ["play", "pause", "next", "previous"])
    func change(name: String) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            let request = try #require(MusicRequest(rawValue: name))
            try gateway.answer(request) { _ in Self.reply(.paused) }
            #expect(try vitals("music", name).output.hasPrefix("Paused    One\n"))
            try gateway.answer(request) { _ in Reply(.error(ReplyError(.notFound, "Empty Playlist"))) }
            let empty = try vitals("music", name)
            #expect(empty.status == 67 && empty.errors.contains("Empty Playlist"), "\(empty)")
            try gateway.answer(request) { _ in Reply(.error(ReplyError(.notReady, "away", retryAfterSeconds: 5))) }
            #expect(try vitals("music", name).status == 69)
        }
    }

    @Test("plays a track by its place in the playlist")
    func choose() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.choose) { _ in Self.reply(.paused) }
            #expect(try vitals("music", "choose", "2").status == 0)
            let asked = try #require(gateway.requests.all.last)
            #expect(try Request(payload: asked.payload).fields == ["position": 2])
            for wrong in ["0", "-1", "x", "1.5"] { #expect(try vitals("music", "choose", wrong).status == 64) }
        }
    }

    @Test("lists the whole playlist, page by page, with a star at the track that is under way")
    func list() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.show) { _ in Self.reply(.paused) }
            try gateway.answer(.list) { message in
                let fields = (try? Request(payload: message.payload))?.fields
                guard case .integer(let from)? = fields?["from"] else { return nil }
                let tracks = (Int(from)...min(Int(from) + 49, 120)).map { position in
                    TrackPayload(
                        song: position + 6, position: position, title: "T\(position)", artist: nil, album: nil,
                        durationSeconds: 65
                    ).json
                }
                return Reply(.ok(["length": 120, "version": 4, "tracks": .array(tracks)]))
            }
            let lines = try vitals("music", "list").output.split(separator: "\n")
            #expect(lines.count == 121 && lines[1].hasPrefix("*  1 ") && lines[2].hasPrefix("   2 "))
            #expect(lines[120].contains("T120") && lines[120].hasSuffix("1:05"))
            let json = try vitals("music", "list", "--json").output.split(separator: "\n")
            #expect(try json.map { try TrackPayload(payload: Array($0.utf8)).position } == Array(1...120))
        }
    }

    @Test("lists one playlist: from its beginning if it changes between two pages, and not for ever")
    func changed() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.show) { _ in Self.reply(.stopped, nil) }
            let asked = Record<Int64>()
            let changes = Mutex(1)
            try gateway.answer(.list) { message in
                let fields = (try? Request(payload: message.payload))?.fields
                guard case .integer(let from)? = fields?["from"] else { return nil }
                asked.append(from)
                // It changes before each second page, as often as it is to.
                let version = changes.withLock { left in
                    if from > 1, left > 0 { left -= 1 }
                    return 100 - left
                }
                let track = TrackPayload(
                    song: 1, position: Int(from), title: "V\(version)", artist: nil, album: nil, durationSeconds: nil)
                return Reply(.ok(["length": 60, "version": .integer(Int64(version)), "tracks": [track.json]]))
            }
            let lines = try vitals("music", "list").output.split(separator: "\n").dropFirst()
            #expect(lines.count == 2 && lines.allSatisfy { $0.contains("V100") }, "\(lines)")
            #expect(asked.all == [1, 51, 1, 51])
            changes.withLock { $0 = 50 }
            #expect(try vitals("music", "list").status == 75)
        }
    }

    @Test("saves artwork that comes in parts, and refuses what is no picture's part")
    func artwork() throws {
        let picture = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let folder = try TemporaryFolder()
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.artwork) { message in
                let fields = (try? Request(payload: message.payload))?.fields
                guard case .integer(let offset)? = fields?["offset"] else { return nil }
                let part = picture.dropFirst(Int(offset)).prefix(16_384)
                return Reply(
                    .ok([
                        "song": 7, "size": 40_000, "offset": .integer(offset),
                        "data": .string(Data(part).base64EncodedString()),
                    ]))
            }
            let path = folder.path("cover.png")
            let saved = try vitals("music", "artwork", path)
            #expect(saved.output == "\(path): 40000 bytes\n", "\(saved)")
            #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == picture)
            // Of another track of the playlist, if that is there.
            try gateway.answer(.list) { _ in
                Reply(.ok(["length": 2, "version": 4, "tracks": [Self.one.json]]))
            }
            #expect(try vitals("music", "artwork", "--position", "1", path).status == 0)
            let asked = gateway.requests.all.filter { $0.topic.hasSuffix("artwork") }
            #expect(try asked.suffix(3).allSatisfy { try Request(payload: $0.payload).fields["song"] == 7 })
            #expect(try vitals("music", "artwork", "--position", "2", folder.path("bad")).status == 67)
            for (size, data) in [(JSON.integer(2_000_000), "AA=="), (1, ""), (1, "AAAA"), (10, "?"), ("x", "AA==")] {
                try gateway.answer(.artwork) { _ in
                    Reply(.ok(["song": 7, "size": size, "offset": 0, "data": .string(data)]))
                }
                #expect(try vitals("music", "artwork", folder.path("bad")).status == 76)
            }
            // Parts of two pictures, and a part of another place.
            let changes: [(JSON, JSON, JSON, Int32)] = [(8, 20, 4, 75), (7, 21, 4, 75), (7, 20, 5, 76)]
            for (song, size, offset, status) in changes {
                try gateway.answer(.artwork) { message in
                    let fields = (try? Request(payload: message.payload))?.fields
                    let isFirst = fields?["offset"] == 0
                    return Reply(
                        .ok([
                            "song": isFirst ? 7 : song, "size": isFirst ? 20 : size, "offset": isFirst ? 0 : offset,
                            "data": "AAAAAA==",
                        ]))
                }
                #expect(try vitals("music", "artwork", folder.path("bad")).status == status)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path("bad")))
            try gateway.answer(.artwork) { _ in
                Reply(.error(ReplyError(.notFound, "the track has no artwork")))
            }
            #expect(try vitals("music", "artwork", folder.path("bad")).status == 67)
        }
    }

    @Test("may be asked for in a home that vitals setup has made, as in every other home")
    func rules() throws {
        let lines = try String(contentsOfFile: "\(projectFolder)/mosquitto/vitals.acl", encoding: .utf8)
            .components(separatedBy: "\n")
        let household = lines.prefix { !$0.hasPrefix("user ") }.filter { $0.hasPrefix("topic ") }
        #expect(household.contains("topic write vitals/v1/gateways/+/requests/music/play"))
        #expect(Set(Home.household) == Set(household))
    }
}
