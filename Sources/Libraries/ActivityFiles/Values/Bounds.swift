// What files may say of numbers and times. Within these, no sum and no difference of them overflows,
// and each of them fits into an `Int`.

extension Double {
    /// Nothing that a device measures is larger, and a million of them fit into 64 bits together.
    private static let largestMeasure = 1e9

    /// This number, where a device can have measured it; nil for what is larger, infinite or no number.
    var measured: Double? { magnitude <= Self.largestMeasure ? self : nil }

    /// The same for what cannot be below 0, such as a distance.
    var amount: Double? { self >= 0 ? measured : nil }
}

extension Recording {
    /// Unix milliseconds from 0001-01-01T00:00:00Z to the end of 9999: what dates with four digits for the year can be.
    static let dates: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// - Throws: `.notRepresentable` where one of its times is none of `dates`.
    func checkDates(_ format: String) throws(ActivityFileError) {
        func isDate(_ time: Int64) -> Bool { Self.dates.contains(time) }
        guard isDate(start), isDate(end), pauses.allSatisfy({ isDate($0.start) && isDate($0.end) }),
            laps.allSatisfy({ isDate($0.start) && isDate($0.end) }), samples.allSatisfy({ isDate($0.time) })
        else { throw ActivityFileError(format, .notRepresentable, "a time before the year 1 or after 9999") }
    }
}

/// A number that has to be a whole one, such as a heart rate; nil outside 1 to 65,534.
func whole(_ value: Double?) -> UInt16? {
    guard let value, value >= 0.5, value < 65_534.5 else { return nil }
    return UInt16(value.rounded())
}

/// A power in whole watts; nil below 0 and above 65,534. 0 W is a power.
func watts(_ value: Double?) -> UInt16? {
    guard let value, value >= 0, value < 65_534.5 else { return nil }
    return UInt16(value.rounded())
}

extension Sample {
    /// The cadence that the schemas of Garmin's XML can hold, which have whole numbers up to 254; nil where it is
    /// another.
    var wholeCadence: Double? { cadence.flatMap { $0 >= 0 && $0 < 254.5 ? $0.rounded() : nil } }
}
