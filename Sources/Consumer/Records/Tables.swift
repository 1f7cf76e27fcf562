import Files
package import Storage
import Vault

// The tables of vitals.db, as they are now; Schema.swift says what they are for. A feature's own are in its value.

extension Store {
    package static let schema = Schema(steps: migrations, tables: streamTables + peopleTables + dayTables)

    /// Writes what a new file begins with.
    static func fill(_ database: Database) throws(VaultError) {
        try database.execute("INSERT INTO store (id) VALUES (?)", [.blob(try RandomBytes.draw(16))])
    }

    private static let streamTables = [
        Table("store", [.blob("id", length: 16)]),
        Table(
            "streams",
            [
                .number("number"), .blob("id", length: 16).unique, .text("gateway"), .text("sensor"), .text("person"),
                .integer("secret_version"), .integer("kinds"), .integer("from_ms"), .integer("until_ms").optional,
                .integer("serial").unique, .integer("counted", usually: 1),
            ],
            indexes: [
                Index("open_streams", ["gateway", "sensor"], isUnique: true, where: "until_ms IS NULL"),
                Index("streams_by_user", ["person"]), Index("streams_by_sensor", ["gateway", "sensor", "serial"]),
            ]),
        Table(
            "sessions",
            [
                .number("number"), .reference("stream", to: "streams"), .blob("session", length: 8),
                .blob("boot", length: 16), .blob("sealed_key"), .integer("after_block", usually: 0),
            ], unique: [["stream", "session"]]),
        Table(
            "ledger", [.reference("session", to: "sessions"), .integer("seq"), .blob("digest", length: 32)],
            key: ["session", "seq"]),
        Table(
            "ledger_runs", [.reference("session", to: "sessions"), .integer("first_seq"), .blob("digests")],
            key: ["session", "first_seq"]),
        Table(
            "blocks",
            [
                .number("number"), .reference("stream", to: "streams"), .reference("session", to: "sessions"),
                .integer("seq"), .integer("type"), .integer("kinds"), .integer("first_hour"), .integer("hours_more"),
                .blob("sealed"),
            ],
            indexes: [
                Index("blocks_by_hour", ["stream", "first_hour"]),
                Index("long_blocks", ["stream", "hours_more"], where: "hours_more > 0"),
                Index("clock_blocks", ["stream"], where: "type = 4"),
                Index("unpacked_blocks", ["first_hour"], where: "type = 2"),
                Index("loose_blocks", ["stream"], where: "type = 3"),
            ]),
        Table(
            "records",
            [.reference("session", to: "sessions"), .integer("record"), .reference("block", to: "blocks")],
            key: ["session", "record"], indexes: [Index("records_by_block", ["block"])]),
        Table(
            "counts", [.reference("stream", to: "streams"), .integer("kind"), .integer("number")],
            key: ["stream", "kind"]),
    ]

    private static let peopleTables = [
        Table("people", [.text("person"), .integer("epoch")], key: ["person"]),
        Table(
            "accounts",
            [
                .text("person"), .blob("email", length: 32).optional.unique,
                .blob("phone", length: 32).optional.unique, .blob("password").optional,
                .integer("failures", usually: 0), .integer("created_ms"), .integer("verified_ms").optional,
                .integer("codes_ended_ms", usually: 0),
            ], key: ["person"]),
        Table(
            "subjects", [.blob("subject", length: 32), .text("person"), .text("provider")], key: ["subject"],
            indexes: [Index("subjects_by_user", ["person"])]),
        Table(
            "devices",
            [
                .text("device"), .text("person"), .blob("credential"), .integer("created_ms"),
                .integer("secret_version"), .blob("name"),
            ], key: ["device"], indexes: [Index("devices_by_user", ["person"])]),
        Table(
            "documents", [.text("person"), .text("name"), .integer("secret_version"), .blob("sealed")],
            key: ["person", "name"]),
        Table(
            "codes",
            [
                .text("id"), .text("purpose"), .text("subject"), .blob("secret"), .integer("expires_ms"),
                .integer("tries", usually: 0),
            ], key: ["id"], indexes: [Index("codes_by_subject", ["purpose", "subject"])]),
        Table(
            "gateways",
            [
                .text("gateway"), .text("owner").optional, .blob("identity", length: 32), .blob("credential"),
                .blob("claim_key"), .integer("household", usually: 0), .integer("enrolled_ms"),
            ], key: ["gateway"], indexes: [Index("gateways_by_owner", ["owner"])]),
        Table("ended_gateways", [.text("gateway")], key: ["gateway"]),
        Table(
            "claims",
            [.text("gateway"), .text("sensor"), .text("person"), .integer("kinds"), .integer("claimed_ms")],
            key: ["gateway", "sensor"], indexes: [Index("claims_by_user", ["person"])]),
        Table(
            "used_claim_codes", [.text("gateway"), .text("sensor"), .integer("slot"), .integer("nonce")],
            key: ["gateway", "sensor", "slot", "nonce"]),
        Table("nonces", [.blob("nonce"), .integer("expires_ms")], key: ["nonce"]),
        Table(
            "forgotten", [.text("person"), .integer("version"), .integer("time_ms"), .integer("account")],
            key: ["person"]),
        Table("forgotten_streams", [.blob("id", length: 16), .blob("public_key").optional], key: ["id"]),
    ]

    private static let dayTables = [
        Table(
            "days", [.text("person"), .integer("day"), .integer("secret_version"), .blob("sealed")],
            key: ["person", "day"]),
        Table(
            "heart_rate_hours", [.text("person"), .integer("hour"), .integer("secret_version"), .blob("sealed")],
            key: ["person", "hour"], indexes: [Index("open_heart_rate_hours", ["hour"])]),
        Table(
            "heart_rate_days",
            [.number("number"), .text("person"), .integer("day"), .integer("secret_version"), .blob("sealed")],
            unique: [["person", "day"]]),
        Table(
            "heart_rate_months",
            [.number("number"), .text("person"), .integer("month"), .integer("secret_version"), .blob("sealed")],
            unique: [["person", "month"]]),
        Table(
            "stale", [.number("number"), .text("person"), .integer("first_hour"), .integer("last_hour")],
            indexes: [Index("stale_by_user", ["person"])]),
        Table(
            "notifications",
            [
                .number("number"), .text("id").unique, .text("person"), .integer("secret_version"), .blob("sealed"),
                .integer("published", usually: 0), .integer("confirmed", usually: 0), .integer("alert", usually: 0),
                .blob("about", length: 32).optional,
            ],
            indexes: [
                Index("notifications_by_user", ["person", "number"]),
                Index("notifications_about", ["about"], where: "about IS NOT NULL"),
                Index("unpublished_notifications", ["number"], where: "published = 0"),
            ]),
        Table(
            "answered",
            [
                .blob("digest", length: 32), .text("person"), .integer("secret_version"), .blob("sealed"),
                .integer("expires_ms"),
            ], key: ["digest"], indexes: [Index("answered_by_user", ["person"])]),
    ]
}
