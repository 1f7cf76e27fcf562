/// How a session reaches its broker, and under which name.
public struct Options: Sendable {
    /// The broker's name or address; it is also the name that its certificate must carry.
    public var host: String
    /// The broker's port; 8883 is usual with TLS.
    public var port: UInt16
    /// A local socket's path, instead of host and port.
    public var socketPath: String?
    /// The client's id. Two sessions with the same id end each other's connections.
    public var clientID: String
    /// The protocol's version.
    public var version = Version.v5
    /// The user name that the broker checks.
    public var username: String?
    /// A file whose first line is the password; only its owner may be able to read it. It is read at each try, so a
    /// corrected password needs no restart.
    public var passwordFile: String?
    /// TLS, if the connection should be encrypted.
    public var tls: TLS?
    /// The longest silence before the client asks whether the broker is still there: at least 5 s.
    public var keepAlive = Duration.seconds(30)
    /// How long one try may take from the TCP connection to the broker's answer.
    public var connectTimeout = Duration.seconds(10)
    /// What the broker publishes when this client is gone without a goodbye.
    public var will: Message?
    /// How many QoS 1 messages the broker may send before it gets an acknowledgement. libmosquitto announces 20 unless
    /// told otherwise, which would cap a batch (MQTT 5 only).
    public var receiveMaximum: UInt16 = 65_535
    /// The largest packet that the broker may send, in bytes: it drops larger ones (MQTT 5 only).
    public var maximumPacketSize: UInt32 = 1 << 20
    /// How many published messages may wait to be sent or acknowledged, at most 60,000: any more are refused.
    public var outgoingLimit = 10_000
    /// A batch is committed after this many messages …
    public var batchLimit = 1_024
    /// … or when receiving it took this long, …
    public var batchDuration = Duration.milliseconds(50)
    /// … or when nothing is left to read. But while messages come fast, reading waits for more of them, a millisecond at a
    /// time, until there are this many; 0 if it never waits.
    public var batchEnough = 0

    /// A broker and a client id; everything else has a default.
    public init(host: String = "localhost", port: UInt16 = 1883, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// The versions of MQTT that are spoken here.
    public enum Version: String, Sendable {
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// How the broker proves who it is, and the client, too, if the broker asks.
    public struct TLS: Sendable {
        /// A file with the certificates of the authorities to trust. Without it and `caPath`: those of the system.
        public var caFile: String?
        /// A directory with such certificates, named by hash (`openssl rehash`).
        public var caPath: String?
        /// The client's own certificate, with `keyFile`.
        public var certificateFile: String?
        /// The private key to `certificateFile`.
        public var keyFile: String?
        /// The oldest version to agree to.
        public var minimumVersion = Version.v12
        /// Accept a certificate made out to another name. For test benches, never for a person's data.
        public var skipsNameCheck = false

        /// TLS with the system's authorities, unless told otherwise.
        public init(caFile: String? = nil) { self.caFile = caFile }

        /// Versions of TLS.
        public enum Version: String, Sendable {
            case v12 = "tlsv1.2"
            case v13 = "tlsv1.3"
        }
    }

    /// The broker as people write it: `host:port`, or the path of its socket.
    public var address: String {
        if let socketPath { return socketPath }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
