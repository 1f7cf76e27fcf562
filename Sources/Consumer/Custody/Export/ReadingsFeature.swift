package import Features
import Files
import Fitness
import Readings
import Records
import Telemetry

// The readings themselves. The streams of their rows say to whom they belong; erasing ends the streams, and deletes
// what belongs to nobody.

extension Feature {
    /// Streams of sensors, and the readings in them.
    package static let readings = Feature(
        name: "readings",
        tables: [
            PersonalTable(
                name: "streams", erasure: .byItself, exported: .shown(inAll: ReadingKind.allCases.map(\.section))),
            PersonalTable(
                name: "stale", erasure: .always,
                exported: .hidden(because: "the service's own list of hours that it is about to compute again")),
        ],
        // A file that may be left out is not the last of all.
        exports: (ReadingKind.allCases.filter { !$0.isAlwaysExported }
            + ReadingKind.allCases.filter(\.isAlwaysExported)).map(ExportSection.readings),
        notifications: [.storageFull])

    /// The ranges of heart rate that people had deleted.
    package static let deletions = Feature(
        name: "deletions",
        documents: [FeatureDocument(name: Deletions.name, exported: .shown(in: "heart-rate-deleted.json"))],
        exports: [
            .document(
                "heart-rate-deleted.json",
                "The ranges of time in which you had heart rates deleted: what a sensor still sends from them is not kept."
            ) { source throws(VaultError) in
                let ranges = try Deletions(source.store, source.keys).read(source.user)?.ranges
                guard let ranges, !ranges.isEmpty else { return nil }
                let dated = ranges.ranges.map { range -> JSON in
                    [
                        "from": .string(iso8601(unixMilliseconds: range.lowerBound)),
                        "to": .string(iso8601(unixMilliseconds: range.upperBound)),
                    ]
                }
                return ["deleted": .array(dated)]
            }
        ])
}

extension ReadingKind {
    /// The name of its section of an export.
    fileprivate var section: String { "\(rawValue).csv" }

    /// What is in its file of an export.
    fileprivate var explanation: String {
        switch self {
        case .heartRate: "Each heart rate that was recorded."
        case .steps: "Each step count that was read: a counter that only grows, until its sensor starts again."
        case .temperature: "Each body temperature that was read."
        case .position: "Each position that a phone, a receiver or a sensor has sent."
        case .motion: "Each speed, distance, cadence and power that a foot pod or a sensor on a bicycle has sent."
        case .pedometer: "Each span of time in which a phone has counted steps."
        }
    }

    /// Whether its file is there even if nobody has any such readings: most sensors have none of the others.
    fileprivate var isAlwaysExported: Bool { [.heartRate, .steps, .temperature].contains(self) }

    /// The columns of its file.
    fileprivate var columns: [ExportSection.Column] {
        let own: [(String, String)] =
            switch self {
            case .heartRate:
                [
                    ("bpm", "beats per minute"), ("contact", "whether the sensor felt the skin"),
                    ("rr_ms", "the times between beats in milliseconds, with a space between two"),
                    ("energy_kj", "what the sensor says you have spent, in kilojoules"),
                ]
            case .steps:
                [("steps", "the counter"), ("derived", "whether it was worked out from the cadence")]
            case .temperature: [("celsius", "degrees Celsius"), ("site", "where it was measured")]
            case .position:
                [
                    ("latitude", "degrees of latitude (WGS 84)"), ("longitude", "degrees of longitude (WGS 84)"),
                    ("altitude_m", "metres above sea level"), ("accuracy_m", "how far off it may be, in metres"),
                    ("source", "what found it"),
                ]
            case .motion:
                [
                    ("speed_mps", "metres a second"), ("distance_m", "metres in all, as the sensor counts"),
                    ("cadence", "steps, or turns of the crank, in a minute"), ("power_w", "watts"),
                    ("source", "what moved: a foot or a bicycle"),
                ]
            case .pedometer: [("from", "when the span began, in Unix milliseconds"), ("steps", "steps in the span")]
            }
        let times = [
            ("time", "when it was measured"), ("unix_ms", "the same in milliseconds since 1970-01-01T00:00:00Z"),
        ]
        return (times + own).map { ExportSection.Column(name: $0.0, explanation: $0.1) }
    }
}

