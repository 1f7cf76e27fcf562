import ActivityFiles
import Features
import Files
import Readings
import Records
import Telemetry

// What recorded imported files is a sensor of the consumer's own gateway, one for each source: a watch, a telephone. So
// its readings are sealed, counted, packed, deleted and exported as all readings are. A document of each person says
// which sensor stands for which source.

/// The sources of a person's imported files. Belongs to the thread of its store and keys.
struct ImportSources {
    static let document = "imports"
    /// How many a person may have; what others recorded is one source together.
    static let limit = 31
    private static let others = "other sources"
    /// Characters of a source's name.
    private static let longestName = 100

    let documents: Documents

    /// The name of what recorded a file.
    static func name(_ device: Device?, _ format: String) -> String {
        let parts = [device?.manufacturer, device?.product, device?.serial].compactMap { $0 }
        return shortened(parts.isEmpty ? format : parts.joined(separator: " "))
    }

    static func shortened(_ name: String) -> String { String(name.prefix(longestName)) }

    /// The sources by the sensors that stand for them, in the order in which they came.
    func all(of user: ID) throws(VaultError) -> [(sensor: ID, name: String)] {
        guard case .array(let kept)? = try documents.read(Self.document, of: user)?["sources"] else { return [] }
        return kept.compactMap { source in
            guard case .string(let sensor)? = source["sensor"], case .string(let name)? = source["source"],
                let id = decoded({ () throws(MalformedValue) in try ID(sensor) })
            else { return nil }
            return (id, name)
        }
    }

    /// The sensor that stands for a source, which is made, with its claim, if there is none. Within a transaction.
    /// - Parameter mayAdd: whether another source may be told from the others now.
    func sensor(of name: String, _ user: ID, mayAdd: () -> Bool, now: Int64) throws -> ID {
        var sources = try all(of: user)
        if let known = sources.first(where: { $0.name == name }) { return known.sensor }
        let name = sources.count < Self.limit && mayAdd() ? name : Self.others
        if let known = sources.first(where: { $0.name == name }) { return known.sensor }
        let sensor = try ID(OwnGateway.importPrefix + drawnID().text)
        sources.append((sensor, name))
        try documents.write(Self.json(sources), Self.document, of: user)
        try Claims(store: documents.store).write(
            Self.name(of: sensor), user, RecordedKinds(documents).kindsOfImports(of: user), now: now)
        return sensor
    }

    /// Its name among all sensors.
    static func name(of sensor: ID) throws(MalformedValue) -> SensorName {
        SensorName(gateway: try ID(OwnGateway.name), sensor: sensor)
    }

    /// `{"sources":[{"sensor":"import-…","source":"garmin 3113"}]}`
    static func json(_ sources: [(sensor: ID, name: String)]) -> JSON {
        let list = sources.map { sensor, name -> JSON in
            ["sensor": .string(sensor.text), "source": .string(name)]
        }
        return ["sources": .array(list)]
    }
}
