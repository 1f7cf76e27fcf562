import Glibc

// Where requests may lead that somebody else has a say in: a person who names a server, or the server itself. That is the public
// internet, and of everything else only what the operator has named. A public address may also be next door: behind it, the
// machine and its neighbours answer to somebody who asks from here what they answer to nobody else.

/// Which addresses may be connected to.
public struct Reach: Hashable, Sendable {
    /// What is not in the public internet, or is this machine's own network, and may be reached all the same.
    public var privateHosts: [NetworkRange]

    /// A reach; nothing private is in it unless that is said.
    public init(privateHosts: [NetworkRange] = []) { self.privateHosts = privateHosts }

    /// Whether an address may be connected to.
    /// - Parameter neighbours: the networks that this machine is in.
    func includes(_ address: NetworkAddress, neighbours: [NetworkRange]) -> Bool {
        guard !address.isOfLinkOrGroup else { return false }
        if privateHosts.contains(where: { $0.contains(address) }) { return true }
        return address.isPublic && !neighbours.contains { $0.contains(address) }
    }

    /// The networks that this machine is in, as its interfaces say now.
    public static func neighbours() -> [NetworkRange] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first) { $0?.pointee.ifa_next }.compactMap { entry in
            guard let entry, let address = Self.address(entry.pointee.ifa_addr),
                let mask = Self.address(entry.pointee.ifa_netmask)
            else { return nil }
            return NetworkRange(around: address, mask: mask)
        }
    }

    private static func address(_ socket: UnsafeMutablePointer<sockaddr>?) -> NetworkAddress? {
        guard let socket else { return nil }
        let family = Int32(socket.pointee.sa_family)
        let length = family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return NetworkAddress(socket: UnsafeRawBufferPointer(start: socket, count: length), family: family)
    }
}
