import Glibc

/// Waits until there is something to read, or nobody writes any longer. A signal that comes meanwhile does not end that, as it
/// ends poll(2).
/// - Returns: whether there is, within the limit.
public func isReadable(_ descriptor: CInt, within limit: Duration = limit) -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let found = poll(&entry, 1, max(0, Int32((end - .now) / .milliseconds(1))))
        if found >= 0 || errno != EINTR { return found > 0 }
    }
}
