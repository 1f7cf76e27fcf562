import Fitness

// Numbers and times in documents of XML: XML Schema Part 2, xsd:decimal, xsd:double and xsd:dateTime. A takeout has
// hundreds of millions of them, so they are read from bytes without making a String first.

extension UnsafeBufferPointer<UInt8> {
    /// Without spaces, tabs and line breaks at both ends.
    fileprivate var trimmed: UnsafeBufferPointer<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 <= 4 }
        var (begin, end) = (0, count)
        while begin < end, isSpace(self[begin]) { begin += 1 }
        while begin < end, isSpace(self[end - 1]) { end -= 1 }
        return UnsafeBufferPointer(rebasing: self[begin..<end])
    }
}

/// The number that `-12.5` or `1.25E1` spells, nearest to what is written; nil for anything else, and for what is not
/// finite.
func decimal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var bytes = text.trimmed
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = UnsafeBufferPointer(rebasing: bytes.dropFirst()) }
    var digits: UInt64 = 0
    var count = 0
    var fraction = 0
    var hasPoint = false
    for byte in bytes {
        if byte == UInt8(ascii: "."), !hasPoint {
            hasPoint = true
            continue
        }
        let digit = byte &- 0x30
        guard digit < 10 else { return slowDecimal(bytes, isNegative) }
        // More digits than 64 bits hold for sure.
        guard count < 19 else { return slowDecimal(bytes, isNegative) }
        digits = digits &* 10 &+ UInt64(digit)
        if digits > 0 { count += 1 }
        if hasPoint { fraction += 1 }
    }
    guard bytes.count > (hasPoint ? 1 : 0) else { return nil }
    // Both are exact, so their quotient is the nearest number (Clinger, PLDI 1990).
    guard digits < 1 << 53, fraction < powersOfTen.count else { return slowDecimal(bytes, isNegative) }
    let value = Double(digits) / powersOfTen[fraction]
    return isNegative ? -value : value
}

/// Exactly what a Double holds of 1, 10, 100, … 10^22.
private let powersOfTen: [Double] = (0...22).reduce(into: []) { powers, _ in powers.append((powers.last ?? 0.1) * 10) }

private func slowDecimal(_ bytes: UnsafeBufferPointer<UInt8>, _ isNegative: Bool) -> Double? {
    // `Double` understands more than XML does: hexadecimal, nan, infinity, and no spaces.
    guard bytes.count <= 400, let first = bytes.first, first &- 0x30 < 10 || first == UInt8(ascii: "."),
        bytes.allSatisfy({ $0 &- 0x30 < 10 || ".eE+-".utf8.contains($0) }),
        let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite
    else { return nil }
    return isNegative ? -value : value
}

/// A time in Unix milliseconds; nil for what is none.
///
/// `2026-11-21T10:00:00Z`, with a fraction of a second, of which three digits count, and with the distance to UTC as
/// `+02:00`; without it, UTC is meant. Some programs leave the seconds out, against the rules. Apple's
/// `2026-11-21 10:00:00 +0200`, too. A second of 60 is the next minute's 0.
func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let bytes = text.trimmed
    guard bytes.count >= 16, bytes.count <= 40 else { return nil }
    func number(_ from: Int, _ count: Int) -> Int? {
        guard from + count <= bytes.count else { return nil }
        var value = 0
        for index in from..<from + count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
    guard bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20,
        bytes[13] == 0x3A
    else { return nil }
    let hasSeconds = bytes.count > 16 && bytes[16] == 0x3A
    guard let year = number(0, 4), let month = number(5, 2), let dayNumber = number(8, 2),
        let day = CalendarDay(year: year, month: month, day: dayNumber)
    else { return nil }
    guard let hour = number(11, 2), let minute = number(14, 2), let second = hasSeconds ? number(17, 2) : 0
    else { return nil }
    guard hour < 24 || hour == 24 && minute == 0 && second == 0, minute < 60, second <= 60 else { return nil }
    var at = hasSeconds ? 19 : 16
    var milliseconds: Int64 = 0
    if hasSeconds, at < bytes.count, bytes[at] == 0x2E || bytes[at] == 0x2C {
        at += 1
        var worth: Int64 = 100
        let begin = at
        while at < bytes.count, bytes[at] &- 0x30 < 10 {
            milliseconds += Int64(bytes[at] &- 0x30) * worth
            worth /= 10
            at += 1
        }
        guard at > begin else { return nil }
    }
    if at < bytes.count, bytes[at] == 0x20 { at += 1 }
    var minutesEast = 0
    if at < bytes.count {
        let sign = bytes[at]
        at += 1
        switch sign {
        case 0x5A, 0x7A: break
        case 0x2B, 0x2D:
            guard let hours = number(at, 2) else { return nil }
            at += 2
            if at < bytes.count, bytes[at] == 0x3A { at += 1 }
            guard let minutes = number(at, 2), hours <= 14, minutes < 60 else { return nil }
            at += 2
            minutesEast = (hours * 60 + minutes) * (sign == 0x2D ? -1 : 1)
        default: return nil
        }
    }
    guard at == bytes.count else { return nil }
    let minutes = (day.daysSince1970 * 24 + Int64(hour)) * 60 + Int64(minute - minutesEast)
    let time = (minutes * 60 + Int64(second)) * 1000 + milliseconds
    // The distance to UTC may lead out of them.
    return Recording.dates.contains(time) ? time : nil
}
