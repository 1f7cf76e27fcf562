package import Contract
package import Files
package import Records
import Storage
package import Telemetry

/// How much is stored of a person.
package enum StoredExtent {
    /// What `Store.extent` has.
    package static let schema = PayloadSchema.object(
        "StoredExtent", "How much is stored of a person.",
        ReadingKind.allCases.map { .always($0.rawValue, .count) } + [
            .always("blocks", .count), .always("documents", .array(of: .text)),
        ])
}

extension Store {
    /// The names of the documents that are kept of a person, beside readings.
    package func documents(of user: ID) throws(VaultError) -> [String] {
        try database.query(
            "SELECT name FROM documents WHERE person = ? ORDER BY name", [.text(user.text)], row: Row.text)
    }

    /// How many readings there are of a person.
    package func readings(of user: ID) throws(VaultError) -> [ReadingKind: Int64] {
        let numbers = try counts(of: user)
        var readings: [ReadingKind: Int64] = [:]
        for kind in ReadingKind.allCases { readings[kind] = numbers[Int64(kind.kind.rawValue)] }
        return readings
    }

    /// The numbers by kind; 0 stands for blocks.
    private func counts(of user: ID) throws(VaultError) -> [Int64: Int64] {
        var numbers: [Int64: Int64] = [:]
        try database.forEach(
            """
            SELECT kind, sum(counts.number) AS number FROM counts JOIN streams ON streams.number = counts.stream
            WHERE person = ? GROUP BY kind
            """, [.text(user.text)]
        ) { row throws(VaultError) in numbers[try row.int("kind")] = try row.int("number") }
        return numbers
    }

    /// How much is stored of a person.
    package func extent(of user: ID, _ features: [Feature]) throws(VaultError) -> JSON {
        let numbers = try counts(of: user)
        let kept = features.keptDocuments
        let documents = try documents(of: user).filter { !kept.contains($0) }
        let readings = ReadingKind.allCases.map { kind in
            JSON.Member(kind.rawValue, .integer(numbers[Int64(kind.kind.rawValue)] ?? 0))
        }
        return .object(
            readings + [
                JSON.Member("blocks", .integer(numbers[0] ?? 0)),
                JSON.Member("documents", .array(documents.map { .string($0) })),
            ])
    }
}
