import Daemon
import Files
import FoundationEssentials
import Glibc
import Telemetry

/// `vitals export`: everything that is stored about a person, as files in a folder or a tar archive.
struct Exporting {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func run() throws -> ExitCode {
        let target = try arguments.string("TARGET")
        // Everything is for its owner only, including the archive.
        umask(0o077)
        guard target.hasSuffix(".tar") else { return try report(write(to: target), target) }
        guard access(target, F_OK) != 0 else { throw Failure(.inputOutput, "there is a file \(target) already") }
        let folder = "\(target).\(randomText())"
        let files: Files
        do {
            files = try write(to: folder)
            let status = try Programs.run("tar", ["-cf", target, "-C", folder, "."])
            guard status == 0 else { throw Failure(.inputOutput, "tar failed, with status \(status)") }
        } catch {
            try? Folder.remove(folder)
            throw error
        }
        try? Folder.remove(folder)
        return try report(files, target)
    }

    /// How many bytes went to each file.
    private typealias Files = [String: Int]

    private func write(to folder: String) throws -> Files {
        if access(folder, F_OK) == 0 {
            guard try Folder.names(in: folder).isEmpty else {
                throw Failure(.inputOutput, "\(folder) is not empty", hint: "name a folder that does not exist yet")
            }
        } else {
            do throws(VaultError) { try Folder.make(folder) } catch {
                throw Failure(.inputOutput, "\(folder) cannot be made: \(error.said)")
            }
        }
        return try Office.visit(call) { office in
            var files: Files = [:]
            var cursor: JSON?
            repeat {
                let part = try office.askPatiently("export/part", [("cursor", cursor)])
                if case .string(let name) = part["file"], let bytes = try Self.bytes(of: part) {
                    try append(bytes, to: try Self.checked(name), in: folder)
                    files[name, default: 0] += bytes.count
                    if Secret.isTerminal, !call.isJSON {
                        Output.ask("\r\(escaped(name)): \(counted(files[name, default: 0], "byte"))   ", isRaw: true)
                    }
                }
                let next = part["next"]
                guard next == nil || next != cursor else {
                    throw Failure(.protocolError, "the consumer repeats itself")
                }
                cursor = next == .null ? nil : next
            } while cursor != nil
            if Secret.isTerminal, !call.isJSON { Output.ask("\n", isRaw: true) }
            return files
        }
    }

    /// What a part holds: text, or something else in base64; nil if it holds nothing.
    private static func bytes(of part: JSON) throws(Failure) -> [UInt8]? {
        guard case .string(let text) = part["data"] else { return nil }
        guard part["encoding"] == "base64" else { return Array(text.utf8) }
        guard let data = Data(base64Encoded: text) else {
            throw Failure(.protocolError, "a part of the export is not base64")
        }
        return Array(data)
    }

    /// A file's name that leads nowhere else.
    static func checked(_ name: String) throws(Failure) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain, !name.isEmpty, !name.hasPrefix(".") else {
            throw Failure(.protocolError, "the consumer calls a file \(escaped(name)), and no file is called that")
        }
        return name
    }

    private func append(_ bytes: [UInt8], to name: String, in folder: String) throws(Failure) {
        let path = "\(folder)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Failure(.inputOutput, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw Failure(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))", hint: "df -h")
        }
    }

    private func report(_ files: Files, _ target: String) throws -> ExitCode {
        let sorted = files.sorted { $0.key < $1.key }
        guard !call.isJSON else {
            let members = sorted.map { JSON.Member($0.key, .integer(Int64($0.value))) }
            try Output.write(
                JSON.object([JSON.Member("target", .string(target)), JSON.Member("files", .object(members))]).line)
            return .ok
        }
        let rows = sorted.map { [escaped($0.key), "\($0.value)"] }
        try Output.write(table(["FILE", "BYTES"], rows) + "written to \(escaped(target))\n")
        return .ok
    }
}
