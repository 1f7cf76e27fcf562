public import Daemon
import Glibc

/// The section `metrics`, without which nothing is published:
///
/// ```
/// listen: "127.0.0.1:9187", beyond_loopback: false, file: "/var/lib/…/vitals.prom", interval: "15 s"
/// ```
public struct MetricsSettings: Hashable, Sendable {
    /// Where metrics can be asked for: an address in numbers, and a port.
    public let listen: (host: String, port: UInt16)?
    /// Where they are written; its name ends with `.prom`.
    public let file: String?
    /// How often they are written.
    public let interval: Duration

    public init(_ section: Section) throws(SettingsError) {
        let isOpen = try section.bool("beyond_loopback", default: false)
        listen = try section.string("listen", default: nil).map { text throws(SettingsError) in
            guard let listen = Self.address(text) else {
                throw section.refusal(
                    of: "listen", "expected an address in numbers and a port",
                    hint: "such as \"127.0.0.1:9187\" or \"[::1]:9187\"")
            }
            guard isOpen || Self.isLoopback(listen.host) else {
                throw section.refusal(
                    of: "listen", "\(listen.host) can be reached from other machines, and whoever reaches it may read",
                    hint: "listen on 127.0.0.1 or [::1]; or say beyond_loopback: true, and keep others out yourself")
            }
            return listen
        }
        file = try section.path("file", default: nil)
        interval = try section.duration("interval", in: .seconds(1) ... .seconds(3600), default: .seconds(15))
        if let file, !file.hasSuffix(".prom") {
            throw section.refusal(of: "file", "its name has to end with .prom: the node exporter reads no other")
        }
        guard listen != nil || file != nil else {
            throw section.missing(
                "listen", "neither \"listen\" nor \"file\" is there: nobody could read the metrics",
                hint: "such as metrics: { listen: \"127.0.0.1:9187\" }; or leave out metrics")
        }
    }

    public static func == (one: Self, other: Self) -> Bool { one.parts == other.parts }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    private var parts: [String?] { [listen?.host, listen.map { "\($0.port)" }, file, "\(interval)"] }

    private static func address(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            return nil
        }
        var host = String(text[..<colon])
        var space = in6_addr()
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            return inet_pton(AF_INET6, host, &space) == 1 ? (host, port) : nil
        }
        return inet_pton(AF_INET, host, &space) == 1 ? (host, port) : nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.contains(":") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else { return false }
            return withUnsafeBytes(of: &address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
        return host.hasPrefix("127.")
    }
}
