package import Files
package import Telemetry
import Vault

/// An id that nobody can guess and that says nothing: 16 of a-z and 2-7, 80 random bits.
package func drawnID() throws(VaultError) -> ID {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    let text = String(decoding: try RandomBytes.draw(16).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    guard let id = decoded({ () throws(MalformedValue) in try ID(text) }) else {
        throw VaultError("draw an id", .malformed, said: "\"\(text)\" is not an id")
    }
    return id
}
