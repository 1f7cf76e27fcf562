import Fitness
import Telemetry

// A day's record as bytes.
//
//     1 to 6, version       steps: walking + 1 (0: none), running; from version 2 on how many counts were left out
//     figures               version 4: the number of the formulas; 1 if metres are known, 2 if kilocalories are, 3 if both
//                           are, and those that are known (a Double's bits). Version 5: the number of the formulas, 0 if there are no
//                           figures; how many distances are known; each: kind, metres; 1 if kilocalories are known, and they
//     goals reached         number; each: goal, target (a Double's bits), time
//     sensors with counts   number; each: length and name; number; each: time since the one before, count
//     sensors with temperatures   the same with thousandths of a degree
//     sensors with spans          from version 3 on; the same with steps, and milliseconds in the lower 32 bits
//     workouts              version 5: number; each: length and id, length and activity, start, milliseconds, rank; 1 if metres are
//                           known, 2 if kilocalories are, 3 if both are, and those that are known. Version 6: 4 more if steps are, and they;
//                           1 if it is a session of a file with several, and the number of that file, else 0; then 0, or 1 and seconds:
//                           active, with a heart rate, in the zones 2 and 3, in 4 and 5
//
// Numbers are varints, with a sign zigzag (`Varint`). The lowest version that has a place for everything is used.

