import Reactor

/// Where gpsd listens: an address, not a name. Looking a name up may take long, and gpsd is on this machine nearly
/// always.
public struct ReceiverAddress: Hashable, Sendable, CustomStringConvertible {
    /// An address of IPv4 or IPv6.
    public let host: String
    /// From 1 to 65535.
    public let port: UInt16

    private let address: StreamAddress

    /// Where gpsd listens unless somebody has set it up otherwise.
    public static let usual = ReceiverAddress(loopbackPort: 2947)

    /// A port of 127.0.0.1.
    public init(loopbackPort port: UInt16) {
        host = "127.0.0.1"
        self.port = port
        address = .version4(host, port)
    }

    /// Nil where `host` is no address of IPv4 or IPv6, such as a name.
    public init?(host: String, port: UInt16) {
        guard let address = StreamAddress(host: host, port: port) else { return nil }
        self.host = host
        self.port = port
        self.address = address
    }

    /// `127.0.0.1:2947`
    public var description: String { address.description }

    /// A socket that has begun to connect and blocks nobody; errno's number where there is none.
    func connect() -> (descriptor: Int32, error: Int32) { address.connect() }
}
