package import Daemon
package import Files

extension FileRights {
    /// Takes the rights of the owner of the folder that a file lies in, or would lie in.
    package static func take(ofFolderOf file: String) throws(VaultError) -> FileRights {
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        do throws(Failure) { return try take(ofOwnerOf: folder) } catch {
            throw VaultError("work in \(folder)", .permissions, said: error.message)
        }
    }
}

extension Failure {
    /// A database whose schema has another version than this program's, and that may only be read.
    package init(olderOrNewer path: String, _ found: Int, knows: Int) {
        self.init(
            .configuration, "\(path) has version \(found) of the schema, this program knows \(knows)",
            hint: found > knows
                ? "install at least the version that wrote this file, or restore a backup from before the upgrade"
                : "start the service of this version once")
    }
}
