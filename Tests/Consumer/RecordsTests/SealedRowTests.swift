import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@Suite("Sealed rows", .timeLimit(.minutes(60)))
struct SealedRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func keys() throws -> Keys {
        try Keys(state: folder.path("state"), rootKeyFile: folder.path("root.key"), .create)
    }

    @Test("are bound to the bytes that stored rows have")
    func layouts() throws {
        let ada = try ID("ada")
        #expect(RowContext("check").bytes == Array("check".utf8))
        #expect(RowContext("reset", "c1").bytes == Array("reset\0c1".utf8))
        #expect(Documents.context("profile", ada, 7).bytes == Array("document\0profile\0ada\07".utf8))
        #expect(RowContext("packed", fixed: [1, 0, 2]).bytes == Array("packed".utf8) + [1, 0, 2])
    }

    @Test("open under their key and with their context, and with no other")
    func bound() throws {
        let (key, other) = (RowKey(try .random()), RowKey(try .random()))
        let context = RowContext("days", "ada", "1", "1")
        let sealed = try key.seal([1, 2, 3], context)
        #expect(sealed.count == 3 + RowKey.overhead)
        #expect(try key.open(sealed, context) == [1, 2, 3])
        #expect(try key.openIfReadable(sealed, context) == [1, 2, 3])
        for wrong in [RowContext("days", "ada", "11", ""), RowContext("days", "bob", "1", "1"), RowContext("days")] {
            #expect(try key.openIfReadable(sealed, wrong) == nil)
            #expect(throws: VaultError.self) { try key.open(sealed, wrong) }
        }
        #expect(try other.openIfReadable(sealed, context) == nil)
        #expect(try key.openIfReadable(Array(sealed.dropLast()), context) == nil)
        #expect(try key.openIfReadable([], context) == nil)
    }

    @Test("of a person are under the latest version of their secret, and older ones stay readable")
    func versions() throws {
        let keys = try keys()
        let ada = try ID("ada")
        func context(_ version: Int64) -> RowContext { RowContext("test", ada.text, "\(version)") }
        #expect(try keys.seal([1], of: ada, context) == nil)
        let error = thrown(VaultError.self) { _ = try keys.seal([1], of: ada, "a test", context) }
        #expect(error?.reason == .missing)
        _ = try keys.currentVersion(of: ada)
        let first = try keys.seal([1], of: ada, "a test", context)
        #expect(try keys.rotate(ada) == 2)
        let second = try keys.seal([2], of: ada, "a test", context)
        #expect(first.version == 1 && second.version == 2)
        #expect(try keys.open(first, of: ada, context) == [1])
        #expect(try keys.open(second, of: ada, context) == [2])
        // A row that says another version, or is another person's, is none.
        #expect(try keys.open((2, first.sealed), of: ada, context) == nil)
        #expect(try keys.open((3, first.sealed), of: ada, context) == nil)
        #expect(try keys.open(first, of: try ID("bob"), context) == nil)
    }
}
