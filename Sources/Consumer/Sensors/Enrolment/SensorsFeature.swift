package import Features
import Files
import Fitness
import Readings
import Records
import Storage
import Telemetry

extension Feature {
    /// People's sensors and gateways.
    package static let sensors = Feature(
        name: "sensors",
        tables: [
            PersonalTable(
                name: "claims", erasure: .withAccount, exported: .shown(inAll: ["sensors.json", "phones.json"])),
            PersonalTable(
                name: "gateways", column: "owner", erasure: .byOwnStep,
                exported: .hidden(because: "it has a gateway's keys; what its owner calls it is a document")),
        ],
        documents: [
            FeatureDocument(
                name: EnrolledGateways.namesDocument, isKeptByReset: true, hangsByItself: true,
                exported: .shown(in: "sensors.json"))
        ],
        exports: [
            .document(
                "sensors.json", "The sensors that are yours, and the names that you have given to gateways."
            ) { source throws(VaultError) in try sensors(source) }
        ],
        touched: { person throws(VaultError) in
            guard person.isWithAccount else { return [] }
            return try EnrolledGateways(store: person.store, keys: person.keys).people(touchedByEnding: person.user)
        },
        erasing: { person, effects throws(VaultError) in
            guard person.isWithAccount else { return }
            let gateways = EnrolledGateways(store: person.store, keys: person.keys)
            effects.sensors.formUnion(try gateways.endAll(of: person.user, given: person.given))
        },
        erased: { person, _ throws(VaultError) in
            guard !person.isWithAccount else { return }
            // As for a person who has just signed up: the profile that allowed more is gone.
            try Claims(store: person.store).setKinds(RecordedKinds(person.documents), of: person.user)
        },
        hanging: { hanging, source throws(VaultError) in
            let gateways = try EnrolledGateways(store: source.store, keys: source.keys).all(of: source.user)
            hanging.gateways = gateways.map(\.id.text)
            let claims = try Claims(store: source.store).claims(of: source.user)
            hanging.sensors = claims.filter { !$0.sensor.isOfConsumer }.map { "\($0.sensor)" }
        },
        verbs: { parts in
            // People of the settings have the sensors that the settings give them.
            guard parts.context.settings.hasAccounts else { return [] }
            return Enrolment(parts.context).verbs + Claiming(parts.context).verbs
        },
        service: { parts in EndedGateways(parts.context) }, notifications: [.sensorLost])

    private static func sensors(_ source: ExportSource) throws(VaultError) -> JSON? {
        let claimed = try source.store.database.query(
            "SELECT gateway, sensor, claimed_ms FROM claims WHERE person = ? AND gateway <> ? ORDER BY gateway, sensor",
            [.text(source.user.text), .text(OwnGateway.name)]
        ) { row throws(VaultError) -> JSON in
            .object(present: [
                "gateway": .string(try row.text("gateway")), "sensor": .string(try row.text("sensor")),
                "claimed": .string(iso8601(unixMilliseconds: try row.int("claimed_ms"))),
            ])
        }
        let given = source.given.map { sensor -> JSON in
            ["gateway": .string(sensor.gateway.text), "sensor": .string(sensor.sensor.text)]
        }
        let names = try source.documents.read(EnrolledGateways.namesDocument, of: source.user)
        guard !claimed.isEmpty || !given.isEmpty || names != nil else { return nil }
        return .object(present: ["sensors": .array(given + claimed), "gateway_names": names])
    }
}

extension Notification.Kind {
    /// Somebody else has claimed a sensor that was this person's.
    static let sensorLost = Self("sensor-lost", .neutralSensor)
}

extension Phrase {
    static let neutralSensor = Phrase(
        english: "Vitals has news for you: it is about one of your sensors.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um einen deiner Sensoren.")
    /// {sensor}
    static let sensorLost = Phrase(
        english: "Somebody else has claimed the sensor {sensor}: it records nothing for you any more.",
        german: "Jemand anders hat den Sensor {sensor} übernommen: Er zeichnet für dich nichts mehr auf.")
}
