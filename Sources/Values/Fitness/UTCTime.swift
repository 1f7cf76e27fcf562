/// Unix milliseconds as ISO 8601 spells them, in UTC: `2026-11-21T10:00:00.000Z`.
public func iso8601(unixMilliseconds milliseconds: Int64) -> String {
    func floored(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
    func padded(_ number: Int64, _ count: Int) -> String { CalendarDay.padded(Int(number), count) }
    let (second, fraction) = floored(milliseconds, 1000)
    let day = CalendarDay(localSeconds: second)
    let ofDay = floored(second, 86_400).remainder
    let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { padded($0, 2) }
    return "\(day)T\(clock.joined(separator: ":")).\(padded(fraction, 3))Z"
}

/// The time, in Unix milliseconds, that `2026-11-21T10:00:00Z` spells, with up to three digits of a fraction; nil if
/// the text is anything else.
public func unixMilliseconds(iso8601 text: String) -> Int64? {
    let characters = Array(text.utf8)
    guard characters.count >= 20, characters.last == UInt8(ascii: "Z") else { return nil }
    let fraction = characters[19..<(characters.count - 1)]
    for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] {
        guard characters[index] == separator.utf8.first else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for character in characters[range] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
            value = value * 10 + Int64(character - UInt8(ascii: "0"))
        }
        return value
    }
    guard let year = number(0..<4).map(Int.init), let month = number(5..<7).map(Int.init),
        let day = number(8..<10).map(Int.init), (1...12).contains(month),
        (1...CalendarDay.length(ofMonth: month, year)).contains(day)
    else { return nil }
    guard let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19), hour < 24,
        minute < 60, second < 60
    else { return nil }
    var milliseconds: Int64 = 0
    if !fraction.isEmpty {
        guard fraction.first == UInt8(ascii: "."), (2...4).contains(fraction.count),
            let value = number((fraction.startIndex + 1)..<fraction.endIndex)
        else { return nil }
        milliseconds = [2: value * 100, 3: value * 10, 4: value][fraction.count] ?? 0
    }
    let days = CalendarDay(parts: (year, month, day)).daysSince1970
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds
}
