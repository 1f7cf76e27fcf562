import Custody
import Daemon
import Features
import FoundationEssentials
import Glibc
import Records
import Storage
import Telemetry

/// `vitals-consumer export --user U DIR`: writes what a person takes along into a new folder.
struct ExportCommand {
    static let declaration = Command(
        name: "export",
        summary:
            "Writes everything that is stored about a person into a new folder, in the clear: JSON, CSV, a picture.",
        discussion: "It works while the service is running. What it writes is in the clear.",
        options: [.value("user", "ID", "the person")],
        arguments: [.required("DIR", "a folder that does not exist yet")],
        examples: [Example("vitals-consumer export --user demo /media/stick/demo")])

    let user: ID
    let folder: String

    /// Writes how much was exported to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        guard try Failure.explaining({ () throws(VaultError) in try keys.version(of: user) }) != nil else {
            throw Failure(.notFound, "there is no person \(user)")
        }
        try makeFolder()
        let export = Export(Feature.all, ExportSource(user, settings, store: store, keys: keys))
        var lines = Lines(output)
        var file: (name: String, descriptor: CInt, length: Int)?
        defer { if let file { close(file.descriptor) } }
        var isDamaged = false
        var position: ExportPosition? = export.start
        while let here = position {
            let part = try Failure.explaining { () throws(VaultError) in
                // One state for each part: the service may be packing what is read, but the position of the next part
                // stays valid.
                try store.database.snapshot { () throws(VaultError) in try export.part(at: here) }
            }
            if file?.name != part.file {
                if let file { finish(file, &lines) }
                file = (part.file, try open(part.file), 0)
            }
            let bytes = try Self.bytes(of: part)
            if let descriptor = file?.descriptor { try write(bytes, to: descriptor, part.file) }
            file?.length += bytes.count
            isDamaged = isDamaged || part.isDamaged
            position = part.next
        }
        if let file { finish(file, &lines) }
        file = nil
        lines.flush()
        guard !isDamaged else {
            throw Failure(
                .data, "some of what is stored does not open, and is not in \(folder)",
                hint: "`vitals-consumer check` says how much; restore a backup")
        }
        return .ok
    }

    /// What root writes into another user's folder belongs to that user, and is limited to what they could write.
    private func makeFolder() throws(Failure) {
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        guard mkdir(folder, 0o700) == 0 else {
            throw Failure(
                .inputOutput, "cannot make the folder \(folder): \(String(cString: strerror(errno)))",
                hint: "name one that does not exist yet")
        }
    }

    /// Base64 is cut only where it can be: a part's length is a multiple of four.
    private static func bytes(of part: ExportPart) throws(Failure) -> [UInt8] {
        guard part.isBase64 else { return Array(part.text.utf8) }
        guard let data = Data(base64Encoded: part.text) else { throw Failure(.data, "\(part.file) is damaged") }
        return Array(data)
    }

    private func open(_ name: String) throws(Failure) -> CInt {
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        let descriptor = Glibc.open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(name, String(cString: strerror(errno))) }
        return descriptor
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt, _ name: String) throws(Failure) {
        try writeAll(bytes, to: descriptor) { failure(name, $0) }
    }

    private func finish(_ file: (name: String, descriptor: CInt, length: Int), _ lines: inout Lines) {
        close(file.descriptor)
        lines.write(Array("\(folder)/\(file.name) \(counted(file.length, "byte"))".utf8))
    }

    private func failure(_ name: String, _ reason: String) -> Failure {
        Failure(.inputOutput, "cannot write \(folder)/\(name): \(reason)", hint: "make room")
    }
}

extension ExportCommand: Subcommand {
    init(_ arguments: Arguments) throws {
        self.init(user: try ID(arguments.id("user")), folder: try arguments.string("DIR"))
    }
}
