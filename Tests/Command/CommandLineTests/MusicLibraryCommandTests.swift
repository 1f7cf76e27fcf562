import Telemetry
import TestSupport
import Testing

@testable import vitals

@Suite("vitals music search, add and remove", .timeLimit(.minutes(60)))
struct MusicLibraryCommandTests {
    private static let state = MusicPayload(
        time: 1, state: .stopped, length: 2, version: 4, elapsedSeconds: nil, track: nil)
    private static let refusal = Reply(.error(ReplyError(.notFound, "there is no track of that id: search again")))

    private static func fields(_ gateway: ScriptedGateway, _ name: String) throws -> [JSON] {
        let requests = gateway.requests.all.filter { $0.topic.hasSuffix("/\(name)") }
        return try requests.map { try Request(payload: $0.payload).fields }
    }

    @Test("lists what is found, with ids, and says if there is more")
    func search() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            let tracks = [
                FoundTrackPayload(
                    found: "k3v9x0q2mw", title: "One", artist: "Ada", album: "Numbers", durationSeconds: 60),
                FoundTrackPayload(found: "a\u{1B}b", title: nil, artist: "\u{1B}[2J", album: nil, durationSeconds: nil),
            ]
            try gateway.answer(.search) { _ in
                Reply(.ok(["tracks": .array(tracks.map(\.json)), "more": true]))
            }
            #expect(
                try vitals("music", "search", "ada", "one").output == """
                    ID          TITLE       ARTIST     ALBUM    TIME
                    k3v9x0q2mw  One         Ada        Numbers  1:00
                    a\\u{1b}b    (no title)  \\u{1b}[2J
                    There are more: --from 51

                    """)
            let json = try vitals("music", "search", "--json", "--from", "51", "ada").output
            #expect(try json.split(separator: "\n").map { try FoundTrackPayload(payload: Array($0.utf8)) } == tracks)
            let asked = try Self.fields(gateway, "search")
            #expect(asked.map { $0["text"] } == ["ada one", "ada"] && asked.map { $0["from"] } == [1, 51])
            try gateway.answer(.search) { _ in Reply(.ok(["tracks": [], "more": false])) }
            #expect(try vitals("music", "search", "ada").output == "No track found\n")
            try gateway.answer(.search) { _ in Reply(.ok(["tracks": [["title": "One"]], "more": false])) }
            #expect(try vitals("music", "search", "ada").status == 76)
            #expect(try vitals("music", "search").status == 64)
            #expect(try vitals("music", "search", "ada", "--from", "1001").status == 64)
        }
    }

    @Test("adds tracks by their ids, and says how many it were before one was refused")
    func add() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.add) { message in
                let fields = (try? Request(payload: message.payload))?.fields
                return fields?["found"] == "gone" ? Self.refusal : Reply(.ok(Self.state.json))
            }
            #expect(try vitals("music", "add", "first", "second").output == "Tracks added to playlist\n")
            #expect(try Self.fields(gateway, "add") == [["found": "first"], ["found": "second"]])
            let json = try vitals("music", "add", "first", "--json").output
            #expect(try MusicPayload(payload: Array(json.utf8)) == Self.state)
            let half = try vitals("music", "add", "first", "gone", "second")
            #expect(half.status == 67 && half.output == "Tracks added to playlist: 1 of 3\n", "\(half)")
            #expect(half.errors.contains("there is no track of that id: search again"))
            #expect(try Self.fields(gateway, "add").count == 5)
            let none = try vitals("music", "add", "gone")
            #expect(none.status == 67 && none.output == "")
            #expect(try vitals("music", "add").status == 64)
        }
    }

    @Test("removes tracks by their places in the list as it was before the first is removed")
    func remove() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.list) { message in
                let fields = (try? Request(payload: message.payload))?.fields
                guard case .integer(let from)? = fields?["from"] else { return nil }
                let track = TrackPayload(
                    song: Int(from) + 6, position: Int(from), title: nil, artist: nil, album: nil, durationSeconds: nil)
                return Reply(.ok(["length": 3, "version": 4, "tracks": .array(from > 3 ? [] : [track.json])]))
            }
            try gateway.answer(.remove) { _ in Reply(.ok(Self.state.json)) }
            let removed = try vitals("music", "remove", "1", "3", "1")
            #expect(removed.output == "Tracks removed from playlist\n", "\(removed)")
            #expect(try Self.fields(gateway, "remove") == [["song": 7], ["song": 9]])
            let topics = gateway.requests.all.map { $0.topic.split(separator: "/").last }
            #expect(topics == ["list", "list", "remove", "remove"])
            let missing = try vitals("music", "remove", "1", "4")
            #expect(missing.status == 67 && missing.errors.contains("there is no track 4 in the playlist"))
            #expect(try Self.fields(gateway, "remove").count == 2)
            for wrong in [["0"], ["x"], ["1", "0"], ["1", "x"], ["1", "1001"], []] {
                let outcome = try Program(["--port", "\(broker.port)", "music", "remove"] + wrong).finish()
                #expect(outcome.status == 64, "\(wrong)")
            }
        }
    }
}
