/// Live heart rate: `{"time":…,"bpm":72,"contact":true,"rr_ms":[812,806],"energy_kj":128}`, absent fields left out.
///
/// There is one of these for every heartbeat or two of everyone who wears a sensor, so it is written digit by digit
/// into one buffer.
public struct HeartRatePayload: Payload {
    /// Unix milliseconds.
    public var time: Int64
    /// Beats per minute.
    public var bpm: Int
    /// Whether the sensor touches the skin; nil if it does not say.
    public var contact: Bool?
    /// Times between beats in milliseconds, oldest first; nil if there are none.
    public var rrMilliseconds: [Int]?
    /// Energy expended, in kilojoules.
    public var energyKilojoules: Int?

    /// What is published for a measurement that arrived at `wall`, Unix milliseconds.
    public init(_ measurement: HeartRateMeasurement, at wall: Int64) {
        time = wall
        bpm = Int(measurement.beatsPerMinute)
        contact = measurement.contact == .notSupported ? nil : measurement.contact == .detected
        // An interval of 0 is not a beat.
        let intervals = measurement.rrIntervals.filter { $0 > 0 }
        rrMilliseconds = intervals.isEmpty ? nil : intervals.map { Int(milliseconds($0)) }
        energyKilojoules = measurement.energyKilojoules.map(Int.init)
    }

    /// The payload for a measurement that arrived at `wall`, Unix milliseconds, without the detour of a value.
    public static func bytes(_ measurement: HeartRateMeasurement, at wall: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(80 + 6 * measurement.rrIntervals.count)
        bytes.append(literal: "{\"time\":")
        bytes.appendDecimal(wall)
        bytes.append(literal: ",\"bpm\":")
        bytes.appendDecimal(Int64(measurement.beatsPerMinute))
        switch measurement.contact {
        case .notSupported: break
        case .notDetected: bytes.append(literal: ",\"contact\":false")
        case .detected: bytes.append(literal: ",\"contact\":true")
        }
        if measurement.rrIntervals.contains(where: { $0 > 0 }) {
            bytes.append(literal: ",\"rr_ms\":")
            var separator = UInt8(ascii: "[")
            for interval in measurement.rrIntervals where interval > 0 {
                bytes.append(separator)
                bytes.appendDecimal(milliseconds(interval))
                separator = UInt8(ascii: ",")
            }
            bytes.append(UInt8(ascii: "]"))
        }
        if let energy = measurement.energyKilojoules {
            bytes.append(literal: ",\"energy_kj\":")
            bytes.appendDecimal(Int64(energy))
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time),
            "bpm": .integer(Int64(bpm)),
            "contact": contact.map(JSON.bool),
            "rr_ms": rrMilliseconds.map { .array($0.map { .integer(Int64($0)) }) },
            "energy_kj": energyKilojoules.map { .integer(Int64($0)) },
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case time, bpm, contact
        case rrMilliseconds = "rr_ms"
        case energyKilojoules = "energy_kj"
    }
}

/// 1/1024 s in milliseconds, to the nearest.
private func milliseconds(_ interval: UInt16) -> Int64 {
    (Int64(interval) * 1000 + 512) / 1024
}

extension [UInt8] {
    fileprivate mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }
}
