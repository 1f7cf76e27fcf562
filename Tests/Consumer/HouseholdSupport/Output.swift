import Foundation
import TestSupport

/// The lines that `body` writes to a descriptor.
package func output(_ body: (CInt) throws -> Void) throws -> [String] {
    let path = FileManager.default.temporaryDirectory.path + "/vitals-output-\(UUID().uuidString)"
    defer { unlink(path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    defer { close(descriptor) }
    try body(descriptor)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
}
