import Foundation
import TestSupport
import Testing
import Vault

@Suite("Key files")
struct KeyFileTests {
    private let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    @Test("makes a file of mode 0600 once, and finds the same key again")
    func create() throws {
        let path = directory.path("root.key")
        let first = try KeyFile.createIfMissing(path)
        #expect(try KeyFile.createIfMissing(path).bytes == first.bytes)
        #expect(try KeyFile.load(path).bytes == first.bytes)
        #expect(try directory.mode("root.key") == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == KeyFile.text(of: first.bytes) + "\n")
        #expect(text.count == 45)
        // Nothing else was left behind.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["root.key"])
    }

    @Test("processes that start at the same time all end with the same key")
    func race() async throws {
        let path = directory.path("root.key")
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try KeyFile.createIfMissing(path).bytes } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test("refuses a file that others may read, and says what to run", arguments: [0o640, 0o604, 0o660, 0o644])
    func permissions(_ mode: Int) throws {
        let path = directory.path("root.key")
        _ = try KeyFile.createIfMissing(path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = try #require(thrown(VaultError.self) { try KeyFile.load(path) })
        #expect(error.reason == .permissions)
        #expect(error.description.contains("chmod 600"))
    }

    @Test(
        "refuses what is not one line of 32 bytes in base64, without repeating it",
        arguments: [
            "", "\n", "secret!", String(repeating: "A", count: 44), "A" + String(repeating: "=", count: 43),
            String(repeating: "A", count: 42) + "B=", String(repeating: "A", count: 43) + "=\nmore",
            String(repeating: "A", count: 64),
        ])
    func malformed(_ text: String) throws {
        let path = directory.path("root.key")
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        let error = try #require(thrown(VaultError.self) { try KeyFile.load(path) })
        #expect(error.reason == .malformed)
        #expect(!error.description.contains("secret!") && !error.description.contains("AAAA"))
    }

    @Test("says which file is missing")
    func missing() throws {
        let path = directory.path("root.key")
        let error = try #require(thrown(VaultError.self) { try KeyFile.load(path) })
        #expect(error.reason == .missing)
        #expect(error.description.contains(path))
        #expect(throws: VaultError.self) { try KeyFile.createIfMissing(directory.path("no/such/root.key")) }
        #expect(throws: VaultError.self) { try KeyFile.load(directory.path) }
    }

    @Test("public keys travel as text")
    func text() throws {
        let key = Array(UInt8(0)..<32)
        #expect(KeyFile.text(of: key) == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(try KeyFile.bytes(of: KeyFile.text(of: key)) == key)
        #expect(throws: VaultError.self) { try KeyFile.bytes(of: "AAEC") }
    }
}
