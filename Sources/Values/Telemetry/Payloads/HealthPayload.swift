/// `health`, retained: a gateway's counters for its operators. Counters run since the gateway started unless they say
/// otherwise.
public struct HealthPayload: Payload {
    /// What waits to be stored by the consumer.
    public struct Outbox: Decodable, Hashable, Sendable {
        /// Readings in the journal, not yet in a block.
        public var journal: Int
        /// Blocks without acknowledgement.
        public var blocks: Int
        /// Bytes of those blocks.
        public var bytes: Int
        /// How many bytes the outbox may hold, counting all that it keeps.
        public var limitBytes: Int
        /// How full it is, in percent of what it may hold, counting only what must not go yet: at 100 the oldest
        /// readings are dropped for new ones. Nil if a gateway of an earlier version does not say.
        public var fullPercent: Int?
        /// Age of the oldest of them in seconds; 0 if nothing waits.
        public var oldestSeconds: Int

        /// An outbox from its parts.
        public init(
            journal: Int = 0, blocks: Int = 0, bytes: Int = 0, limitBytes: Int = 0, fullPercent: Int? = nil,
            oldestSeconds: Int = 0
        ) {
            self.journal = journal
            self.blocks = blocks
            self.bytes = bytes
            self.limitBytes = limitBytes
            self.fullPercent = fullPercent
            self.oldestSeconds = oldestSeconds
        }

        private enum CodingKeys: String, CodingKey {
            case journal, blocks, bytes
            case limitBytes = "limit_bytes"
            case fullPercent = "full_percent"
            case oldestSeconds = "oldest_s"
        }
    }

    /// Whether the gateway's disk accepts what is written.
    public enum Disk: String, Decodable, Sendable {
        /// It does.
        case ok
        /// It has no space left: readings wait in memory.
        case full
        /// It refuses for another reason, such as a damaged card or a read-only file system.
        case failing

        /// A word that only a later version knows is not good news.
        public init(from decoder: any Decoder) throws {
            self = Disk(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .failing
        }
    }

    /// Whether the gateway sees the consumer at its broker.
    public enum Consumer: String, Decodable, Sendable {
        /// It is.
        case online
        /// It is not: readings wait in the outbox.
        case offline
        /// One was there with an older store than the gateway follows: readings wait for the newer one.
        case older

        /// A word that only a later version knows is not good news.
        public init(from decoder: any Decoder) throws {
            self = Consumer(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .offline
        }
    }

    /// How many sensors there are.
    public struct Sensors: Decodable, Hashable, Sendable {
        /// Sensors in the settings.
        public var configured: Int
        /// Sensors connected now.
        public var connected: Int

        /// Counts from their parts.
        public init(configured: Int = 0, connected: Int = 0) {
            self.configured = configured
            self.connected = connected
        }
    }

    /// Unix milliseconds.
    public var time: Int64
    /// What waits.
    public var outbox = Outbox()
    /// Whether the disk accepts what is written; nil if a gateway of an earlier version does not say.
    public var disk: Disk?
    /// Since when it does not, Unix milliseconds; nil if it does.
    public var diskSince: Int64?
    /// Readings that were ever dropped because the outbox was full.
    public var dropped = 0
    /// Blocks that the consumer ever refused.
    public var dead = 0
    /// Readings of sensors without a grant.
    public var notRecorded = 0
    /// Readings appended to the outbox.
    public var recorded = 0
    /// Malformed values from sensors.
    public var malformed = 0
    /// Resident memory in KiB.
    public var memoryKilobytes = 0
    /// How many sensors there are.
    public var sensors = Sensors()
    /// The state of Bluetooth, such as `ready` or `no adapter`.
    public var bluetooth = "unknown"
    /// How often the broker was lost and found again.
    public var brokerReconnects = 0
    /// What keeps the wall clock right, such as `synchronised` or `unknown`.
    public var clock = "unknown"
    /// Sensors that have a grant.
    public var recordedSensors: [String] = []
    /// Whether each sensor has a grant: what was not recorded is then from before somebody claimed its sensor, or of a kind that its
    /// person does not have recorded, and nobody has to do anything.
    public var recordsEverySensor: Bool { sensors.configured > 0 && Set(recordedSensors).count >= sensors.configured }
    /// Whether the consumer is there; nil if the gateway is not enrolled, or of an earlier version.
    public var consumer: Consumer?

    /// Counters of zero at a moment, Unix milliseconds.
    public init(time: Int64) {
        self.time = time
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time),
            "outbox": .object(present: [
                "journal": .integer(Int64(outbox.journal)),
                "blocks": .integer(Int64(outbox.blocks)),
                "bytes": .integer(Int64(outbox.bytes)),
                "limit_bytes": .integer(Int64(outbox.limitBytes)),
                "full_percent": outbox.fullPercent.map { .integer(Int64($0)) },
                "oldest_s": .integer(Int64(outbox.oldestSeconds)),
            ]),
            "disk": disk.map { .string($0.rawValue) },
            "disk_since": diskSince.map(JSON.integer),
            "dropped": .integer(Int64(dropped)),
            "dead": .integer(Int64(dead)),
            "not_recorded": .integer(Int64(notRecorded)),
            "recorded": .integer(Int64(recorded)),
            "malformed": .integer(Int64(malformed)),
            "memory_kb": .integer(Int64(memoryKilobytes)),
            "sensors": [
                "configured": .integer(Int64(sensors.configured)),
                "connected": .integer(Int64(sensors.connected)),
            ],
            "bluetooth": .string(bluetooth),
            "broker_reconnects": .integer(Int64(brokerReconnects)),
            "clock": .string(clock),
            "recorded_sensors": .array(recordedSensors.map(JSON.string)),
            "consumer": consumer.map { .string($0.rawValue) },
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case time, outbox, disk, dropped, dead, recorded, malformed, sensors, bluetooth, clock, consumer
        case diskSince = "disk_since"
        case notRecorded = "not_recorded"
        case memoryKilobytes = "memory_kb"
        case brokerReconnects = "broker_reconnects"
        case recordedSensors = "recorded_sensors"
    }
}
