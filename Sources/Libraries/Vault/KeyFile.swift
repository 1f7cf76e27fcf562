import COpenSSL
public import Files
import Glibc

/// 32-byte keys in files of their own: root key, identities. One line of base64.
///
/// A file that its group or others may read is refused: the person who set it up should hear of it. Credentials of
/// systemd are exempt, since systemd guards their directory and may show an access list as group bits.
public enum KeyFile {
    /// The key in the file at `path`, which root may also name by a link of root's own. Throws `.missing`, `.permissions` (with `chmod 600` as a hint) or `.malformed`.
    public static func load(_ path: String) throws(VaultError) -> SymmetricKey {
        let attempted = "read the key file \(path)"
        let file = try ReadableFile.open(path, attempted)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(attempted, errno: errno) }
        guard status.st_mode & 0o077 == 0 || isCredential(path) else {
            throw VaultError(attempted, .permissions, said: "others may read it; chmod 600 \(path)")
        }
        var text = [UInt8](repeating: 0, count: 256)
        defer { text.overwrite() }
        let count = read(file, &text, text.count)
        guard count >= 0 else { throw .system(attempted, errno: errno) }
        return try SymmetricKey(decode(text[..<count], attempted))
    }

    /// The key that systemd hands over as the credential `name` (`LoadCredential=`, `LoadCredentialEncrypted=`), a file
    /// in `$CREDENTIALS_DIRECTORY`; nil if there is none.
    public static func load(credential name: String) throws(VaultError) -> SymmetricKey? {
        guard let directory = credentialsDirectory else { return nil }
        let path = "\(directory)/\(name)"
        return access(path, F_OK) == 0 ? try load(path) : nil
    }

    /// Whether systemd hands over the credential `name`.
    public static func isGiven(credential name: String) -> Bool {
        credentialsDirectory.map { access("\($0)/\(name)", F_OK) == 0 } ?? false
    }

    /// Whether systemd hands over a text as the credential `name`, which a unit does in place of a key that is not there.
    public static func isGiven(credential name: String, as text: String) -> Bool {
        guard let directory = credentialsDirectory else { return false }
        let file = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count + 1)
        defer { bytes.overwrite() }
        let count = read(file, &bytes, bytes.count)
        return count == text.utf8.count && bytes.prefix(count).elementsEqual(text.utf8)
    }

    /// The key at `path`; if there is no file, a random key is made and stored there first. When this returns the
    /// file is on the disk, with mode 0600. Two processes that start at once end with the same key.
    /// - Parameter owner: the user to whom root gives a file that it makes; nil leaves it root's.
    public static func createIfMissing(
        _ path: String, owner: SmallFile.Owner? = nil
    ) throws(VaultError) -> SymmetricKey {
        guard access(path, F_OK) != 0 else { return try load(path) }
        try create(path, .random(), owner)
        return try load(path)
    }

    /// One line of base64 without its newline, as in key files and settings: for public keys, 32 bytes.
    public static func text(of key: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (key.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, key, Int32(clamping: key.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// The 32 bytes of what `text(of:)` made. Throws `.malformed`, without repeating the text.
    public static func bytes(of text: String) throws(VaultError) -> [UInt8] {
        try decode(Array(text.utf8)[...], "read a key")
    }

    /// Writes to a name that nobody knows and links it into place: the key file is there whole or not at all, and never
    /// replaces another.
    private static func create(
        _ path: String, _ key: SymmetricKey, _ owner: SmallFile.Owner?
    ) throws(VaultError) {
        let attempted = "create the key file \(path)"
        var line = Array(text(of: key.bytes).utf8) + [UInt8(ascii: "\n")]
        defer { line.overwrite() }
        let temporary = try SmallFile.writeTemporary(path, line, attempted, owner: owner)
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 || errno == EEXIST else { throw .system(attempted, errno: errno) }
        try Folder.makeNamesDurable(of: path, attempted)
    }

    private static func decode(_ text: ArraySlice<UInt8>, _ attempted: String) throws(VaultError) -> [UInt8] {
        var line = text
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        var bytes = [UInt8](repeating: 0, count: 36)
        // 32 bytes are 44 characters, the last a "="; EVP_DecodeBlock counts the padding as a byte of its own.
        guard line.count == 44, line.last == UInt8(ascii: "="),
            EVP_DecodeBlock(&bytes, Array(line), 44) == 33,
            Array(Self.text(of: Array(bytes[..<32])).utf8) == Array(line)
        else {
            ERR_clear_error()
            throw VaultError(attempted, .malformed, said: "not 32 bytes as one line of base64 (44 characters)")
        }
        defer { bytes.overwrite() }
        return Array(bytes[..<32])
    }

    private static var credentialsDirectory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    private static func isCredential(_ path: String) -> Bool {
        guard let directory = credentialsDirectory, !directory.isEmpty else { return false }
        return path.hasPrefix(directory + "/") && !path.contains("/../")
    }
}
