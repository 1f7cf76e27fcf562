import Files
import Foundation
import TestSupport
import Testing

@Suite("A file of lines")
struct LineFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("keeps what was there, is its owner's alone, and begins a new line after one that was torn")
    func appends() throws {
        let path = folder.path("lines")
        #expect(try LineFile.read(path, atMost: 100) == nil)
        try LineFile.append(["one", "two"], to: path)
        try LineFile.append(["three"], to: path)
        #expect(try LineFile.read(path, atMost: 100) == ["one", "two", "three"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try "one\ntw".write(toFile: path, atomically: false, encoding: .utf8)
        try LineFile.append(["three"], to: path)
        #expect(try LineFile.read(path, atMost: 100) == ["one", "tw", "three"])
        #expect(throws: VaultError.self) { try LineFile.read(path, atMost: 5) }
        #expect(throws: VaultError.self) { try LineFile.append(["x"], to: folder.path("nowhere/lines")) }
    }

    @Test("that somebody keeps locked is not waited for without an end")
    func locked() throws {
        let path = folder.path("lines")
        try LineFile.append(["one"], to: path)
        let file = open(path, O_RDONLY)
        defer { close(file) }
        try #require(flock(file, LOCK_EX) == 0)
        #expect(throws: VaultError.self) { try LineFile.append(["two"], to: path, patience: .milliseconds(100)) }
        flock(file, LOCK_UN)
        try LineFile.append(["three"], to: path)
        #expect(try LineFile.read(path, atMost: 100) == ["one", "three"])
    }

    @Test("of a service's stays the service's when root adds to it", .enabled(if: geteuid() == 0))
    func owner() throws {
        let (home, path) = (folder.path("home"), folder.path("home/lines"))
        func owner() -> uid_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_uid : nil
        }
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        #expect(chown(home, 1234, 1234) == 0)
        try LineFile.append(["one"], to: path)
        #expect(owner() == 1234)
        #expect(chown(home, 0, 0) == 0)
        try LineFile.append(["two"], to: path)
        #expect(owner() == 1234)
    }
}
