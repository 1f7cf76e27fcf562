package import Desk
import Files
package import Readings
package import Records
import Storage
import Telemetry
import Vault

/// The source that a reader reads from, for one request alone.
package struct ReadSource {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) { (self.store, self.keys) = (store, keys) }

    /// Opens the databases, and lets `read` read one state of them.
    package static func opened<Value>(
        _ settings: some HouseSettings, _ features: [Feature], _ read: (ReadSource) throws -> Value
    ) throws -> Value {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true, adding: features.schema)
        return try ReadSource(store: store, keys: keys).read(read)
    }

    /// A text that changes whenever anything changes that is kept about a person; nil if nothing is kept, or nobody can open
    /// it any longer.
    func state(of person: ID) throws(VaultError) -> String? {
        guard let secret = try keys.version(of: person), let epoch = try store.epoch(of: person) else { return nil }
        return "\(secret).\(epoch)"
    }

    /// Lets `body` read one state of the store.
    func read<Value>(_ body: (ReadSource) throws -> Value) throws -> Value {
        try store.database.snapshot { () throws(VaultError) in Result { try body(self) } }.get()
    }
}

package typealias StoreReaders = Readers<ReadSource>
