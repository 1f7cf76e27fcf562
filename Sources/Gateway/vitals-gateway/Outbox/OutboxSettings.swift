import Daemon

/// `outbox`: when readings go to the disk, and how much is kept.
struct OutboxSettings {
    /// Readings reach the disk after this time at the latest, so a power cut loses at most that much.
    let flushInterval: Duration
    /// Readings become a block after this time at the latest.
    let blockInterval: Duration
    /// How long acknowledged blocks are kept.
    let retention: Duration
    /// How many bytes the outbox may hold.
    let limit: Int

    init(_ section: Section) throws(SettingsError) {
        flushInterval = try section.duration(
            "flush_interval", in: .milliseconds(100) ... .seconds(60), default: .seconds(5))
        blockInterval = try section.duration(
            "block_interval", in: .milliseconds(100) ... .seconds(600), default: .seconds(10))
        retention = try section.duration(
            "retention", in: .seconds(3600) ... .seconds(366 * 86400), default: .seconds(14 * 86400))
        limit = try section.bytes("limit", in: 1_000_000...1_000_000_000_000, default: 256_000_000)
    }
}
