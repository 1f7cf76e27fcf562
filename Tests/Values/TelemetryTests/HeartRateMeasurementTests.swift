import Testing

@testable import Telemetry

@Suite struct HeartRateMeasurementTests {
    static let vectors: [(String, HeartRateMeasurement)] = [
        ("00 50", .init(beatsPerMinute: 80)),
        ("01 C8 00", .init(beatsPerMinute: 200)),
        ("01 2C 01", .init(beatsPerMinute: 300)),
        ("02 50", .init(beatsPerMinute: 80, contact: .notSupported)),
        ("04 50", .init(beatsPerMinute: 80, contact: .notDetected)),
        ("0E 4B 80 00", .init(beatsPerMinute: 75, contact: .detected, energyKilojoules: 128)),
        ("10 5A 00 08 00 10", .init(beatsPerMinute: 90, rrIntervals: [2048, 4096])),
        ("14 AA 8D 00", .init(beatsPerMinute: 170, contact: .notDetected, rrIntervals: [141])),
        (
            "1C AA 8D 00 8D 00",
            .init(beatsPerMinute: 170, contact: .notDetected, energyKilojoules: 141, rrIntervals: [141])
        ),
        ("10 5A", .init(beatsPerMinute: 90)),
        ("00 50 01 02", .init(beatsPerMinute: 80)),
        ("E0 50", .init(beatsPerMinute: 80)),
    ]

    @Test("decodes the known notifications", arguments: vectors)
    func decodes(bytes: String, measurement: HeartRateMeasurement) throws {
        #expect(try HeartRateMeasurement(gatt: hex(bytes)) == measurement)
    }

    @Test("encodes in the shortest form")
    func encodes() throws {
        let full = HeartRateMeasurement(
            beatsPerMinute: 72, contact: .detected, energyKilojoules: 258, rrIntervals: [831, 825])
        #expect(try full.gatt == hex("1E 48 02 01 3F 03 39 03"))
        #expect(try HeartRateMeasurement(beatsPerMinute: 256).gatt == hex("01 00 01"))
        #expect(try HeartRateMeasurement(beatsPerMinute: 255).gatt == hex("00 FF"))
    }

    /// For every byte of flags and every length, what must come is computed here from the table of the standard, not
    /// from the decoder's flags.
    @Test("is a value or a truncation for every byte of flags at every length", arguments: UInt8.min...UInt8.max)
    func everyFlag(flags: UInt8) throws {
        var random = SeededGenerator(seed: UInt64(flags))
        let bits = (0..<8).map { flags / (1 << $0) % 2 == 1 }
        let declared = 1 + (bits[0] ? 2 : 1) + (bits[3] ? 2 : 0)
        for length in 0...20 {
            var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            if length > 0 { bytes[0] = flags }
            let halfInterval = bits[4] && (length - declared) % 2 != 0
            if length < declared || halfInterval {
                #expect(fault { try HeartRateMeasurement(gatt: bytes) } == .truncated)
                continue
            }
            let value = try HeartRateMeasurement(gatt: bytes)
            #expect(Int(value.beatsPerMinute) == Int(bytes[1]) + (bits[0] ? 256 * Int(bytes[2]) : 0))
            #expect(value.contact == (bits[2] ? (bits[1] ? .detected : .notDetected) : .notSupported))
            let energyAt = bits[0] ? 3 : 2
            #expect(
                value.energyKilojoules.map(Int.init)
                    == (bits[3] ? Int(bytes[energyAt]) + 256 * Int(bytes[energyAt + 1]) : nil))
            let intervals = bits[4] ? stride(from: declared, to: length, by: 2) : stride(from: 0, to: 0, by: 2)
            #expect(
                value.rrIntervals.map(Int.init) == intervals.map { Int(bytes[$0]) + 256 * Int(bytes[$0 + 1]) })
            #expect(try HeartRateMeasurement(gatt: value.gatt) == value)
        }
    }

    @Test("refuses more than an attribute can hold")
    func refusesTooLong() {
        let bytes = [0x10, 60] + [UInt8](repeating: 1, count: 512)
        #expect(fault { try HeartRateMeasurement(gatt: bytes) } == .outOfRange("more than 512 bytes"))
        #expect(throws: Never.self) { try HeartRateMeasurement(gatt: Array(bytes.prefix(512))) }
    }
}
