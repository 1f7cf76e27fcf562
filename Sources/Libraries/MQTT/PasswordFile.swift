internal import Files
import Glibc

/// A file whose first line is a password.
public enum PasswordFile {
    /// The password.
    /// - Throws: when it cannot be read, or when anybody but its owner could read it.
    public static func read(_ path: String) throws(MQTTError) -> String {
        let attempted = "read the password file \(path)"
        let file: CInt
        do { file = try ReadableFile.open(path, attempted, mayBePipe: true) } catch {
            throw MQTTError(.invalid, attempted, error.said)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw MQTTError(.invalid, attempted, String(cString: strerror(errno)))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw MQTTError(
                .invalid, attempted, "users who are not its owner may read it", hint: "run chmod 600 \(path)")
        }
        // MQTT's limit for a password is 65,535 bytes.
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(file, &bytes, bytes.count)
        let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw MQTTError(.invalid, attempted, "its first line is empty") }
        return String(decoding: line, as: UTF8.self)
    }
}
