import FoundationEssentials
package import Telemetry

/// A part of a file, as replies have it.
package struct FilePart {
    /// Bytes of a part: 59 KiB in base64, and a reply has 64.
    package static let longest = 45_000

    /// In base64.
    package let data: JSON
    /// Where the next part begins; nil after the last one.
    package let next: Int?

    /// - Parameters:
    ///   - offset: less than the number of bytes.
    ///   - most: how many bytes it has, `longest` at most.
    package init(of bytes: [UInt8], from offset: Int, atMost most: Int = longest) {
        let end = min(offset + most, bytes.count)
        data = .string(Data(bytes[offset..<end]).base64EncodedString())
        next = end < bytes.count ? end : nil
    }
}
