import Glibc
import MQTT
import Reactor
import Synchronization
import TestSupport
import Testing

@Suite("A batch")
struct BatchTests {
    @Test("is acknowledged after its commit, and announced with room for a large one")
    func commitFirst() throws {
        let broker = try FakeBroker()
        let steps = Record<String>()
        let connection = Mutex<FakeBroker.Peer?>(nil)
        let session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "b"))
        session.start(
            Handlers(
                received: { steps.append($0.topic) },
                commit: {
                    steps.append(connection.withLock { $0?.hasInput == false } ? "commit" : "too late")
                    return true
                }))
        defer { session.stop(sayGoodbye: false) }
        let peer = try broker.accept()
        #expect(try peer.read()?.receiveMaximum ?? 65_535 == 65_535)
        connection.withLock { $0 = peer }
        let batch = (1...3).flatMap { Packet.publish("x", to: "t", id: $0) }
        peer.write([0x20, 3, 0, 0, 0] + batch)
        #expect(try steps.wait(for: 4) == ["t", "t", "t", "commit"])
        #expect(try (1...3).map { _ in try peer.read()?.id } == [1, 2, 3])
    }

    @Test("says of what came while nobody looked for how long it may have waited, and of the rest nothing")
    func heldUp() throws {
        let broker = try FakeBroker()
        try Client.with(Options(host: "127.0.0.1", port: broker.port, clientID: "b")) { client in
            let peer = try broker.welcome()
            var count = 0
            /// On a machine that is busy with all the other tests, the session's thread may itself be held up for a
            /// moment: one of several is enough.
            func isPrompt() throws -> Bool {
                for _ in 1...30 {
                    count += 1
                    peer.write(Packet.publish("x", to: "prompt", id: UInt8(count)))
                    if try client.messages.wait(for: count)[count - 1].heldAtMost == .zero { return true }
                }
                return false
            }
            #expect(try isPrompt())
            let begun = Record<Bool>()
            client.session.loop.perform {
                begun.append(true)
                usleep(3_500_000)
            }
            try begun.wait(for: 1)
            peer.write((1...3).flatMap { Packet.publish("x", to: "held", id: UInt8(count + $0)) })
            count += 3
            let held = try client.messages.wait(for: count)[(count - 3)...].map(\.heldAtMost)
            #expect(held.allSatisfy { $0 > .seconds(3) && $0 < .seconds(30) }, "\(held)")
            #expect(try isPrompt())
        }
    }

    @Test("is answered within the time that is left, at most within the longest")
    func timeLeft() {
        var message = Message(topic: "t", payload: [])
        #expect(message.timeLeft(usual: .seconds(10), longest: .seconds(60)) == .seconds(10))
        message.properties = Message.Properties(messageExpirySeconds: 300)
        #expect(message.timeLeft(usual: .seconds(10), longest: .seconds(60)) == .seconds(60))
    }

    @Test("that is refused is not acknowledged: the connection ends, and another is made after a pause")
    func refused() throws {
        let broker = try FakeBroker()
        let commits = Record<Bool>()
        let options = Options(host: "127.0.0.1", port: broker.port, clientID: "b")
        let commit = { @Sendable () -> Bool in
            let isSecond = !commits.all.isEmpty
            commits.append(isSecond)
            return isSecond
        }
        try Client.with(options, commit: commit) { client in
            let peer = try broker.welcome()
            peer.write(Packet.publish("x", to: "t", id: 1) + Packet.publish("y", to: "t", id: 2))
            #expect(try peer.read() == nil)
            #expect(try client.failure().kind == .batchRefused)
            let next = try broker.welcome()
            next.write(Packet.publish("x", to: "t", id: 1))
            #expect(try next.read()?.id == 1)
            #expect(commits.all == [false, true])
        }
    }

    @Test("ends at its limit, and the rest follows")
    func limit() throws {
        let broker = try FakeBroker()
        let steps = Record<String>()
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "b")
        options.batchLimit = 2
        let session = Session(options)
        session.start(
            Handlers(
                received: { steps.append(String(decoding: $0.payload, as: UTF8.self)) },
                commit: {
                    steps.append("commit")
                    return true
                }))
        defer { session.stop(sayGoodbye: false) }
        let peer = try broker.welcome()
        peer.write((1...3).flatMap { Packet.publish("\($0)", to: "t", id: $0) })
        #expect(try steps.wait(for: 5) == ["1", "2", "commit", "3", "commit"])
    }

    @Test("waits a moment for messages that come fast, so that they share a commit")
    func gathered() throws {
        let broker = try FakeBroker()
        let counts = Record<Int>()
        let eighth = Record<Bool>()
        let count = Mutex(0)
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "b")
        options.batchEnough = 256
        let session = Session(options)
        session.start(
            Handlers(
                received: { _ in
                    let isEighth = count.withLock { count in
                        count += 1
                        return count == 8
                    }
                    if isEighth { eighth.append(true) }
                },
                commit: {
                    counts.append(
                        count.withLock { count in
                            defer { count = 0 }
                            return count
                        })
                    return true
                }))
        defer { session.stop(sayGoodbye: false) }
        let peer = try broker.welcome()
        let eight = (1...8).flatMap { Packet.publish("x", to: "t", id: $0) }
        // The last eight leave a little after the first were read. On a busy machine that may be later than the moment.
        for round in 1...20 {
            peer.write(eight)
            try eighth.wait(for: round)
            usleep(300)
            peer.write(eight)
            try counts.wait { $0.reduce(0, +) == 16 * round }
        }
        #expect(counts.all.count { $0 == 16 } >= 5, "\(counts.all)")
    }

    @Test("of few messages is committed at once")
    func few() throws {
        let broker = try FakeBroker()
        let last = Mutex(ContinuousClock.now)
        let pauses = Record<Duration>()
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "b")
        options.batchEnough = 256
        let session = Session(options)
        session.start(
            Handlers(
                received: { _ in last.withLock { $0 = .now } },
                commit: {
                    pauses.append(last.withLock { $0 }.duration(to: .now))
                    return true
                }))
        defer { session.stop(sayGoodbye: false) }
        let peer = try broker.welcome()
        for round in 1...20 {
            peer.write((1...7).flatMap { Packet.publish("x", to: "t", id: $0) })
            try pauses.wait(for: round)
        }
        // One of several is enough: the thread itself may be held up.
        #expect(pauses.all.contains { $0 < .microseconds(500) }, "\(pauses.all)")
    }

    @Test("of publications has an end: one more than the limit is refused")
    func outgoingLimit() throws {
        let broker = try FakeBroker()
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "b")
        options.outgoingLimit = 5
        try Client.with(options) { client in
            let peer = try broker.welcome()
            try client.connected()
            let finished = Record<MQTTError?>()
            for _ in 0..<5 {
                #expect(client.session.publish([1], to: "t", qos: .atLeastOnce, acknowledged: finished.append))
            }
            #expect(!client.session.publish([1], to: "t"))
            for _ in 0..<5 { #expect(try peer.read()?.type == .publish) }
            peer.write([0x40, 2, 0, 1])
            #expect(try finished.wait(for: 1) == [nil])
            #expect(client.session.publish([1], to: "t", qos: .atLeastOnce))
            client.session.stop(sayGoodbye: false)
            #expect(try finished.wait(for: 5).compactMap { $0?.kind } == [.stopped, .stopped, .stopped, .stopped])
        }
    }
}
