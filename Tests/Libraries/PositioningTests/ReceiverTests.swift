import Fitness
import Foundation
import Positioning
import Reactor
import TestSupport
import Testing

@Suite("A client of gpsd", .timeLimit(.minutes(60)))
struct ReceiverTests {
    /// A loop with a client on it, for as long as the closure runs.
    private func withReceiver<Result>(
        _ address: ReceiverAddress, patience: Receiver.Patience,
        _ body: (Receiver, Record<ReceiverEvent>) throws -> Result
    ) rethrows -> Result {
        let loop = EventLoop(name: "receiver")
        loop.start()
        defer { loop.stop() }
        let events = Record<ReceiverEvent>()
        let receiver = Receiver(address, on: loop, patience: patience) { events.append($0) }
        receiver.start()
        defer { receiver.stop() }
        return try body(receiver, events)
    }

    private var quick: Receiver.Patience {
        var patience = Receiver.Patience()
        patience.backoff = Backoff(first: .milliseconds(20), limit: .milliseconds(200))
        patience.silence = .seconds(30)
        return patience
    }

    private static let greeting = "{\"class\":\"VERSION\",\"release\":\"3.22\"}\r\n"

    private static func report(_ second: Int, mode: Int = 3) -> String {
        let seconds = second < 10 ? "0\(second)" : "\(second)"
        return """
            {"class":"TPV","mode":\(mode),"time":"2026-11-22T12:00:\(seconds).000Z","lat":52.5,"lon":13.4}\r

            """
    }

    // MARK: The real one

