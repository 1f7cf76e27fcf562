/// To which person's stream a sensor's readings go: from which time to which, sealed to which key, and which kinds of
/// readings to record.
///
/// ```
/// serial u64 | sensor: length 1, ASCII | stream 16 | from i64 | until i64, 0 = open | public key 32 | kinds u8
/// ```
public struct Grant: Hashable, Sendable {
    /// Kinds of readings, and whether to have them at once, too.
    public struct Kinds: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Heart rate.
        public static let heartRate = Kinds(rawValue: 1 << 0)
        /// Steps.
        public static let steps = Kinds(rawValue: 1 << 1)
        /// Temperature.
        public static let temperature = Kinds(rawValue: 1 << 2)
        /// Positions.
        public static let position = Kinds(rawValue: 1 << 3)
        /// Speed, distance, cadence and power.
        public static let motion = Kinds(rawValue: 1 << 4)
        /// Steps by a phone's pedometer.
        public static let pedometer = Kinds(rawValue: 1 << 5)
        /// Not a kind: readings of the kinds beside it are also sent at once, in live blocks.
        public static let live = Kinds(rawValue: 1 << 7)
        /// All kinds, without `live`.
        public static let all: Kinds = [.heartRate, .steps, .temperature, .position, .motion, .pedometer]

        /// A kind alone.
        public init(_ kind: Reading.Kind) {
            self =
                switch kind {
                case .heartRate: .heartRate
                case .steps: .steps
                case .temperature: .temperature
                case .position: .position
                case .motion: .motion
                case .pedometer: .pedometer
                }
        }

        /// Whether a kind is among them.
        public func includes(_ kind: Reading.Kind) -> Bool { contains(Kinds(kind)) }
    }

    /// It only rises: of two grants for a sensor, the one with the greater serial applies. It is at least the time at
    /// which the grant was made, in Unix milliseconds.
    public var serial: UInt64
    /// The sensor.
    public var sensor: ID
    /// The stream that its readings go to.
    public var stream: StreamID
    /// The first moment of the stream, Unix milliseconds.
    public var from: Int64
    /// The moment at which it has ended, Unix milliseconds; nil while it is open.
    public var until: Int64?
    /// The person's X25519 public key, 32 bytes: what session keys are sealed to.
    public var personPublicKey: [UInt8]
    /// What to record.
    public var kinds: Kinds

    /// A grant from its parts; refuses a key of another length. An `until` of 0 is taken for nil, as on the wire.
    public init(
        serial: UInt64, sensor: ID, stream: StreamID, from: Int64, until: Int64?, personPublicKey: [UInt8],
        kinds: Kinds
    ) throws(MalformedValue) {
        guard personPublicKey.count == 32 else {
            throw MalformedValue("grant", .outOfRange("public key, 32 bytes"))
        }
        self.serial = serial
        self.sensor = sensor
        self.stream = stream
        self.from = from
        self.until = until == 0 ? nil : until
        self.personPublicKey = personPublicKey
        self.kinds = kinds
    }

    /// Whether to record a reading of this kind, which came while this grant was the latest.
    public func covers(_ kind: Reading.Kind, at wall: Int64) -> Bool {
        kinds.includes(kind) && !hasEnded(at: wall)
    }

    /// Whether the stream has ended.
    ///
    /// A gateway's clock may be wrong, and must not decide alone. `from` is not checked: a gateway that holds the grant
    /// is past it, whatever the clock says. An end that lay in the past when the grant was made has come, too; an end
    /// that was still ahead is waited for.
    public func hasEnded(at wall: Int64) -> Bool {
        guard let until else { return false }
        return wall >= until || until <= Int64(clamping: serial)
    }

    init(from reader: inout ByteReader) throws(MalformedValue) {
        serial = try reader.uint64Big()
        sensor = try ID(from: &reader)
        stream = try StreamID(from: &reader)
        from = try reader.int64Big()
        let end = try reader.int64Big()
        until = end == 0 ? nil : end
        personPublicKey = Array(try reader.take(32))
        kinds = Kinds(rawValue: try reader.byte())
        guard kinds.subtracting([.all, .live]).isEmpty else {
            throw reader.malformed(.unsupported("kinds \(kinds.rawValue)"))
        }
    }

    func append(to bytes: inout [UInt8]) {
        bytes.appendBig(serial)
        sensor.append(to: &bytes)
        bytes += stream.bytes
        bytes.appendBig(UInt64(bitPattern: from))
        bytes.appendBig(UInt64(bitPattern: until ?? 0))
        bytes += personPublicKey
        bytes.append(kinds.rawValue)
    }
}
