import Glibc

/// Sends a datagram to a Unix socket, such as the supervisor's or the journal's.
/// - Parameters:
///   - name: a path, or a name in the abstract namespace with `@` at its front.
///   - mayWait: whether to wait for a receiver that has not read what it got before. It must not stop the program: after a
///     second, it is given up.
/// - Returns: whether it was taken as a whole.
func send(_ bytes: [UInt8], toSocket name: String, mayWait: Bool = true) -> Bool {
    guard var address = unixAddress(name) else { return false }
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let sent = withUnsafePointer(to: &address.value) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | (mayWait ? 0 : CInt(MSG_DONTWAIT)), $0, address.length)
        }
    }
    return sent == bytes.count
}

/// The address of a Unix socket; `@` at the front stands for the zero byte of the abstract namespace (unix(7)). Nil
/// when the name is too long for the structure.
func unixAddress(_ name: String) -> (value: sockaddr_un, length: socklen_t)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    let isAbstract = name.hasPrefix("@")
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // An abstract name ends with the length, a path with a zero byte.
    let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count + (isAbstract ? 0 : 1)
    return (address, socklen_t(length))
}
