package import Records
package import Storage
package import Telemetry
import Vault

// How streams begin, change and end, and which hours have to be computed again because of it.

extension Store {
    /// A sensor's first stream has no beginning: nobody else's readings came before it, and a gateway whose clock is
    /// behind must not lose any.
    func openStream(
        _ sensor: SensorName, user: ID, secretVersion: Int64, kinds: Grant.Kinds, now: Int64
    ) throws(VaultError) {
        let sql = """
            INSERT INTO streams (id, gateway, sensor, person, secret_version, kinds, from_ms, until_ms, serial)
            VALUES (?, ?, ?, ?, ?, ?,
                CASE WHEN EXISTS (SELECT 1 FROM streams WHERE gateway = ? AND sensor = ?) THEN ? ELSE 0 END, NULL, ?)
            """
        try database.execute(
            sql,
            [
                .blob(RandomBytes.draw(16)), .text(sensor.gateway.text), .text(sensor.sensor.text), .text(user.text),
                .integer(secretVersion), .integer(Int64(kinds.rawValue)), .text(sensor.gateway.text),
                .text(sensor.sensor.text), .integer(now), .integer(nextSerial(now)),
            ])
        // If somebody else had the sensor in between, readings that an earlier stream of this person holds from
        // after its end are the person's again.
        try markStale(user, HourSpan.hour(now)...HourSpan.latest)
    }

    package func endStream(_ stream: StoredStream, now: Int64) throws(VaultError) {
        let until = max(now, stream.from)
        try database.execute(
            "UPDATE streams SET until_ms = ?, serial = ? WHERE number = ?",
            [.integer(until), .integer(nextSerial(now)), .integer(stream.number)])
        // Readings from a clock that is ahead may be stored already, and belong to another person now.
        guard let user = decoded({ () throws(MalformedValue) in try ID(stream.user) }) else { return }
        try markStale(user, HourSpan.hour(until)...HourSpan.latest)
    }

    package func setKinds(_ kinds: Grant.Kinds, of stream: StoredStream, now: Int64) throws(VaultError) {
        try database.execute(
            "UPDATE streams SET kinds = ?, serial = ? WHERE number = ?",
            [.integer(Int64(kinds.rawValue)), .integer(nextSerial(now)), .integer(stream.number)])
    }

    /// Greater than every serial before it; no less than the time, so that it also rises past the serials that a store
    /// restored from a backup has forgotten.
    package func nextSerial(_ now: Int64) throws(VaultError) -> Int64 {
        let last = try database.first("SELECT coalesce(max(serial), 0) FROM streams", row: Row.int) ?? 0
        return max(last + 1, now)
    }
}
