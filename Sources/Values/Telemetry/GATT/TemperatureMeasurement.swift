/// One body temperature (Temperature Measurement, 2A1C, and Intermediate Temperature, 2A1E; GATT Specification
/// Supplement 3.216).
///
/// Layout: flags; FLOAT; year (two bytes), month, day, hour, minute, second if flagged; type if flagged. Flags: bit 0
/// Fahrenheit, bit 1 time, bit 2 type.
public struct TemperatureMeasurement: Hashable, Sendable {
    /// The scale of `value`.
    public enum Scale: Sendable {
        /// Degrees Celsius.
        case celsius
        /// Degrees Fahrenheit.
        case fahrenheit
    }

    /// The sensor's own idea of the time, in a time zone that it does not state; 0 if a part is not known.
    public struct Timestamp: Hashable, Sendable {
        /// 1582 to 9999.
        public var year: UInt16
        /// 1 to 12.
        public var month: UInt8
        /// 1 to 31.
        public var day: UInt8
        /// 0 to 23.
        public var hour: UInt8
        /// 0 to 59.
        public var minute: UInt8
        /// 0 to 59.
        public var second: UInt8

        /// A timestamp from its parts, which are not checked: nothing is computed from a sensor's clock.
        public init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8) {
            self.year = year
            self.month = month
            self.day = day
            self.hour = hour
            self.minute = minute
            self.second = second
        }
    }

    /// The number as sent.
    public var value: MedicalFloat
    /// The scale of `value`.
    public var scale: Scale
    /// When the sensor measured, by its own clock.
    public var timestamp: Timestamp?
    /// Where it measured; nil if it does not say or says something reserved.
    public var site: TemperatureSite?

    /// A measurement from its parts.
    public init(
        value: MedicalFloat, scale: Scale = .celsius, timestamp: Timestamp? = nil, site: TemperatureSite? = nil
    ) {
        self.value = value
        self.scale = scale
        self.timestamp = timestamp
        self.site = site
    }

    /// What the characteristic says. No bytes at all are `noValue`. NaN decodes, and `temperature()` throws `noValue`
    /// for it.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "temperature measurement")
        guard !bytes.isEmpty else { throw reader.malformed(.noValue) }
        let flags = try reader.byte()
        value = MedicalFloat(float: try reader.uint32Little())
        scale = flags & Self.fahrenheitFlag != 0 ? .fahrenheit : .celsius
        timestamp = nil
        if flags & Self.timeFlag != 0 {
            timestamp = Timestamp(
                year: try reader.uint16Little(), month: try reader.byte(), day: try reader.byte(),
                hour: try reader.byte(), minute: try reader.byte(), second: try reader.byte())
        }
        site = flags & Self.typeFlag != 0 ? TemperatureSite(rawValue: try reader.byte()) : nil
    }

    /// The characteristic that says this.
    public var gatt: [UInt8] {
        var flags: UInt8 = 0
        if scale == .fahrenheit { flags |= Self.fahrenheitFlag }
        if timestamp != nil { flags |= Self.timeFlag }
        if site != nil { flags |= Self.typeFlag }
        var bytes = [flags]
        bytes.appendLittle(value.float)
        if let timestamp {
            bytes.appendLittle(timestamp.year)
            bytes += [timestamp.month, timestamp.day, timestamp.hour, timestamp.minute, timestamp.second]
        }
        if let site { bytes.append(site.rawValue) }
        return bytes
    }

    /// The temperature in thousandths of a degree Celsius, with its site. Throws `noValue` if the sensor has none.
    public func temperature() throws(MalformedValue) -> Temperature {
        let thousandths =
            switch scale {
            case .celsius: try value.thousandths()
            case .fahrenheit: try value.thousandthsCelsiusFromFahrenheit()
            }
        return try Temperature(thousandths: thousandths, site: site)
    }

    private static let fahrenheitFlag: UInt8 = 1 << 0
    private static let timeFlag: UInt8 = 1 << 1
    private static let typeFlag: UInt8 = 1 << 2
}

/// Where a temperature was taken (Temperature Type, 2A1D). The raw values are also those of the site column of a block.
public enum TemperatureSite: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    /// Armpit.
    case armpit = 1
    /// Body, in general.
    case body
    /// Ear, usually the lobe.
    case ear
    /// Finger.
    case finger
    /// Gastro-intestinal tract.
    case gastroIntestinal
    /// Mouth.
    case mouth
    /// Rectum.
    case rectum
    /// Toe.
    case toe
    /// Tympanum, the ear drum.
    case tympanum

    /// The name used in payloads.
    public var description: String {
        switch self {
        case .armpit: "armpit"
        case .body: "body"
        case .ear: "ear"
        case .finger: "finger"
        case .gastroIntestinal: "gastro-intestinal"
        case .mouth: "mouth"
        case .rectum: "rectum"
        case .toe: "toe"
        case .tympanum: "tympanum"
        }
    }
}
