/// What is known of a sensor that Home Assistant shows: fit to be shown, whatever the sensor has sent. A gateway remembers it,
/// so that a sensor that is not connected looks as it did when it was.
public struct DiscoveredSensor: Hashable, Sendable {
    /// The sensor's id.
    public let id: ID
    /// What people call it.
    public private(set) var name: String
    /// The maker.
    public private(set) var manufacturer: String?
    /// The model.
    public private(set) var model: String?
    /// The firmware's revision.
    public private(set) var firmware: String?
    /// What it has.
    public private(set) var entities: Set<DiscoveredEntity>
    /// What it had at some time: Home Assistant keeps an entity until it is told that it is gone.
    public private(set) var gone: Set<DiscoveredEntity>

    /// A sensor of which nothing is known yet.
    public init(_ id: ID) {
        (self.id, name) = (id, id.text)
        (entities, gone) = ([.connectivity], [])
    }

    /// Takes what a sensor says of itself. An info without capabilities is of a sensor that has not been read yet: what it
    /// had stays.
    /// - Parameter isLive: whether values are published as they come.
    public mutating func take(_ info: SensorInfoPayload, isLive: Bool) {
        name = info.name.flatMap(shown) ?? id.text
        manufacturer = info.manufacturer.flatMap(shown) ?? manufacturer
        model = info.model.flatMap(shown) ?? model
        firmware = info.firmware.flatMap(shown) ?? firmware
        var has = DiscoveredEntity.of(info.capabilities, isLive: isLive)
        if info.capabilities.isEmpty { has.formUnion(entities.filter { isLive || !$0.isOnlyLive }) }
        if info.battery != nil || entities.contains(.battery) { has.insert(.battery) }
        gone = gone.union(entities).subtracting(has)
        entities = has
    }
}

// As it is remembered. Entities that only a later version knows are left out.
extension DiscoveredSensor: Payload {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? {
            try container.decodeIfPresent(String.self, forKey: key).flatMap(shown)
        }
        func entities(_ key: CodingKeys) throws -> Set<DiscoveredEntity> {
            Set(try container.decode([String].self, forKey: key).compactMap(DiscoveredEntity.init))
        }
        id = try ID(try container.decode(String.self, forKey: .id))
        name = try text(.name) ?? id.text
        (manufacturer, model, firmware) = (try text(.manufacturer), try text(.model), try text(.firmware))
        (self.entities, gone) = (try entities(.entities), try entities(.gone))
    }

    public var json: JSON {
        func list(_ entities: Set<DiscoveredEntity>) -> JSON {
            .array(DiscoveredEntity.allCases.filter(entities.contains).map { .string($0.rawValue) })
        }
        return .object(present: [
            "id": .string(id.text), "name": .string(name), "manufacturer": manufacturer.map(JSON.string),
            "model": model.map(JSON.string), "firmware": firmware.map(JSON.string), "entities": list(entities),
            "gone": list(gone),
        ])
    }

    private enum CodingKeys: String, CodingKey { case id, name, manufacturer, model, firmware, entities, gone }
}

/// The most bytes of a text that a sensor or a person has made up.
private let longestShown = 64

/// A text in one line, without what is invisible or changes the direction of what follows, and not longer than is fit for a
/// name; nil if nothing is left.
func shown(_ text: String) -> String? {
    var words = [String.UnicodeScalarView()]
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: words.append(String.UnicodeScalarView())
        case .surrogate, .privateUse, .unassigned: break
        case .format where scalar.value != 0x200D: break  // The joiner of emoji stays.
        default: words[words.count - 1].append(scalar)
        }
    }
    let line = words.lazy.filter { !$0.isEmpty }.map { String($0) }.joined(separator: " ")
    var result = ""
    for character in line {
        guard result.utf8.count + character.utf8.count <= longestShown else { break }
        result.append(character)
    }
    return result.isEmpty ? nil : result
}
