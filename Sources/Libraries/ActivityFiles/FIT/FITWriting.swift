import Fitness

extension FITFile {
    /// An activity as a file.
    ///
    /// Its messages, in this order: `file_id`, `file_creator`, `device_info`, `workout` with the name, descriptions of
    /// our developer's fields, the start of the timer, records with stops and starts of the timer among them, the last
    /// stop, laps, a session, an activity. An activity without laps gets one, as FIT wants it; reading leaves it out
    /// again.
    ///
    /// What a field cannot hold is left out: a heart rate or cadence above 254, altitudes below -500 m, a serial number
    /// that is none.
    /// - Throws: `.notRepresentable` for times before 1998 and after 2126.
    public static func write(_ activity: Recording) throws(ActivityFileError) -> [UInt8] {
        var writer = try FITActivityWriter(activity)
        return try writer.write()
    }
}

/// Writes one activity.
private struct FITActivityWriter {
    private typealias Field = FITEncoder.Field

    private let activity: Recording
    private let start: UInt32
    private let end: UInt32
    /// When the whole activity began.
    private let begun: UInt32
    private let hasMilliseconds: Bool
    private let hasSteps: Bool
    private var encoder: FITEncoder

    // Local types. 0 serves everything that comes once.
    private static let once: UInt8 = 0
    private static let event: UInt8 = 1
    private static let record: UInt8 = 2

    // Our developer's fields.
    private static let milliseconds = Field(0, .uint16, developer: 0)
    private static let steps = Field(1, .uint32, developer: 0)

    init(_ activity: Recording) throws(ActivityFileError) {
        self.activity = activity
        start = try Self.second(activity.start)
        end = try Self.second(activity.end)
        begun =
            try activity.session.map { session throws(ActivityFileError) in try Self.second(session.begun) } ?? start
        encoder = FITEncoder(capacity: 1024 + activity.samples.count * 48)
        let times =
            [activity.start] + activity.pauses.flatMap { [$0.start, $0.end] } + activity.laps.map(\.start)
        hasMilliseconds =
            times.contains { $0 % 1000 != 0 } || activity.samples.contains { $0.time % 1000 != 0 }
        hasSteps =
            activity.totals.steps != nil || activity.laps.contains { $0.totals.steps != nil }
            || activity.samples.contains { $0.steps != nil }
    }

    private static func second(_ time: Int64) throws(ActivityFileError) -> UInt32 {
        guard let second = FITTime.split(time)?.second else {
            throw ActivityFileError("FIT", .notRepresentable, "FIT has no date for the time \(time)")
        }
        return second
    }

    mutating func write() throws(ActivityFileError) -> [UInt8] {
        head()
        try records()
        try summaries()
        return encoder.finished()
    }

    private mutating func head() {
        let device = activity.device ?? Device()
        let known = device.manufacturer.flatMap { FITManufacturer.number($0) }
        let manufacturer = Int64(known ?? FITManufacturer.development)
        let productNumber = device.product.flatMap { UInt16($0) }
        let serial = device.serial.flatMap { UInt32($0) }.map { FITEncoder.Value.integer(Int64($0)) } ?? .none
        let product = productNumber.map { FITEncoder.Value.integer(Int64($0)) } ?? .none
        let productName = productNumber == nil ? device.product.map { FITEncoder.Value.text($0) } ?? .none : .none
        let maker = known == nil ? device.manufacturer.map { FITEncoder.Value.text($0) } ?? .none : .none
        encoder.message(
            Self.once, FITMessageNumber.fileID,
            [
                (Field(0, .enumeration), .integer(FITFileType.activity)), (Field(1, .uint16), .integer(manufacturer)),
                (Field(2, .uint16), product), (Field(3, .uint32z), serial),
                (Field(4, .uint32), .integer(Int64(begun))), (Field(8, .string), productName),
            ])
        encoder.message(Self.once, FITMessageNumber.fileCreator, [(Field(0, .uint16), .integer(1))])
        if hasMilliseconds || hasSteps { describeOwnFields() }
        if !device.isEmpty {
            encoder.message(
                Self.once, FITMessageNumber.deviceInfo,
                [
                    (Field(253, .uint32), .integer(Int64(start))), (Field(0, .uint8), .integer(0)),
                    (Field(2, .uint16), .integer(manufacturer)), (Field(3, .uint32z), serial),
                    (Field(4, .uint16), product), (Field(19, .string), maker), (Field(27, .string), productName),
                ])
        }
        if let name = activity.name {
            encoder.message(
                Self.once, FITMessageNumber.workout,
                [(Field(4, .enumeration), .integer(Int64(activity.sport.fitNumber))), (Field(8, .string), .text(name))])
        }
    }

