import Glibc

/// Writes all bytes, also if signals interrupt it.
/// - Throws: what `failure` makes of the message for `errno`.
public func writeAll(
    _ bytes: [UInt8], to descriptor: CInt, _ failure: (_ reason: String) -> Failure
) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 || count < 0 && errno == EINTR else { throw failure(String(cString: strerror(errno))) }
        rest = rest.dropFirst(max(0, count))
    }
}
