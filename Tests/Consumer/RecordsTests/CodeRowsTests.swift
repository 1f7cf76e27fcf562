import Records
import Storage
import TestSupport
import Testing

@Suite("Rows that are good for a while", .timeLimit(.minutes(60)))
struct CodeRowsTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        _ = try Keys(state: folder.path("state"), rootKeyFile: folder.path("root.key"), .create)
        database = try Store(folder: folder.path("state")).database
    }

    private func ids() throws -> [String] {
        try database.query("SELECT id FROM codes ORDER BY id", row: Row.text)
    }

    @Test("go when they are over, and those of other purposes stay")
    func expired() throws {
        let (friends, resets) = (CodeRows(database, purpose: "friend"), CodeRows(database, purpose: "reset"))
        for time in [10, 11, 12] as [Int64] {
            try friends.insert("f\(time)", of: "ada", secret: [], expires: time)
            try resets.insert("r\(time)", of: "ada", secret: [1], expires: time)
        }
        try friends.removeExpired(at: 11)
        #expect(try ids() == ["f12", "r10", "r11", "r12"])
        try resets.removeAhead(of: 11)
        #expect(try ids() == ["f12", "r10", "r11"])
    }

    @Test("leave the latest of a subject, or of all subjects")
    func kept() throws {
        let (rows, other) = (CodeRows(database, purpose: "friend"), CodeRows(database, purpose: "reset"))
        for time in 1...4 as ClosedRange<Int64> {
            try rows.insert("a\(time)", of: "ada", secret: [], expires: time)
            try rows.insert("b\(time)", of: "bob", secret: [], expires: 10 + time)
            try other.insert("c\(time)", of: "ada", secret: [], expires: time)
        }
        try rows.keep(2, of: "ada")
        #expect(try ids() == ["a3", "a4", "b1", "b2", "b3", "b4", "c1", "c2", "c3", "c4"])
        try rows.keep(3)
        #expect(try ids() == ["b2", "b3", "b4", "c1", "c2", "c3", "c4"])
        try other.keep(0)
        #expect(try ids() == ["b2", "b3", "b4"])
    }

    @Test("of other tables go by the same column")
    func nonces() throws {
        for time in [10, 11, 12] as [Int64] {
            try database.execute(
                "INSERT INTO nonces (nonce, expires_ms) VALUES (?, ?)", [.blob([1, UInt8(time)]), .integer(time)])
        }
        try database.removeExpired(from: "nonces", at: 11)
        #expect(try database.query("SELECT expires_ms FROM nonces", row: Row.int) == [12])
    }
}
