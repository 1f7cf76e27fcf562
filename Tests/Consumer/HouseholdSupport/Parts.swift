import Daemon
import Files
package import Readings
package import Records
package import Storage
package import Telemetry
import TestSupport

/// What `Household.open` has opened.
package struct Parts {
    package let settings: HouseholdSettings
    package let keys: Keys
    package let store: Store
    package let grants: Grants
    package var ingest: Ingest
    /// Tables beside the store's own.
    private let schema: Schema
    private var now: UInt64 = 0

    package init(
        settings: HouseholdSettings, keys: Keys, store: Store, grants: Grants, ingest: Ingest,
        schema: Schema = Schema()
    ) {
        self.schema = schema
        self.settings = settings
        self.keys = keys
        self.store = store
        self.grants = grants
        self.ingest = ingest
    }

    /// The grant of a sensor of the gateway `home`.
    package func grant(_ sensor: String = "strap") throws -> Grant {
        guard let found = try grants.current().first(where: { $0.grant.sensor.text == sensor }) else {
            throw TestFailure("no grant for \(sensor)")
        }
        return found.grant
    }

    /// A session of a gateway's under the current grant.
    package func session(_ household: Household, _ sensor: String = "strap", boot: UInt64 = 1) throws -> GatewaySession
    {
        try GatewaySession(grant(sensor), household.home, boot: BootID(high: 0, low: boot))
    }

    /// Hands in a batch and commits it, a minute and a bit later each time unless told otherwise.
    package mutating func take(
        _ blocks: [UInt8]..., from gateway: String = "home", later milliseconds: UInt64 = 61_000
    ) throws -> [Answer] {
        try take(all: blocks, from: gateway, later: milliseconds).answers
    }

    package mutating func take(
        all blocks: [[UInt8]], grants: [[UInt8]] = [], from gateway: String = "home",
        later milliseconds: UInt64 = 61_000,
        wall: Int64 = start
    ) throws -> (answers: [Answer], reports: [Report]) {
        now += milliseconds
        for grant in grants { ingest.collect(grant: grant, from: try ID(gateway)) }
        for block in blocks { ingest.collect(block, from: try ID(gateway)) }
        return try ingest.commit(now: now, wall: wall)
    }

    /// How many rows a table has.
    package func count(_ table: String) throws -> Int {
        Int(try store.database.first("SELECT count(*) FROM \(table)", row: Row.int) ?? -1)
    }

    /// What is stored of a person, opened, as the `readings` command prints it.
    package func printed(
        _ kind: ReadingKind = .heartRate, user: String = "demo", from: Int64 = -Moment.limit, to: Int64 = Moment.limit
    ) throws -> [String] {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true, adding: schema)
        let user = try ID(user)
        guard try keys.version(of: user) != nil else { throw TestFailure("there is no person \(user)") }
        var lines: [String] = []
        let unreadable = try store.database.snapshot { () throws(VaultError) in
            try StoredReadings(store: store, keys: keys).forEach(of: user, kind.kind, from: from, to: to) {
                lines.append(String(decoding: $0.published, as: UTF8.self))
            }
        }
        guard unreadable == 0 else { throw TestFailure("\(unreadable) stored blocks do not open") }
        return lines
    }

    /// What a check of streams, blocks, documents and keys finds, beside whoever has them open.
    package func streamFindings() throws -> Findings {
        try Findings(Store(folder: settings.state, readOnly: true, adding: schema), Keys(settings, .read))
    }
}