    @Test("A receiver that gpsd reads is told: its fixes, the satellites, and that it has lost them")
    func real() throws {
        let gpsd = try GPSDaemon()
        try withReceiver(ReceiverAddress(loopbackPort: gpsd.port), patience: quick) { _, events in
            let connected = events.first { $0.isConnected }
            guard case .connected(let version)? = connected else { throw TestFailure("not connected") }
            #expect(version.hasPrefix("3."))
            var second = 0
            let fix = try gpsd.feed(until: { events.all.compactMap(\.fix).filter(\.isWhole).count >= 3 }) {
                second += 1
                return NMEA.fix(second: second, north: 31.2 + Double(second) / 1000)
            }
            #expect(fix)
            let fixes = events.all.compactMap(\.fix)
            // gpsd tells the place before the altitude has come.
            let first = try #require(fixes.first { $0.isWhole })
            #expect(abs(first.place.latitude - 52.52) < 0.01 && abs(first.place.longitude - 13.4049) < 0.001)
            #expect(first.altitudeMetres == 34)
            #expect(abs((first.metresPerSecond ?? 0) - 2.572) < 0.01)
            #expect(first.courseDegrees == 45)
            #expect((first.accuracyMetres ?? 0) > 0)
            // gpsd 3.22 makes the altitude's error of these sentences, and 3.25 does not.
            #expect((first.verticalAccuracyMetres ?? 1) > 0)
            #expect(iso8601(unixMilliseconds: first.time).hasPrefix("2026-11-22T12:00:"))
            #expect(first.device?.hasPrefix("udp://127.0.0.1:") == true)
            for (one, next) in zip(fixes, fixes.dropFirst()) { #expect(next.time > one.time) }
            let lost = try gpsd.feed(until: { events.all.contains(.noFix) }) {
                second += 1
                return NMEA.noFix(second: second)
            }
            #expect(lost)
            #expect(events.all.contains(.satellites(5)))
        }
    }

    @Test("When gpsd ends and starts again, the client comes back by itself")
    func restarted() throws {
        let gpsd = try GPSDaemon()
        try withReceiver(ReceiverAddress(loopbackPort: gpsd.port), patience: quick) { _, events in
            try events.wait { $0.contains(where: \.isConnected) }
            gpsd.stop()
            try events.wait { $0.contains(where: \.isDisconnected) }
            let before = events.all.count
            try gpsd.start()
            try events.wait { $0.dropFirst(before).contains(where: \.isConnected) }
        }
    }

    // MARK: A stand-in, for what gpsd does not do

    @Test("Lines come in pieces and together, and what is not understood costs only itself")
    func pieces() throws {
        let server = try Listener()
        try withReceiver(ReceiverAddress(loopbackPort: server.port), patience: quick) { _, events in
            let client = try server.acceptOne()
            defer { close(client) }
            let asked = readLine(client)
            #expect(asked == "?WATCH={\"enable\":true,\"json\":true};")
            let text =
                Self.greeting + "nonsense\r\n" + Self.report(1) + Self.report(2) + "{\"class\":\"TPV\",\"mode\":9}\r\n"
                + Self.report(2) + Self.report(3, mode: 1) + Self.report(4, mode: 0) + Self.report(5)
            for byte in text.utf8.prefix(120) { send(client, [byte]) }
            send(client, Array(text.utf8.dropFirst(120)))
            try events.wait { $0.count >= 5 }
            let seconds = events.all.compactMap(\.fix).map { $0.time % 60_000 / 1000 }
            #expect(seconds == [1, 2, 5])
            #expect(events.all.filter { $0 == .noFix }.count == 1)
            #expect(events.all.first == .connected("3.22"))
        }
    }

    @Test("Whoever is not gpsd is left alone for growing pauses", arguments: ["flood", "nonsense", "hang-up"])
    func notGPSD(kind: String) throws {
        let server = try Listener()
        try withReceiver(ReceiverAddress(loopbackPort: server.port), patience: quick) { _, events in
            for _ in 0..<3 {
                let client = try server.acceptOne()
                defer { close(client) }
                switch kind {
                case "flood": send(client, [UInt8](repeating: UInt8(ascii: "x"), count: 20_000))
                case "nonsense": send(client, Array(String(repeating: "nonsense\n", count: 100).utf8))
                default: continue
                }
                var byte: UInt8 = 0
                while read(client, &byte, 1) > 0 {}
            }
            try events.wait { $0.filter(\.isDisconnected).count >= 3 }
            let isAlone = events.all.allSatisfy(\.isDisconnected)
            #expect(isAlone)
        }
    }

    @Test("Nobody at the port is told each time, and tried again")
    func nobody() throws {
        let port = try freePort()
        try withReceiver(ReceiverAddress(loopbackPort: port), patience: quick) { _, events in
            try events.wait { $0.filter(\.isDisconnected).count >= 3 }
            #expect(events.all.first == .disconnected("Connection refused"))
        }
    }

    @Test("After a silence gpsd is asked for its version, and given up if it does not answer")
    func silence() throws {
        // On a machine that is busy for longer than the silence, gpsd's answer comes too late: then a longer one is tried.
        let isRight = try [100, 1_000, 10_000].contains { try isKeptWhileItAnswers(silence: .milliseconds($0)) }
        #expect(isRight)
    }

    /// Whether gpsd, which answers three times and then falls silent, is kept until then and given up after it.
    private func isKeptWhileItAnswers(silence: Duration) throws -> Bool {
        let server = try Listener()
        var patience = quick
        patience.silence = silence
        return try withReceiver(ReceiverAddress(loopbackPort: server.port), patience: patience) { _, events in
            let client = try server.acceptOne()
            defer { close(client) }
            send(client, Array(Self.greeting.utf8))
            guard readLine(client)?.hasPrefix("?WATCH") == true else { return false }
            for _ in 0..<3 {
                guard readLine(client) == "?VERSION;" else { return false }
                send(client, Array(Self.greeting.utf8))
            }
            guard readLine(client) == "?VERSION;" else { return false }
            try events.wait { $0.contains(where: \.isDisconnected) }
            return events.all.prefix(2) == [.connected("3.22"), .disconnected("gpsd does not answer")]
        }
    }

    @Test("After it was stopped it is silent, and it can be started again")
    func stopped() throws {
        let server = try Listener()
        try withReceiver(ReceiverAddress(loopbackPort: server.port), patience: quick) { receiver, events in
            let client = try server.acceptOne()
            send(client, Array(Self.greeting.utf8))
            try events.wait { $0.contains(where: \.isConnected) }
            receiver.stop()
            var byte: UInt8 = 0
            while read(client, &byte, 1) > 0 {}
            close(client)
            #expect(events.all == [.connected("3.22")])
            receiver.start()
            let again = try server.acceptOne()
            defer { close(again) }
            send(again, Array(Self.greeting.utf8))
            try events.wait { $0 == [.connected("3.22"), .connected("3.22")] }
        }
    }

    @Test("An address is one of IPv4 or IPv6, and no name")
    func addresses() throws {
        #expect(ReceiverAddress.usual.description == "127.0.0.1:2947")
        #expect(ReceiverAddress(host: "::1", port: 2947)?.description == "[::1]:2947")
        #expect(ReceiverAddress(host: "10.0.0.7", port: 1)?.description == "10.0.0.7:1")
        for name in ["localhost", "", "127.0.0.1.", "1", "::1%lo", "127.0.0.1:2947"] {
            #expect(ReceiverAddress(host: name, port: 2947) == nil)
        }
        #expect(ReceiverAddress(host: "127.0.0.1", port: 0) == nil)
    }
}

extension ReceiverFix {
    fileprivate var isWhole: Bool { hasAltitude && accuracyMetres != nil }
}

extension ReceiverEvent {
    fileprivate var fix: ReceiverFix? { if case .fix(let fix) = self { fix } else { nil } }
    fileprivate var isConnected: Bool { if case .connected = self { true } else { false } }
    fileprivate var isDisconnected: Bool { if case .disconnected = self { true } else { false } }
}

extension Listener {
    /// The next connection, within a limit.
    fileprivate func acceptOne() throws -> Int32 {
        guard isReadable(descriptor) else { throw TestFailure("nobody connects") }
        return accept(descriptor, nil, nil)
    }
}

private func send(_ descriptor: Int32, _ bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
}

/// The next line without its end; nil where none comes within a limit.
private func readLine(_ descriptor: Int32) -> String? {
    var line: [UInt8] = []
    while true {
        var byte: UInt8 = 0
        guard isReadable(descriptor), read(descriptor, &byte, 1) == 1 else { return nil }
        guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
    }
}
