import Telemetry
import Testing

@testable import vitals_gateway

@Suite("Uplink")
struct UplinkTests {
    private var uplink = Uplink()

    private static func block(_ id: Int64, stream: UInt64 = 1) -> OutboxStore.Block {
        let identity = BlockIdentity(
            stream: StreamID(high: 1, low: stream), session: SessionID(1), sequence: UInt64(id))
        return OutboxStore.Block(id: id, identity: identity, bytes: [UInt8(truncatingIfNeeded: id)])
    }

    private mutating func open() {
        uplink.brokerChanged(isConnected: true)
        uplink.consumerChanged(isThere: true)
    }

    @Test("asks for nothing while the broker or the consumer is away")
    mutating func closed() {
        #expect(uplink.room == 0)
        uplink.brokerChanged(isConnected: true)
        #expect(uplink.room == 0)
        uplink.brokerChanged(isConnected: false)
        uplink.consumerChanged(isThere: true)
        #expect(uplink.room == 0)
        #expect(uplink.send(at: 0).blocks.isEmpty)
        uplink.brokerChanged(isConnected: true)
        #expect(uplink.room == 64)
    }

    @Test("has at most 64 blocks in flight")
    mutating func window() {
        open()
        for id in 1...Int64(Uplink.window) { uplink.take(Self.block(id)) }
        #expect(uplink.room == 0)
        #expect(uplink.cursor == 64)
        #expect(uplink.send(at: 0).blocks.count == 64)
        uplink.remove(Self.block(7).identity)
        #expect(uplink.room == 1)
    }

    @Test("sends in the order of sequence numbers")
    mutating func order() {
        open()
        for id in [3, 1, 2] as [Int64] { uplink.take(Self.block(id)) }
        #expect(uplink.send(at: 0).blocks == [[1], [2], [3]])
    }

    @Test("sends again after 5 s, then after pauses that double up to five minutes, each a fifth off at most")
    mutating func pauses() throws {
        open()
        uplink.take(Self.block(1))
        var now: UInt64 = 1_000_000
        for pause in [5, 10, 20, 40, 80, 160, 300, 300].map({ Double($0) * 1000 }) {
            let (blocks, next) = uplink.send(at: now)
            #expect(blocks == [[1]])
            let due = try #require(next)
            #expect((pause * 0.8 - 1...pause * 1.2 + 1).contains(Double(due - now)))
            #expect(uplink.send(at: due - 1).blocks.isEmpty)
            now = due
        }
    }

    @Test("sends all again at once when the broker or the consumer comes back", arguments: [true, false])
    mutating func again(broker: Bool) {
        open()
        uplink.take(Self.block(1))
        #expect(uplink.send(at: 10).blocks.count == 1)
        #expect(uplink.send(at: 11).blocks.isEmpty)
        if broker { uplink.brokerChanged(isConnected: false) } else { uplink.consumerChanged(isThere: false) }
        #expect(uplink.send(at: 12).blocks.isEmpty)
        if broker { uplink.brokerChanged(isConnected: true) } else { uplink.consumerChanged(isThere: true) }
        #expect(uplink.send(at: 12).blocks.count == 1)
    }

    @Test("sends all again at once when a consumer that was there all the time says so again")
    mutating func saysSo() {
        open()
        uplink.take(Self.block(1))
        #expect(uplink.send(at: 10).blocks.count == 1)
        uplink.consumerChanged(isThere: true)
        #expect(uplink.send(at: 11).blocks.isEmpty)
        uplink.consumerChanged(isThere: true, saysSo: true)
        #expect(uplink.send(at: 12).blocks.count == 1)
    }

    @Test("does not send again what was acknowledged")
    mutating func removed() {
        open()
        uplink.take(Self.block(1))
        _ = uplink.send(at: 0)
        uplink.remove(Self.block(1).identity)
        #expect(uplink.isEmpty)
        #expect(uplink.send(at: 1_000_000).blocks.isEmpty)
        #expect(uplink.send(at: 1_000_000).next == nil)
    }

    @Test("begins with the first block again when it is told to")
    mutating func rewound() {
        open()
        uplink.take(Self.block(5))
        uplink.rewind()
        #expect(uplink.cursor == 0)
        #expect(uplink.room == 64)
    }

    /// Fills the window with a stream's blocks, and sends them until they have been sent three times; the time after
    /// that.
    private mutating func stuck(_ stream: UInt64) -> UInt64 {
        for id in 1...Int64(Uplink.window) { uplink.take(Self.block(id, stream: stream)) }
        var now: UInt64 = 0
        for _ in 0..<3 {
            #expect(uplink.send(at: now).blocks.count == 64)
            now += 25_000
        }
        return now
    }

    @Test("parks a stream that fills the window without success, and tries it again after five minutes")
    mutating func parks() throws {
        open()
        let now = stuck(1)
        #expect(uplink.room == 0)
        uplink.makeWay(at: now)
        #expect(uplink.room == 64)
        #expect(uplink.parked == [StreamID(high: 1, low: 1)])
        uplink.take(Self.block(100, stream: 2))
        #expect(uplink.send(at: now).blocks == [[100]])
        uplink.makeWay(at: now + 239_000)
        #expect(uplink.cursor == 100)
        uplink.makeWay(at: now + 361_000)
        #expect(uplink.parked.isEmpty)
        #expect(uplink.cursor == 0)
        // What is on its way in the meantime is not started again.
        uplink.take(Self.block(100, stream: 2))
        #expect(uplink.send(at: now + 4_000).blocks.isEmpty)
    }

    @Test("does not park a stream while there is room for others")
    mutating func staysWithRoom() {
        open()
        let now = stuck(1)
        uplink.remove(Self.block(7).identity)
        uplink.makeWay(at: now)
        #expect(uplink.parked.isEmpty)
        #expect(uplink.room == 1)
    }

    @Test("takes a parked stream again as soon as one of its blocks is acknowledged or the consumer comes back")
    mutating func unparks() {
        for comesBack in [true, false] {
            uplink = Uplink()
            open()
            uplink.makeWay(at: stuck(1))
            uplink.take(Self.block(100, stream: 2))
            if comesBack {
                uplink.consumerChanged(isThere: false)
                uplink.consumerChanged(isThere: true)
            } else {
                uplink.remove(Self.block(3).identity)
            }
            #expect(uplink.parked.isEmpty)
            #expect(uplink.cursor == 0)
        }
    }

    @Test("knows what the consumer may have, even when the connection is lost, until it has answered")
    mutating func onItsWay() {
        open()
        let identity = Self.block(1).identity
        uplink.take(Self.block(1))
        #expect(!uplink.isOnItsWay(identity))
        _ = uplink.send(at: 0)
        #expect(uplink.isOnItsWay(identity))
        uplink.brokerChanged(isConnected: false)
        uplink.brokerChanged(isConnected: true)
        #expect(uplink.isOnItsWay(identity))
        uplink.remove(identity)
        #expect(!uplink.isOnItsWay(identity))
    }

    @Test("passes over a block that cannot be read")
    mutating func unreadable() {
        open()
        uplink.take(.init(id: 9, identity: Self.block(9).identity, bytes: []))
        #expect(uplink.cursor == 9)
        #expect(uplink.isEmpty)
    }
}
