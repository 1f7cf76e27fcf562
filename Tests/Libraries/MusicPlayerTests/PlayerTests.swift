import Foundation
import MusicPlayer
import Reactor
import Telemetry
import TestSupport
import Testing

@Suite("A client of Music Player Daemon", .timeLimit(.minutes(60)))
struct PlayerTests {
    private static let songs = [
        "one.mp3": MusicFile(title: "One", artist: "Ada", album: "Numbers"),
        "two.mp3": MusicFile(title: "Two", artist: "Ben", album: "Numbers", seconds: 90),
        "three.mp3": MusicFile(),
    ]

    @Test("What is played is told: whoever has changed it, and with what is known of the song")
    func played() throws {
        let mpd = try MusicDaemon(Self.songs)
        try withPlayer(at: mpd.socket) { asking, events in
            let first = try #require(events.first { $0.state != nil }?.state)
            #expect(first == PlayerState(.stopped, length: 0, version: first.version))
            try mpd.ask("add one.mp3", "add two.mp3", "add three.mp3")
            try events.wait { $0.contains { $0.state?.length == 3 } }
            try mpd.ask("play 1")
            try events.wait { $0.contains { $0.state?.mode == .playing } }
            let playing = try #require(events.all.last { $0.state?.mode == .playing }?.state)
            #expect(playing.track?.title == "Two" && playing.track?.artist == "Ben")
            #expect(playing.track?.album == "Numbers" && playing.track?.position == 2)
            #expect(abs((playing.track?.durationSeconds ?? 0) - 90) < 1)
            #expect((playing.elapsedSeconds ?? -1) >= 0)
            try mpd.ask("pause 1")
            try events.wait { $0.contains { $0.state?.mode == .paused } }
            try mpd.ask("clear")
            try events.wait { $0.last?.state?.length == 0 }
            #expect(events.all.last?.state?.mode == .stopped)
        }
    }

    @Test("Each command does what it says, and answers what is played then")
    func commands() throws {
        let mpd = try MusicDaemon(Self.songs)
        try withPlayer(at: mpd.socket) { asking, events in
            try mpd.ask("add one.mp3", "add two.mp3", "add three.mp3")
            try events.wait { $0.contains { $0.state?.length == 3 } }
            #expect(throws: PlayerError.nothingPlays) { try asking(.next) }
            #expect(throws: PlayerError.nothingPlays) { try asking(.previous) }
            let played = try asking(.play).state
            #expect(played?.mode == .playing && played?.track?.title == "One")
            let paused = try asking(.pause).state
            #expect(paused?.mode == .paused && paused?.track?.title == "One")
            let resumed = try asking(.play).state
            #expect(resumed?.mode == .playing && resumed?.track?.title == "One")
            let next = try asking(.next).state
            #expect(next?.track?.title == "Two")
            let previous = try asking(.previous).state
            #expect(previous?.track?.title == "One")
            let page = try #require(try asking(.list(from: 1)).page)
            #expect(page.length == 3 && page.tracks.map(\.position) == [1, 2, 3])
            #expect(page.tracks.map(\.title) == ["One", "Two", nil])
            #expect(try asking(.list(from: 3)).page?.tracks.count == 1)
            let chosen = try asking(.choose(song: page.tracks[1].id)).state
            #expect(chosen?.mode == .playing && chosen?.track?.title == "Two")
            #expect(try asking(.choosePosition(3)).state?.track?.position == 3)
            #expect(throws: PlayerError.noSuchTrack) { try asking(.choosePosition(4)) }
            #expect(throws: PlayerError.noSuchTrack) { try asking(.choose(song: 4_000_000)) }
            #expect(throws: PlayerError.noSuchTrack) { try asking(.list(from: 4)) }
            #expect(try asking(.show).state?.track?.position == 3)
        }
    }

    @Test("With nothing in the queue, the answer is \"Empty Playlist\"")
    func empty() throws {
        let mpd = try MusicDaemon(Self.songs)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            let requests: [PlayerRequest] = [
                .play, .pause, .next, .previous, .choose(song: 1), .choosePosition(1), .list(from: 1),
                .remove(song: 1),
            ]
            for request in requests { #expect(throws: PlayerError.emptyPlaylist) { try asking(request) } }
            #expect("\(PlayerError.emptyPlaylist)" == "Empty Playlist")
            #expect(try asking(.show).state?.length == 0)
        }
    }

    @Test("A long queue is told in pages of 50, up to its thousandth song")
    func pages() throws {
        let mpd = try MusicDaemon(Self.songs)
        try withPlayer(at: mpd.socket) { asking, events in
            for _ in 0..<11 { try mpd.ask(contentsOf: [String](repeating: "add one.mp3", count: 100)) }
            try events.wait { $0.contains { $0.state?.length == 1100 } }
            #expect(try asking(.list(from: 1)).page?.tracks.map(\.position) == Array(1...50))
            #expect(try asking(.list(from: 951)).page?.tracks.map(\.position) == Array(951...1000))
            #expect(try asking(.list(from: 990)).page?.tracks.map(\.position) == Array(990...1000))
            #expect(throws: PlayerError.noSuchTrack) { try asking(.list(from: 1001)) }
        }
    }

