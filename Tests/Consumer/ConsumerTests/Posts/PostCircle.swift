import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport

@testable import Features
@testable import Groups
@testable import Posts

extension Circle {
    /// What somebody posts, as their reply has it. The next one is a moment later.
    func post(_ user: ID, _ text: String, to groups: [ID] = [], friends: Bool = true, picture: [UInt8]? = nil) throws -> JSON {
        defer { advance(1) }
        return try done(
            user, "posts/add",
            .object(present: [
                "text": .string(text), "friends": .bool(friends), "groups": .array(groups.map { .string($0.text) }),
                "picture": picture.map { .string(Data($0).base64EncodedString()) },
            ]))
    }

    /// The texts that somebody sees, page by page, in their order.
    func texts(_ user: ID, own: Bool = false) throws -> [String] {
        var texts: [String] = []
        var cursor: JSON?
        repeat {
            let page = try done(user, "posts/list", .object(present: ["own": .bool(own), "after": cursor]))
            texts += try elements(page, "posts").map { try $0.text("text") }
            cursor = page["next"]
        } while cursor != nil
        return texts
    }

    /// A group of some people, the first of whom has made it.
    func group(_ name: String, _ people: ID...) throws -> ID {
        try onSession { context in
            let (book, id) = (GroupBook(context.documents), try drawnID())
            try context.store.change(people) { () throws(VaultError) in
                let founder = Group.Member(id: try drawnID(), user: people[0], since: start)
                var group = Group(id: id, name: name, founder: founder)
                try book.found(group)
                for person in people.dropFirst() { try book.add(person, to: &group, competing: false, now: start) }
            }
            return id
        }
    }

    /// Takes somebody out of a group.
    func leave(_ user: ID, _ group: ID) throws {
        try onSession { context in
            let book = GroupBook(context.documents)
            guard var found = try book.group(group) else { throw TestFailure("there is no group \(group)") }
            try context.store.change(found.members.map(\.user)) { () throws(VaultError) in
                try book.remove(user, from: &found)
            }
        }
    }

    /// How many rows of posts name somebody in one of two columns, by table.
    func postRows(_ user: ID) throws -> [String: Int64] {
        try onSession { context in
            var rows: [String: Int64] = [:]
            for (table, columns) in [
                ("posts", ["person"]), ("post_pictures", ["person"]), ("post_audiences", ["person"]),
                ("post_thumbs", ["person", "author"]), ("post_reports", ["person", "author"]),
                ("post_comments", ["person", "author"]), ("reported_posts", ["person"]),
            ] {
                for column in columns {
                    rows["\(table).\(column)"] = try context.store.database.first(
                        "SELECT count(*) FROM \(table) WHERE \(column) = ?", [.text(user.text)], row: Row.int)
                }
            }
            return rows
        }
    }
}
