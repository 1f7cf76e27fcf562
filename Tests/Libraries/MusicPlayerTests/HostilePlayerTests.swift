import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import MusicPlayer

@Suite("What pretends to be Music Player Daemon", .timeLimit(.minutes(60)))
struct HostilePlayerTests {
    /// A client of a server that the test plays.
    private func withServer(
        _ patience: Player.Patience = Self.patience(), password: String? = nil,
        _ body: (Listener, Player, Record<PlayerEvent>) throws -> Void
    ) throws {
        let server = try Listener()
        try withPlayer(at: server.port, patience, password: password) { try body(server, $0, $1) }
    }

    private func withPlayer(
        at port: UInt16, _ patience: Player.Patience = Self.patience(), password: String? = nil,
        _ body: (Player, Record<PlayerEvent>) throws -> Void
    ) throws {
        signal(SIGPIPE, SIG_IGN)  // as Signals.block() does
        let address = try #require(PlayerAddress("127.0.0.1:\(port)"))
        let loop = EventLoop(name: "player")
        loop.start()
        defer { loop.stop() }
        let events = Record<PlayerEvent>()
        let player = Player(
            address, on: loop, patience: patience, password: { () throws(PlayerError) in password }
        ) { events.append($0) }
        player.start()
        defer { player.stop() }
        try body(player, events)
    }

    /// Nothing ends by itself, and what ended begins again soon.
    private static func patience(_ change: (inout Player.Patience) -> Void = { _ in }) -> Player.Patience {
        var patience = Player.Patience()
        (patience.silence, patience.answering, patience.waking) = (.seconds(30), .seconds(30), .seconds(30))
        patience.absences = Backoff(first: .milliseconds(20), limit: .milliseconds(200))
        patience.refusals = Backoff(first: .milliseconds(20), limit: .milliseconds(200))
        change(&patience)
        return patience
    }

    private static let greeting = "OK MPD 0.23.5\n"
    /// The answers to `tagtypes`, twice, and `binarylimit`.
    private static let welcome = greeting + "OK\nOK\nOK\n"

    private static let kinds = [
        ("flood", ""), ("nonsense", "a line that is not understood: this is not mpd"),
        ("foreign", "it does not greet: this is not mpd"), ("unasked", "it speaks unasked: this is not mpd"),
        ("endless", "an answer that does not end: this is not mpd"),
        ("long", "an answer that does not end: this is not mpd"), ("hang-up", ""),
        ("silent", "no connection in time"),
    ]

    @Test("A library that is missing, or is another one, is an error that says how to get it")
    func missingLibrary() throws {
        for (name, missing) in [("libabsent.so.1", "libabsent.so.1: cannot open"), ("libm.so.6", "mpd_async_new")] {
            let refusal = try #require(throws: PlayerLink.Refusal.self) { try PlayerLink(-1, with: name) }
            #expect(refusal.words.contains(missing), "\(refusal.words)")
            #expect(refusal.words.contains("apt install libmpdclient2 "), "\(refusal.words)")
        }
    }

