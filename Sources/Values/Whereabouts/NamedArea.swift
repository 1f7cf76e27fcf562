/// A part of the Earth's surface that has a name, such as a garden.
public struct NamedArea: Hashable, Sendable {
    /// What people call it.
    public let name: String
    /// Where it is.
    public let shape: AreaShape

    /// An area and its name.
    public init(_ name: String, _ shape: AreaShape) { (self.name, self.shape) = (name, shape) }

    /// What people call the place where somebody is; nil if it has no name, or a fix is too rough to say. Of several areas,
    /// the smallest says most: the garden rather than the town.
    public static func name(at fix: Fix, among areas: [NamedArea]) -> String? {
        guard fix.isPossible else { return nil }
        let around = areas.filter { area in
            switch AreaSide.Sign(fix, area.shape) {
            case .certain(let side), .likely(let side): side == .inside
            case .nothing: false
            }
        }
        return around.min { ($0.shape.depthMetres, $0.name) < ($1.shape.depthMetres, $1.name) }?.name
    }
}
