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
        let path = try arguments.string("FILE")
        let bytes: [UInt8]
        do {
            guard let found = try SmallFile.read(path, atMost: Self.limit) else {
                throw Failure(.noInput, "there is no file \(path)")
            }
            bytes = found
        } catch let error as VaultError {
            let hint = error.reason == .malformed ? "make it smaller: at most 32 KiB, JPEG, PNG or WebP" : nil
            throw Failure(error.reason == .malformed ? .data : .noInput, "\(path): \(error.said)", hint: hint)
        }
        let data = try Office.visit(call) {
            try $0.ask("picture/set", [("picture", .string(Data(bytes).base64EncodedString()))])
        }
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
        guard case .string(let text) = data["picture"], let picture = Data(base64Encoded: text) else {
            throw Failure(.notFound, "there is no picture", hint: "vitals picture set FILE")
        }
        do throws(VaultError) { try SmallFile.replace(path, with: Array(picture)) } catch {
            throw Failure(.inputOutput, "\(path) cannot be written: \(error.said)")
        }
        try Output.write("\(path): \(counted(picture.count, "byte"))\(data.text("type").map { ", \($0)" } ?? "")\n")
        return .ok
    }

    func remove() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("picture/remove") }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The picture was removed") + "\n")
        return .ok
    }
}
