import Daemon
package import Files
package import Readings
package import Records
import Telemetry

/// The places of the list of the forgotten. Belongs to the thread of its store and keys.
package struct ForgottenPlaces {
    /// Its name in the state folder.
    package static let file = StateFolder.forgotten

    /// In the state folder; then, if the settings name it, on another medium.
    package let files: [String]
    package let store: Store
    package let keys: Keys

    /// - Parameters:
    ///   - state: the state folder.
    ///   - elsewhere: a file on another medium.
    package init(state: String, elsewhere: String?, store: Store, keys: Keys) {
        files = ["\(state)/\(Self.file)"] + (elsewhere.map { [$0] } ?? [])
        self.store = store
        self.keys = keys
    }

    /// Puts somebody on the list in each file, with everything that is sealed to their secrets, before anything is
    /// done.
    package func note(_ person: Forgotten) throws(VaultError) {
        var list = ForgottenList()
        list.add(person)
        for stream in try store.streams(of: person.user) where stream.secretVersion <= person.version {
            list.add(stream.id)
        }
        try write(list)
    }

    /// Joins what all places and other lists know; afterwards each place knows all of it.
    package func bringUpToDate(with others: [ForgottenList] = []) throws(VaultError) -> ForgottenList {
        var all = try keys.forgotten()
        all.formUnion(try store.forgotten())
        for list in others { all.formUnion(list) }
        var lists: [String: ForgottenList] = [:]
        for file in files {
            do {
                let list = try ForgottenList(file, keys)
                if list.strange > 0 {
                    log.warning(
                        "\(file): \(counted(list.strange, "line")) that this consumer did not write, or that are torn")
                }
                lists[file] = list
                all.formUnion(list)
            } catch { log.error("the list of the forgotten is not read: \(error)") }
        }
        for file in files {
            guard let list = lists[file] else { continue }
            try append(all.missing(in: list), to: file)
        }
        // The tables, too: before a secret is made, they are asked which versions were forgotten.
        try keys.enter(all.missing(in: keys.forgotten()).inOrder)
        let unknown = all.missing(in: try store.forgotten())
        if !unknown.isEmpty { try store.enter(unknown) }
        return all
    }

    private func write(_ list: ForgottenList) throws(VaultError) {
        for file in files { try append(list, to: file) }
    }

    /// The file in the state folder counts; the other may be on a medium that is not there, and is brought up to date
    /// later.
    private func append(_ list: ForgottenList, to file: String) throws(VaultError) {
        do {
            let rights = try FileRights.take(ofFolderOf: file)
            defer { rights.giveBack() }
            try list.append(to: file, keys)
        } catch {
            guard file != files[0] else { throw error }
            log.error("\(file) does not know yet who was forgotten: \(error)")
        }
    }
}

extension ForgottenPlaces {
    /// - Parameter folder: the state folder; nil for that of the settings.
    package init(_ settings: any HouseSettings, store: Store, keys: Keys, folder: String? = nil) {
        self.init(state: folder ?? settings.state, elsewhere: settings.forgottenFile, store: store, keys: keys)
    }
}
