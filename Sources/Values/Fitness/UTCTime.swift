/// Unix milliseconds as ISO 8601 spells them, in UTC: `2026-11-21T10:00:00.000Z`.
public func iso8601(unixMilliseconds milliseconds: Int64) -> String {
    let seconds = dateAndTime(unixSeconds: milliseconds.floorDivided(by: 1000))
    return "\(seconds).\(CalendarDay.padded(Int(milliseconds.floorRemainder(by: 1000)), 3))Z"
}

/// Unix seconds as ISO 8601 spells them, in UTC: `2026-11-21T10:00:00Z`.
public func iso8601(unixSeconds seconds: Int64) -> String { dateAndTime(unixSeconds: seconds) + "Z" }

/// The time of day of some seconds since any midnight: `10:00:00`.
public func timeOfDay(seconds: Int64) -> String {
    let second = Int(seconds.floorRemainder(by: 86_400))
    return [second / 3600, second / 60 % 60, second % 60].map { CalendarDay.padded($0, 2) }.joined(separator: ":")
}

private func dateAndTime(unixSeconds seconds: Int64) -> String {
    "\(CalendarDay(localSeconds: seconds))T\(timeOfDay(seconds: seconds))"
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
