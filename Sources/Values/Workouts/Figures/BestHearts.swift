public import Fitness

/// What several sources of heart rates hold together.
public struct BestHearts: Sendable {
    /// In the order of time.
    public let pieces: [HeldHeartRates.Piece]
    /// Slots from this one on are not known yet, by their number since 1970.
    public let end: Int64

    /// What they hold before a slot.
    public init(_ pieces: [HeldHeartRates.Piece], before end: Int64) { (self.pieces, self.end) = (pieces, end) }
}
