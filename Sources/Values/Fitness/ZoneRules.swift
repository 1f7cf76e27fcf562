// The rules of time zones as the system's own files have them (RFC 9636). A file that is not well formed is no zone:
// the zone is never guessed to be UTC.
//
// Version 2 and later are read: 64-bit times of transitions, and a footer with the rule for all times after the last of
// them, in the form of POSIX's TZ. Of its forms for a day the database uses only "Mm.w.d".

/// How far a zone's clocks are ahead of UTC, at any time.
public struct ZoneRules: Sendable {
    private let transitions: [(time: Int64, offset: Int64)]
    private let first: Int64
    private let footer: Footer?

    /// Seconds ahead of UTC.
    /// - Parameter time: Unix seconds.
    public func offset(at time: Int64) -> Int64 {
        guard let last = transitions.last, time < last.time else {
            return footer?.offset(at: time) ?? transitions.last?.offset ?? first
        }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : transitions[low - 1].offset
    }

    /// The day that calendars on the wall show.
    /// - Parameter time: Unix milliseconds.
    public func day(at time: Int64) -> CalendarDay {
        let seconds = time.floorDivided(by: 1000)
        return CalendarDay(localSeconds: seconds + offset(at: seconds))
    }

    /// The moments at which the offset may change within a range of Unix seconds, in their order.
    func changes(within times: Range<Int64>) -> [Int64] {
        var changes = transitions.map(\.time).filter { times.contains($0) }
        // The footer's rule holds after the last transition.
        let rest = times.clamped(to: (transitions.last?.time ?? .min)..<Int64.max)
        if let footer { changes += footer.changes(within: rest) }
        return changes
    }
}

// MARK: The file

extension ZoneRules {
    /// The rules in the bytes of a zone's file; nil if they are not well formed, or older than version 2.
    public init?(_ bytes: [UInt8]) {
        guard let old = Header(bytes[...]), old.version >= UInt8(ascii: "2") else { return nil }
        let data = bytes.dropFirst(Header.length + old.dataLength(timeLength: 4))
        guard let header = Header(data) else { return nil }
        let body = data.dropFirst(Header.length)
        guard body.count >= header.dataLength(timeLength: 8), header.types > 0 else { return nil }
        func number(_ offset: Int, _ length: Int) -> Int64 {
            let start = body.startIndex + offset
            let value = body[start..<start + length].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            return length == 4 ? Int64(Int32(truncatingIfNeeded: value)) : value
        }
        let typesAt = header.times * 9
        var transitions: [(time: Int64, offset: Int64)] = []
        for index in 0..<header.times {
            let type = Int(number(header.times * 8 + index, 1))
            guard type < header.types else { return nil }
            let transition = (time: number(index * 8, 8), offset: number(typesAt + type * 6, 4))
            guard transitions.last.map({ $0.time < transition.time }) ?? true else { return nil }
            transitions.append(transition)
        }
        self.transitions = transitions
        first = number(typesAt, 4)
        let text = body.dropFirst(header.dataLength(timeLength: 8))
        guard text.count >= 2, text.first == 0x0A, text.last == 0x0A else { return nil }
        let rule = String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
        if rule.isEmpty {
            footer = nil
        } else {
            guard let footer = Footer(rule) else { return nil }
            self.footer = footer
        }
        let offsets = transitions.map(\.offset) + [first]
        guard offsets.allSatisfy({ $0.magnitude <= 26 * 3600 }) else { return nil }
    }

    private struct Header {
        static let length = 44
        let version: UInt8
        let times: Int
        let types: Int
        private let characters: Int
        private let leaps: Int
        private let standard: Int
        private let universal: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.length, bytes.starts(with: "TZif".utf8) else { return nil }
            let start = bytes.startIndex
            version = bytes[start + 4]
            let counts = (0..<6).map { index in
                bytes[(start + 20 + 4 * index)..<(start + 24 + 4 * index)].reduce(0) { $0 << 8 | Int($1) }
            }
            guard counts.allSatisfy({ $0 <= 100_000 }) else { return nil }
            (universal, standard, leaps, times, types, characters) = (
                counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
            )
        }

