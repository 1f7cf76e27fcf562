import Foundation
import TestSupport
import Testing

@testable import Daemon

@Suite("A file in the machine's memory")
final class RuntimeFileTests {
    private let folder = "/dev/shm/vitals-daemon-\(UUID().uuidString.prefix(8))"
    private var path: String { "\(folder)/file" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file() throws -> RuntimeFile { try RuntimeFile("file", in: folder, size: 10_000) }

    private func refusal() -> String? { thrown(Failure.self) { _ = try file() }?.message }

    @Test("keeps what it holds, has its size, and is its owner's alone")
    func keeps() throws {
        var first: RuntimeFile? = try file()
        #expect(first?.write([1, 2, 3], at: 9_997) == true)
        first = nil
        let second = try file()
        #expect(second.read(9_996..<10_000) == [0, 1, 2, 3])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 10_000 && status.st_mode & 0o777 == 0o600)
        // Its whole room is there already, so that no write finds the memory full.
        #expect(status.st_blocks * 512 >= 10_000)
    }

    @Test("is written and read within its size only")
    func bounds() throws {
        let file = try file()
        #expect(!file.write([1, 2], at: 9_999) && !file.write([1], at: -1) && !file.write([1], at: .max))
        #expect(file.read(9_990..<10_010).count == 10)
        #expect(file.read(20_000..<20_010) == [])
    }

    @Test("is refused where it has another size, and stays as it is", arguments: [3, 1_000_000])
    func otherSize(size: Int) throws {
        let bytes = Data(repeating: 7, count: size)
        #expect(FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]))
        #expect(refusal()?.contains("something else") == true)
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    @Test("belongs to one at a time")
    func oneAtATime() throws {
        let first = try file()
        #expect(refusal()?.contains("cannot lock") == true)
        withExtendedLifetime(first) {}
    }

    @Test("is refused where others may write, where it is not a file, or where it has another name, too")
    func foreign() throws {
        let manager = FileManager.default
        #expect(chmod(folder, 0o777) == 0)
        #expect(refusal()?.contains("others may write in") == true)
        #expect(!manager.fileExists(atPath: path), "nothing is left there")
        #expect(chmod(folder, 0o700) == 0)

        #expect(manager.createFile(atPath: path, contents: Data(), attributes: [.posixPermissions: 0o644]))
        #expect(refusal()?.contains("is not a file of ours alone") == true)
        #expect(chmod(path, 0o600) == 0 && link(path, "\(folder)/other") == 0)
        #expect(refusal()?.contains("is not a file of ours alone") == true)
        #expect(unlink(path) == 0 && symlink("other", path) == 0)
        #expect(refusal()?.contains("cannot open") == true)
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(refusal()?.contains("is not a file of ours alone") == true)
        #expect(unlink(path) == 0)
        _ = try file()
    }

    @Test("is refused on a disk, and in a folder that is a link or is not there")
    func notInMemory() throws {
        for folder in ["/proc", "/nonexistent"] {
            let error = thrown(Failure.self) { _ = try RuntimeFile("file", in: folder, size: 10) }
            #expect(error?.message == "\(folder) is not a folder in the machine's memory (tmpfs)")
        }
        let link = "\(folder)/link"
        #expect(symlink(folder, link) == 0)
        #expect(thrown(Failure.self) { _ = try RuntimeFile("file", in: link, size: 10) } != nil)
    }
}
