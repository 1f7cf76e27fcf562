import Foundation
import MQTT
import Synchronization
import Telemetry
import Vault

/// Whatever a test waits for has this limit.
let patience = 30.0

/// A Mosquitto on a free loopback port.
final class Broker {
    let port: UInt16
    private let folder: String
    private var process: Process?

    init() throws {
        port = try freePort()
        folder = FileManager.default.temporaryDirectory.path + "/vitals-broker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts it and waits until it listens.
    func start() throws {
        let configuration = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            persistence false
            set_tcp_nodelay true
            max_queued_messages 100000
            log_dest none

            """
        try configuration.write(toFile: folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/mosquitto")
        process.arguments = ["-c", folder + "/mosquitto.conf"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        let end = Date() + patience
        while !isListening(port) {
            guard process.isRunning, Date() < end else { throw TestFailure("mosquitto does not start") }
            poll(nil, 0, 5)
        }
    }

    /// Kills it, as a power cut would: what it had retained is gone. It would not hear SIGTERM: programs started from
    /// Dispatch's threads inherit their signal mask.
    func kill() {
        guard let process else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }
}

/// A client that remembers what came.
final class Client: Sendable {
    let session: Session
    private let messages = Mutex<[Message]>([])
    private let news = DispatchSemaphore(value: 0)

    /// Connects and subscribes.
    init(_ broker: Broker, id: String = "test-\(UUID().uuidString)", _ filters: String...) throws {
        session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: id))
        let granted = DispatchSemaphore(value: 0)
        session.subscribe(filters.map { Subscription($0) }) { _, _ in granted.signal() }
        session.start(
            Handlers(received: { [unowned self] message in
                messages.withLock { $0.append(message) }
                news.signal()
            }))
        for _ in filters where granted.wait(timeout: .now() + patience) == .timedOut {
            throw TestFailure("no subscription")
        }
    }

    func stop() { session.stop() }

    func publish(_ payload: [UInt8], to topic: String) {
        session.publish(payload, to: topic, qos: .atLeastOnce)
    }

    /// The first message that `choose` makes something of, among those that came and those that will; it is then forgotten.
    func wait<Value>(_ what: String, _ choose: (Message) throws -> Value?) throws -> Value {
        let end = DispatchTime.now() + patience
        while true {
            let found = try messages.withLock { messages in
                for (index, message) in messages.enumerated() {
                    guard let value = try choose(message) else { continue }
                    messages.remove(at: index)
                    return value as Value?
                }
                return nil
            }
            if let found { return found }
            guard news.wait(timeout: end) == .success else { throw TestFailure("\(what) did not come") }
        }
    }

    /// The next control message, its signature checked.
    func control(_ consumer: [UInt8]) throws -> ControlMessage {
        let key = try Ed25519.VerifyingKey(consumer)
        return try wait("a control message") { message in
            guard message.topic.hasSuffix("/control") || message.topic.hasSuffix("/grant") else { return nil }
            let signed = try SignedControlMessage(bytes: message.payload)
            try key.verify(signed.signature, of: signed.signedBytes)
            return signed.message
        }
    }
}

/// A loopback port that nobody listens on.
private func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    guard code == 0 else { throw TestFailure("no free port") }
    return UInt16(bigEndian: address.sin_port)
}

private func isListening(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    } == 0
}

private func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}
