import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004): a square of dark and light modules that a camera reads.
public struct QRCode: Hashable, Sendable {
    /// How much of it may be dirty or hidden. The higher, the larger the code.
    public enum Correction: Int, Hashable, Sendable, CaseIterable {
        /// 7 %: for a clean screen.
        case low
        /// 15 %.
        case medium
        /// 25 %.
        case quartile
        /// 30 %.
        case high
    }

    /// The light modules around it, without which it may not be found (ISO/IEC 18004: four).
    public static let quietZone = 4
    /// The most bytes that any QR code holds: version 40 with low correction.
    public static let maximumLength = 2953

    /// How many modules each side has, without the quiet zone: 21 to 177.
    public let side: Int
    /// Row by row from the top, each from the left: whether the module is dark.
    private let modules: [Bool]

    /// The smallest code that holds a text, as UTF-8.
    /// - Throws: `.empty`; `.tooLong` where no code with that correction holds it.
    public init(_ text: String, _ correction: Correction = .medium) throws(QRCodeError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw QRCodeError(.empty, "there is nothing to say") }
        // The C function takes the length as an Int32, so a limit comes first.
        guard bytes.count <= Self.maximumLength else {
            throw QRCodeError(.tooLong, "more than \(Self.maximumLength) bytes")
        }
        // Version 0 lets it choose the smallest.
        let level = QRecLevel(UInt32(correction.rawValue))
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, level) else {
            let said = String(cString: strerror(errno))
            guard errno == ERANGE else { throw QRCodeError(.failed, said) }
            throw QRCodeError(.tooLong, "\(bytes.count) bytes are too many with this correction")
        }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        self.side = side
        // The lowest bit says dark; the others say what the module is for (qrencode.h, QRcode).
        modules = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Whether the module of a row and a column is dark. What lies outside, such as the quiet zone, is light.
    public subscript(row: Int, column: Int) -> Bool {
        guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
        return modules[row * side + column]
    }
}

extension QRCodeError {
    fileprivate init(_ reason: Reason, _ said: String) {
        self.init(attempted: "make a QR code", reason: reason, said: said)
    }
}
