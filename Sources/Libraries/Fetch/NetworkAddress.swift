import Glibc

/// An address of the Internet Protocol. Those of version 4 are kept as version 6 spells them, `::ffff:127.0.0.1`.
public struct NetworkAddress: Hashable, Sendable {
    let bytes: [UInt8]

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter text: as it stands in an address of the web, without brackets. Numbers of version 4 may be spelt in every
    ///   way that the C library knows: 127.0.0.1, 127.1, 2130706433, 0x7f000001, 0177.0.0.1.
    public init?(_ text: String) {
        var (four, six) = (in_addr(), in6_addr())
        if inet_aton(text, &four) == 1 {
            bytes = Self.mapped + withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// The address of a socket; nil if it is of another family, such as one in the file system.
    /// - Parameter socket: a `sockaddr` with all that is behind it.
    init?(socket: UnsafeRawBufferPointer, family: Int32) {
        switch family {
        case AF_INET where socket.count >= 8: bytes = Self.mapped + Array(socket[4..<8])
        case AF_INET6 where socket.count >= 24: bytes = Array(socket[8..<24])
        default: return nil
        }
    }

    /// Whether it is in the public internet.
    public var isPublic: Bool { PublicAddress.isPublic(bytes, family: AF_INET6) }

    /// Whether it is one of those that no operator means: this link's alone, or a group's.
    var isOfLinkOrGroup: Bool {
        Self.ofLinksAndGroups.contains { $0.contains(self) }
    }

    private static let ofLinksAndGroups = ["169.254.0.0/16", "224.0.0.0/4", "fe80::/10", "ff00::/8"].compactMap(
        NetworkRange.init)

    /// Whether both begin with the same bits.
    fileprivate func agrees(with other: NetworkAddress, in bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            (bytes[bit / 8] ^ other.bytes[bit / 8]) & (0x80 >> (bit % 8)) == 0
        }
    }

    fileprivate func isClear(_ bit: Int) -> Bool { bytes[bit / 8] & (0x80 >> (bit % 8)) == 0 }

    fileprivate var isVersion4: Bool { bytes.starts(with: Self.mapped) }
}

extension NetworkAddress: CustomStringConvertible {
    /// As RFC 5952 spells it; of version 4 with four numbers.
    public var description: String {
        let (family, address) = isVersion4 ? (AF_INET, Array(bytes[12...])) : (AF_INET6, bytes)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            String(cString: inet_ntop(family, address, text.baseAddress!, socklen_t(text.count)))
        }
    }
}

/// A range of addresses, such as `192.168.0.0/16`, or one address.
public struct NetworkRange: Hashable, Sendable {
    /// As it was written; of a range around an address, that address, and how many of its leading bits count.
    public let text: String
    private let first: NetworkAddress
    private let bits: Int

    /// - Returns: nil unless it is an address, perhaps with the number of its leading bits that count. Those of version 4 are
    ///   spelt with four numbers.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var four = in_addr()
        guard let first = NetworkAddress(parts[0]),
            !first.isVersion4 || inet_pton(AF_INET, parts[0], &four) == 1
        else { return nil }
        let most = first.isVersion4 ? 32 : 128
        guard let length = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(length),
            parts.count == 1 || "\(length)" == parts[1]
        else { return nil }
        (self.text, self.first, bits) = (text, first, length + 128 - most)
        // What Python calls a network has no other bits.
        guard (bits..<128).allSatisfy({ first.isClear($0) }) else { return nil }
    }

    /// The range around an address.
    /// - Parameter mask: of the address's own family, whose bits that count are set.
    init(around address: NetworkAddress, mask: NetworkAddress) {
        let begin = address.isVersion4 ? 96 : 0
        let length = (begin..<128).first { mask.isClear($0) } ?? 128
        // A mask without a bit would be the whole internet: then only the address itself counts.
        (first, bits) = (address, length == begin ? 128 : length)
        text = "\(address)/\(bits - begin)"
    }

    /// Whether an address is in it.
    public func contains(_ address: NetworkAddress) -> Bool { address.agrees(with: first, in: bits) }
}
