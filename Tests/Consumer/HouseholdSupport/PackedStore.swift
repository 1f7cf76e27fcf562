import Files
package import Readings
import Records
import Storage
package import Telemetry

extension Parts {
    package var packer: HourPacker { HourPacker(store: store, keys: keys, deletions: ingest.totals.deletions) }

    /// Packs every hour before this one, whatever is newest.
    package func pack(
        before hour: Int64 = .max, mark: Int64 = .max, settled: Int64 = .max, forgetting user: ID? = nil
    ) throws {
        var pass = PackingPass(packer, before: hour, mark: mark, settled: settled) { $0 == user }
        while try pass.goOn(until: 0) {}
    }

    /// How many rows of blocks there are with a condition.
    package func rows(_ condition: String) throws -> Int {
        Int(try store.database.first("SELECT count(*) FROM blocks WHERE \(condition)", row: Row.int) ?? -1)
    }
}
