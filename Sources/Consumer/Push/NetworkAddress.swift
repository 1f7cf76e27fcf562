import Glibc

/// An address of the Internet Protocol. Those of version 4 are kept as version 6 spells them, `::ffff:127.0.0.1`.
struct NetworkAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter text: as it stands in an address of the web, without brackets. Numbers of version 4 may be spelt in every
    ///   way that the C library knows: 127.0.0.1, 127.1, 2130706433, 0x7f000001, 0177.0.0.1.
    init?(_ text: String) {
        var (four, six) = (in_addr(), in6_addr())
        if inet_aton(text, &four) == 1 {
            bytes = Self.mapped + withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// Whether both begin with the same bits.
    fileprivate func agrees(with other: NetworkAddress, in bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            (bytes[bit / 8] ^ other.bytes[bit / 8]) & (0x80 >> (bit % 8)) == 0
        }
    }

    fileprivate var isVersion4: Bool { bytes.starts(with: Self.mapped) }
}

/// A range of addresses, such as `192.168.0.0/16`, or one address.
struct NetworkRange: Hashable, Sendable {
    /// As it was written.
    let text: String
    private let first: NetworkAddress
    private let bits: Int

    /// - Returns: nil unless it is an address, perhaps with the number of its leading bits that count. Those of version 4 are
    ///   spelt with four numbers.
    init?(_ text: String) {
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

    func contains(_ address: NetworkAddress) -> Bool { address.agrees(with: first, in: bits) }

    /// What is not on the Internet: the machine itself, networks of homes and providers, and addresses with a meaning of
    /// their own. `PushProgram` looks more closely, at each connection.
    static let notPublic = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3", "::/96", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap(NetworkRange.init)
}

extension NetworkAddress {
    fileprivate func isClear(_ bit: Int) -> Bool { bytes[bit / 8] & (0x80 >> (bit % 8)) == 0 }
}
