import Fitness
import Glibc

// Time zones are read from the system's own files: a static program has no others, and the system's are kept up to date.

extension ZoneRules {
    /// The rules of a zone by its name in the IANA database, such as `Europe/Berlin`; nil where there is no such zone.
    init?(_ name: String, folder: String = "/usr/share/zoneinfo") {
        guard Self.isName(name), let bytes = Self.contents(of: "\(folder)/\(name)") else { return nil }
        self.init(bytes)
    }

    /// Names that stay within the folder, and mean a zone there: `right/…` counts leap seconds, `posix/…` is all of it again.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= 64, (1...3).contains(parts.count), !["right", "posix"].contains(parts[0]) else {
            return false
        }
        return parts.allSatisfy { part in
            guard let first = part.utf8.first, (0x41...0x5A).contains(first) else { return false }
            return part.utf8.allSatisfy { byte in
                isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "_+-".utf8.contains(byte)
            }
        }
    }

    /// The bytes of a file that is one.
    private static func contents(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 20 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        return read(file, &bytes, bytes.count) == bytes.count ? bytes : nil
    }
}
