import Glibc

/// A file that everybody may read, for the textfile collector of Prometheus' node exporter. It is replaced as a whole:
/// a reader finds the old one or the new one. Nothing waits for the disk, because after a power cut nobody wants it.
struct MetricsFile: Sendable {
    let path: String

    /// The collector reads what ends with `.prom`, and this does not.
    private var temporary: String { path + ".new" }

    /// - Returns: what went wrong; nil if nothing did.
    func write(_ text: String) -> String? {
        // A run that was killed may have left it. O_EXCL follows no link that somebody else has put there.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return said(temporary) }
        var problem: String?
        // Whatever the umask says.
        if fchmod(file, 0o644) != 0 { problem = said(temporary) }
        var rest = Array(text.utf8)[...]
        while problem == nil, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { problem = said(temporary) }
        }
        close(file)
        if problem == nil, rename(temporary, path) != 0 { problem = said(path) }
        if problem != nil { unlink(temporary) }
        return problem
    }

    /// Nobody must take what it says for what is.
    func remove() { unlink(path) }

    private func said(_ path: String) -> String { "\(path): \(String(cString: strerror(errno)))" }
}
