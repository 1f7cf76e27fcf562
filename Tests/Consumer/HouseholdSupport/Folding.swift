package import Files
import Readings
package import Telemetry

/// Notes what it is asked to fold.
package final class Folding: ClosedHours {
    package private(set) var asked: [Int64] = []
    /// Whether there is more after a call, by how many there were.
    private let hasMore: (Int) -> Bool

    package init(hasMore: @escaping (Int) -> Bool = { _ in false }) { self.hasMore = hasMore }

    package func fold(before hour: Int64, isBusy: (ID) -> Bool, now: Int64) throws(VaultError) -> Bool {
        asked.append(hour)
        return hasMore(asked.count)
    }
}
