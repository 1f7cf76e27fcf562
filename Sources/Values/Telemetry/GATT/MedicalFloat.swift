/// A decimal number as medical devices send it (IEEE 11073-20601): mantissa * 10^exponent, both two's complement.
///
/// FLOAT has an 8-bit exponent above a 24-bit mantissa, SFLOAT a 4-bit exponent above a 12-bit one. The number is kept
/// as sent: 20 * 10^-1 and 200 * 10^-2 are different values here, because they claim different precision.
public enum MedicalFloat: Hashable, Sendable {
    /// mantissa * 10^exponent.
    case number(mantissa: Int32, exponent: Int8)
    /// NaN: there is no value.
    case notANumber
    /// NRes: there is a value, but this format cannot express it.
    case notAtThisResolution
    /// +INF.
    case positiveInfinity
    /// -INF.
    case negativeInfinity
    /// Reserved for future use by the standard.
    case reserved

    /// The value of a FLOAT.
    public init(float bits: UInt32) {
        switch bits {
        case 0x007F_FFFE: self = .positiveInfinity
        case 0x007F_FFFF: self = .notANumber
        case 0x0080_0000: self = .notAtThisResolution
        case 0x0080_0001: self = .reserved
        case 0x0080_0002: self = .negativeInfinity
        default:
            self = .number(
                mantissa: Int32(bitPattern: bits << 8) >> 8,
                exponent: Int8(bitPattern: UInt8(truncatingIfNeeded: bits >> 24)))
        }
    }

    /// The value of an SFLOAT.
    public init(sfloat bits: UInt16) {
        switch bits {
        case 0x07FE: self = .positiveInfinity
        case 0x07FF: self = .notANumber
        case 0x0800: self = .notAtThisResolution
        case 0x0801: self = .reserved
        case 0x0802: self = .negativeInfinity
        default:
            self = .number(
                mantissa: Int32(Int16(bitPattern: bits << 4) >> 4),
                exponent: Int8(truncatingIfNeeded: Int16(bitPattern: bits) >> 12))
        }
    }

    /// The FLOAT for this value; NRes for a number whose mantissa a FLOAT cannot hold.
    public var float: UInt32 {
        switch self {
        case .positiveInfinity: 0x007F_FFFE
        case .notANumber: 0x007F_FFFF
        case .notAtThisResolution: 0x0080_0000
        case .reserved: 0x0080_0001
        case .negativeInfinity: 0x0080_0002
        case .number(let mantissa, let exponent):
            // With an exponent of 0 the five patterns from 7FFFFE to 800002 are taken.
            (exponent == 0 ? -0x7F_FFFD...0x7F_FFFD : -0x80_0000...0x7F_FFFF).contains(mantissa)
                ? UInt32(UInt8(bitPattern: exponent)) << 24 | UInt32(bitPattern: mantissa) & 0x00FF_FFFF
                : 0x0080_0000
        }
    }

    /// Thousandths of the number, rounded to the nearest (halves away from zero), computed in integers alone.
    /// Throws `noValue` for anything but a number, and `outOfRange` if the result does not fit.
    public func thousandths() throws(MalformedValue) -> Int64 {
        let fraction = try thousandthsAsFraction()
        return divideRounding(fraction.numerator, by: fraction.denominator)
    }

    /// The same for a temperature in degrees Fahrenheit, as thousandths of a degree Celsius; rounded once.
    public func thousandthsCelsiusFromFahrenheit() throws(MalformedValue) -> Int64 {
        let fraction = try thousandthsAsFraction()
        let (aboveFreezing, overflow) = fraction.numerator.subtractingReportingOverflow(32_000 * fraction.denominator)
        let (numerator, tooLarge) = aboveFreezing.multipliedReportingOverflow(by: 5)
        guard !overflow, !tooLarge else { throw tooLargeNumber }
        return divideRounding(numerator, by: 9 * fraction.denominator)
    }

    /// The number's thousandths as a fraction with a denominator between 1 and 10^12.
    private func thousandthsAsFraction() throws(MalformedValue) -> (numerator: Int64, denominator: Int64) {
        guard case .number(let mantissa, let exponent) = self else { throw MalformedValue("number", .noValue) }
        guard mantissa != 0 else { return (0, 1) }
        let power = Int(exponent) + 3
        if power < 0 {
            // A mantissa has at most ten digits: below 10^-12 nothing of it is left in thousandths.
            return power < -12 ? (0, 1) : (Int64(mantissa), powerOfTen(-power))
        }
        guard power <= 18 else { throw tooLargeNumber }
        let (product, overflow) = Int64(mantissa).multipliedReportingOverflow(by: powerOfTen(power))
        guard !overflow else { throw tooLargeNumber }
        return (product, 1)
    }

    private var tooLargeNumber: MalformedValue { MalformedValue("number", .outOfRange("too large for thousandths")) }
}

private func powerOfTen(_ exponent: Int) -> Int64 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
}

/// Division rounded to the nearest, halves away from zero. The divisor is positive.
private func divideRounding(_ dividend: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    guard remainder.magnitude >= divisor.magnitude - remainder.magnitude else { return quotient }
    return dividend < 0 ? quotient - 1 : quotient + 1
}
