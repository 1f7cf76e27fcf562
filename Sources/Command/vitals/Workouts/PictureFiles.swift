import Daemon
import Files
import Fitness
import FoundationEssentials
import Telemetry

// `vitals workout picture`: a workout as a file to share. The consumer draws it, and leaves out what is near the start
// and the end before it does.

/// Writes a workout's picture into a file.
struct PictureFiles {
    private enum Format: String, CaseIterable { case png, svg }
    private enum Part: String, CaseIterable {
        case heartRate = "heart-rate"
        case date
    }

    private let call: Call
    private let arguments: Arguments
    /// The largest picture that is taken from a consumer, in bytes.
    private static let limit = 32 << 20
    /// The farthest from start and end that is hidden, in metres.
    private static let farthest = 5000.0

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func write() throws -> ExitCode {
        let path = try arguments.string("output")
        guard let format = Format.allCases.first(where: { path.lowercased().hasSuffix(".\($0.rawValue)") }) else {
            throw arguments.refusal(of: "output", "expected a file's name that ends with .png or .svg")
        }
        let fields: [(String, JSON?)] = [
            ("format", .string(format.rawValue)), ("hidden_m", try hidden()), ("without", try without()),
            ("theme", try arguments.flag("dark") ? "dark" : nil),
        ]
        let bytes = try Office.visit(call) { office in
            let id = try office.workout(arguments)
            return try picture([("id", .string(id))] + fields, office)
        }
        do throws(VaultError) { try SmallFile.replace(path, with: bytes) } catch {
            throw Failure(.inputOutput, "\(path) cannot be written: \(error.said)")
        }
        guard !call.isJSON else {
            let line: JSON = ["file": .string(path), "bytes": .integer(Int64(bytes.count))]
            try Output.write(line.line)
            return .ok
        }
        try Output.write("\(escaped(path)): \(counted(bytes.count, "byte"))\n")
        return .ok
    }

    // MARK: What is asked for

    private func hidden() throws -> JSON? {
        let distance = try arguments.optionalString("hide")
        guard !(try arguments.flag("hide-nothing")) else {
            guard distance == nil else {
                throw arguments.refusal(of: "hide", "--hide-nothing says the opposite: leave out one of them")
            }
            return 0
        }
        guard let distance else { return nil }
        let text = distance.lowercased().filter { $0 != " " }
        for (unit, factor) in [("km", 1000), ("mi", Units.metresPerMile), ("ft", Units.metresPerFoot), ("m", 1)] {
            guard text.hasSuffix(unit), let number = Double(text.dropLast(unit.count)) else { continue }
            guard (1...Self.farthest).contains(number * factor) else { break }
            return .integer(Int64((number * factor).rounded()))
        }
        throw arguments.refusal(
            of: "hide", "expected a distance from 1 m to 5 km such as 200m, found \(escaped(distance))")
    }

    private func without() throws -> JSON? {
        guard let text = try arguments.optionalString("without") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Part.allCases.count, names.allSatisfy({ Part(rawValue: $0) != nil }) else {
            throw arguments.refusal(
                of: "without", "expected heart-rate, date, or heart-rate,date, found \(escaped(text))")
        }
        return .array(names.map { .string($0) })
    }

    // MARK: What comes

    /// All parts of the picture. If readings come in between, it begins again with the picture that they make.
    private func picture(_ fields: [(String, JSON?)], _ office: Office) throws -> [UInt8] {
        for _ in 0..<3 {
            do throws(Failure) { return try parts(fields, office) } catch {
                guard error.field == "cursor", error.code == ReplyError.Code.invalid.rawValue else { throw error }
            }
        }
        throw Failure(
            .temporary, "the workout changes all the time: its readings are still coming in",
            hint: "try again in a minute")
    }

    private func parts(_ fields: [(String, JSON?)], _ office: Office) throws(Failure) -> [UInt8] {
        var (bytes, cursor): ([UInt8], JSON?) = ([], nil)
        repeat {
            let part = try office.askForPicture(fields + [("cursor", cursor)], arguments)
            guard case .string(let text) = part["data"], let data = Data(base64Encoded: text), !data.isEmpty else {
                throw Failure(.protocolError, "a part of the picture is not base64")
            }
            bytes += data
            guard bytes.count <= Self.limit else {
                throw Failure(.protocolError, "the consumer sends a picture of more than \(Self.limit >> 20) MiB")
            }
            cursor = part["next"]
        } while cursor != nil && cursor != .null
        return bytes
    }
}

extension Office {
    /// Asks `workouts/picture`, later again if the consumer says so.
    fileprivate func askForPicture(_ fields: [(String, JSON?)], _ arguments: Arguments) throws(Failure) -> JSON {
        do throws(Failure) { return try askPatiently("workouts/picture", fields) } catch {
            guard error.field == "id", error.hint == nil else { throw error }
            throw Failure(
                error.exitCode, error.message, hint: "vitals workout list shows the ids", code: error.code,
                field: error.field)
        }
    }
}
