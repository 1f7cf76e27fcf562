import Records
import Telemetry
import Vault

/// Whose some streams are, so that a batch can name its people before it begins. A stream never gets another person; when
/// a person was forgotten, all of this is. Belongs to one thread.
struct StreamOwners {
    private var owners: [StreamID: ID] = [:]
    private static let capacity = 4096

    /// The person of a stream; nil if there is no such stream, or its person was forgotten.
    mutating func owner(of stream: StreamID, _ store: Store) throws(VaultError) -> ID? {
        if let known = owners[stream] { return known }
        guard let owner = try store.stream(stream)?.owner else { return nil }
        if owners.count >= Self.capacity { owners = [:] }
        owners[stream] = owner
        return owner
    }

    mutating func removeAll() { owners = [:] }
}
