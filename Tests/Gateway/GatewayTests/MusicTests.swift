import Daemon
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("The music of the house", .timeLimit(.minutes(60)))
struct MusicTests {
    private static let songs = [
        "secret-folder/one.mp3": MusicFile(title: "One", artist: "Ada", album: "Numbers", picture: picture),
        "secret-folder/two.mp3": MusicFile(title: "Two", artist: "Ben"),
    ]
    private static let picture = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// When a message says that it was so, in Unix milliseconds.
    private static func time(of line: String?) throws -> Int64 {
        let payload = try #require(line).drop { $0 != "{" }
        return try MusicPayload(payload: Array(payload.utf8)).time
    }

    private func home(with mpd: MusicDaemon) throws -> Home {
        try Home(more: "music: { player: \"\(mpd.socket)\" },")
    }

    @Test("is told as it is: whoever has changed it, and while mpd is killed and started again")
    func told() throws {
        let mpd = try MusicDaemon(Self.songs)
        let home = try home(with: mpd)
        let music = try home.subscribe("music")
        try #require(music.line(containing: #""available":true,"state":"stopped","length":0"#) != nil)
        let played = unixMilliseconds()
        try mpd.ask("add secret-folder/one.mp3", "add secret-folder/two.mp3", "play 1")
        let line = try #require(music.line(containing: #""title":"Two""#))
        #expect(try Self.time(of: line) - played < 1000, "\(line)")
        #expect(line.contains(#""state":"playing","length":2"#) && line.contains(#""artist":"Ben""#))
        let paused = try home.request("music/pause", "{}")
        #expect(paused.data["state"] as? String == "paused")
        try #require(music.line(containing: #""state":"paused""#) != nil)

        let killed = unixMilliseconds()
        mpd.stop(byForce: true)
        try #require(music.wait { $0.last?.contains(#""available":false"#) == true })
        #expect(try Self.time(of: music.lines.last) - killed < 1000)
        let away = try home.request("music/play", "{}")
        #expect(away.code == "not-ready")
        let before = music.lines.count
        try mpd.start()
        let started = unixMilliseconds()
        try #require(music.wait { $0.dropFirst(before).contains { $0.contains(#""available":true"#) } })
        #expect(
            try Self.time(of: music.lines.dropFirst(before).first { $0.contains(#""available":true"#) }) - started
                < 1000)

        home.stopGateway()
        try #require(music.wait { $0.last?.contains(#""available":false"#) == true })
        // Where songs are says something about the house.
        #expect(!music.text.contains("secret-folder") && !music.text.contains(".mp3"))
        #expect(home.gateway.text.contains("music: Music Player Daemon"))
    }

    @Test("does what the household asks: play, pause, next, previous, choose, list, artwork")
    func asked() throws {
        let mpd = try MusicDaemon(Self.songs)
        let home = try home(with: mpd)
        let music = try home.subscribe("music")
        try #require(music.line(containing: #""available":true"#) != nil)
        for name in ["play", "pause", "next", "previous", "list"] {
            let reply = try home.request("music/\(name)", "{}")
            #expect(reply.code == "not-found", "\(reply)")
            #expect((reply["error"] as? [String: Any])?["message"] as? String == "Empty Playlist")
        }
        try mpd.ask("add secret-folder/one.mp3", "add secret-folder/two.mp3")
        try #require(music.line(containing: #""length":2"#) != nil)
        func title(_ reply: [String: Any]) -> String? { (reply.data["track"] as? [String: Any])?["title"] as? String }
        #expect(title(try home.request("music/play", "{}")) == "One")
        #expect(title(try home.request("music/next", "{}")) == "Two")
        #expect(title(try home.request("music/previous", "{}")) == "One")
        #expect(title(try home.request("music/choose", #"{"position":2}"#)) == "Two")
        let list = try home.request("music/list", #"{"from":1}"#)
        let tracks = try #require(list.data["tracks"] as? [[String: Any]])
        #expect(tracks.map { $0["title"] as? String } == ["One", "Two"])
        let song = try #require(tracks[0]["song"] as? Int)
        #expect(title(try home.request("music/choose", #"{"song":\#(song)}"#)) == "One")
        #expect(title(try home.request("music/show", "{}")) == "One")

        var picture = Data()
        while picture.count < Self.picture.count {
            let part = try home.request("music/artwork", #"{"song":\#(song),"offset":\#(picture.count)}"#)
            #expect(part.data["size"] as? Int == Self.picture.count)
            let text = try #require(part.data["data"] as? String, "\(part)")
            let bytes = try #require(Data(base64Encoded: text))
            try #require(!bytes.isEmpty)
            picture += bytes
        }
        #expect(Array(picture) == Self.picture)
        #expect(try home.request("music/artwork", #"{"song":4000000}"#).code == "not-found")
    }

    @Test("refuses what cannot be, and says which field, before mpd is asked")
    func refused() throws {
        let home = try Home(more: "music: { player: \"/tmp/vitals-test-nobody/socket\" },")
        let wrong = [
            ("choose", "{}", "song"), ("choose", #"{"song":1,"position":1}"#, "song"),
            ("choose", #"{"song":-1}"#, "song"), ("choose", #"{"position":0}"#, "position"),
            ("choose", #"{"song":4294967296}"#, "song"), ("list", #"{"from":0}"#, "from"),
            ("list", #"{"from":1001}"#, "from"), ("list", #"{"from":"1"}"#, "from"),
            ("artwork", #"{"offset":1048576}"#, "offset"), ("artwork", #"{"song":1.5}"#, "song"),
        ]
        for (name, payload, field) in wrong {
            let reply = try home.request("music/\(name)", payload)
            #expect(reply.code == "bad-request" && reply.field == field, "\(name) \(payload): \(reply)")
        }
        #expect(try home.request("music/play", "{}").code == "not-ready")
    }

    @Test("is not there where the settings say nothing of it")
    func none() throws {
        let home = try Home()
        #expect(try home.request("music/play", "{}").code == "not-found")
        let info = try home.subscribe("info")
        try #require(info.line(containing: #""enrolled":false"#) != nil)
        #expect(!info.text.contains("music"))
    }

    @Test("is told at most four times a second, however often it changes, and at last as it is")
    func paced() throws {
        let mpd = try MusicDaemon(Self.songs)
        let home = try home(with: mpd)
        let music = try home.subscribe("music")
        try mpd.ask("add secret-folder/one.mp3", "add secret-folder/two.mp3", "play 0")
        try #require(music.line(containing: #""state":"playing""#) != nil)
        let (begin, before) = (ContinuousClock.now, music.lines.count)
        for _ in 0..<20 {
            for command in ["pause 1", "pause 0", "play 1", "play 0"] { try mpd.ask(command) }
        }
        try mpd.ask("clear")
        try #require(music.wait { $0.last?.contains(#""length":0"#) == true })
        let seconds = Double((ContinuousClock.now - begin).components.seconds + 1)
        #expect(Double(music.lines.count - before) <= seconds * 4 + 1)
    }

    @Test("is where the settings say, and at Debian's place otherwise")
    func settings() throws {
        func music(_ text: String) throws -> MusicSettings? {
            let folder = try TemporaryFolder()
            let file = try folder.write("{ gateway: \"home\", music: \(text) }", to: "gateway.json5")
            return try Settings.read(file, GatewaySettings.init).music
        }
        #expect(try music("{}")?.player.description == "/run/mpd/socket")
        #expect(try music("{ player: \"192.168.1.7:6600\" }")?.player.description == "192.168.1.7:6600")
        for wrong in [
            "{ player: \"music.example\" }", "{ player: \"8.8.8.8:6600\" }", "{ player: \"\" }", "{ host: \"x\" }",
            "[]",
        ] {
            #expect(throws: SettingsError.self) { try music(wrong) }
        }
    }
}
