package import Desk
import Files
package import Readings
package import Records
import Storage

/// The source that a reader reads from, opened for one request alone.
package struct ReadSource {
    package let store: Store
    package let keys: Keys

    /// Opens the databases, and lets `read` read one state of them.
    package static func opened<Value>(
        _ settings: some HouseSettings, _ features: [Feature], _ read: (ReadSource) throws -> Value
    ) throws -> Value {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true, adding: features.schema)
        let source = ReadSource(store: store, keys: keys)
        return try store.database.snapshot { () throws(VaultError) in Result { try read(source) } }.get()
    }
}

package typealias StoreReaders = Readers<ReadSource>