extension DayRecord {
    /// The version of days without steps, of days with counts left out, of days with spans of a pedometer, of days whose
    /// steps came to something, of days with workouts, and of days with workouts whose effort or own steps are known, or that are
    /// sessions of a file.
    private static let (version, withCountsLeftOut, withSpans, withFigures): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)
    private static let (withWorkouts, withMoreOfWorkouts): (UInt8, UInt8) = (5, 6)

    package var bytes: [UInt8] {
        let leftOut = steps?.countsLeftOut ?? 0
        let ofWorkouts = !workouts.isEmpty || figures?.metres.keys.contains { $0 != .foot } == true
        let versions: [(isNeeded: Bool, version: UInt8)] = [
            (workouts.values.contains { $0.steps != nil || $0.file != nil || $0.effort != nil }, Self.withMoreOfWorkouts),
            (ofWorkouts, Self.withWorkouts),
            (figures != nil, Self.withFigures), (!self[.span].isEmpty, Self.withSpans),
            (leftOut > 0, Self.withCountsLeftOut),
        ]
        let version = versions.first(where: \.isNeeded)?.version ?? Self.version
        var bytes = [version]
        bytes.appendVarint(UInt64(steps.map { $0.walking + 1 } ?? 0))
        bytes.appendVarint(UInt64(steps?.running ?? 0))
        if version >= Self.withCountsLeftOut { bytes.appendVarint(UInt64(leftOut)) }
        if version >= Self.withFigures { append(figures, version, to: &bytes) }
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
        if version >= Self.withWorkouts { appendWorkouts(version, to: &bytes) }
        return bytes
    }

    private func append(_ figures: DayFigures?, _ version: UInt8, to bytes: inout [UInt8]) {
        bytes.appendVarint(UInt64(figures?.formulas ?? 0))
        if version == Self.withFigures {
            bytes.append(known: [figures?.metres[.foot], figures?.kilocalories])
        } else if let figures {
            bytes.appendVarint(UInt64(figures.metres.count))
            for (index, kind) in DistanceKind.allCases.enumerated() {
                guard let metres = figures.metres[kind] else { continue }
                bytes.appendVarint(UInt64(index))
                bytes.appendVarint(metres.bitPattern)
            }
            bytes.append(known: [figures.kilocalories])
        }
    }

    private func appendWorkouts(_ version: UInt8, to bytes: inout [UInt8]) {
        bytes.appendVarint(UInt64(workouts.count))
        for workout in workouts.values.sorted(by: { $0.id < $1.id }) {
            for text in [workout.id, workout.activity] {
                bytes.appendVarint(UInt64(text.utf8.count))
                bytes += text.utf8
            }
            bytes.appendZigzag(workout.times.lowerBound)
            bytes.appendVarint(UInt64(workout.times.upperBound - workout.times.lowerBound))
            bytes.appendVarint(UInt64(max(0, workout.rank)))
            let hasMore = version >= Self.withMoreOfWorkouts
            bytes.append(known: [workout.metres, workout.kilocalories] + (hasMore ? [workout.steps] : []))
            guard hasMore else { continue }
            bytes.appendVarint(workout.file == nil ? 0 : 1)
            if let file = workout.file { bytes.appendZigzag(file) }
            bytes.appendVarint(workout.effort == nil ? 0 : 1)
            guard let effort = workout.effort else { continue }
            for seconds in [effort.active, effort.recorded, effort.moderate, effort.vigorous] { bytes.appendVarint(UInt64(seconds)) }
        }
    }

    private static func inputs(of version: UInt8) -> [Input] {
        version >= withSpans ? [.count, .temperature, .span] : [.count, .temperature]
    }

    /// The record that `bytes` spell; nil if they spell none, which does not happen with a row that opens.
    init?(_ bytes: [UInt8]) {
        var rest = Numbers(bytes)
        guard let version = rest.byte(), (Self.version...Self.withMoreOfWorkouts).contains(version),
            let walking = rest.number(), let running = rest.number(),
            let leftOut = version == Self.version ? 0 : rest.number(), let walked = Int(exactly: walking),
            let run = Int(exactly: running), let count = Int(exactly: leftOut)
        else { return nil }
        var steps: Steps?
        if walked > 0 { steps = Steps(walking: walked - 1, running: run, countsLeftOut: count) }
        var figures: DayFigures?
        if version == Self.withFigures {
            figures = rest.figuresOfSteps()
            guard figures != nil else { return nil }
        } else if version > Self.withFigures {
            guard let found = rest.figures() else { return nil }
            figures = found
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
        guard let workouts = version >= Self.withWorkouts ? rest.workouts(version) : [], rest.isAtEnd else {
            return nil
        }
        self.init(steps: steps, figures: figures, reached: reached, inputs, workouts: workouts)
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

        /// As many doubles as bits of a byte say are known; nil if there is no such byte.
        mutating func known(_ count: Int) -> [Double?]? {
            guard let known = byte(), known < 1 << UInt8(count) else { return nil }
            var values: [Double?] = []
            for bit in 0..<count {
                guard known & 1 << UInt8(bit) != 0 else {
                    values.append(nil)
                    continue
                }
                guard let bits = number() else { return nil }
                values.append(Double(bitPattern: bits))
            }
            return values
        }

        mutating func figuresOfSteps() -> DayFigures? {
            guard let formulas = number().flatMap({ Int(exactly: $0) }), let values = known(2) else { return nil }
            return DayFigures(formulas: formulas, metres: values[0].map { [.foot: $0] } ?? [:], kilocalories: values[1])
        }

        /// Nil if the bytes spell none; nil inside if there are none.
        mutating func figures() -> DayFigures?? {
            guard let formulas = number().flatMap({ Int(exactly: $0) }) else { return nil }
            guard formulas > 0 else { return .some(nil) }
            guard let count = number(), count <= UInt64(DistanceKind.allCases.count) else { return nil }
            var metres: [DistanceKind: Double] = [:]
            for _ in 0..<count {
                guard let index = number(), index < UInt64(DistanceKind.allCases.count), let bits = number() else { return nil }
                metres[DistanceKind.allCases[Int(index)]] = Double(bitPattern: bits)
            }
            guard let values = known(1) else { return nil }
            return .some(DayFigures(formulas: formulas, metres: metres, kilocalories: values[0]))
        }

        mutating func text() -> String? {
            guard let length = number(), length <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(length)) }
            return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
        }

        /// Nil if the bytes are not valid; nil inside if they say that the workout has no effort.
        mutating func effort() -> Effort?? {
            guard let count = number(), count <= 1 else { return nil }
            guard count == 1 else { return .some(nil) }
            guard let active = number(), let recorded = number(), let moderate = number(), let vigorous = number(),
                [active, recorded, moderate, vigorous].allSatisfy({ $0 <= UInt64(Int32.max) })
            else { return nil }
            return .some(Effort(active: Int(active), recorded: Int(recorded), moderate: Int(moderate), vigorous: Int(vigorous)))
        }

        mutating func workouts(_ version: UInt8) -> [DayWorkout]? {
            let hasMore = version >= DayRecord.withMoreOfWorkouts
            guard let count = number(), count <= UInt64(rest.count) else { return nil }
            var workouts: [DayWorkout] = []
            for _ in 0..<count {
                guard let id = text(), let activity = text(), let start = signed(), let length = number(),
                    length <= UInt64(Int32.max), start <= Int64.max - Int64(length), let rank = number(),
                    rank <= UInt64(Int32.max), let values = known(hasMore ? 3 : 2),
                    let file = hasMore ? session() : .some(nil), let effort = hasMore ? self.effort() : .some(nil)
                else { return nil }
                workouts.append(
                    DayWorkout(
                        id: id, activity, start..<start + Int64(length), metres: values[0], kilocalories: values[1],
                        steps: hasMore ? values[2] : nil, rank: Int(rank), file: file, effort: effort))
            }
            return workouts
        }

        /// The number of the file that a workout is a session of; nil if what is there is wrong.
        private mutating func session() -> Int64?? {
            switch number() {
            case 0: .some(nil)
            case 1: signed().map { .some($0) }
            default: nil
            }
        }

        mutating func sensors() -> Entries? {
            guard let number = number(), number <= UInt64(rest.count) else { return nil }
            var sensors: Entries = [:]
            for _ in 0..<number {
                guard let name = text(), let count = self.number(), count <= UInt64(rest.count) else { return nil }
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

extension [UInt8] {
    /// Appends which of some values are known, as bits, and those that are.
    fileprivate mutating func append(known values: [Double?]) {
        append(values.enumerated().reduce(0) { $0 | ($1.element == nil ? 0 : 1 << UInt8($1.offset)) })
        for case let value? in values { appendVarint(value.bitPattern) }
    }
}
