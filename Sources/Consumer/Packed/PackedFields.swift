import Compression
import Telemetry

// The columns of readings that are several numbers: positions, motions, spans of a pedometer.
//
//     of each such kind that has readings, in the order of the kinds' numbers, for each of its fields:
//         if it may be absent, a column: 0 where it is there, 1 where it is not | a column of differences
//
// The differences are those of a block (`ReadingColumns`), and begin again with each segment.

extension PackedReadings {
    /// Writes the columns of all kinds that have fields.
    func appendFields(_ writer: inout ColumnWriter) throws(CompressionError) {
        for kind in Reading.Kind.allCases where !kind.fields.isEmpty {
            let rows = segments.filter { $0.kind == kind }.map { segment in
                segment.units.flatMap { $0.readings.map(\.value.numbers) }
            }
            guard rows.contains(where: { !$0.isEmpty }) else { continue }
            for (index, field) in kind.fields.enumerated() {
                let columns = rows.map { $0.map { $0[index] } }
                if field.isOptional { try writer.append(column: columns.joined().map { $0 == nil ? 1 : 0 }) }
                let changes = columns.map { column in
                    ReadingColumns.differences(column.compactMap(\.self), isSteady: field.isSteady)
                }
                try writer.append(column: Array(changes.joined()))
            }
        }
    }
}

/// The rows of numbers, as they are read.
struct PackedFields {
    private var rows: [Reading.Kind: [[Int64?]]] = [:]
    private var cursors: [Reading.Kind: Int] = [:]

    /// - Parameter parts: the kinds of the segments, and how many readings each has.
    init(_ parts: [(kind: Reading.Kind, count: Int)], _ reader: inout ColumnReader) throws(MalformedValue) {
        for kind in Reading.Kind.allCases where !kind.fields.isEmpty {
            let counts = parts.filter { $0.kind == kind }.map(\.count)
            let total = counts.reduce(0, +)
            if total > 0 { rows[kind] = try Self.rows(of: kind, counts, total, &reader) }
        }
    }

    private static func rows(
        of kind: Reading.Kind, _ counts: [Int], _ total: Int, _ reader: inout ColumnReader
    ) throws(MalformedValue) -> [[Int64?]] {
        let fields = kind.fields
        var rows = [[Int64?]](repeating: [Int64?](repeating: nil, count: fields.count), count: total)
        for (column, field) in fields.enumerated() {
            let absent = field.isOptional ? try reader.column(total) : [Int64](repeating: 0, count: total)
            guard absent.allSatisfy({ $0 == 0 || $0 == 1 }) else {
                throw ColumnReader.malformed(.outOfRange("presence of \(field.name)"))
            }
            let changes = try reader.column(absent.reduce(total) { $0 - Int($1) })
            var (row, next) = (0, 0)
            for count in counts {
                var chain = FieldChain(field)
                for index in row..<row + count where absent[index] == 0 {
                    guard let number = chain.next(changes[next]) else {
                        throw ColumnReader.malformed(.outOfRange(field.name))
                    }
                    rows[index][column] = number
                    next += 1
                }
                row += count
            }
        }
        return rows
    }

    /// The numbers of the next reading of a kind.
    mutating func next(_ kind: Reading.Kind) -> [Int64?] {
        defer { cursors[kind, default: 0] += 1 }
        return rows[kind]?[cursors[kind] ?? 0] ?? []
    }
}
