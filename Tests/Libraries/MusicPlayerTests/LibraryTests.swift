import Foundation
import Telemetry
import TestSupport
import Testing

@testable import MusicPlayer

@Suite("The library of Music Player Daemon", .timeLimit(.minutes(60)))
struct LibraryTests {
    private static let library = [
        "secret/one.mp3": MusicFile(title: "One", artist: "Ada", album: "Numbers"),
        "secret/two.mp3": MusicFile(title: "Two \"quo\\te", artist: "Ada", seconds: 90),
        "other/untitled.mp3": MusicFile(album: "Numbers"),
    ]

    private static func search(_ text: String, from first: Int = 1) throws -> PlayerRequest {
        .search(try #require(SearchText(text)), from: first)
    }

    private static func song(_ number: Int) -> (String, MusicFile) {
        ("many/\(number).mp3", MusicFile(title: "Song \(number)", seconds: 1))
    }

    @Test("is searched by words in the tags, in any case, and never by where a song is")
    func searched() throws {
        let mpd = try MusicDaemon([:], library: Self.library)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            func titles(_ text: String) throws -> [String?]? {
                try asking(Self.search(text)).found?.tracks.map(\.title)
            }
            #expect(try titles("oNe") == ["One"])
            #expect(try titles(" ada  two ") == ["Two \"quo\\te"])
            #expect(try titles("numbers") == [nil, "One"])
            for text in ["\"quo", "quo\\te", "o\\t", "\""] { #expect(try titles(text)?.count == 1, "\(text)") }
            for text in ["ada three", "secret", "mp3", "one.mp3", "\") OR (file contains \"one", "'", "\\\\"] {
                #expect(try titles(text) == [], "\(text)")
            }
            let two = try #require(try asking(Self.search("two")).found?.tracks.first)
            #expect(two.artist == "Ada" && two.album == nil && two.durationSeconds == 90)
        }
    }

    @Test("has songs that are added to an empty playlist, and removed from it")
    func added() throws {
        let mpd = try MusicDaemon([:], library: Self.library)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state?.length == 0 } }
            let found = try #require(try asking(Self.search("ada")).found?.tracks)
            #expect(found.count == 2 && found.allSatisfy { $0.id.wholeMatch(of: /[0-9a-z]{10}/) != nil })
            #expect(try asking(.add(found: found[1].id)).state?.length == 1)
            #expect(try asking(.add(found: found[0].id)).state?.length == 2)
            #expect(try asking(.add(found: found[0].id)).state?.length == 3)
            // Everybody hears of it.
            try events.wait { $0.contains { $0.state?.length == 3 } }
            let songs = try #require(try asking(.list(from: 1)).page).tracks
            #expect(songs.map(\.title) == ["Two \"quo\\te", "One", "One"])
            #expect(try asking(.play).state?.track?.title == "Two \"quo\\te")
            #expect(try asking(.remove(song: songs[1].id)).state?.length == 2)
            #expect(throws: PlayerError.noSuchTrack) { try asking(.remove(song: songs[1].id)) }
            #expect(try asking(.list(from: 1)).page?.tracks.map(\.id) == [songs[0].id, songs[2].id])
            for song in [songs[0], songs[2]] { try asking(.remove(song: song.id)) }
            #expect(throws: PlayerError.emptyPlaylist) { try asking(.remove(song: songs[0].id)) }
        }
    }

    @Test("is all that can be added: no path, no URL, and no song that has gone since")
    func foreign() throws {
        let mpd = try MusicDaemon(["outside.mp3": MusicFile(title: "Outside")], library: Self.library)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            let id = try #require(try asking(Self.search("one")).found?.tracks.first?.id)
            let foreign = [
                "", "secret/one.mp3", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1/", "../songs/outside.mp3",
                id.uppercased(), id + "\nclear", " \(id)", "0000000000",
            ]
            for text in foreign { #expect(throws: PlayerError.notFound) { try asking(.add(found: text)) } }
            #expect(try asking(.show).state?.length == 0)
            // The id outlives a connection, but the library may have changed.
            mpd.stop()
            try events.wait { $0.contains(where: \.isDisconnected) }
            let before = events.all.count
            try mpd.start(with: ["secret/three.mp3": MusicFile(title: "Three")])
            try events.wait { $0.dropFirst(before).contains { $0.state != nil } }
            #expect(throws: PlayerError.notFound) { try asking(.add(found: id)) }
            #expect("\(PlayerError.notFound)" == "there is no track of that id: search again")
        }
    }

    @Test("comes in pages of 50, and fills a playlist up to its thousandth track")
    func pages() throws {
        let library = Dictionary(uniqueKeysWithValues: (0..<1100).map { Self.song($0 + 1000) })
        let mpd = try MusicDaemon([:], library: library)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            func page(_ first: Int, _ text: String = "song") throws -> FoundPage {
                try #require(try asking(Self.search(text, from: first)).found)
            }
            #expect(try page(1).tracks.first?.title == "Song 1000" && page(1).tracks.count == 50 && page(1).hasMore)
            #expect(try page(51).tracks.map(\.title).last == "Song 1099")
            #expect(try page(91, "10").hasMore == false, "1010, 1100 and so on")
            #expect(try page(950).hasMore && !page(951).hasMore, "no search begins after the thousandth")
            #expect(throws: PlayerError.noSuchTrack) { try page(1001) }
            #expect(throws: PlayerError.noSuchTrack) { try page(0) }
            let id = try #require(try page(1).tracks.first?.id)
            try mpd.ask(contentsOf: [String](repeating: "addid many/1000.mp3", count: 998))
            #expect(try asking(.show).state?.length == 998)
            // Those that are asked for at once are counted, too.
            let answers = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<4 { asking.player.ask(.add(found: id)) { answers.append($0) } }
            let results = try answers.wait(for: 4)
            #expect(results.count { $0 == .failure(.playlistFull) } == 2)
            #expect(try asking(.show).state?.length == 1000)
        }
    }

    @Test("is missing where mpd has none, and empty where it knows no song")
    func none() throws {
        let empty = try MusicDaemon([:])
        try withPlayer(at: empty.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            let found = try #require(try asking(Self.search("one")).found)
            #expect(found.tracks.isEmpty && !found.hasMore)
        }
        let daemon = try MadeUpDaemon { $0.hasPrefix("search") ? "ACK [50@0] {search} No database\n" : nil }
        defer { daemon.stop() }
        try withPlayer(at: "127.0.0.1:\(daemon.port)") { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            #expect(throws: PlayerError.noLibrary) { try asking(Self.search("one")) }
        }
    }

    @Test("is not searched for nothing, for too much, or for what would end the command")
    func texts() {
        #expect(SearchText(" a  b ")?.words == ["a", "b"])
        #expect(SearchText(String(repeating: "x", count: 100)) != nil)
        #expect(SearchText("1 2 3 4 5 6 7 8") != nil)
        let wrong = [
            "", "  ", String(repeating: "x", count: 101), String(repeating: "ä", count: 51), "1 2 3 4 5 6 7 8 9",
            "a\nclear", "a\r\nb", "a\0", "\u{1B}[2J", "\u{202E}a", "a\tb",
        ]
        for text in wrong { #expect(SearchText(text) == nil, "\(text.debugDescription)") }
    }

    @Test("is not believed if it offers more songs than were asked for, or a file that no library has")
    func found() throws {
        var reply = PlayerReply(for: .found(atMost: 50))
        let paths = ["/etc/passwd", "file:///etc/passwd", "http://evil.example/x", String(repeating: "x", count: 4001)]
        for path in paths + (0..<60).map({ "a/\($0)" }) {
            try reply.take("file", path)
            try reply.take("Title", "a\u{1B}[2J\u{202E}b" + String(repeating: "x", count: 1000))
            for name in ["Pos", "Id", "binary", "size"] { try reply.take(name, "7") }
        }
        #expect(reply.found.map(\.file) == (0..<46).map { "a/\($0)" })
        #expect(reply.hasMore && reply.binaryLeft == 0)
        #expect(reply.found.allSatisfy { $0.tags.title?.utf8.count == 256 })
        #expect(reply.found.allSatisfy { $0.tags.title?.hasPrefix("a\u{FFFD}[2J\u{FFFD}b") == true })
    }

    @Test("is given up if what it finds does not end", arguments: [("Title", 1, 5000), ("file", 3000, 100)])
    func endlessSearch(name: String, length: Int, count: Int) throws {
        let said = String(repeating: "\(name): \(String(repeating: "x", count: length))\n", count: count)
        let daemon = try MadeUpDaemon { $0.hasPrefix("search") ? said : nil }
        defer { daemon.stop() }
        try withPlayer(at: "127.0.0.1:\(daemon.port)") { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            let error = PlayerError.away("an answer that does not end: this is not mpd")
            #expect(throws: error) { try asking(Self.search("x")) }
        }
    }

    @Test("is sent one line for a search, even for the longest")
    func oneLine() throws {
        let daemon = try MadeUpDaemon { _ in nil }
        defer { daemon.stop() }
        try withPlayer(at: "127.0.0.1:\(daemon.port)") { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            // The longest: each of these characters is quoted for the filter, and again for the command.
            let text = try #require(SearchText("\\ \" \" \" \" \" \" " + String(repeating: "\"", count: 86)))
            #expect(try asking(.search(text, from: 951)).found?.tracks == [])
            let sent = daemon.commands.all.filter { $0.hasPrefix("search") }
            #expect(sent.count == 1 && sent[0].hasSuffix(" \"window\" \"950:1001\""), "\(sent)")
        }
    }

    @Test("is remembered up to a limit: what was found last, under the same id if it is found again")
    func remembered() {
        var songs = FoundSongs()
        let first = songs.ids(of: ["a", "b", "a"])
        #expect(first[0] == first[2] && Set(first).count == 2)
        #expect(songs.ids(of: ["b", "c"])[0] == first[1])
        #expect(songs.file(of: first[0]) == "a" && songs.file(of: "a") == nil)
        // "a" is found again and again, "b" is not.
        for index in 0..<FoundSongs.most { #expect(songs.ids(of: ["a", "\(index)"])[0] == first[0]) }
        #expect(songs.file(of: first[0]) == "a" && songs.file(of: first[1]) == nil)
        #expect(songs.ids(of: ["b"])[0] != first[1])
    }
}
