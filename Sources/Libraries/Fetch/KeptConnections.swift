import CCurl
import Synchronization

/// The connections of one fetcher, which its transfers use again, one after the other.
// Proof of @unchecked: the share has no locks, and is used only within `alone`.
final class KeptConnections: @unchecked Sendable {
    /// What libcurl calls a share.
    let share: UnsafeMutableRawPointer
    private let turn = Mutex(())

    /// Nil if libcurl does not start: then each transfer has a connection of its own, and says why it has none.
    init?() {
        guard Transfer.isStarted, let share = curl_share_init() else { return nil }
        self.share = share
        // Everything is set, so `deinit` runs for this one, too.
        guard vitals_curl_share_connections(share) == CURLSHE_OK else { return nil }
    }

    /// The transfers are over: each ends before the call that has made it.
    deinit { curl_share_cleanup(share) }

    /// Lets one transfer use them, from its making to its end.
    func alone(_ body: () throws(FetchError) -> WebAnswer) throws(FetchError) -> WebAnswer {
        try turn.withLock { (_) throws(FetchError) in try body() }
    }
}
