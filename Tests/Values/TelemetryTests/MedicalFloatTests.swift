import Testing

@testable import Telemetry

@Suite struct MedicalFloatTests {
    static let floats: [(UInt32, MedicalFloat)] = [
        (0xFF00_0014, .number(mantissa: 20, exponent: -1)),
        (0xFE00_00C8, .number(mantissa: 200, exponent: -2)),
        (0x0100_0002, .number(mantissa: 2, exponent: 1)),
        (0x00FF_FB2E, .number(mantissa: -1234, exponent: 0)),
        (0xFC03_FE01, .number(mantissa: 261_633, exponent: -4)),
        (0x007F_FFFE, .positiveInfinity),
        (0x007F_FFFF, .notANumber),
        (0x0080_0000, .notAtThisResolution),
        (0x0080_0001, .reserved),
        (0x0080_0002, .negativeInfinity),
        (0x007F_FFFD, .number(mantissa: 8_388_605, exponent: 0)),
        (0x0080_0003, .number(mantissa: -8_388_605, exponent: 0)),
        (0xFF7F_FFFF, .number(mantissa: 8_388_607, exponent: -1)),
        (0x8080_0000, .number(mantissa: -8_388_608, exponent: -128)),
    ]

    @Test("reads and writes FLOAT", arguments: floats)
    func float(bits: UInt32, value: MedicalFloat) {
        #expect(MedicalFloat(float: bits) == value)
        #expect(value.float == bits)
    }

    @Test(
        "reads SFLOAT",
        arguments: [
            (0xF014, .number(mantissa: 20, exponent: -1)),
            (0x0B2E, .number(mantissa: -1234, exponent: 0)),
            (0x8001, .number(mantissa: 1, exponent: -8)),
            (0x7001, .number(mantissa: 1, exponent: 7)),
            (0x07FE, .positiveInfinity), (0x07FF, .notANumber), (0x0800, .notAtThisResolution),
            (0x0801, .reserved), (0x0802, .negativeInfinity),
        ] as [(UInt16, MedicalFloat)])
    func sfloat(bits: UInt16, value: MedicalFloat) {
        #expect(MedicalFloat(sfloat: bits) == value)
    }

    @Test("writes NRes for a mantissa beyond 24 bits, and never a special value for a number")
    func writesNRes() {
        #expect(MedicalFloat.number(mantissa: 0x80_0000, exponent: 1).float == 0x0080_0000)
        #expect(MedicalFloat.number(mantissa: 0x7F_FFFF, exponent: 0).float == 0x0080_0000)
    }

    @Test(
        "rounds to thousandths, halves away from zero",
        arguments: [
            (20, -1, 2000), (2, 1, 20_000), (-1234, 0, -1_234_000), (261_633, -4, 26_163), (3697, -2, 36_970),
            (5, -4, 1), (4, -4, 0), (-5, -4, -1), (-4, -4, 0), (8_388_607, -128, 0), (0, 127, 0),
            (1, 15, 1_000_000_000_000_000_000),
        ] as [(Int32, Int8, Int64)])
    func thousandths(mantissa: Int32, exponent: Int8, expected: Int64) throws {
        #expect(try MedicalFloat.number(mantissa: mantissa, exponent: exponent).thousandths() == expected)
    }

    @Test("refuses thousandths that do not fit, in either scale, for every exponent")
    func overflow() {
        for exponent in Int8.min...Int8.max {
            for mantissa: Int32 in [1, -1, 8_388_607, -8_388_608, .max, .min] {
                let number = MedicalFloat.number(mantissa: mantissa, exponent: exponent)
                if exponent > 15 { #expect(fault { try number.thousandths() } != nil) }
                if exponent < 0 { #expect(fault { try number.thousandths() } == nil) }
                _ = fault { try number.thousandthsCelsiusFromFahrenheit() }
            }
        }
    }

    @Test(
        "turns Fahrenheit into Celsius with one rounding",
        arguments: [(986, -1, 37_000), (32, 0, 0), (0, 0, -17_778), (1, -100, -17_778), (9854, -2, 36_967)]
            as [(Int32, Int8, Int64)])
    func fahrenheit(mantissa: Int32, exponent: Int8, expected: Int64) throws {
        let number = MedicalFloat.number(mantissa: mantissa, exponent: exponent)
        #expect(try number.thousandthsCelsiusFromFahrenheit() == expected)
    }

    @Test(
        "has no thousandths if there is no number",
        arguments: [.notANumber, .notAtThisResolution, .positiveInfinity, .negativeInfinity, .reserved]
            as [MedicalFloat])
    func special(value: MedicalFloat) {
        #expect(fault { try value.thousandths() } == .noValue)
        #expect(fault { try value.thousandthsCelsiusFromFahrenheit() } == .noValue)
    }
}
