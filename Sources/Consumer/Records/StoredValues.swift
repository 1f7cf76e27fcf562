package import Storage
package import Telemetry

extension Value {
    /// 64 bits as SQLite stores them, with a sign.
    package static func number(_ number: UInt64) -> Value { .integer(Int64(bitPattern: number)) }
}

extension RandomID {
    /// The id in a row; the schema makes sure of its length.
    package init(stored bytes: [UInt8]) {
        self.init(high: bigEndian(bytes.prefix(8)), low: bigEndian(bytes.dropFirst(8).prefix(8)))
    }
}

extension ID {
    /// An id that was kept as text; nil if it is none.
    package init?(kept json: JSON) {
        guard case .string(let text) = json, let id = decoded({ () throws(MalformedValue) in try ID(text) }) else {
            return nil
        }
        self = id
    }
}

extension SessionID {
    init(stored bytes: [UInt8]) { self.init(bigEndian(bytes.prefix(8))) }
}

/// Bytes as a big-endian number.
private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

/// What `body` decodes; nil if the bytes are malformed. Reasons are for people who look at the dead letters: a log
/// must not repeat what was in a block.
package func decoded<Value>(_ body: () throws(MalformedValue) -> Value) -> Value? {
    do { return try body() } catch { return nil }
}
