import Glibc

/// The addresses of a host. libmosquitto's way of connecting that does not block tries the first one only.
enum HostAddresses {
    /// Numeric addresses in the system's order of preference, at least one. Blocks while the resolver asks.
    static func resolve(_ host: String, attempted: String) throws(MQTTError) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            throw MQTTError(
                .unreachable, attempted, String(cString: gai_strerror(code)).sentence,
                hint: "check the name and the network's resolver: getent hosts \(host)")
        }
        var addresses: [String] = []
        var entry = list
        while let info = entry?.pointee {
            var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let isNamed = getnameinfo(
                info.ai_addr, info.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
            if isNamed == 0 {
                let address = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
                if !addresses.contains(address) { addresses.append(address) }
            }
            entry = info.ai_next
        }
        guard !addresses.isEmpty else { throw MQTTError(.unreachable, attempted, "the name has no address") }
        return addresses
    }
}