// A part of readings ends at a time, and after a number of readings of that very millisecond. Readings that are stored
// between two parts, with a time that is already past, are not in the export; if a clock block comes between two
// parts, readings that it moves across that time are in it twice, or not at all.

extension ExportSection {
    /// A table of all readings of a kind, in order of time, as `readings` prints them.
    fileprivate static func readings(_ kind: ReadingKind) -> ExportSection {
        ExportSection(kind.section, kind.explanation, columns: kind.columns) { source, position throws(VaultError) in
            var part = ExportPart(file: kind.section)
            if position.time == -Moment.limit, position.count == 0 {
                part.text = kind.columns.map(\.name).joined(separator: ",") + "\n"
            }
            var next = position
            /// Readings of the first instant that came in the part before.
            var skipped: Int64 = 0
            var isFull = false
            let unreadable = try StoredReadings(store: source.store, keys: source.keys).each(
                of: source.user, kind.kind, from: position.time, to: Moment.limit
            ) { reading in
                let time = reading.moment.wall
                if time == position.time, skipped < position.count {
                    skipped += 1
                    return true
                }
                let line = Self.line(reading) + "\n"
                guard part.text.utf8.count + line.utf8.count <= ExportPart.maximumLength else {
                    isFull = true
                    return false
                }
                part.text += line
                next.count = time == next.time ? next.count + 1 : 1
                next.time = time
                return true
            }
            if next == position, unreadable == 0, !kind.isAlwaysExported { return nil }
            part.isDamaged = unreadable > 0
            part.next = isFull ? next : nil
            return part
        }
    }

    /// A line of a CSV file: the fields that `readings` prints, in the header's order.
    private static func line(_ reading: Reading) -> String {
        let time = reading.moment.wall
        return ([iso8601(unixMilliseconds: time), "\(time)"] + fields(reading)).joined(separator: ",")
    }

    /// What follows the times; nothing if the sensor did not say it.
    private static func fields(_ reading: Reading) -> [String] {
        switch reading.value {
        case .heartRate(let measurement):
            let payload = HeartRatePayload(measurement, at: reading.moment.wall)
            let intervals = (payload.rrMilliseconds ?? []).map { "\($0)" }
            let (contact, energy) = (payload.contact.map { "\($0)" }, payload.energyKilojoules.map { "\($0)" })
            return ["\(payload.bpm)", contact ?? "", intervals.joined(separator: " "), energy ?? ""]
        case .steps(let steps): return ["\(steps.counter)", steps.isDerived ? "true" : ""]
        case .temperature(let temperature):
            return [spelt(temperature.celsius), temperature.site.map(\.description) ?? ""]
        case .position(let position):
            return [
                spelt(position.latitudeDegrees), spelt(position.longitudeDegrees), spelt(position.altitudeMetres),
                spelt(position.accuracyMetres), position.source.description,
            ]
        case .motion(let motion):
            return [
                spelt(motion.metresPerSecond), spelt(motion.totalMetres), spelt(motion.cadencePerMinute),
                motion.power.map { "\($0)" } ?? "", motion.source.description,
            ]
        case .pedometer(let span):
            return ["\(reading.moment.wall - Int64(span.milliseconds))", "\(span.steps)"]
        }
    }
}

/// A number as JSON spells it; nothing if there is none.
private func spelt(_ number: Double?) -> String {
    number.map { String(decoding: JSON.number($0).bytes, as: UTF8.self) } ?? ""
}

extension Notification.Kind {
    /// This person's readings are not stored until there is room.
    package static let storageFull = Self("storage-full", .neutralStorage)
}

extension Phrase {
    static let neutralStorage = Phrase(
        english: "Vitals has news for you: it is about what may be stored.",
        german: "Vitals hat Neuigkeiten für dich: Es geht darum, was gespeichert werden darf.")
    /// Nothing is filled in.
    package static let storageFull = Phrase(
        english:
            "There is no more room for your readings: new ones wait at your gateway. Ask the people who run this service.",
        german:
            "Für deine Messwerte ist kein Platz mehr: Neue warten auf deinem Gateway. Frag die Leute, die diesen Dienst betreiben."
    )
}
