public import Fitness
public import Telemetry

/// A circular region that the owner of a phone has set up in the app: `{"_type":"waypoint",…}`, on the topic `…/waypoint`
/// when it is made or changed, and all of them in `{"_type":"waypoints","waypoints":[…]}` on `…/waypoints`. The app says when
/// such a region is entered or left (`PhoneTransition`).
public struct PhoneRegion: Hashable, Sendable {
    /// The region's name, as somebody typed it (`desc`).
    public var name: String
    /// Its middle: `lat`, `lon`.
    public var place: Place
    /// Its radius in metres (`rad`).
    public var radiusMetres: Double
    /// When it was set up (`tst`), in Unix milliseconds: on Android the region's key.
    public var made: Int64?
    /// Its id (`rid`; apps since 2021).
    public var id: String?

    /// A region without a time and an id.
    public init(name: String, place: Place, radiusMetres: Double) {
        (self.name, self.place, self.radiusMetres) = (name, place, radiusMetres)
    }
}

extension PhoneRegion {
    /// The most regions of a phone that are read; iOS watches 20 at a time.
    public static let most = 128
    private static let longestText = 1024

    /// The region of a message about one; nil if it has no circle: beacons are written as regions, too.
    init?(_ object: JSON) throws(OwnTracksError) {
        let fields = try Fields(object, "read a region")
        let (place, radius) = (
            try fields.place(), try fields.number("rad", in: -1...PhoneLocation.farthestMetres)
        )
        let name = try fields.text("desc", atMost: Self.longestText)
        guard let place, let radius, radius > 0, let name, !name.isEmpty else { return nil }
        self.init(name: name, place: place, radiusMetres: radius)
        made = try fields.time("tst")
        id = try fields.text("rid", atMost: Self.longestText)
    }

    /// The circles of a message about all regions.
    static func all(_ object: JSON) throws(OwnTracksError) -> [PhoneRegion] {
        let attempted = "read regions"
        guard case .array(let entries)? = object["waypoints"] else {
            throw OwnTracksError(attempted, .malformed, "waypoints is no list")
        }
        guard entries.count <= most else {
            throw OwnTracksError(attempted, .outOfRange, "more than \(most) regions")
        }
        var regions: [PhoneRegion] = []
        for entry in entries { if let region = try PhoneRegion(entry) { regions.append(region) } }
        return regions
    }

    /// The message as the app writes it about one region; what is nil is left out.
    public var json: JSON {
        var members = Members(of: .waypoint)
        members.add("desc", text: name)
        members.add("lat", number: place.latitude)
        members.add("lon", number: place.longitude)
        members.add("rad", number: radiusMetres)
        members.add("tst", time: made)
        members.add("rid", text: id)
        return members.json
    }
}
