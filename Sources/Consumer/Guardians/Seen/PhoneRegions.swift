import Files
import Fitness
import OwnTracks
import Records
import Telemetry
import Whereabouts

/// The circular regions that a dependent has set up in the app on their phones, of which a guardian can make an area: the document
/// "phone-regions".
struct PhoneRegions: Equatable {
    static let document = "phone-regions"
    /// How many are kept of all phones.
    private static let most = 64
    /// Bytes of a name that is kept.
    private static let longestName = 256

    struct Region: Equatable {
        let phone: String
        let name: String
        let middle: Place
        let radiusMetres: Double

        var circle: JSON {
            ["lat": .number(middle.latitude), "lon": .number(middle.longitude), "radius_m": .number(radiusMetres)]
        }
    }

    private(set) var all: [Region] = []

    func region(_ name: String) -> Region? { all.first { $0.name == name } }

    /// Takes what a phone says of its regions: all of them, or one.
    mutating func take(_ regions: [PhoneRegion], areAll: Bool, of phone: ID) {
        let found = regions.filter {
            $0.name.utf8.count <= Self.longestName && AreaShape.radii.contains($0.radiusMetres)
        }
        .map {
            Region(phone: phone.text, name: PlainText.shown($0.name), middle: $0.place, radiusMetres: $0.radiusMetres)
        }
        let names = Set(found.map(\.name))
        all.removeAll { $0.phone == phone.text && (areAll || names.contains($0.name)) }
        all += found
        all.removeFirst(max(0, all.count - Self.most))
    }

    /// As guardians see them.
    func json(of dependent: ID) -> [JSON] {
        all.map { region in
            [
                "dependent": .string(dependent.text), "region": .string(region.name),
                "lat": .number(region.middle.latitude),
                "lon": .number(region.middle.longitude), "radius_m": .number(region.radiusMetres),
            ]
        }
    }

    // MARK: The document

    static func read(_ documents: Documents, of user: ID) throws(VaultError) -> PhoneRegions {
        PhoneRegions(kept: try documents.read(Self.document, of: user))
    }

    func write(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.write(json, Self.document, of: user)
    }

    private init(kept json: JSON?) {
        guard case .array(let entries)? = json?["regions"] else { return }
        all = entries.compactMap { entry in
            guard case .string(let phone)? = entry["phone"], case .string(let name)? = entry["name"],
                let latitude = entry["lat"]?.double, let longitude = entry["lon"]?.double,
                let radius = entry["radius_m"]?.double
            else { return nil }
            let middle = Place(latitude: latitude, longitude: longitude)
            return Region(phone: phone, name: name, middle: middle, radiusMetres: radius)
        }
    }

    var json: JSON {
        [
            "regions": .array(
                all.map { region in
                    [
                        "phone": .string(region.phone), "name": .string(region.name),
                        "lat": .number(region.middle.latitude), "lon": .number(region.middle.longitude),
                        "radius_m": .number(region.radiusMetres),
                    ]
                })
        ]
    }
}
