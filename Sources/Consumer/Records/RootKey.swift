import Daemon
package import Files
import Glibc
import Storage
package import Vault

// Where the root key is kept, and how it is changed.
//
//     FILE        the root key: root_key_file in the settings
//     FILE.new    the next one, while it is being changed
//
// To change it, the new key is written next to the old one and flushed; then everything in keys.db is wrapped again in
// one flushed transaction: from then on, and not before, the change has happened; then FILE.new takes FILE's place. All
// of it is done with keys.db locked for writing. So a program that opens keys.db after an interruption, at any instant,
// finds that one of the two fits, and one that may write there finishes: it renames the new key if that fits, and
// removes it if nothing was wrapped under it. Two processes that change the root key at once do so one after the
// other.
//
// A service to which systemd gives the root key as a credential reads that, even if the settings name a file: the file may
// then be root's alone, and root's commands read and change it. Such a service has to be restarted after a change.
//
// A systemd credential cannot be replaced from here: the operator keeps the new key, and gives it to the service.

/// The root key of a consumer, in the place that the settings name.
struct RootKey {
    /// The file itself, even if the settings name a link to it: the next key belongs on the same medium. A link that root
    /// must not follow stays what it is, and nothing is read through it. Nil: a credential of systemd's.
    let path: String?

    /// Its name.
    static let credential = "root-key"
    /// What the service's unit gives in place of it where there is none.
    static let missing = "missing"

    private var pending: String? { path.map { $0 + ".new" } }

    init(path: String?) {
        self.path = path.map(ReadableFile.place)
    }

    /// The keys that may be the root key: the one in its place first.
    func candidates() throws(VaultError) -> [SymmetricKey] {
        // An operator's command may need root's rights to reach the key, for example a credential.
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        guard let path, let pending else { return try KeyFile.load(credential: Self.credential).map { [$0] } ?? [] }
        // In this order: a process that finishes a change renames the next key, which is then found in its place.
        let next = try next(pending)
        guard access(path, F_OK) == 0 else { return next }
        return [try KeyFile.load(path)] + next
    }

    /// The next root key, if one is kept.
    private func next(_ pending: String) throws(VaultError) -> [SymmetricKey] {
        do { return [try KeyFile.load(pending)] } catch {
            switch error.reason {
            case .missing: return []
            // The process that kept it was interrupted before it gave the file to its owner: nothing is wrapped under
            // it yet.
            case .permissions: return []
            default: throw error
            }
        }
    }

    /// Keeps the next root key next to the one in use. The caller has keys.db locked, and no change is pending.
    func prepare(_ key: SymmetricKey) throws(VaultError) {
        guard let path, let pending else { return }
        // If root changes the key, the service, which reads the old one, must be able to read the new one, too.
        let owner = try SmallFile.owner(of: path)
        let rights = try FileRights.take(ofFolderOf: path)
        defer { rights.giveBack() }
        try SmallFile.replace(
            pending, with: Array((KeyFile.text(of: key.bytes) + "\n").utf8), owner: FileRights.areRoots ? owner : nil)
    }

    /// Puts the next root key into place if keys.db is wrapped under it, or removes it if it is not. The caller
    /// has keys.db locked.
    func finish(_ isInUse: (SymmetricKey) throws(VaultError) -> Bool) throws(VaultError) {
        guard let path, let pending, access(pending, F_OK) == 0 else { return }
        let rights = try FileRights.take(ofFolderOf: path)
        defer { rights.giveBack() }
        guard try isInUse(KeyFile.load(pending)) else {
            unlink(pending)
            return
        }
        let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { if old >= 0 { close(old) } }
        try Folder.rename(pending, to: path)
        overwrite(old)
    }

    /// Overwrites the old key's file, unless it has another name: then somebody still keeps it.
    private func overwrite(_ file: CInt) {
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0, status.st_nlink == 0, status.st_size < 4096 else { return }
        let zeros = [UInt8](repeating: 0, count: Int(status.st_size))
        // We cannot reach what a file system or a card keeps of it elsewhere, and so an error here is no worse than
        // success.
        if pwrite(file, zeros, zeros.count, 0) == zeros.count { fsync(file) }
    }
}

extension Keys {
    /// Wraps everything again under another root key, a given one or a random one; lookup key, pepper, identity and
    /// secrets stay the same. When this returns, the new key is in its place, and on the disk.
    /// - Returns: whether the files have lost everything that was wrapped under the old one; false while somebody reads
    ///   an older state of keys.db. The next one to open it for writing does the rest.
    package func rotateRoot(to given: SymmetricKey?) throws(VaultError) -> Bool {
        try database.transaction { () throws(VaultError) in
            try followRoot()
            try Self.finishRootRotation(rootKey, database)
            let key: SymmetricKey
            if let given { key = given } else { key = try .random() }
            try rootKey.prepare(key)
            try rewrap(RowKey(key))
        }
        try database.transaction { () throws(VaultError) in
            try followRoot(to: given)
            try Self.finishRootRotation(rootKey, database)
        }
        return try database.checkpoint()
    }

    private func rewrap(_ new: RowKey) throws(VaultError) {
        let wrapped = try database.query("SELECT name, sealed FROM wrapped WHERE name <> 'check'") {
            (row) throws(VaultError) in (try row.text("name"), try row.blob("sealed"))
        }
        for (name, sealed) in wrapped {
            let context = Self.wrappedContext(name)
            let rewrapped = try new.seal(root.open(sealed, context), context)
            try database.execute("UPDATE wrapped SET sealed = ? WHERE name = ?", [.blob(rewrapped), .text(name)])
        }
        let check = try new.seal(Self.checkText, Self.checkContext)
        try database.execute("UPDATE wrapped SET sealed = ? WHERE name = 'check'", [.blob(check)])
        for name in try all() {
            guard let sealed = try sealedSecret(name) else { continue }
            let context = Self.personContext(name.user, name.version)
            do throws(VaultError) {
                let rewrapped = try new.seal(root.open(sealed, context), context)
                try database.execute(
                    "UPDATE secrets SET sealed = ? WHERE person = ? AND version = ?",
                    [.blob(rewrapped), .text(name.user), .integer(name.version)])
            } catch {
                // A damaged secret stays as damaged as it was.
                guard error.isUnreadable else { throw error }
                log.error("the secret of \(name.user), version \(name.version), is damaged, and stays so")
            }
        }
    }

    /// Makes sure, within a transaction, that `root` is what the database is wrapped under: nothing is ever sealed
    /// under an old key next to rows that were wrapped again.
    /// - Parameter given: a key to try before those in the place that the settings name.
    func followRoot(to given: SymmetricKey? = nil) throws(VaultError) {
        guard try !Self.opens(root, database) else { return }
        if let given, case let cipher = RowKey(given), try Self.opens(cipher, database) {
            root = cipher
            return
        }
        guard let new = try Self.fitting(rootKey, database) else {
            if reported.allows(PersonVersion(user: "", version: 0), now: millisecondsSinceBoot()) {
                log.error(
                    "the root key of \(database.path) was changed: restart this with the new one, if it is a credential"
                )
            }
            // Says why.
            _ = try root.open(Self.sealed("check", database) ?? [], Self.checkContext)
            return
        }
        root = new
        log.notice("the root key was changed; the new one is in use", event: .rootKeyChanged)
    }

    static func finishRootRotation(_ rootKey: RootKey, _ database: Database) throws(VaultError) {
        try rootKey.finish { key throws(VaultError) in try opens(RowKey(key), database) }
    }
}
