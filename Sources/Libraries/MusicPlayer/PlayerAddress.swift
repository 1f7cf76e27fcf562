import Reactor

/// Where Music Player Daemon listens: a socket of this machine, or an address at home. What it says goes over the wire
/// as it is, and a password does, too, so it must not be an address of the internet.
public struct PlayerAddress: Hashable, Sendable, CustomStringConvertible {
    private let address: StreamAddress

    /// The port that it listens at unless somebody has set it up otherwise.
    public static let usualPort: UInt16 = 6600

    /// An absolute path, `127.0.0.1:6600`, `[::1]:6600`, or an address without a port; nil for anything else: a name, an
    /// address that is not at home, or a path that is too long for a socket (107 bytes).
    public init?(_ text: String) {
        guard let address = text.hasPrefix("/") ? StreamAddress(path: text) : Self.port(text),
            address.hostBytes.map(Self.isAtHome) ?? true
        else { return nil }
        self.address = address
    }

    private static func port(_ text: String) -> StreamAddress? {
        var (host, port) = (Substring(text), Substring("\(usualPort)"))
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port) else { return nil }
        return StreamAddress(host: String(host), port: number)
    }

    /// Loopback, and the private networks of RFC 1918 and RFC 4193.
    private static func isAtHome(_ bytes: [UInt8]) -> Bool {
        switch (bytes.count, bytes[0], bytes[1]) {
        case (4, 127, _), (4, 10, _), (4, 192, 168), (4, 172, 16...31): true
        case (16, 0xFC...0xFD, _): true
        case (16, _, _): bytes == [UInt8](repeating: 0, count: 15) + [1]
        default: false
        }
    }

    /// Whether it is on this machine: then trying again costs nearly nothing.
    var isLocal: Bool {
        switch address {
        case .socket: true
        case .version4(let host, _): host.hasPrefix("127.")
        case .version6(let host, _): host == "::1"
        }
    }

    /// `/run/mpd/socket`, `127.0.0.1:6600`
    public var description: String { address.description }

    /// A socket that has begun to connect and blocks nobody; errno's number where there is none.
    func connect() -> (descriptor: Int32, error: Int32) { address.connect() }
}
