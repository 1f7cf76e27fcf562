import Daemon
import Files
import FoundationEssentials
import Glibc
import Telemetry

/// `vitals workout export`: workouts as files that other programs read.
struct WorkoutExport {
    /// The formats of files.
    enum Format: String, CaseIterable {
        case fit, gpx, tcx
    }

    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func run() throws -> ExitCode {
        let format = try arguments.choice("format", of: Format.self)
        let output = try arguments.string("output")
        // Where somebody was is for its owner only.
        umask(0o077)
        return try Office.visit(call) { office in
            guard try arguments.optionalString("ID") != nil else { return try writeAll(office, format, to: output) }
            let id = try office.workout(arguments)
            let file = try Self.file(id, format, office, arguments)
            let path = Self.isFolder(output) ? "\(output)/\(file.name)" : output
            return try report([(id, try Self.write(file.bytes, path))])
        }
    }

    private func writeAll(_ office: Office, _ format: Format, to folder: String) throws -> ExitCode {
        let lists = WorkoutLists(call, arguments)
        let (workouts, _) = try lists.list(office, try lists.filter(), 20_000, fields: [])
        guard !workouts.isEmpty else {
            Output.note("no workouts: vitals workout list")
            return .ok
        }
        if !Self.isFolder(folder) {
            do throws(VaultError) { try Folder.make(folder) } catch {
                throw Failure(.inputOutput, "\(folder) cannot be made: \(error.said)")
            }
        }
        var written: [(id: String, path: String)] = []
        for (index, workout) in workouts.enumerated() {
            guard let id = workout.text("id"), let started = workout.double("started") else { continue }
            do {
                let file = try Self.file(id, format, office, arguments)
                // Two of a day have the same name otherwise.
                let name = "\(Int64(started / 1000))-\(file.name)"
                let path = "\(folder)/\(name)"
                guard access(path, F_OK) != 0 else {
                    Output.note("there is a file \(escaped(path)) already: left as it is")
                    continue
                }
                written.append((id, try Self.write(file.bytes, path)))
            } catch let failure as Failure where failure.code == ReplyError.Code.notSupported.rawValue {
                Output.note("\(id): \(failure.message)")
            }
            if Secret.isTerminal, !call.isJSON {
                Output.ask("\r\(index + 1) of \(counted(workouts.count, "workout"))   ", isRaw: true)
            }
        }
        if Secret.isTerminal, !call.isJSON { Output.ask("\n", isRaw: true) }
        return try report(written)
    }

    private func report(_ files: [(id: String, path: String)]) throws -> ExitCode {
        let lines = files.map { id, path in
            call.isJSON ? (["id": .string(id), "file": .string(path)] as JSON).line : "written to \(escaped(path))\n"
        }
        try Output.write(lines.joined())
        return .ok
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// A workout's file, in as many requests as it takes.
    private static func file(
        _ id: String, _ format: Format, _ office: Office, _ arguments: Arguments
    ) throws -> (name: String, bytes: [UInt8]) {
        var (bytes, name, mark): ([UInt8], String, JSON?) = ([], "", nil)
        while true {
            let offset = JSON.integer(Int64(bytes.count))
            let part = try office.askPatiently(
                "workouts/file",
                [("id", .string(id)), ("format", .string(format.rawValue)), ("offset", offset), ("mark", mark)])
            guard let text = part.text("data"), let data = Data(base64Encoded: text), !data.isEmpty,
                part["offset"] == offset
            else { throw Failure(.protocolError, "a part of the file is not the one that was asked for") }
            bytes += Array(data)
            (name, mark) = (part.text("name") ?? "\(id).\(format.rawValue)", part["mark"])
            guard let next = part["next"], next != .null else {
                guard part["size"] == .integer(Int64(bytes.count)) else {
                    throw Failure(.protocolError, "the file is not whole")
                }
                break
            }
            guard next == .integer(Int64(bytes.count)) else {
                throw Failure(.protocolError, "the parts of the file do not follow each other")
            }
        }
        return (try Exporting.checked(name), bytes)
    }

    /// Writes a file that is not there yet.
    private static func write(_ bytes: [UInt8], _ path: String) throws(Failure) -> String {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let hint = errno == EEXIST ? "name another file with --output, or remove this one" : nil
            throw Failure(.inputOutput, "\(path): \(String(cString: strerror(errno)))", hint: hint)
        }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw Failure(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))", hint: "df -h")
        }
        return path
    }
}
