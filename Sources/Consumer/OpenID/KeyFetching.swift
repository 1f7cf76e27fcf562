import Fetch
import Files
import Reactor

/// The thread that fetches providers' keys, from the web or from files. It ends with the value, which ends the
/// fetch that is under way; so work that runs on it must not keep the value.
package final class KeyFetching: Sendable {
    private let thread = EventLoop(name: "fetch")
    private let fetchers: [String: Fetcher]

    /// - Parameter providers: all there are, by name.
    package init(_ providers: [String: ProviderSettings]) {
        fetchers = providers.mapValues {
            Fetcher(Fetcher.Limits(length: KeySet.maximumLength), authorities: $0.authorities)
        }
        if !providers.isEmpty { thread.start() }
    }

    deinit {
        for fetcher in fetchers.values { fetcher.cancel() }
        thread.end()
    }

    /// Key sets that are fetched here.
    /// - Parameter back: has work done on the thread that the sets belong to.
    package func keySets(back: @escaping KeySets.Perform) -> KeySets {
        KeySets(
            fetch: { [fetchers] in try Self.fetch($0, fetchers[$0.name]) },
            elsewhere: { [thread] in thread.perform($0) }, back: back)
    }

    private static func fetch(_ provider: ProviderSettings, _ fetcher: Fetcher?) throws -> [UInt8] {
        switch provider.keys {
        case .address(let address): return try fetcher?.get(address.text) ?? []
        case .file(let path):
            guard let bytes = try SmallFile.read(path, atMost: KeySet.maximumLength) else {
                throw TokenRefusal.malformed("there is no such file")
            }
            return bytes
        }
    }
}
