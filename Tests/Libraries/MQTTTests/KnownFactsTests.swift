// What libmosquitto does that one would not expect, and what this target is built around. When a new release of the
// library changes one of these, the test that fails here says which design to think over.

import CMosquitto
import Glibc
import Reactor
import TestSupport
import Testing

@testable import MQTT

@Suite("libmosquitto")
struct KnownFactsTests {
    @Test("has no text for a connection that was silent for too long, so there is one of ours")
    func keepAlive() {
        let error = MQTTError.library(Int32(MOSQ_ERR_KEEPALIVE.rawValue), 0, "connect to localhost:1883")
        #expect(error.kind == .unreachable)
        #expect("\(error)" == "cannot connect to localhost:1883: nothing was heard for longer than the keep-alive")
    }

    @Test("acknowledges before the message callback runs, unless it is told of threads")
    func acknowledgesFirst() throws {
        let raw = try RawClient()
        let peer = try raw.connect()
        var acknowledged: Int?
        raw.onMessage = { acknowledged = (try? peer.read())?.id }
        peer.write(Packet.publish("x", to: "t", id: 7, version: 4))
        try raw.read { acknowledged != nil }
        #expect(acknowledged == 7)
    }

    @Test("acknowledges a batch at loop_write when it is told of threads")
    func acknowledgesLast() throws {
        let raw = try RawClient(isThreaded: true)
        let peer = try raw.connect()
        var count = 0
        raw.onMessage = { count += 1 }
        for id in 1...3 { peer.write(Packet.publish("x", to: "t", id: UInt8(id), version: 4)) }
        try raw.read { count == 3 }
        #expect(!peer.hasInput)
        // Here is where a batch is committed.
        #expect(mosquitto_loop_write(raw.handle, 1) == 0)
        #expect(try (1...3).map { _ in try peer.read()?.id } == [1, 2, 3])
    }

    @Test("discards acknowledgements that wait when the socket is shut down and reconnected")
    func discards() throws {
        let raw = try RawClient(isThreaded: true)
        let peer = try raw.connect()
        var count = 0
        raw.onMessage = { count += 1 }
        for id in 1...3 { peer.write(Packet.publish("x", to: "t", id: UInt8(id), version: 4)) }
        try raw.read { count == 3 }
        shutdown(mosquitto_socket(raw.handle), Int32(SHUT_RDWR))
        #expect(mosquitto_reconnect(raw.handle) == 0)
        #expect(try peer.read() == nil)
        #expect(mosquitto_loop_write(raw.handle, 1) == 0)
        let next = try raw.broker.welcome(version: 4)
        try raw.read { raw.connackCount == 2 }
        #expect(mosquitto_publish(raw.handle, nil, "marker", 0, nil, 0, false) == 0)
        #expect(mosquitto_loop_write(raw.handle, 1) == 0)
        #expect(try next.read()?.type == .publish)
    }

    @Test("announces a Receive Maximum of 20 unless it is told a different one", arguments: [nil, 65_535 as Int32])
    func receiveMaximum(option: Int32?) throws {
        let raw = try RawClient(version: MQTT_PROTOCOL_V5)
        if let option { mosquitto_int_option(raw.handle, MOSQ_OPT_RECEIVE_MAXIMUM, option) }
        #expect(mosquitto_connect(raw.handle, "127.0.0.1", Int32(raw.broker.port), 60) == 0)
        let connect = try raw.broker.accept().read()
        #expect(connect?.receiveMaximum == option.map(Int.init) ?? 20)
    }

