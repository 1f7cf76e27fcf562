import Fitness
import Telemetry

// A day's record as bytes.
//
//     1 to 4, version       steps: walking + 1 (0: none), running; from version 2 on how many counts were left out
//     figures               version 4: the number of the formulas; 1 if metres are known, 2 if kilocalories are, 3 if both
//                           are, and those that are known (a Double's bits)
//     goals reached         number; each: goal, target (a Double's bits), time
//     sensors with counts   number; each: length and name; number; each: time since the one before, count
//     sensors with temperatures   the same with thousandths of a degree
//     sensors with spans          from version 3 on; the same with steps, and milliseconds in the lower 32 bits
//
// Numbers are varints, with a sign zigzag (`Varint`). The lowest version that has a place for everything is used.

extension DayRecord {
    /// The version of days without steps, of days with counts left out, of days with spans of a pedometer, and of days whose
    /// steps came to something.
    private static let (version, withCountsLeftOut, withSpans, withFigures): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)

    package var bytes: [UInt8] {
        let leftOut = steps?.countsLeftOut ?? 0
        let versions: [(isNeeded: Bool, version: UInt8)] = [
            (figures != nil, Self.withFigures), (!self[.span].isEmpty, Self.withSpans), (leftOut > 0, Self.withCountsLeftOut),
        ]
        let version = versions.first(where: \.isNeeded)?.version ?? Self.version
        var bytes = [version]
        bytes.appendVarint(UInt64(steps.map { $0.walking + 1 } ?? 0))
        bytes.appendVarint(UInt64(steps?.running ?? 0))
        if version >= Self.withCountsLeftOut { bytes.appendVarint(UInt64(leftOut)) }
        if let figures {
            bytes.appendVarint(UInt64(figures.formulas))
            bytes.append((figures.metres == nil ? 0 : 1) | (figures.kilocalories == nil ? 0 : 2))
            for value in [figures.metres, figures.kilocalories] {
                if let value { bytes.appendVarint(value.bitPattern) }
            }
        }
        bytes.appendVarint(UInt64(reached.count))
        for (index, goal) in Goal.allCases.enumerated() {
            guard let reached = reached[goal] else { continue }
            bytes.appendVarint(UInt64(index))
            bytes.appendVarint(reached.target.bitPattern)
            bytes.appendZigzag(reached.time)
        }
        for input in Self.inputs(of: version) {
            let sensors = self[input]
            bytes.appendVarint(UInt64(sensors.count))
            for (sensor, entries) in sensors.sorted(by: { $0.key < $1.key }) {
                bytes.appendVarint(UInt64(sensor.utf8.count))
                bytes += sensor.utf8
                bytes.appendVarint(UInt64(entries.count))
                var last: Int64 = 0
                for entry in entries {
                    bytes.appendZigzag(entry.time - last)
                    bytes.appendZigzag(entry.value)
                    last = entry.time
                }
            }
        }
        return bytes
    }

    private static func inputs(of version: UInt8) -> [Input] {
        version >= withSpans ? [.count, .temperature, .span] : [.count, .temperature]
    }

    /// The record that `bytes` spell; nil if they spell none, which does not happen with a row that opens.
    init?(_ bytes: [UInt8]) {
        var rest = Numbers(bytes)
        guard let version = rest.byte(), (Self.version...Self.withFigures).contains(version),
            let walking = rest.number(), let running = rest.number(),
            let leftOut = version == Self.version ? 0 : rest.number(), let walked = Int(exactly: walking),
            let run = Int(exactly: running), let count = Int(exactly: leftOut)
        else { return nil }
        var steps: Steps?
        if walked > 0 { steps = Steps(walking: walked - 1, running: run, countsLeftOut: count) }
        var figures: StepFigures?
        if version >= Self.withFigures {
            figures = rest.figures()
            guard figures != nil else { return nil }
        }
        guard let goals = rest.number() else { return nil }
        var reached: [Goal: GoalDay.Reached] = [:]
        for _ in 0..<min(goals, 16) {
            guard let index = rest.number(), index < UInt64(Goal.allCases.count), let target = rest.number(),
                let time = rest.signed()
            else { return nil }
            reached[Goal.allCases[Int(index)]] = GoalDay.Reached(target: Double(bitPattern: target), time: time)
        }
        var inputs: [Input: Entries] = [:]
        for input in Self.inputs(of: version) {
            guard let sensors = rest.sensors() else { return nil }
            inputs[input] = sensors
        }
        guard rest.isAtEnd else { return nil }
        self.init(steps: steps, figures: figures, reached: reached, inputs)
    }

    /// Takes numbers off the front of some bytes.
    private struct Numbers {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> UInt64? {
            var position = rest.startIndex
            guard let number = try? Varint.take(from: rest, at: &position) else { return nil }
            rest = rest[position...]
            return number
        }

        mutating func signed() -> Int64? { number().map { Int64(zigzag: $0) } }

        mutating func figures() -> StepFigures? {
            guard let formulas = number().flatMap({ Int(exactly: $0) }), let known = byte(), (1...3).contains(known)
            else { return nil }
            let (hasMetres, hasKilocalories) = (known & 1 != 0, known & 2 != 0)
            let metres = hasMetres ? number() : nil
            let kilocalories = hasKilocalories ? number() : nil
            guard hasMetres == (metres != nil), hasKilocalories == (kilocalories != nil) else { return nil }
            return StepFigures(
                formulas: formulas, metres: metres.map { Double(bitPattern: $0) },
                kilocalories: kilocalories.map { Double(bitPattern: $0) })
        }

        mutating func sensors() -> Entries? {
            guard let number = number(), number <= UInt64(rest.count) else { return nil }
            var sensors: Entries = [:]
            for _ in 0..<number {
                guard let length = self.number(), length <= UInt64(rest.count) else { return nil }
                let name = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
                rest = rest.dropFirst(Int(length))
                guard let count = self.number(), count <= UInt64(rest.count) else { return nil }
                var entries: [Entry] = []
                entries.reserveCapacity(Int(count))
                var time: Int64 = 0
                for _ in 0..<count {
                    guard let passed = signed(), let value = signed() else { return nil }
                    time &+= passed
                    entries.append(Entry(time: time, value: value))
                }
                sensors[name] = entries
            }
            return sensors
        }
    }
}
