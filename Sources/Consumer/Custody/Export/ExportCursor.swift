package import Features
package import Files
package import Records
package import Telemetry

// A cursor is where the next part of an export begins: the time, the count and the name of the section. It is sealed,
// and bound to the person: nobody can make one, and one person's cursor is not valid for another. A cursor for a section
// that no longer exists is not valid either, nor are those of earlier versions, which had a number in place of a name.

extension Export {
    /// The cursor for a position.
    package func cursor(for position: ExportPosition) throws(VaultError) -> String {
        var bytes: [UInt8] = []
        for number in [position.time, position.count] {
            bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
        }
        bytes += Array(position.section.utf8)
        let sealed = try source.keys.service.seal(bytes, context)
        return hexadecimal(sealed)
    }

    /// The position that a cursor stands for; nil if it is not a cursor of this person.
    package func position(of cursor: String) throws(VaultError) -> ExportPosition? {
        guard let sealed = bytes(hexadecimal: cursor), sealed.count > RowKey.overhead + Self.numbersLength,
            let bytes = try source.keys.service.openIfReadable(sealed, context)
        else { return nil }
        let name = String(decoding: bytes.dropFirst(Self.numbersLength), as: UTF8.self)
        guard sections.contains(where: { $0.name == name }) else { return nil }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 << 8 | Int64($1) } }
        return ExportPosition(section: name, time: number(0..<8), count: number(8..<16))
    }

    /// The two numbers before the name.
    private static let numbersLength = 16

    private var context: RowContext { Self.context(of: source.user) }

    /// What a person's cursors are sealed to.
    package static func context(of user: ID) -> RowContext { RowContext("export", user.text) }
}
