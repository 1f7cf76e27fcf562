import FoundationEssentials
import Telemetry

/// A part of a file, as replies have it.
struct FilePart {
    /// Bytes of a part: 59 KiB in base64, and a reply has 64.
    static let longest = 45_000

    /// In base64.
    let data: JSON
    /// Where the next part begins; nil after the last one.
    let next: Int?

    /// - Parameter offset: less than the number of bytes.
    init(of bytes: [UInt8], from offset: Int) {
        let end = min(offset + Self.longest, bytes.count)
        data = .string(Data(bytes[offset..<end]).base64EncodedString())
        next = end < bytes.count ? end : nil
    }
}
