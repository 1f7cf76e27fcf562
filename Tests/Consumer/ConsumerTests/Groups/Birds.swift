import Records
import Storage
import Telemetry
import TestSupport

@testable import Groups
@testable import vitals_consumer

extension Circle {
    /// A group that somebody has made, and that the others have joined by its code.
    /// - Returns: its id.
    func group(of owner: ID, with others: [ID], competing isCompeting: Bool = true) throws -> JSON {
        let group = try id(done(owner, "groups/create", ["name": "The early birds"]), "group")
        if isCompeting { try done(owner, "groups/compete", ["group": group, "compete": true]) }
        let code = try done(owner, "groups/code", ["group": group])["code"] ?? .null
        for other in others { try done(other, "groups/join", ["code": code, "compete": .bool(isCompeting)]) }
        return group
    }

    /// A member that is an id, as another request takes it.
    func id(_ json: JSON, _ name: String) throws -> JSON { .string(try json.text(name)) }

    /// The ranks and values of a group's table, as somebody sees it.
    func table(_ user: ID, _ group: JSON, from: String? = nil) throws -> [String] {
        let data = try done(user, "groups/table", .object(present: ["group": group, "from": from.map(JSON.string)]))
        return try rows(data)
    }

    /// `1 Ada 500`
    func rows(_ table: JSON) throws -> [String] {
        try elements(table, "rows").map { row in
            guard case .integer(let rank)? = row["rank"], case .integer(let value)? = row["value"] else {
                throw TestFailure("\(row)")
            }
            return "\(rank) \(try row.text("name")) \(value)"
        }
    }

    /// The texts of a person's notifications of a kind.
    func told(_ user: ID, _ kind: String) throws -> [String] {
        try notifications(user, all: true).filter { $0["kind"] == .string(kind) }.map { try $0.text("text") }
    }

    /// Waits until a person's table of a group says this; nil until it is taken back.
    func waitForTable(_ user: ID, _ group: JSON, _ rows: [String]?) throws {
        guard case .string(let id) = group else { throw TestFailure("\(group)") }
        try wait(user, "groups/\(id)/table") { json in
            guard let json else { return rows == nil }
            return (try? self.rows(json)) == rows
        }
    }

    /// Has tables shown as soon as something changes, so that no test waits for ten seconds.
    func hurryTables() throws {
        _ = try onSession { [consumer] _ in consumer.features.only(Groups.self)?.interval = 0 }
    }
}
