import Foundation
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("The library of the house's music", .timeLimit(.minutes(60)))
struct MusicLibraryTests {
    private static let library = [
        "secret-folder/one.mp3": MusicFile(title: "One", artist: "Ada", album: "Numbers"),
        "secret-folder/two.mp3": MusicFile(title: "Two", artist: "Ben"),
    ]

    @Test("is searched, and its tracks are added to an empty playlist and removed, which the topic tells")
    func changed() throws {
        let mpd = try MusicDaemon([:], library: Self.library)
        let home = try Home(more: "music: { player: \"\(mpd.socket)\" },")
        let music = try home.subscribe("music")
        let responses = try home.subscribe("responses/+")
        try #require(music.line(containing: #""length":0"#) != nil)
        let found = try home.request("music/search", #"{"text":"ADA one","from":1}"#)
        #expect(found.data["more"] as? Bool == false)
        let tracks = try #require(found.data["tracks"] as? [[String: Any]], "\(found)")
        let track = try #require(tracks.first)
        #expect(tracks.count == 1 && Set(track.keys) == ["found", "title", "artist", "album", "duration_s"])
        #expect(track["title"] as? String == "One" && track["duration_s"] as? Double == 60)
        let id = try #require(track["found"] as? String)

        let added = try home.request("music/add", #"{"found":"\#(id)"}"#)
        #expect(added.data["length"] as? Int == 1 && added.data["state"] as? String == "stopped")
        try #require(music.line(containing: #""length":1"#) != nil)
        #expect(try home.request("music/play", "{}").data["state"] as? String == "playing")
        let list = try home.request("music/list", "{}")
        let song = try #require((list.data["tracks"] as? [[String: Any]])?.first?["song"] as? Int)
        #expect(try home.request("music/remove", #"{"song":\#(song)}"#).data["length"] as? Int == 0)
        try #require(music.wait { $0.last?.contains(#""length":0"#) == true })
        let empty = try home.request("music/remove", #"{"song":\#(song)}"#)
        #expect(empty.code == "not-found" && empty.message == "Empty Playlist")

        for text in ["secret", "mp3", "nobody"] {
            let none = try home.request("music/search", #"{"text":"\#(text)"}"#)
            #expect((none.data["tracks"] as? [Any])?.isEmpty == true, "\(none)")
        }
        #expect(responses.text.contains(id))
        for text in [music.text, responses.text, home.gateway.text] {
            #expect(!text.contains("secret-folder") && !text.contains(".mp3"))
        }

        // A gateway that has started again knows no earlier id.
        try home.restartGateway()
        try #require(music.wait { $0.last?.contains(#""available":true"#) == true })
        let late = try home.request("music/add", #"{"found":"\#(id)"}"#)
        #expect(late.code == "not-found" && late.message == "there is no track of that id: search again")
    }

    @Test("is all that can be added")
    func foreign() throws {
        let mpd = try MusicDaemon(["outside.mp3": MusicFile(title: "Outside")], library: Self.library)
        let home = try Home(more: "music: { player: \"\(mpd.socket)\" },")
        let music = try home.subscribe("music")
        try #require(music.line(containing: #""length":0"#) != nil)
        #expect(try home.request("music/search", #"{"text":"one"}"#).code == nil)
        let outside = "\((mpd.socket as NSString).deletingLastPathComponent)/songs/outside.mp3"
        for text in [outside, "file://\(outside)", "http://127.0.0.1:1/", "secret-folder/one.mp3", "", "0000000000"] {
            #expect(try home.request("music/add", #"{"found":"\#(text)"}"#).code == "not-found", "\(text)")
        }
        #expect(try home.request("music/show", "{}").data["length"] as? Int == 0)
    }

    @Test("is not asked for what cannot be, and the field is named")
    func refused() throws {
        let home = try Home(more: "music: { player: \"/tmp/vitals-test-nobody/socket\" },")
        let wrong = [
            ("search", "{}", "text"), ("search", #"{"text":""}"#, "text"), ("search", #"{"text":" "}"#, "text"),
            ("search", #"{"text":7}"#, "text"), ("search", #"{"text":"a\nclear"}"#, "text"),
            ("search", #"{"text":"\#(String(repeating: "x", count: 101))"}"#, "text"),
            ("search", #"{"text":"1 2 3 4 5 6 7 8 9"}"#, "text"), ("search", #"{"text":"a","from":0}"#, "from"),
            ("search", #"{"text":"a","from":1001}"#, "from"), ("add", "{}", "found"), ("add", #"{"found":7}"#, "found"),
            ("remove", "{}", "song"), ("remove", #"{"song":-1}"#, "song"), ("remove", #"{"song":4294967296}"#, "song"),
            ("remove", #"{"position":1}"#, "song"),
        ]
        for (name, payload, field) in wrong {
            let reply = try home.request("music/\(name)", payload)
            #expect(reply.code == "bad-request" && reply.field == field, "\(name) \(payload): \(reply)")
        }
        for (name, payload) in [("search", #"{"text":"a"}"#), ("add", #"{"found":"a"}"#), ("remove", #"{"song":1}"#)] {
            #expect(try home.request("music/\(name)", payload).code == "not-ready")
        }
    }
}
