import Files
import Records
import Telemetry

@testable import Readings
@testable import vitals_consumer

/// Notes what it is asked to fold.
final class Folding: ClosedHours {
    private(set) var asked: [Int64] = []
    /// Whether there is more after a call, by how many there were.
    private let hasMore: (Int) -> Bool

    init(hasMore: @escaping (Int) -> Bool = { _ in false }) { self.hasMore = hasMore }

    func fold(before hour: Int64, isBusy: (ID) -> Bool, now: Int64) throws(VaultError) -> Bool {
        asked.append(hour)
        return hasMore(asked.count)
    }
}
