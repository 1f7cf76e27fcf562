import Desk
import Foundation
import Telemetry

/// A file that comes in parts, in memory until it is whole.
struct Upload {
    /// Bytes of a file.
    static let longestFile = 16 << 20
    /// Of a name, in bytes.
    static let longestName = 200
    /// Parts of a file: a few bytes each would cost more than they are.
    private static let mostParts = 1000
    /// Bytes of a request with a part in base64.
    static let longestRequest = JSON.maximumLength
    /// Bytes of all files that are coming or being read, of all people together.
    static let mostBytes = 48 << 20

    /// What people call it.
    let name: String
    let size: Int
    /// How many bytes have come.
    private(set) var count = 0
    private var parts: [[UInt8]] = []

    var bytes: [UInt8] { Array(parts.joined()) }
    var isWhole: Bool { count == size }

    /// Whether a workout is taken over that another one is taken for.
    let keepsBoth: Bool

    init(name: String, size: Int, keepsBoth: Bool = false) {
        (self.name, self.size, self.keepsBoth) = (name, size, keepsBoth)
    }

    /// A part of a file, as a request has it.
    struct Part {
        let name: String
        let size: Int
        let offset: Int
        let data: [UInt8]
        var keepsBoth = false
    }

    /// Adds a part. One that came before is ignored, because its reply may have been lost.
    mutating func add(_ part: Part) throws(ReplyError) {
        guard part.size == size, part.name == name, part.offset <= count else {
            let words = "the next part begins at byte \(count); to begin again, send the part at byte 0"
            throw ReplyError(.invalid, words, field: "offset")
        }
        guard part.offset == count else { return }
        guard parts.count < Self.mostParts else {
            throw ReplyError(
                .invalid, "a file comes in at most \(Self.mostParts) parts: send larger ones", field: "data")
        }
        parts.append(part.data)
        count += part.data.count
    }
}

extension Upload.Part {
    init(_ request: PeopleRequest) throws(ReplyError) {
        name = try request.optionalText("name", atMost: Upload.longestName) ?? "file"
        keepsBoth = try request.optionalBool("keep_both") ?? false
        guard let size = try request.optionalInteger("size", in: 1...Int64(Int32.max)) else {
            throw ReplyError(.badRequest, "\"size\" is missing: the bytes of the whole file", field: "size")
        }
        guard size <= Upload.longestFile else {
            let words = """
                a file has at most \(Upload.longestFile >> 20) MiB: send the files of an archive one by one, or use \
                `vitals workout import`
                """
            throw ReplyError(.invalid, words, field: "size")
        }
        self.size = Int(size)
        offset = Int(try request.optionalInteger("offset", in: 0...size - 1) ?? 0)
        let text = try request.text("data", atMost: Upload.longestRequest)
        guard let data = Data(base64Encoded: text), !data.isEmpty else {
            throw ReplyError(.invalid, "\"data\" is not base64, or empty", field: "data")
        }
        guard data.count <= FilePart.longest, data.count <= self.size - offset else {
            let words = "a part has at most \(FilePart.longest) bytes, and ends with the file"
            throw ReplyError(.invalid, words, field: "data")
        }
        self.data = Array(data)
    }
}
