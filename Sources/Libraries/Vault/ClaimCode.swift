public import Files

// A code that shows that somebody is at a gateway, and may have one of its sensors.
//
//     3F7K  M-2QX9T-W0BZH
//     nonce, 20 bits; then 55 bits of HMAC-SHA256(claim key, "claim" | sensor | window, 8 bytes | nonce, 4 bytes)
//
// Integers are big-endian. A window is ten minutes of Unix time, counted from its beginning. The gateway makes codes
// without asking anyone; the consumer, which knows the claim key since the enrolment, accepts a code in its own window
// and those around it, once. ClaimKey.swift says what the key is made of.

/// A code of 15 digits that a gateway gives out for a sensor.
public struct ClaimCode: Hashable, Sendable {
    /// Tells the codes of one window apart.
    public let nonce: UInt32
    private let tag: UInt64

    /// Milliseconds in a window.
    public static let windowLength: Int64 = 600_000

    /// The window that contains a time.
    public static func window(at unixMilliseconds: Int64) -> Int64 { unixMilliseconds / windowLength }

    /// A new code for a sensor, at this time of the gateway's.
    public init(sensor: String, at unixMilliseconds: Int64, key: SymmetricKey) throws(VaultError) {
        let nonce = try RandomBytes.draw(3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0xFFFFF
        try self.init(sensor: sensor, window: Self.window(at: unixMilliseconds), nonce: nonce, key: key)
    }

    init(sensor: String, window: Int64, nonce: UInt32, key: SymmetricKey) throws(VaultError) {
        let number = UInt64(bitPattern: window)
        let message =
            Array("claim".utf8) + Array(sensor.utf8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            + (0..<4).reversed().map { UInt8(truncatingIfNeeded: nonce >> (8 * $0)) }
        let code = try HMACSHA256.code(for: message, key: key)
        self.nonce = nonce
        tag = code[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 9
    }

    /// The code that somebody typed: either case, O for 0, I and L for 1, with or without hyphens and spaces. Nil if
    /// it is none.
    public init?(_ text: String) {
        guard let values = CrockfordBase32.values(in: text), values.count == 15 else { return nil }
        nonce = UInt32(CrockfordBase32.number(values[..<4]))
        tag = CrockfordBase32.number(values[4...])
    }

    /// As it is shown: three groups of five.
    public var text: String {
        CrockfordBase32.grouped(
            CrockfordBase32.text(UInt64(nonce), count: 4) + CrockfordBase32.text(tag, count: 11), by: 5, "-")
    }

    /// The window in which a gateway with this key has made the code for this sensor: that of a time, the one before or
    /// the one after; nil if it has not.
    public func window(for sensor: String, around unixMilliseconds: Int64, key: SymmetricKey) throws(VaultError)
        -> Int64?
    {
        let now = Self.window(at: unixMilliseconds)
        var found: Int64?
        for window in now - 1...now + 1 {
            let right = try ClaimCode(sensor: sensor, window: window, nonce: nonce, key: key)
            if isEqualInConstantTime(right.tagBytes, tagBytes) { found = window }
        }
        return found
    }

    private var tagBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) } }
}
