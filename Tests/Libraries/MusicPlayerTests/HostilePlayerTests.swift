import Foundation
import Reactor
import TestSupport
import Testing

@testable import MusicPlayer

@Suite("What pretends to be Music Player Daemon", .timeLimit(.minutes(60)))
struct HostilePlayerTests {
    /// A client of a server that the test plays.
    private func withServer(
        silence: Duration = .seconds(30), answering: Duration = .seconds(30), password: String? = nil,
        _ body: (Listener, Player, Record<PlayerEvent>) throws -> Void
    ) throws {
        let server = try Listener()
        let address = try #require(PlayerAddress("127.0.0.1:\(server.port)"))
        let loop = EventLoop(name: "player")
        loop.start()
        defer { loop.stop() }
        var patience = Player.Patience()
        patience.silence = silence
        patience.answering = answering
        patience.backoff = Backoff(first: .milliseconds(20), limit: .milliseconds(200))
        let events = Record<PlayerEvent>()
        let player = Player(
            address, on: loop, patience: patience, password: { () throws(PlayerError) in password }
        ) { events.append($0) }
        player.start()
        defer { player.stop() }
        try body(server, player, events)
    }

    private static let greeting = "OK MPD 0.23.5\n"
    /// The answers to `tagtypes`, twice, and `binarylimit`.
    private static let welcome = greeting + "OK\nOK\nOK\n"

    @Test(
        "is left alone, with the reason",
        arguments: [
            "flood", "nonsense", "no greeting", "unasked", "endless", "picture", "hang-up",
        ])
    func strangers(kind: String) throws {
        try withServer { server, _, events in
            let client = try server.acceptOne()
            switch kind {
            case "flood": send(client, Self.greeting + String(repeating: "x", count: 20_000))
            case "nonsense": send(client, Self.greeting + "nonsense\n")
            case "no greeting": send(client, "220 mail.example ESMTP\n")
            case "unasked":
                send(client, Self.welcome)
                send(client, "volume: 3\nOK\nOK\nOK\nOK\nOK\nOK\n")
            case "endless":
                send(client, Self.welcome)
                for _ in 0..<100 { send(client, String(repeating: "Artist: x\n", count: 100)) }
            case "picture": send(client, Self.welcome + "binary: 999999999\n")
            default: break
            }
            if kind == "hang-up" { close(client) }
            defer { if kind != "hang-up" { close(client) } }
            try events.wait { $0.contains(where: \.isDisconnected) }
            // It is tried again, and nothing was believed.
            close(try server.acceptOne())
            if kind != "unasked" { #expect(events.all.allSatisfy { $0.state == nil }) }
        }
    }

    @Test("that does not answer is given up, and so is what waits for it")
    func slow() throws {
        try withServer(answering: .milliseconds(300)) { server, player, events in
            let client = try server.acceptOne()
            defer { close(client) }
            send(client, Self.welcome)
            try events.wait { $0.contains(.connected("0.23.5")) }
            let answer = Answer<Result<PlayerAnswer, PlayerError>>()
            player.ask(.play) { answer.set($0) }
            #expect(answer.wait(atMost: limit) == .failure(.timeout))
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

    @Test("that is asked too much at once is asked no more")
    func busy() throws {
        try withServer { server, player, events in
            let client = try server.acceptOne()
            defer { close(client) }
            send(client, Self.welcome)
            try events.wait { $0.contains(.connected("0.23.5")) }
            let answers = Record<Result<PlayerAnswer, PlayerError>>()
            for _ in 0..<100 { player.ask(.play) { answers.append($0) } }
            try answers.wait { $0.contains(.failure(.busy)) }
        }
    }

    @Test("that is silent while nothing changes is asked whether it is there")
    func silence() throws {
        try withServer(silence: .milliseconds(100), answering: .milliseconds(500)) { server, _, events in
            let client = try server.acceptOne()
            defer { close(client) }
            var asked: [String] = []
            send(client, Self.greeting)
            while asked.filter({ $0 == "noidle" }).count < 3 {
                let line = try #require(readLine(client))
                asked.append(line)
                if !line.hasPrefix("idle") { send(client, "OK\n") }
            }
            #expect(asked.filter { $0.hasPrefix("idle") }.count >= 3)
            #expect(!events.all.contains { $0.isDisconnected })
            while let line = readLine(client), line != "noidle" {}
            // The last question is left without an answer.
            try events.wait { $0.contains(.disconnected("mpd does not answer")) }
        }
    }

    @Test("cannot make a text longer than 256 bytes, move a cursor, or turn the direction of writing")
    func texts() throws {
        var reply = PlayerReply()
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
        var status = PlayerReply()
        for name in ["playlistlength", "playlist", "song", "songid"] { try status.take(name, text) }
        try status.take("state", "play")
        try status.take("elapsed", "1e300")
        let state = status.state(with: nil)
        #expect(state == PlayerState(.playing, length: 0, version: 0))
        var reply = PlayerReply()
        try reply.take("file", "x")
        try reply.take("Id", text)
        try reply.take("Pos", text)
        #expect(reply.songs.isEmpty)
        #expect(throws: PlayerReply.Fault.self) { try reply.take("binary", text) }
    }

    @Test("cannot list more songs than were asked for")
    func songs() throws {
        var reply = PlayerReply()
        for index in 0..<200 {
            for (name, value) in [("file", "x"), ("Id", "\(index)"), ("Pos", "\(index)")] {
                try reply.take(name, value)
            }
        }
        #expect(reply.songs.count == TrackPage.most)
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

extension Listener {
    /// The next connection, within a limit.
    fileprivate func acceptOne() throws -> Int32 {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 30_000) == 1 else { throw TestFailure("nobody connects") }
        return accept(descriptor, nil, nil)
    }
}

private func send(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
}

/// The next line without its end; nil where none comes within a limit.
private func readLine(_ descriptor: Int32) -> String? {
    var line: [UInt8] = []
    while true {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&entry, 1, 30_000) == 1, read(descriptor, &byte, 1) == 1 else { return nil }
        guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
    }
}
