import FoundationEssentials
package import Telemetry

// A person's picture: it is small, and really is what it claims to be. It is recognised by its bytes, its parts have to
// add up to the whole, and its sides are read from its header, before anybody's decoder sees it: a few bytes could
// spell a picture of gigabytes. What in it says where, when and with what it was taken is not kept.

/// A picture in one of three formats.
package struct Picture: Equatable {
    package enum Format: String, CaseIterable {
        case jpeg = "image/jpeg"
        case png = "image/png"
        case webp = "image/webp"
    }

    /// The picture, without anything that does not belong to how it looks.
    package let bytes: [UInt8]
    package let format: Format
    /// Pixels.
    let width: Int
    let height: Int

    /// Bytes.
    package static let maximumLength = 32 * 1024
    /// Pixels of a side.
    static let maximumSide = 1024
    /// The same in base64, with room for the rest of the request.
    package static let maximumRequestLength = maximumLength / 3 * 4 + 1024

    /// The picture in a request's field "picture", in base64.
    package init(_ fields: JSON) throws(ReplyError) {
        func refusal(_ code: ReplyError.Code, _ message: String) -> ReplyError {
            ReplyError(code, message, field: "picture")
        }
        guard let value = present("picture", fields) else { throw refusal(.badRequest, "\"picture\" is missing") }
        let text = try requireText(value, "picture")
        guard !text.isEmpty else { throw refusal(.invalid, "Choose a picture") }
        guard let data = Data(base64Encoded: text) else { throw refusal(.invalid, "The picture is not base64") }
        guard data.count <= Self.maximumLength else {
            throw refusal(.invalid, "A picture has at most \(Self.maximumLength / 1024) KiB")
        }
        guard let picture = Picture(Array(data)) else {
            throw refusal(.invalid, "A picture is a whole JPEG, PNG or WebP")
        }
        // Its orientation alone may take more room than what said it before.
        guard picture.bytes.count <= Self.maximumLength else {
            throw refusal(.invalid, "A picture has at most \(Self.maximumLength / 1024) KiB")
        }
        guard (1...Self.maximumSide).contains(picture.width), (1...Self.maximumSide).contains(picture.height) else {
            throw refusal(.invalid, "A picture has at most \(Self.maximumSide) pixels a side")
        }
        self = picture
    }

    /// The picture in the bytes; nil if they are no picture, or not the whole of one.
    init?(_ bytes: [UInt8]) {
        guard let found = Self.jpeg(bytes) ?? Self.png(bytes) ?? Self.webp(bytes) else { return nil }
        (format, width, height, self.bytes) = found
    }

    /// The picture as it is kept and shown.
    package var json: JSON {
        guard case .object(let members) = description else { return description }
        return .object(members + [JSON.Member("picture", .string(Data(bytes).base64EncodedString()))])
    }

    /// Its format and size, without the bytes.
    var description: JSON {
        [
            "type": .string(format.rawValue), "width": .integer(Int64(width)), "height": .integer(Int64(height)),
        ]
    }
}
