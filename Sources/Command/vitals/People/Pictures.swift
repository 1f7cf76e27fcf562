import Daemon
import Files
import FoundationEssentials
import Glibc
import Telemetry

/// `vitals picture`: the profile's picture.
struct Pictures {
    private let call: Call
    private let arguments: Arguments
    /// The largest picture that the consumer accepts, in bytes.
    private static let limit = 32 * 1024

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func set() throws -> ExitCode {
        let picture = try Self.read(arguments.string("FILE"))
        let data = try Office.visit(call) { try $0.ask("picture/set", [("picture", picture)]) }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The picture was saved") + "\n")
        return .ok
    }

    func get() throws -> ExitCode {
        let path = try arguments.string("FILE")
        let data = try Office.visit(call) { try $0.ask("picture/get") }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        guard let written = try Self.write(data, to: path) else {
            throw Failure(.notFound, "there is no picture", hint: "vitals picture set FILE")
        }
        try Output.write(written)
        return .ok
    }

    /// A picture in base64, as requests have it.
    static func read(_ path: String) throws -> JSON {
        do {
            guard let bytes = try SmallFile.read(path, atMost: limit) else {
                throw Failure(.noInput, "there is no file \(path)")
            }
            return .string(Data(bytes).base64EncodedString())
        } catch let error as VaultError {
            let hint = error.reason == .malformed ? "make it smaller: at most 32 KiB, JPEG, PNG or WebP" : nil
            throw Failure(error.reason == .malformed ? .data : .noInput, "\(path): \(error.said)", hint: hint)
        }
    }

    /// Writes the picture of a reply to a file.
    /// - Returns: what the person is told; nil if the reply has no picture.
    static func write(_ data: JSON, to path: String) throws(Failure) -> String? {
        guard case .string(let text) = data["picture"], let picture = Data(base64Encoded: text) else { return nil }
        do throws(VaultError) { try SmallFile.replace(path, with: Array(picture)) } catch {
            throw Failure(.inputOutput, "\(path) cannot be written: \(error.said)")
        }
        return "\(path): \(counted(picture.count, "byte"))\(data.text("type").map { ", \($0)" } ?? "")\n"
    }

    func remove() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("picture/remove") }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The picture was removed") + "\n")
        return .ok
    }
}
