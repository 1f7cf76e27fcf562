package import Daemon
package import Files
package import Storage

extension FileRights {
    /// Takes the rights of the owner of the folder that contains a file, or would contain it.
    package static func take(ofFolderOf file: String) throws(VaultError) -> FileRights {
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        do throws(Failure) { return try take(ofOwnerOf: folder) } catch {
            throw VaultError("work in \(folder)", .permissions, said: error.message)
        }
    }
}

extension Failure {
    /// The failure for a database that may only be read, and whose schema has a different version from this program's.
    package init(olderOrNewer database: Database, knows migrations: [Migration]) throws(VaultError) {
        let found = try database.version
        var message = "\(database.path) has version \(found) of the schema, this program knows \(migrations.count)"
        guard case .newer(let reason) = try database.schemaAge(migrations) else {
            self.init(.configuration, message, hint: "start the service of this version once")
            return
        }
        // Two programs may have added equally many steps, but different ones.
        if found <= migrations.count { message = "the schema of \(database.path) is of a newer program: \(reason)" }
        self.init(
            .configuration, message,
            hint: "install at least the version that wrote this file, or restore a backup from before the upgrade")
    }
}
