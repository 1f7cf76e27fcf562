import Compression
import Fitness
package import Records
package import Storage
package import Telemetry

/// The tables with cells of heart rate, one row for each person and period.
package enum HeartRateTable: String, CaseIterable {
    /// The minutes of an hour, as they come in.
    case hours
    /// The minutes of a day's closed hours.
    case days
    /// The closed hours of a month: the samples of the best source of each minute; without slots.
    case months

    /// The table's name.
    package var name: String { "heart_rate_\(rawValue)" }

    /// Its column for the period: hours and days since 1970, UTC, and months: those of 1970 are 0 to 11.
    package var column: String {
        switch self {
        case .hours: "hour"
        case .days: "day"
        case .months: "month"
        }
    }

    /// How many cells a period has at most.
    package var capacity: Int {
        switch self {
        case .hours: 60
        case .days: 24 * 60
        case .months: 31 * 24
        }
    }

    /// The number of a period's first cell, from 1970 on: minutes, or those of months are hours.
    func first(of period: Int64) -> Int64 {
        self == .months ? HeartRateHour.first(ofMonth: period) : period * Int64(capacity)
    }

    /// Hours are written with each batch, and soon gone again; what stays is compressed.
    var isCompressed: Bool { self != .hours }
}

/// How each table identifies an hour.
struct HeartRateHour: Hashable {
    /// Since 1970, UTC.
    let number: Int64

    init(_ number: Int64) { self.number = number }

    var milliseconds: Range<Int64> { number * 3_600_000..<(number + 1) * 3_600_000 }
    var day: Int64 { number.floorDivided(by: 24) }
    /// Where its minutes begin in the row of its day.
    var placeInDay: Int { Int(number - day * 24) * 60 }
    var placesInDay: Range<Int> { placeInDay..<placeInDay + 60 }
    var month: Int64 {
        let day = CalendarDay(daysSince1970: day)
        return (Int64(day.year) - 1970) * 12 + Int64(day.month) - 1
    }
    /// Where it is in the row of its month.
    var placeInMonth: Int { Int(number - Self.first(ofMonth: month)) }

    /// The first hour of a month.
    static func first(ofMonth month: Int64) -> Int64 {
        // 4,800 months have 146,097 days, and no month is further than ten days from where it would be if all were of
        // one length.
        let middle = CalendarDay(daysSince1970: (month * 146_097).floorDivided(by: 4800) + 15)
        return (middle.daysSince1970 - Int64(middle.day - 1)) * 24
    }
}

/// Reads and writes rows of cells, sealed under the person's row key. A row is written under the latest version of
/// their secret, bound to table, person, period and version. Belongs to the thread of its store and keys.
package struct HeartRateRows {
    package let store: Store
    package let keys: Keys
    private let zstandard = Zstandard()

    init(_ store: Store, _ keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// What was found when a row was read.
    package enum Found {
        case none
        case cells(HeartRateCells)
        /// The row does not open: its contents must be counted again.
        case damaged
        /// The row's secret is not there: its person is being forgotten, or the secret is damaged, and may come back.
        case locked
    }

    package func read(_ table: HeartRateTable, _ period: Int64, of user: ID) throws(VaultError) -> Found {
        let row = try store.database.first(
            "SELECT secret_version, sealed FROM \(table.name) WHERE person = ? AND \(table.column) = ?",
            [.text(user.text), .integer(period)]
        ) { row throws(VaultError) in try row.sealedRow() }
        guard let row else { return .none }
        guard try keys.person(user.text, version: row.version) != nil else { return .locked }
        guard let bytes = try opened(row, table, period, of: user),
            let cells = HeartRateCells(bytes, capacity: table.capacity)
        else { return .damaged }
        return .cells(cells)
    }

    /// Which version of the secret a row is under; nil if there is no row.
    package func version(_ table: HeartRateTable, _ period: Int64, of user: ID) throws(VaultError) -> Int64? {
        try store.database.first(
            "SELECT secret_version FROM \(table.name) WHERE person = ? AND \(table.column) = ?",
            [.text(user.text), .integer(period)], row: Row.int)
    }

    /// Keeps cells in place of the old ones; a row without cells is removed. A person who no longer has a secret has no
    /// rows.
    package func write(_ cells: HeartRateCells, _ table: HeartRateTable, _ period: Int64, of user: ID)
        throws(VaultError)
    {
        guard !cells.isEmpty else { return try delete(table, period, of: user) }
        var bytes = cells.bytes
        if table.isCompressed { bytes = try compressed(bytes) }
        let row = try keys.seal(bytes, of: user) { Self.context(table, period, user, $0) }
        guard let (version, sealed) = row else { return }
        try store.database.execute(
            """
            INSERT INTO \(table.name) (person, \(table.column), secret_version, sealed) VALUES (?, ?, ?, ?)
            ON CONFLICT (person, \(table.column)) DO UPDATE SET
                secret_version = excluded.secret_version, sealed = excluded.sealed
            """, [.text(user.text), .integer(period), .integer(version), .blob(sealed)])
    }

    /// The periods within a range that have a row, in order.
    func periods(
        _ table: HeartRateTable, _ periods: ClosedRange<Int64>, of user: ID
    ) throws(VaultError) -> [Int64] {
        try store.database.query(
            "SELECT \(table.column) FROM \(table.name) WHERE person = ? AND \(table.column) BETWEEN ? AND ? ORDER BY \(table.column)",
            [.text(user.text), .integer(periods.lowerBound), .integer(periods.upperBound)], row: Row.int)
    }

    package func delete(_ table: HeartRateTable, _ period: Int64, of user: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM \(table.name) WHERE person = ? AND \(table.column) = ?", [.text(user.text), .integer(period)])
    }

    /// Shows the cells of each source of some periods, by the periods' order and within each by sources, with their numbers from 1970
    /// on. Rows that do not open are left out.
    package func forEach(
        _ table: HeartRateTable, _ periods: ClosedRange<Int64>, of user: ID,
        _ body: (_ part: HeartRateCells.Cells) -> Void
    ) throws(VaultError) {
        try store.database.forEach(
            """
            SELECT \(table.column) AS period, secret_version, sealed FROM \(table.name)
            WHERE person = ? AND \(table.column) BETWEEN ? AND ? ORDER BY \(table.column)
            """, [.text(user.text), .integer(periods.lowerBound), .integer(periods.upperBound)]
        ) { row throws(VaultError) in
            let period = try row.int("period")
            guard let bytes = try opened(row.sealedRow(), table, period, of: user) else { return }
            let parts = HeartRateCells.parts(of: bytes, capacity: table.capacity, first: table.first(of: period))
            for part in parts ?? [] { body(part) }
        }
    }

    private func opened(
        _ row: SealedRow, _ table: HeartRateTable, _ period: Int64, of user: ID
    ) throws(VaultError) -> [UInt8]? {
        guard let bytes = try keys.open(row, of: user, { Self.context(table, period, user, $0) }) else { return nil }
        guard table.isCompressed else { return bytes }
        do throws(CompressionError) { return try zstandard.decompress(bytes[...], atMost: 1 << 20) } catch {
            return nil
        }
    }

    private func compressed(_ bytes: [UInt8]) throws(VaultError) -> [UInt8] {
        do throws(CompressionError) { return try zstandard.compress(bytes) } catch {
            throw VaultError("compress heart rates", .misuse, said: "\(error)")
        }
    }

    /// What a row's sealing is bound to.
    package static func context(_ table: HeartRateTable, _ period: Int64, _ user: ID, _ version: Int64) -> RowContext {
        RowContext(table.name, user.text, "\(period)", "\(version)")
    }
}
