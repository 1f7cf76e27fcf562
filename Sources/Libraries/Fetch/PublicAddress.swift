import Glibc

/// Which addresses are the public internet's: all but those that IANA's registries of special-purpose addresses (RFC 6890) keep
/// for a machine, a network or a purpose of their own.
enum PublicAddress {
    /// Whether an address is public.
    /// - Parameters:
    ///   - bytes: the four bytes of an IPv4 address, or the sixteen of an IPv6 one.
    ///   - family: `AF_INET` or `AF_INET6`. Nothing else is public, such as a socket in the file system.
    static func isPublic(_ bytes: [UInt8], family: Int32) -> Bool {
        switch (family, bytes.count) {
        case (AF_INET, 4): !isReserved(bytes[0], bytes[1], bytes[2])
        case (AF_INET6, 16): isPublicIPv6(bytes)
        default: false
        }
    }

    private static func isReserved(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second, third) {
        // This network, private, loopback, multicast and what is kept for later.
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): true
        // Behind a provider's translation of addresses, link-local, private.
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _): true
        // Protocols' own, 6to4's relays, measurements, documents.
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113):
            true
        default: false
        }
    }

    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        let zeros = bytes.prefix { $0 == 0 }.count
        // ::ffff:a.b.c.d is an IPv4 address, and 64:ff9b::a.b.c.d leads to one.
        if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isPublic(Array(bytes[12...]), family: AF_INET)
        }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return isPublic(Array(bytes[12...]), family: AF_INET)
        }
        // Only 2000::/3 is given to anybody. Of it, 2001::/23 is protocols' own (Teredo among them), 2001:db8::/32 and
        // 3fff::/20 are for documents, and 2002::/16 leads to IPv4 addresses.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0x20, 0x01, 0...1), (0x20, 0x02, _), (0x3F, 0xFF, 0...0x0F): return false
        case (0x20, 0x01, 0x0D): return bytes[3] != 0xB8
        default: return true
        }
    }
}
