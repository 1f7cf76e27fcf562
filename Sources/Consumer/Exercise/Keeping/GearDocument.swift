import Files
import Records
import Telemetry

/// A person's gear, as it is kept: the document "workout-gear".
struct GearDocument {
    static let name = "workout-gear"
    let documents: Documents

    /// The gear; none where nothing was kept.
    func read(_ user: ID) throws(VaultError) -> GearList {
        guard case .array(let kept)? = try documents.read(Self.name, of: user)?["gear"] else { return GearList() }
        return GearList(kept.compactMap { Gear(kept: $0) })
    }

    /// Keeps the gear, within a transaction.
    func write(_ gear: GearList, of user: ID) throws(VaultError) {
        guard !gear.pieces.isEmpty else { return try documents.remove(Self.name, of: user) }
        try documents.write(["gear": .array(gear.pieces.map { .object($0.members) })], Self.name, of: user)
    }
}
