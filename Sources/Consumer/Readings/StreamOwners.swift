import Records
import Telemetry
import Vault

/// Whose some streams are, so that a batch can name its people before it begins. A stream never gets another person; when
/// a person was forgotten, all of this is. Belongs to one thread.
struct StreamOwners {
    private var owners: [StreamID: (owner: ID, gateway: String)] = [:]
    private static let capacity = 4096

    /// The person of a gateway's stream; nil if it has no such stream, or the person was forgotten.
    mutating func owner(of stream: StreamID, at gateway: ID, _ store: Store) throws(VaultError) -> ID? {
        if let known = owners[stream] { return known.gateway == gateway.text ? known.owner : nil }
        guard let found = try store.stream(stream), let owner = found.owner else { return nil }
        if owners.count >= Self.capacity { owners = [:] }
        owners[stream] = (owner, found.gateway)
        return found.gateway == gateway.text ? owner : nil
    }

    /// Adds the people of some streams, each with the gateway that names it.
    mutating func add(
        to people: inout Set<ID>, _ streams: some Sequence<(gateway: ID, stream: StreamID?)>, _ store: Store
    ) throws(VaultError) {
        var last: (gateway: ID, stream: StreamID)?
        for case (let gateway, let stream?) in streams where last?.stream != stream || last?.gateway != gateway {
            // Most blocks follow one of the same stream.
            last = (gateway, stream)
            if let owner = try owner(of: stream, at: gateway, store) { people.insert(owner) }
        }
    }

    mutating func removeAll() { owners = [:] }
}