    @Test("Artwork comes in parts: from the file, or from its folder, and none from neither")
    func artwork() throws {
        let inFile = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let inFolder = (0..<MusicLimits.artworkPart).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let mpd = try MusicDaemon(
            [
                "a/one.mp3": MusicFile(title: "One", picture: inFile), "b/two.mp3": MusicFile(),
                "three.mp3": MusicFile(),
            ],
            others: ["b/cover.png": inFolder])
        try withPlayer(at: mpd.socket) { asking, events in
            try mpd.ask("add a/one.mp3", "add b/two.mp3", "add three.mp3")
            try events.wait { $0.contains { $0.state?.length == 3 } }
            #expect(throws: PlayerError.nothingPlays) { try asking(.artwork(song: nil, offset: 0)) }
            let songs = try #require(try asking(.list(from: 1)).page).tracks.map(\.id)
            #expect(try asking.picture(of: songs[0]) == inFile)
            #expect(try asking.picture(of: songs[1]) == inFolder)
            #expect(throws: PlayerError.noArtwork) { try asking.picture(of: songs[2]) }
            #expect(throws: PlayerError.noSuchTrack) { try asking(.artwork(song: 4_000_000, offset: 0)) }
            #expect(throws: PlayerError.noArtwork) { try asking(.artwork(song: songs[0], offset: inFile.count)) }
            #expect(throws: PlayerError.noArtwork) { try asking(.artwork(song: songs[0], offset: -1)) }
            _ = try asking(.choosePosition(1))
            #expect(try asking(.artwork(song: nil, offset: 0)).artwork?.song == songs[0])
        }
    }

    @Test("When mpd is killed that is told, and when it starts again the client is back by itself")
    func restarted() throws {
        let mpd = try MusicDaemon(Self.songs)
        try withPlayer(at: mpd.socket) { asking, events in
            try events.wait { $0.contains { $0.state != nil } }
            mpd.stop(byForce: true)
            try events.wait { $0.contains(where: \.isDisconnected) }
            #expect(throws: PlayerError.self) { try asking(.play) }
            let before = events.all.count
            try mpd.start()
            try events.wait { $0.dropFirst(before).contains { $0.state != nil } }
            try mpd.ask("add one.mp3")
            try events.wait { $0.last?.state?.length == 1 }
            #expect(try asking(.play).state?.mode == .playing)
        }
    }

    @Test("A password lets in; without it, or with a wrong one, the reason is told")
    func password() throws {
        let mpd = try MusicDaemon(
            [:], configured: "password \"s3cret \\\" word@read,add,control\"\ndefault_permissions \"\"")
        try withPlayer(at: mpd.socket, password: "s3cret \" word") { _, events in
            try events.wait { $0.contains { $0.state != nil } }
        }
        try withPlayer(at: mpd.socket, password: "wrong") { asking, events in
            try events.wait { $0.count { $0 == .disconnected("the password is wrong") } >= 2 }
            #expect(events.all.allSatisfy { $0.isDisconnected })
        }
        try withPlayer(at: mpd.socket) { _, events in
            try events.wait { $0.contains(where: \.isDisconnected) }
            #expect(!events.all.contains { $0.state != nil })
        }
    }
}

/// A loop with a client on it, for as long as the closure runs.
func withPlayer(
    at path: String, password: String? = nil, _ body: (Asking, Record<PlayerEvent>) throws -> Void
) throws {
    let address = try #require(PlayerAddress(path))
    let loop = EventLoop(name: "player")
    loop.start()
    defer { loop.stop() }
    let events = Record<PlayerEvent>()
    var patience = Player.Patience()
    patience.refusals = Backoff(first: .milliseconds(20), limit: .milliseconds(200))
    let player = Player(
        address, on: loop, patience: patience, password: { () throws(PlayerError) in password }
    ) { events.append($0) }
    player.start()
    defer { player.stop() }
    try body(Asking(player: player), events)
}

/// Asks a player, and waits for its answer.
struct Asking {
    let player: Player

    @discardableResult
    func callAsFunction(_ request: PlayerRequest) throws -> PlayerAnswer {
        let answer = Answer<Result<PlayerAnswer, PlayerError>>()
        player.ask(request) { answer.set($0) }
        guard let result = answer.wait(atMost: limit) else { throw TestFailure("no answer to \(request)") }
        return try result.get()
    }

    /// The whole picture of a song, part by part.
    func picture(of song: UInt32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard let part = try self(.artwork(song: song, offset: bytes.count)).artwork, part.offset == bytes.count
            else { throw TestFailure("no part of a picture") }
            bytes += part.bytes
            if bytes.count == part.size { return bytes }
        }
    }
}

extension PlayerEvent {
    var state: PlayerState? { if case .state(let state) = self { state } else { nil } }
    var isDisconnected: Bool { if case .disconnected = self { true } else { false } }
}

extension PlayerAnswer {
    var state: PlayerState? { if case .state(let state) = self { state } else { nil } }
    var page: TrackPage? { if case .page(let page) = self { page } else { nil } }
    var found: FoundPage? { if case .found(let page) = self { page } else { nil } }
    var artwork: ArtworkPart? { if case .artwork(let part) = self { part } else { nil } }
}