    private mutating func describeOwnFields() {
        encoder.message(
            Self.once, FITMessageNumber.developerDataID,
            [
                (Field(1, .byte), .bytes(FITOwn.application)), (Field(3, .uint8), .integer(0)),
                (Field(4, .uint32), .integer(1)),
            ])
        for (field, name, unit) in [
            (Self.milliseconds, FITOwn.milliseconds, "ms"), (Self.steps, FITOwn.steps, "steps"),
        ] {
            encoder.message(
                Self.once, FITMessageNumber.fieldDescription,
                [
                    (Field(0, .uint8), .integer(0)), (Field(1, .uint8), .integer(Int64(field.number))),
                    (Field(2, .uint8), .integer(Int64(field.type.rawValue))), (Field(3, .string), .text(name)),
                    (Field(8, .string), .text(unit)),
                ])
        }
    }

    // MARK: Records

    private mutating func records() throws(ActivityFileError) {
        let columns = FITColumns(activity.samples)
        var eventFields = [Field(253, .uint32), Field(0, .enumeration), Field(1, .enumeration)]
        if hasMilliseconds { eventFields.append(Self.milliseconds) }
        encoder.define(Self.event, FITMessageNumber.event, eventFields)
        try event(activity.start, 0)
        if !activity.samples.isEmpty {
            let own = (hasMilliseconds ? [Self.milliseconds] : []) + (columns.hasSteps ? [Self.steps] : [])
            encoder.define(Self.record, FITMessageNumber.record, columns.fields + own)
        }
        var pauses = activity.pauses[...]
        for sample in activity.samples {
            while let pause = pauses.first, pause.start <= sample.time {
                // Both are written at once where nothing was measured in between, and that is nearly always.
                try event(pause.start, 4)
                try event(pause.end, 0)
                pauses = pauses.dropFirst()
            }
            guard let (second, beyond) = FITTime.split(sample.time) else { continue }
            encoder.begin(Self.record)
            encoder.append(second)
            columns.append(sample, &encoder)
            if hasMilliseconds { encoder.append(beyond) }
            if columns.hasSteps { encoder.append(sample.steps ?? .max) }
        }
        for pause in pauses {
            try event(pause.start, 4)
            try event(pause.end, 0)
        }
        // What is known of the end is with the session, to the millisecond.
        try event(activity.end, 4)
    }

    private mutating func event(_ time: Int64, _ type: UInt8) throws(ActivityFileError) {
        let second = try Self.second(time)
        encoder.begin(Self.event)
        encoder.append(second)
        encoder.append(UInt8(0))
        encoder.append(type)
        if hasMilliseconds { encoder.append(FITTime.split(time)?.milliseconds ?? 0) }
    }

    // MARK: Summaries

