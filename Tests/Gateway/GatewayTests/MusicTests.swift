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

    @Test("is told within a second as it is: mpd is started, changed by another client, killed and started again")
    func told() throws {
        let mpd = try MusicDaemon(Self.songs)
        mpd.stop()
        let home = try home(with: mpd)
        let music = try home.subscribe("music")
        try #require(music.line(containing: #""available":false"#) != nil)
        #expect(try home.request("music/play", "{}").code == "not-ready")
        /// What is done, what is told of it, and how to do it, with when it was done.
        let steps: [(name: String, said: String, step: () throws -> Int64)] = [
            (
                "started", #""available":true,"state":"stopped","length":0"#,
                {
                    try mpd.start()
                    return unixMilliseconds()
                }
            ),
            (
                "changed", #""state":"playing","length":2"#,
                {
                    let time = unixMilliseconds()
                    try mpd.ask("add secret-folder/one.mp3", "add secret-folder/two.mp3", "play 1")
                    return time
                }
            ),
            (
                "killed", #""available":false"#,
                {
                    let time = unixMilliseconds()
                    mpd.stop(byForce: true)
                    return time
                }
            ),
        ]
        // The machine may do something else in between: each is done three times, and the fastest counts.
        var delays: [String: [Int64]] = [:]
        for _ in 0..<3 {
            for (name, said, step) in steps {
                let before = music.lines.count
                let done = try step()
                try #require(music.wait { $0.dropFirst(before).contains { $0.contains(said) } }, "\(name)")
                let line = try #require(music.lines.dropFirst(before).first { $0.contains(said) })
                delays[name, default: []].append(try Self.time(of: line) - done)
                if name == "changed" { #expect(line.contains(#""title":"Two","artist":"Ben""#), "\(line)") }
            }
        }
        for (name, times) in delays { #expect(times.contains { $0 < 1000 }, "\(name): \(times)") }

        try mpd.start()
        try mpd.ask("add secret-folder/one.mp3", "play")
        let playing = music.lines.count
        try #require(music.wait { $0.contains { $0.contains(#""title":"One""#) } })
        #expect(try home.request("music/pause", "{}").data["state"] as? String == "paused")
        try #require(music.wait { $0.dropFirst(playing).contains { $0.contains(#""state":"paused""#) } })
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
            #expect(reply.message == "Empty Playlist")
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
        let section = "music: { player: \"/tmp/vitals-test-nobody/socket\" },"
        let home = try Home(more: section)
        let (music, info) = (try home.subscribe("music"), try home.subscribe("info"))
        try #require(music.line(containing: #""available":false"#) != nil)
        try #require(info.line(containing: #""music":true"#) != nil)
        try home.edit(section, "")
        try home.restartGateway()
        // What the broker has kept is taken back.
        try #require(music.line(containing: "music (null)") != nil)
        try #require(info.wait { $0.last?.contains("music") == false })
        #expect(try home.request("music/play", "{}").code == "not-found")
    }

    @Test("is told at most four times a second, however often it changes, and at last as it is")
    func paced() throws {
        let mpd = try MusicDaemon(Self.songs)
        let home = try home(with: mpd)
        let music = try home.subscribe("music")
        try mpd.ask("add secret-folder/one.mp3", "add secret-folder/two.mp3", "play 0")
        try #require(music.line(containing: #""state":"playing""#) != nil)
        // The subscriber tells more than what it hears.
        func told() -> Int { music.lines.count { $0.contains(#""available":true"#) } }
        let (begin, before) = (ContinuousClock.now, told())
        // Each of these is told at once to the asker.
        for _ in 0..<12 {
            for name in ["pause", "play"] { #expect(try home.request("music/\(name)", "{}").code == nil) }
        }
        try mpd.ask("clear")
        try #require(music.wait { $0.last?.contains(#""length":0"#) == true })
        let quarters = (ContinuousClock.now - begin) / Duration.milliseconds(250)
        #expect(Double(told() - before) <= quarters + 2)
    }

    @Test("is told again if somebody has wound it or set the clock, and not because it goes on")
    func followed() {
        func payload(_ state: MusicPayload.State, _ time: Int64, _ elapsed: Double) -> MusicPayload {
            MusicPayload(time: time, state: state, length: 1, version: 1, elapsedSeconds: elapsed, track: nil)
        }
        let playing = payload(.playing, 1_000_000, 10)
        #expect(payload(.playing, 1_060_000, 70.3).follows(from: playing))
        #expect(!payload(.playing, 1_060_000, 71).follows(from: playing))
        #expect(!payload(.playing, 1_060_000, 10).follows(from: playing))
        #expect(!payload(.playing, 1_060_000 + 3_600_000, 70).follows(from: playing))
        #expect(!payload(.playing, 400_000, 70).follows(from: playing))
        #expect(!payload(.paused, 1_060_000, 70).follows(from: playing))
        let paused = payload(.paused, 1_000_000, 10)
        #expect(payload(.paused, 9_000_000, 10).follows(from: paused))
        #expect(!payload(.paused, 9_000_000, 11).follows(from: paused))
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
