// GET /metrics, and nothing else.
//
// Whoever has a user on the machine can connect, and perhaps a page in a browser there, too. So:
//
// - a request's line and headers have at most 8 KiB together, and no body;
// - a connection lives for ten seconds at most, however busily its other end sends or reads a byte now and then:
//   libmicrohttpd's own limit begins again with each byte;
// - a connection is for one request;
// - of more than 16 connections, the oldest ends: somebody who holds many of them keeps nobody else waiting;
// - a Host that is neither an address in numbers nor `localhost` is refused: otherwise a page in a browser could read
//   this under a name of its own that leads here.

import CMicrohttpd
import Glibc
import Reactor

/// A daemon of libmicrohttpd on an event loop. Belongs to the loop's thread.
// Proof of @unchecked: as its first line says.
final class MetricsServer: @unchecked Sendable {
    private static let mostConnections = 16
    private static let mostBytes = 8192
    private static let patience = Duration.seconds(10)
    /// By the name under which the loader finds it.
    static let library = "libmicrohttpd.so.12"

    private struct Connection {
        let socket: CInt
        let serial: Int
    }

    private let loop: EventLoop
    private let page: () -> String?
    private let mhd: vitals_mhd
    private var daemon: OpaquePointer?
    private var watch: EventLoop.Watch?
    private var timer: EventLoop.Timer?
    private var connections: [OpaquePointer: Connection] = [:]
    private var serial = 0

    /// Loads libmicrohttpd, and listens. On the loop's thread.
    /// - Parameter page: the text of the metrics; nil if there is none now.
    init(
        on loop: EventLoop, at address: ListeningAddress, with library: String = MetricsServer.library,
        page: @escaping () -> String?
    ) throws(ListeningError) {
        self.loop = loop
        self.page = page
        mhd = try Self.load(library)
        let listener = try address.listen()
        // More than are kept, so that one that must go does not keep a new one from being accepted.
        daemon = vitals_mhd_start(
            mhd, listener, UInt32(2 * Self.mostConnections), Self.mostBytes, 5,
            { server, connection, url, method, _, _, _, state in
                guard let server, let connection, let url, let method, let state else { return .NO }
                return Unmanaged<MetricsServer>.fromOpaque(server).takeUnretainedValue()
                    .answer(connection, String(cString: url), String(cString: method), state)
            },
            { server, connection, _, event in
                guard let server, let connection else { return }
                Unmanaged<MetricsServer>.fromOpaque(server).takeUnretainedValue().changed(connection, event)
            }, Unmanaged.passUnretained(self).toOpaque())
        guard let daemon else {
            close(listener)
            throw ListeningError("libmicrohttpd did not start")
        }
        watch = loop.watch(vitals_mhd_descriptor(mhd, daemon), for: .readable) { [unowned self] _ in run() }
        run()
    }

    private static func load(_ library: String) throws(ListeningError) -> vitals_mhd {
        var mhd = vitals_mhd()
        if let missing = vitals_mhd_load(library, &mhd) {
            throw ListeningError(
                """
                \(String(cString: missing)): apt install libmicrohttpd12 (libmicrohttpd12t64 since Debian 13), \
                or leave "listen" out of "metrics" in the settings
                """)
        }
        return mhd
    }

    /// Ends all connections. On the loop's thread.
    func stop() {
        watch?.cancel()
        timer?.cancel()
        // Closes the socket that listens, too.
        if let daemon { mhd.stop_daemon(daemon) }
        daemon = nil
    }

    private func run() {
        guard let daemon else { return }
        _ = mhd.run(daemon)
        timer?.cancel()
        var milliseconds: CUnsignedLongLong = 0
        guard mhd.get_timeout(daemon, &milliseconds) == .YES else { return }
        timer = loop.after(.milliseconds(Int64(clamping: milliseconds))) { [unowned self] in run() }
    }

    // MARK: Connections

    private func changed(_ connection: OpaquePointer, _ event: MHD_ConnectionNotificationCode) {
        guard event == .CONNECTION_NOTIFY_STARTED else {
            connections[connection] = nil
            return
        }
        serial += 1
        let (socket, serial) = (vitals_mhd_socket(mhd, connection), serial)
        connections[connection] = Connection(socket: socket, serial: serial)
        loop.after(Self.patience) { [weak self] in
            guard let self, connections[connection]?.serial == serial else { return }
            end(connection)
        }
        guard connections.count > Self.mostConnections else { return }
        if let oldest = connections.min(by: { $0.value.serial < $1.value.serial }) { end(oldest.key) }
    }

    /// The library finds the end at its next turn, and closes the socket.
    private func end(_ connection: OpaquePointer) {
        guard let socket = connections.removeValue(forKey: connection)?.socket, socket >= 0 else { return }
        shutdown(socket, CInt(SHUT_RDWR))
    }

    // MARK: Requests

    /// Called once when the headers are there, and again when the request is complete.
    private func answer(
        _ connection: OpaquePointer, _ url: String, _ method: String,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        if let refusal = refusal(connection, url, method) { return send(refusal.status, refusal.said, connection) }
        guard state.pointee != nil else {
            // Anything that is not nil says that the headers were looked at.
            state.pointee = Unmanaged.passUnretained(self).toOpaque()
            return .YES
        }
        guard let text = page() else {
            return send(503, "what is measured could not be collected in time\n", connection)
        }
        return send(200, text, connection, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func refusal(_ connection: OpaquePointer, _ url: String, _ method: String) -> (
        status: UInt32, said: String
    )? {
        guard url == "/metrics" else { return (404, "there is only /metrics\n") }
        guard method == "GET" else { return (405, "there is only GET\n") }
        let hasBody =
            header("Transfer-Encoding", connection) != nil || header("Content-Length", connection) ?? "0" != "0"
        guard !hasBody else { return (413, "a request has no body\n") }
        guard Self.isOurs(header("Host", connection)) else {
            return (421, "ask for localhost, or for an address in numbers\n")
        }
        return nil
    }

    private func header(_ name: String, _ connection: OpaquePointer) -> String? {
        mhd.lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
    }

    /// Clients of HTTP 1.0 send none; browsers always do.
    private static func isOurs(_ host: String?) -> Bool {
        guard let host else { return true }
        let isPort = { (text: Substring) in text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            var address = in6_addr()
            let rest = host[host.index(after: end)...]
            return (rest.isEmpty || rest.first == ":" && isPort(rest.dropFirst()))
                && inet_pton(AF_INET6, String(host[host.index(after: host.startIndex)..<end]), &address) == 1
        }
        let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count == 1 || isPort(parts[1]) else { return false }
        var address = in_addr()
        return name.lowercased() == "localhost" || inet_pton(AF_INET, String(name), &address) == 1
    }

    private func send(
        _ status: UInt32, _ text: String, _ connection: OpaquePointer, type: String = "text/plain; charset=utf-8"
    ) -> MHD_Result {
        var bytes = Array(text.utf8)
        // The library copies them.
        guard let response = mhd.create_response_from_buffer(bytes.count, &bytes, .RESPMEM_MUST_COPY) else {
            return .NO
        }
        defer { mhd.destroy_response(response) }
        var headers = [("Content-Type", type), ("Cache-Control", "no-store"), ("Connection", "close")]
        if status == 405 { headers.append(("Allow", "GET")) }
        for (name, value) in headers { _ = mhd.add_response_header(response, name, value) }
        return mhd.queue_response(connection, status, response)
    }
}