    @Test("is left alone, with the reason", arguments: kinds)
    func strangers(kind: String, reason: String) throws {
        let patience = Self.patience { if kind == "silent" { $0.connecting = .milliseconds(100) } }
        try withServer(patience) { server, _, events in
            let client = try server.acceptOne()
            switch kind {
            case "flood": send(client, Self.greeting + String(repeating: "x", count: 20_000))
            case "nonsense": send(client, Self.greeting + "nonsense\n")
            case "foreign": send(client, "220 mail.example ESMTP\n")
            case "unasked":
                send(client, Self.welcome)
                send(client, "volume: 3\nOK\nOK\nOK\nOK\nOK\nOK\n")
            case "endless":
                send(client, Self.welcome)
                for _ in 0..<100 { send(client, String(repeating: "Artist: x\n", count: 100)) }
            case "long":
                send(client, Self.welcome)
                for _ in 0..<100 { send(client, "Artist: \(String(repeating: "x", count: 4000))\n") }
            default: break
            }
            if kind == "hang-up" { close(client) }
            defer { if kind != "hang-up" { close(client) } }
            try events.wait {
                $0.contains { event in
                    if case .disconnected(let said) = event { reason.isEmpty || said == reason } else { false }
                }
            }
            // It is tried again, and nothing was believed.
            close(try server.acceptOne())
            if kind != "unasked" { #expect(events.all.allSatisfy { $0.state == nil }) }
        }
    }

    @Test("is tried again later and later if it is not mpd, and not if it only is away")
    func pauses() throws {
        // The fourth pause is at least half of 400 ms.
        let growing = Self.patience { $0.refusals = Backoff(first: .milliseconds(50), limit: .milliseconds(400)) }
        try withServer(growing) { server, _, _ in
            var begin = ContinuousClock.now
            for round in 0..<5 {
                let client = try server.acceptOne()
                if round == 4 { #expect(ContinuousClock.now - begin >= .milliseconds(200)) }
                begin = .now
                send(client, "220 mail.example ESMTP\n")
                #expect(readLine(client) == nil)
                close(client)
            }
        }
        let steady = Self.patience {
            ($0.absences, $0.refusals) = (.steady(.milliseconds(10)), .steady(.seconds(3600)))
        }
        try withServer(steady) { server, _, _ in
            for _ in 0..<5 { close(try server.acceptOne()) }
        }
    }

    @Test("may greet byte by byte")
    func slowly() throws {
        try withServer { server, _, events in
            let client = try server.acceptOne()
            defer { close(client) }
            for byte in Self.welcome { send(client, "\(byte)") }
            try events.wait { $0.contains(.connected("0.23.5")) }
        }
    }

    private static let lies: [(String, PlayerError)] = [
        ("size: 10\nbinary: 11\nabcdefghijk\nOK\n", .noArtwork),
        ("size: 10\nbinary: 0\n\nOK\n", .noArtwork), ("size: 10\nOK\n", .noArtwork),
        ("size: 0\nbinary: 0\n\nOK\n", .noArtwork), ("size: -1\nbinary: 4\nabcd\nOK\n", .noArtwork),
        ("binary: 4\nabcd\nOK\n", .noArtwork), ("size: 1048577\nbinary: 4\nabcd\nOK\n", .artworkTooLarge),
        ("size: 4\nbinary: 4\nabcdOK\n", .away("a picture's part of a different length: this is not mpd")),
        ("size: 4\nbinary: 2\nab\nbinary: 2\nab\n", .away("a picture's part that is too large: this is not mpd")),
        ("size: 20000\nbinary: 16385\n", .away("a picture's part that is too large: this is not mpd")),
        ("size: 4\nbinary: 999999999999999999999\n", .away("a picture's part that is too large: this is not mpd")),
    ]

    @Test("cannot pass anything else off as a picture", arguments: lies)
    func pictures(said: String, error: PlayerError) throws {
        let daemon = try MadeUpDaemon { command in
            command.hasPrefix("readpicture") || command.hasPrefix("albumart") ? said : nil
        }
        defer { daemon.stop() }
        try withPlayer(at: daemon.port) { player, events in
            try events.wait { $0.contains { $0.state != nil } }
            let asking = Asking(player: player)
            #expect(throws: error) { try asking(.artwork(song: 7, offset: 0)) }
        }
    }

    @Test("that does not answer is given up, and so is what waits for it")
    func slow() throws {
        let daemon = try MadeUpDaemon { $0.hasPrefix("play") ? "" : nil }
        defer { daemon.stop() }
        try withPlayer(at: daemon.port, Self.patience { $0.answering = .milliseconds(300) }) { player, events in
            try events.wait { $0.contains { $0.state != nil } }
            let answers = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<2 { player.ask(.play) { answers.append($0) } }
            #expect(try answers.wait(for: 2) == [.failure(.timeout), .failure(.timeout)])
            try events.wait { $0.contains(.disconnected("mpd does not answer")) }
        }
    }

    @Test("is connected to again after a command for which there was no room")
    func noRoom() throws {
        try withServer(password: String(repeating: "x", count: 5000)) { server, _, events in
            for _ in 0..<3 {
                let client = try server.acceptOne()
                defer { close(client) }
                send(client, Self.greeting)
                #expect(readLine(client) == nil)
            }
            try events.wait { $0.count { $0.isDisconnected } >= 3 }
            #expect(events.all.allSatisfy { $0 == .disconnected("could not write") })
        }
    }

    @Test("cannot name a file for whose path there is no room in a command")
    func longPath() {
        func song(_ file: String) -> PlayerReply.Song { PlayerReply.Song(track: Track(id: 1, position: 1), file: file) }
        #expect(song(String(repeating: "x", count: 4000)).fitsInCommand)
        #expect(!song(String(repeating: "x", count: 4001)).fitsInCommand)
        #expect(song(String(repeating: "\"", count: 2000)).fitsInCommand)
        #expect(!song(String(repeating: "\\", count: 2001)).fitsInCommand)
    }

    @Test("is asked for so much at once, and for four pictures")
    func busy() throws {
        try withServer { server, player, events in
            let client = try server.acceptOne()
            defer { close(client) }
            send(client, Self.welcome)
            try events.wait { $0.contains(.connected("0.23.5")) }
            let pictures = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<10 { player.ask(.artwork(song: 7, offset: 0)) { pictures.append($0) } }
            #expect(try pictures.wait(for: 6).allSatisfy { $0 == .failure(.busy) })
            let answers = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<100 { player.ask(.play) { answers.append($0) } }
            try answers.wait { $0.contains(.failure(.busy)) }
            // They are those that were asked for last.
            #expect(pictures.all.count == 6 && answers.all.count < 100)
        }
    }

    @Test("is not asked for what nobody waits for any longer")
    func late() throws {
        let daemon = try MadeUpDaemon { _ in nil }
        defer { daemon.stop() }
        try withPlayer(at: daemon.port) { player, events in
            try events.wait { $0.contains { $0.state != nil } }
            let answers = Record<Result<PlayerAnswer, PlayerError>>()
            player.ask(.play, by: ContinuousClock.now) { answers.append($0) }
            player.ask(.pause, by: ContinuousClock.now + limit) { answers.append($0) }
            let all = try answers.wait(for: 2)
            #expect(all[0] == .failure(.late))
            #expect(daemon.commands.all.contains("pause \"1\""))
            #expect(!daemon.commands.all.contains { $0.hasPrefix("play") && !$0.hasPrefix("playlist") })
        }
    }

    @Test("is looked at again and again while it is asked so much that it cannot say what changes")
    func flooded() throws {
        let daemon = try MadeUpDaemon { _ in nil }
        defer { daemon.stop() }
        try withPlayer(at: daemon.port, Self.patience { $0.busy = .milliseconds(20) }) { player, events in
            try events.wait { $0.contains { $0.state != nil } }
            let flood = Flood(player)
            for _ in 0..<8 { flood.ask() }
            defer { flood.stop() }
            try events.wait { $0.count { $0.state != nil } >= 4 }
        }
    }

    @Test("is looked at only so often, however often it says that something has changed")
    func paced() throws {
        let daemon = try MadeUpDaemon { $0.hasPrefix("idle") ? "changed: player\nOK\n" : nil }
        defer { daemon.stop() }
        let patience = Self.patience { ($0.gathering, $0.pace) = (.milliseconds(1), .milliseconds(60)) }
        try withPlayer(at: daemon.port, patience) { _, events in
            try events.wait { $0.contains { $0.state != nil } }
            let begin = ContinuousClock.now
            let before = events.all.count
            try events.wait { $0.dropFirst(before).count { $0.state != nil } >= 5 }
            #expect(ContinuousClock.now - begin >= .milliseconds(3 * 60))
        }
    }

    @Test("that is silent while nothing changes is asked whether it is there, and what it plays")
    func silence() throws {
        let patience = Self.patience { ($0.silence, $0.waking) = (.milliseconds(100), .seconds(4)) }
        try withServer(patience) { server, _, events in
            let client = try server.acceptOne()
            defer { close(client) }
            var asked: [String] = []
            send(client, Self.greeting)
            while true {
                let line = try #require(readLine(client))
                asked.append(line)
                // The last question is left without an answer.
                if asked.count(where: { $0 == "noidle" }) == 3 { break }
                if !line.hasPrefix("idle") { send(client, "OK\n") }
            }
            #expect(asked.count { $0.hasPrefix("idle") } == 3)
            #expect(asked.count { $0 == "status" } == 3)
            #expect(!events.all.contains { $0.isDisconnected })
            try events.wait { $0.contains(.disconnected("mpd does not answer")) }
        }
    }

    @Test("cannot make a text longer than 256 bytes, move a cursor, or turn the direction of writing")
    func texts() throws {
        var reply = PlayerReply(for: .songs(atMost: 1))
        try reply.take("file", "secret/place.mp3")
        try reply.take("Pos", "0")
        try reply.take("Id", "7")
        try reply.take("Title", String(repeating: "ä", count: 2000))
        try reply.take("Artist", "a\u{1B}[2J\u{202E}b")
        try reply.take("Album", "")
        try reply.take("duration", "nan")
        let track = try #require(reply.songs.first).track
        #expect(track.title == String(repeating: "ä", count: 128))
        #expect(track.artist == "a\u{FFFD}[2J\u{FFFD}b")
        #expect(track.album == nil && track.durationSeconds == nil)
    }

    @Test("cannot bring numbers that cannot be", arguments: ["-1", "4294967296", "1e9", "x", "", "0x10"])
    func numbers(text: String) throws {
        var status = PlayerReply(for: .status)
        for name in ["playlistlength", "playlist", "song", "songid"] { try status.take(name, text) }
        try status.take("state", "play")
        try status.take("elapsed", "1e300")
        let state = status.state(with: nil)
        #expect(state == PlayerState(.playing, length: 0, version: 0))
        var reply = PlayerReply(for: .songs(atMost: 1))
        try reply.take("file", "x")
        try reply.take("Id", text)
        try reply.take("Pos", text)
        #expect(reply.songs.isEmpty)
        var picture = PlayerReply(for: .picture)
        #expect(throws: PlayerReply.Fault.self) { try picture.take("binary", text) }
    }

    @Test("cannot list more songs than were asked for, and nothing that was not asked for is kept", arguments: [1, 50])
    func songs(most: Int) throws {
        var reply = PlayerReply(for: .songs(atMost: most))
        for index in 0..<200 {
            for (name, value) in [("file", "x"), ("Id", "\(index)"), ("Pos", "\(index)")] {
                try reply.take(name, value)
            }
        }
        #expect(reply.songs.map(\.track.position) == Array(1...most))
        var status = PlayerReply(for: .status)
        for (name, value) in [("file", "x"), ("Title", "x"), ("size", "7"), ("state", "play")] {
            try status.take(name, value)
        }
        #expect(status["file"] == nil && status["Title"] == nil && status.size == nil && status["state"] == "play")
    }

    @Test("is asked for four searches at once")
    func searches() throws {
        try withServer { server, player, events in
            let client = try server.acceptOne()
            defer { close(client) }
            send(client, Self.welcome)
            try events.wait { $0.contains(.connected("0.23.5")) }
            let text = try #require(SearchText("x"))
            let searches = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<10 { player.ask(.search(text, from: 1)) { searches.append($0) } }
            #expect(try searches.wait(for: 6).allSatisfy { $0 == .failure(.busy) })
            let others = Record<Result<PlayerAnswer, PlayerError>>()
            player.ask(.add(found: "0000000000")) { others.append($0) }
            #expect(try others.wait(for: 1) == [.failure(.notFound)])
            #expect(searches.all.count == 6)
        }
    }

    @Test("is at home: a socket, or an address that the internet does not lead to")
    func addresses() throws {
        #expect(PlayerAddress("/run/mpd/socket")?.description == "/run/mpd/socket")
        #expect(PlayerAddress("127.0.0.1")?.description == "127.0.0.1:6600")
        #expect(PlayerAddress("192.168.1.7:6601")?.description == "192.168.1.7:6601")
        #expect(PlayerAddress("[::1]:6600")?.description == "[::1]:6600")
        #expect(PlayerAddress("fd00::1")?.description == "[fd00::1]:6600")
        let wrong = [
            "", "localhost", "mpd.example:6600", "8.8.8.8:6600", "172.32.0.1", "192.169.0.1", "11.0.0.1",
            "[2001:db8::1]:6600",
            "[::1", "[::1]x", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:+1", "socket", "::ffff:8.8.8.8",
            "/" + String(repeating: "x", count: 107), "/run/\0x",
        ]
        for text in wrong { #expect(PlayerAddress(text) == nil, "\(text)") }
    }
}

/// Somebody who asks again as soon as there is an answer.
private final class Flood: Sendable {
    private let player: Player
    private let isOver = Atomic(false)

    init(_ player: Player) { self.player = player }

    func ask() {
        player.ask(.list(from: 1)) { [self] _ in
            if !isOver.load(ordering: .relaxed) { ask() }
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }
}
