import Fitness

/// What the records of an activity have besides their time: a field for each kind of value that some sample has.
struct FITColumns {
    let hasPlace: Bool
    let hasAltitude: Bool
    let hasDistance: Bool
    let hasSpeed: Bool
    let hasCadence: Bool
    /// Whether a cadence is no whole number.
    let hasFraction: Bool
    let hasTemperature: Bool
    let hasHeartRate: Bool
    let hasPower: Bool
    /// Steps are in a developer's field of ours, which is the last of a record.
    let hasSteps: Bool

    init(_ samples: [Sample]) {
        hasPlace = samples.contains { $0.place != nil }
        hasAltitude = samples.contains { $0.altitude != nil }
        hasDistance = samples.contains { $0.distance != nil }
        hasSpeed = samples.contains { $0.speed != nil }
        hasCadence = samples.contains { $0.cadence != nil }
        hasFraction = samples.contains { ($0.cadence ?? 0).truncatingRemainder(dividingBy: 1) != 0 }
        hasTemperature = samples.contains { $0.temperature != nil }
        hasHeartRate = samples.contains { $0.heartRate != nil }
        hasPower = samples.contains { $0.power != nil }
        hasSteps = samples.contains { $0.steps != nil }
    }

    /// The fields of FIT's profile, the time first.
    var fields: [FITEncoder.Field] {
        typealias Field = FITEncoder.Field
        var fields = [Field(253, .uint32)]
        if hasPlace { fields += [Field(0, .sint32), Field(1, .sint32)] }
        if hasAltitude { fields.append(Field(78, .uint32)) }
        if hasDistance { fields.append(Field(5, .uint32)) }
        if hasSpeed { fields.append(Field(73, .uint32)) }
        if hasCadence { fields.append(Field(4, .uint8)) }
        if hasFraction { fields.append(Field(53, .uint8)) }
        if hasTemperature { fields.append(Field(13, .sint8)) }
        if hasHeartRate { fields.append(Field(3, .uint8)) }
        if hasPower { fields.append(Field(7, .uint16)) }
        return fields
    }

    /// Writes a sample behind its time, in the order of `fields`.
    func append(_ sample: Sample, _ encoder: inout FITEncoder) {
        if hasPlace {
            let (north, east) = Self.semicircles(sample.place)
            encoder.append(north)
            encoder.append(east)
        }
        if hasAltitude { encoder.append(Self.scaled(sample.altitude.map { $0 + 500 }, 5, UInt32.self)) }
        if hasDistance { encoder.append(Self.scaled(sample.distance, 100, UInt32.self)) }
        if hasSpeed { encoder.append(Self.scaled(sample.speed, 1000, UInt32.self)) }
        if hasCadence {
            let parts = Self.scaled(sample.cadence, 128, UInt16.self)
            let isKnown = parts < 255 * 128
            encoder.append(isKnown ? UInt8(parts / 128) : .max)
            if hasFraction { encoder.append(isKnown ? UInt8(parts % 128) : .max) }
        }
        if hasTemperature { encoder.append(Self.scaled(sample.temperature, 1, Int8.self)) }
        if hasHeartRate { encoder.append(sample.heartRate.flatMap { UInt8(exactly: $0) } ?? .max) }
        if hasPower { encoder.append(sample.power ?? .max) }
    }

    private static func semicircles(_ place: Place?) -> (Int32, Int32) {
        guard let place, place.latitude.magnitude <= 90, place.longitude.magnitude <= 180 else { return (.max, .max) }
        let perDegree = 2_147_483_648.0 / 180
        let east = (place.longitude * perDegree).rounded()
        // 180 degrees east are 180 degrees west; and the largest number means none.
        return (
            Int32((place.latitude * perDegree).rounded()), east >= 2_147_483_647 ? .min : Int32(east)
        )
    }

    /// A number in the integers of a field; the value that means none where there is no number, or the field has not
    /// the room.
    static func scaled<Integer: FixedWidthInteger>(
        _ value: Double?, _ scale: Double, _: Integer.Type
    ) -> Integer {
        guard let value else { return .max }
        return Integer(exactly: (value * scale).rounded()) ?? .max
    }
}
