import Fetch

// Servers write the same place in more than one way: with and without a slash at the end of a collection, and with characters that
// are written as `%40` here and as themselves there.

extension WebAddress {
    /// The same with a slash at its end, as a collection has it.
    var asCollection: WebAddress {
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !last.isEmpty, let address = try? following("./\(last)/") else { return self }
        return address
    }

    /// Whether both are the same place of the same server.
    func isSamePlace(as other: WebAddress) -> Bool {
        isSameOrigin(as: other) && path.percentDecoded == other.path.percentDecoded
    }
}

extension String {
    /// The bytes of a name or a path whose characters may be written as `%40`.
    var percentDecoded: [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