    @Test("keeps the properties of a connection that could not begin, for one that does not wait")
    func connectProperties() throws {
        let raw = try RawClient(version: MQTT_PROTOCOL_V5)
        var list: OpaquePointer?
        mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), 4321)
        #expect(mosquitto_connect_bind_v5(raw.handle, nil, 0, 60, nil, list) == MOSQ_ERR_INVAL.rawValue)
        mosquitto_property_free_all(&list)
        #expect(mosquitto_connect_async(raw.handle, "127.0.0.1", Int32(raw.broker.port), 60) == 0)
        // The library leaves the rest of connecting to its first turn.
        let peer = try raw.broker.accept()
        for _ in 1...3 { mosquitto_loop_write(raw.handle, 1) }
        #expect(try peer.read()?.maximumPacketSize == 4321)
    }

    @Test("completes QoS 2 before the message callback runs: a client that dies in it has lost the message")
    func qos2() throws {
        let raw = try RawClient()
        let peer = try raw.connect()
        var completed: Packet.Kind?
        raw.onMessage = { completed = (try? peer.read())?.type }
        peer.write(Packet.publish("x", to: "t", id: 7, qos: 2, version: 4))
        try raw.read { peer.hasInput }
        #expect(try peer.read()?.type == .pubrec)
        #expect(completed == nil)
        peer.write([0x62, 2, 0, 7])
        try raw.read { completed != nil }
        #expect(completed == .pubcomp)
    }

    /// What ends the library's own loops.
    enum Ending: CaseIterable {
        case notAuthorized, protocolError, tls
    }

    @Test("loop_forever ends for good", arguments: Ending.allCases)
    func loopForever(ending: Ending) throws {
        let raw = try RawClient(version: MQTT_PROTOCOL_V5)
        let worker = EventLoop(name: "forever")
        worker.start()
        defer { worker.stop() }
        try raw.begin(ending)
        let code = Answer<Int32>()
        worker.perform { code.set(mosquitto_loop_forever(raw.handle, 100, 1)) }
        try raw.finish(ending)
        let ended = code.wait(atMost: limit)
        if ended == nil { mosquitto_disconnect(raw.handle) }
        #expect(ended != nil && ended != 0)
    }

    @Test("loop_start's thread ends for good", arguments: Ending.allCases)
    func loopStart(ending: Ending) throws {
        let raw = try RawClient(version: MQTT_PROTOCOL_V5)
        let worker = EventLoop(name: "stop")
        worker.start()
        defer { worker.stop() }
        try raw.begin(ending)
        #expect(mosquitto_loop_start(raw.handle) == 0)
        try raw.finish(ending)
        // Without force and without a disconnect, loop_stop returns only when the thread has ended by itself; 2.0.21
        // then finds no thread to stop.
        let code = Answer<Int32>()
        worker.perform { code.set(mosquitto_loop_stop(raw.handle, false)) }
        let ended = code.wait(atMost: limit)
        if ended == nil { mosquitto_disconnect(raw.handle) }
        #expect(ended == 0 || ended == MOSQ_ERR_INVAL.rawValue)
    }

    @Test("publish at QoS 1 without a connection returns an error, and sends the message later all the same")
    func publishOffline() throws {
        let raw = try RawClient()
        #expect(mosquitto_publish(raw.handle, nil, "late", 1, "x", 1, false) == MOSQ_ERR_NO_CONN.rawValue)
        let peer = try raw.connect()
        #expect(mosquitto_loop_write(raw.handle, 1) == 0)
        let packet = try peer.read()
        #expect(packet?.type == .publish)
        #expect(packet?.body.dropFirst(2).prefix(4).elementsEqual("late".utf8) == true)
    }
}

/// A bare handle of the library's and the broker's end of its connection.
// Proof of @unchecked: only the handle is shared, and the library locks what it shares between threads.
private final class RawClient: @unchecked Sendable {
    let handle: OpaquePointer
    let broker: FakeBroker
    var onMessage: () -> Void = {}
    private(set) var connackCount = 0

    init(version: Int32 = MQTT_PROTOCOL_V311, isThreaded: Bool = false) throws {
        _ = initialised
        guard let handle = mosquitto_new("raw", true, nil) else { throw TestFailure("mosquitto_new") }
        self.handle = handle
        broker = try FakeBroker()
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
        if isThreaded { mosquitto_threaded_set(handle, true) }
        mosquitto_connect_callback_set(handle) { _, object, _ in RawClient.of(object)?.connackCount += 1 }
        mosquitto_message_callback_set(handle) { _, object, _ in RawClient.of(object)?.onMessage() }
    }

    deinit { mosquitto_destroy(handle) }

    private static func of(_ object: UnsafeMutableRawPointer?) -> RawClient? {
        object.map { Unmanaged<RawClient>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Connects with MQTT 3.1.1.
    func connect() throws -> FakeBroker.Peer {
        try begin(nil)
        mosquitto_loop_write(handle, 1)
        let peer = try broker.welcome(version: 4)
        try read { connackCount == 1 }
        return peer
    }

    /// Reads, as packets come, until something is so.
    func read(until isSo: () -> Bool) throws {
        while !isSo() {
            guard isReadable(mosquitto_socket(handle)) else { throw TestFailure("nothing came") }
            let code = mosquitto_loop_read(handle, 1)
            guard code == 0 else { throw TestFailure(String(cString: mosquitto_strerror(code))) }
        }
    }

    /// The client's part of what will end its loop.
    func begin(_ ending: KnownFactsTests.Ending?) throws {
        if ending == .tls { mosquitto_tls_set(handle, nil, "/etc/ssl/certs", nil, nil, nil) }
        let code = mosquitto_connect(handle, "127.0.0.1", Int32(broker.port), 60)
        guard code == 0 else { throw TestFailure(String(cString: mosquitto_strerror(code))) }
    }

    /// The broker's part of it.
    func finish(_ ending: KnownFactsTests.Ending) throws {
        let peer = try broker.accept()
        switch ending {
        case .tls:
            peer.write(Array("this is not TLS".utf8))
        case .notAuthorized:
            _ = try peer.read()
            peer.write([0x20, 3, 0, 0x87, 0])
        case .protocolError:
            _ = try peer.read()
            peer.write([0x20, 3, 0, 0, 0])
            // An acknowledgement of message 0. (A packet of no known type would do with 2.0.11, but not with 2.0.21.)
            peer.write([0x40, 2, 0, 0])
        }
        try peer.readToEnd()
    }
}

private let initialised = mosquitto_lib_init()