        func dataLength(timeLength: Int) -> Int {
            times * (timeLength + 1) + types * 6 + characters + leaps * (timeLength + 4) + standard + universal
        }
    }
}

// MARK: The footer

/// `CET-1CEST,M3.5.0,M10.5.0/3`: the offsets of winter and summer, and when each begins.
private struct Footer: Sendable {
    private struct Change {
        let month: Int
        let week: Int
        let weekday: Int
        /// Seconds after midnight on the wall; may be negative, or more than a day.
        let time: Int64
    }

    private let standard: Int64
    private let summer: (offset: Int64, begins: Change, ends: Change)?

    init?(_ text: String) {
        var rest = Substring(text)
        guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard Self.skipName(&rest) else { return nil }
        var offset = standard + 3600
        if rest.first != "," {
            guard let west = Self.time(&rest) else { return nil }
            offset = -west
        }
        guard let begins = Self.change(&rest), let ends = Self.change(&rest), rest.isEmpty else { return nil }
        summer = (offset, begins, ends)
    }

    func offset(at time: Int64) -> Int64 {
        guard let summer else { return standard }
        // The year on the wall would matter only if a change were at New Year, and none is.
        let year = CalendarDay(localSeconds: time + standard).year
        let begins = Self.seconds(summer.begins, year) - standard
        let ends = Self.seconds(summer.ends, year) - summer.offset
        let isSummer = begins < ends ? begins <= time && time < ends : !(ends <= time && time < begins)
        return isSummer ? summer.offset : standard
    }

    /// When the offset changes within a range of Unix seconds, in order.
    func changes(within times: Range<Int64>) -> [Int64] {
        guard let summer, !times.isEmpty else { return [] }
        let years = [times.lowerBound, times.upperBound].map { CalendarDay(localSeconds: $0 + standard).year }
        return (years[0] - 1...years[1] + 1).flatMap { year in
            [
                Self.seconds(summer.begins, year) - standard,
                Self.seconds(summer.ends, year) - summer.offset,
            ].sorted().filter { times.contains($0) }
        }
    }

    /// When a change is, on the wall.
    private static func seconds(_ change: Change, _ year: Int) -> Int64 {
        let length = CalendarDay.length(ofMonth: change.month, year)
        let first = CalendarDay(parts: (year, change.month, 1)).daysSince1970
        // 1970-01-01 was a Thursday, day 4 of a week that begins with Sunday.
        let weekday = Int((first + 4).floorRemainder(by: 7))
        var day = (change.weekday - weekday + 7) % 7 + (change.week - 1) * 7
        while day >= length { day -= 7 }
        return (first + Int64(day)) * 86_400 + change.time
    }

    /// Letters, or anything in angle brackets.
    private static func skipName(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// `-3:30`, in seconds.
    private static func time(_ rest: inout Substring) -> Int64? {
        var sign: Int64 = 1
        if let character = rest.first, character == "-" || character == "+" {
            sign = character == "-" ? -1 : 1
            rest.removeFirst()
        }
        var seconds: Int64 = 0
        var unit: Int64 = 3600
        repeat {
            if unit < 3600 { rest.removeFirst() }
            let digits = rest.prefix { ("0"..."9").contains($0) }
            guard let number = Int64(digits), number <= 167 else { return nil }
            rest = rest.dropFirst(digits.count)
            seconds += number * unit
            unit /= 60
        } while rest.first == ":" && unit > 0
        return sign * seconds
    }

    /// `,M3.5.0/2`
    private static func change(_ rest: inout Substring) -> Change? {
        guard rest.hasPrefix(",M") else { return nil }
        rest = rest.dropFirst(2)
        let numbers = rest.prefix { $0 == "." || ("0"..."9").contains($0) }
        rest = rest.dropFirst(numbers.count)
        let parts = numbers.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[0]), (1...5).contains(parts[1]), (0...6).contains(parts[2])
        else {
            return nil
        }
        var time: Int64 = 7200
        if rest.first == "/" {
            rest.removeFirst()
            guard let given = Self.time(&rest) else { return nil }
            time = given
        }
        return Change(month: parts[0], week: parts[1], weekday: parts[2], time: time)
    }
}