    private mutating func summaries() throws(ActivityFileError) {
        let laps =
            activity.laps.isEmpty
            ? [Lap(start: activity.start, end: activity.end, totals: activity.totals)] : activity.laps
        let timer = activity.totals.durationMilliseconds ?? running
        for (index, lap) in laps.enumerated() {
            let start = try Self.second(lap.start)
            _ = try Self.second(lap.end)
            let duration = activity.laps.isEmpty ? timer : lap.totals.durationMilliseconds
            var fields = summary(start, lap.start, lap.end, lap.totals, timer: duration)
            fields.append((Field(254, .uint16), .integer(Int64(index))))
            fields.append((Field(0, .enumeration), .integer(9)))
            fields.append((Field(24, .enumeration), .integer(index + 1 == laps.count ? 7 : 0)))
            fields.append((Field(25, .enumeration), .integer(Int64(activity.sport.fitNumber))))
            fields += ascent(lap.totals.ascentMetres, whole: 21, fraction: 156)
            fields += steps(lap.totals.steps, fraction: 82)
            encoder.message(Self.once, FITMessageNumber.lap, fields)
        }
        var fields = summary(start, activity.start, activity.end, activity.totals, timer: timer)
        fields.append((Field(254, .uint16), .integer(Int64(activity.session.map { $0.number - 1 } ?? 0))))
        fields.append((Field(0, .enumeration), .integer(8)))
        fields.append((Field(5, .enumeration), .integer(Int64(activity.sport.fitNumber))))
        fields.append((Field(25, .uint16), .integer(0)))
        fields.append((Field(26, .uint16), .integer(Int64(laps.count))))
        fields.append((Field(28, .enumeration), .integer(0)))
        if case .other(let name) = activity.sport, activity.sport.fitNumber == 0 {
            fields.append((Field(110, .string), .text(name)))
        }
        for (number, rate) in [(UInt8(16), activity.totals.meanHeartRate), (17, activity.totals.highestHeartRate)] {
            if let rate, rate < 0xFF { fields.append((Field(number, .uint8), .integer(Int64(rate)))) }
        }
        if let pool = activity.pool {
            fields.append((Field(44, .uint16), .integer(Int64(FITColumns.scaled(pool.metres, 100, UInt16.self)))))
            if let lengths = pool.lengths {
                fields.append((Field(33, .uint16), .integer(Int64(UInt16(clamping: lengths)))))
            }
        }
        fields += ascent(activity.totals.ascentMetres, whole: 22, fraction: 199)
        fields += steps(activity.totals.steps, fraction: 94)
        encoder.message(Self.once, FITMessageNumber.session, fields)
        encoder.message(
            Self.once, FITMessageNumber.activity,
            [
                (Field(253, .uint32), .integer(Int64(end))), (Field(0, .uint32), .integer(timer)),
                (Field(1, .uint16), .integer(Int64(activity.session?.count ?? 1))),
                (Field(2, .enumeration), .integer(activity.session == nil ? 0 : 1)),
                (Field(3, .enumeration), .integer(26)), (Field(4, .enumeration), .integer(1)),
            ])
    }

    /// Without pauses, in milliseconds: FIT wants a session to have it.
    private var running: Int64 {
        max(0, activity.end - activity.start - activity.pauses.reduce(0) { $0 + $1.end - $1.start })
    }

    /// The fields that sessions and laps have in common.
    private func summary(
        _ start: UInt32, _ from: Int64, _ to: Int64, _ totals: Totals, timer: Int64?
    ) -> [(FITEncoder.Field, FITEncoder.Value)] {
        let beyond = FITTime.split(from)?.milliseconds ?? 0
        var fields: [(FITEncoder.Field, FITEncoder.Value)] = [
            (Field(253, .uint32), .integer(Int64(FITTime.split(to)?.second ?? start))),
            (Field(1, .enumeration), .integer(1)), (Field(2, .uint32), .integer(Int64(start))),
            (Field(7, .uint32), .integer(max(0, to - from))),
        ]
        if let timer { fields.append((Field(8, .uint32), .integer(timer))) }
        if let distance = totals.distanceMetres {
            fields.append((Field(9, .uint32), .integer(Int64(FITColumns.scaled(distance, 100, UInt32.self)))))
        }
        if let energy = totals.energyKilocalories {
            fields.append((Field(11, .uint16), .integer(Int64(FITColumns.scaled(energy, 1, UInt16.self)))))
        }
        if hasMilliseconds { fields.append((Self.milliseconds, .integer(Int64(beyond)))) }
        return fields
    }

    private func ascent(
        _ metres: Double?, whole: UInt8, fraction: UInt8
    ) -> [(FITEncoder.Field, FITEncoder.Value)] {
        guard let metres else { return [] }
        let centimetres = Int64(FITColumns.scaled(metres, 100, UInt32.self))
        guard centimetres < 65_535 * 100 else { return [] }
        return [
            (Field(whole, .uint16), .integer(centimetres / 100)),
            (Field(fraction, .uint8), .integer(centimetres % 100)),
        ]
    }

    private func steps(_ steps: Int?, fraction: UInt8) -> [(FITEncoder.Field, FITEncoder.Value)] {
        guard let steps, (0...4_294_967_294).contains(steps) else { return [] }
        let own: [(FITEncoder.Field, FITEncoder.Value)] = [(Self.steps, .integer(Int64(steps)))]
        guard activity.sport.isOnFoot else { return own }
        // Two steps are a stride, and FIT counts those; half a stride is 64 parts of 128.
        return [
            (Field(10, .uint32), .integer(Int64(steps / 2))),
            (Field(fraction, .uint8), .integer(steps % 2 == 1 ? 64 : 0)),
        ] + own
    }
}
