import DaysSupport
import Files
import HouseholdSupport
import Readings
import Records
import Storage
import Testing

@testable import Days

/// Another program, such as a command of the operator, works on the same database, and nobody tells this one.
@Suite("What another program changes of a person", .timeLimit(.minutes(60)))
struct OtherProgramTests {
    @Test("is known to the next batch of theirs: a range that was deleted is not counted, though it was read before")
    func deleted() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        _ = try hearts.parts.take(session.block([beat(0, 60)]))
        #expect(try hearts.parts.ingest.totals.deletions.ranges(of: hearts.demo).isEmpty)
        let other = try Store(folder: hearts.parts.settings.state)
        let hidden = start + 60_000..<start + 120_000
        _ = try Deletions(other, hearts.parts.keys).hide(hidden, of: hearts.demo)
        _ = try hearts.parts.take(all: [session.block([beat(60_000, 160)]), session.block([beat(120_000, 61)])])
        let minutes = try hearts.tiers.minutes(of: hearts.demo, in: start..<start + 600_000).together
        #expect(minutes.count == 2)
        #expect(try hearts.parts.ingest.totals.deletions.ranges(of: hearts.demo).ranges == [hidden])
    }

    @Test("can only be changed by a transaction that names them")
    func named() throws {
        let hearts = try Hearts()
        let store = hearts.parts.store
        let documents = Documents(store: store, keys: hearts.parts.keys)
        try store.change(hearts.demo) { () throws(VaultError) in try documents.write([:], "note", of: hearts.demo) }
        #expect(throws: VaultError.self) {
            try store.database.transaction { () throws(VaultError) in try documents.remove("note", of: hearts.demo) }
        }
        #expect(try documents.read("note", of: hearts.demo) == [:])
    }
}
