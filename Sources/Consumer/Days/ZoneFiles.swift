import Fitness
import Glibc

// Time zones are read from the system's own files: a static program has none of its own, and the system's are kept up
// to date.

extension ZoneRules {
    /// The rules of a zone by its name in the IANA database, such as `Europe/Berlin`; nil if there is no such zone.
    package init?(_ name: String, folder: String = "/usr/share/zoneinfo") {
        guard ProfileRules.isZoneName(name), let bytes = Self.contents(of: "\(folder)/\(name)") else { return nil }
        self.init(bytes)
    }

    /// The same, except that UTC needs no file.
    package init?(known name: String) {
        if let rules = ZoneRules(name) {
            self = rules
        } else {
            guard name == "UTC" else { return nil }
            self.init(Self.utc)
        }
    }

    /// The name of the machine's own zone, from where the link /etc/localtime leads. Without such a file the machine's
    /// zone is UTC, as the C library has it (localtime(5)). Nil if the file is not a link, and /etc/timezone does not
    /// say it either.
    package static func machinesZone(link: String = "/etc/localtime", name file: String = "/etc/timezone") -> String? {
        guard access(link, R_OK) == 0 else { return "UTC" }
        var names: [String] = []
        // Not readlink into an array of UInt8: built with Swift 6.0.3, that ended the program.
        if let target = realpath(link, nil) {
            defer { free(target) }
            let parts = String(cString: target).split(separator: "/")
            if let folder = parts.lastIndex(of: "zoneinfo") {
                names.append(parts[(folder + 1)...].joined(separator: "/"))
            }
        }
        if let bytes = contents(of: file) { names.append(String(decoding: bytes, as: UTF8.self).trimmed) }
        return names.first { ZoneRules(known: $0) != nil }
    }

    /// A file of version 2 that says UTC: a header and one type of local time, twice, and the rule.
    private static let utc: [UInt8] = {
        let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15 + 16) + [0, 0, 0, 1, 0, 0, 0, 4]
        let data = [UInt8](repeating: 0, count: 6) + Array("UTC".utf8) + [0]
        return header + data + header + data + Array("\nUTC0\n".utf8)
    }()

    /// The bytes of a regular file.
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
