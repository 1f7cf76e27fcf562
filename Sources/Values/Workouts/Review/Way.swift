import Fitness

/// How far a workout had come by when: a line through marks of time and distance, as one of its sources tells them. Splits, best
/// times and the moving time follow from it.
public struct Way: Hashable, Sendable {
    /// How far it was at a moment.
    struct Mark: Hashable, Sendable {
        /// For how long the workout had been active.
        let seconds: Double
        /// From the beginning.
        let metres: Double
        /// Between two pieces there was a pause, or the way is not known.
        let piece: Int
    }

    /// In the order of their times; metres never fall.
    let marks: [Mark]

    init(_ marks: [Mark]) { self.marks = marks }

    /// The way by positions.
    public init(_ course: Course) {
        marks = course.stations.map { Mark(seconds: $0.seconds, metres: $0.metres, piece: $0.piece) }
    }

    /// The way by the first sensor that measures one: a wheel, a foot pod, or the device that an imported file is from. Nil if none
    /// does.
    /// - Parameter readings: in any order, some of them more than once.
    public init?(_ readings: some Sequence<MotionReading>, _ activity: Activity, _ timer: WorkoutTimer) {
        let sensors = Dictionary(grouping: readings, by: \.sensor).sorted { $0.key < $1.key }
        for (_, readings) in sensors {
            let marks = Self.marks(readings, activity, timer)
            guard let last = marks.last, last.metres > 0 else { continue }
            self.init(marks)
            return
        }
        return nil
    }

    private static func marks(_ readings: [MotionReading], _ activity: Activity, _ timer: WorkoutTimer) -> [Mark] {
        let fastest = activity.fastestMetresPerSecond
        var (marks, metres, piece) = ([Mark](), 0.0, 0)
        var previous: (reading: MotionReading, interval: Int)?
        for case .motion(let reading) in WorkoutSample.inOrder(readings.map { WorkoutSample.motion($0) }) {
            guard let interval = timer.interval(at: reading.time), let started = timer.started,
                reading.time - started <= WorkoutFold.longest
            else { continue }
            let before = previous.flatMap { $0.interval == interval ? $0.reading : nil }
            let way = before.flatMap { MotionStream.metres($0, reading, fastest: fastest) }
            if way == nil, previous != nil { piece += 1 }
            metres += way ?? 0
            let seconds = Double(timer.activeMilliseconds(at: reading.time)) / 1000
            marks.append(Mark(seconds: seconds, metres: metres, piece: piece))
            previous = (reading, interval)
        }
        return marks
    }

    /// How long it is, in metres.
    public var metres: Double { marks.last?.metres ?? 0 }

    // MARK: Moving

    /// Over how many seconds it is decided whether the person moved.
    private static let window = 10.0
    /// What share of the active time must be known.
    private static let knownShare = 0.8

    /// Whether it is known of so many seconds of active time, or of at least four fifths of them.
    public func isKnown(of seconds: Double) -> Bool {
        let longest = Double(SpeedWindow.longestGap) / 1000
        let known = zip(marks, marks.dropFirst()).reduce(0.0) { known, pair in
            let length = pair.1.seconds - pair.0.seconds
            return pair.0.piece == pair.1.piece && length <= longest ? known + length : known
        }
        return seconds > 0 && known >= Self.knownShare * seconds
    }

    /// For how many of so many active seconds the person moved; nil if too little is known of them. Unknown time counts as
    /// moved.
    public func movingSeconds(of seconds: Double, _ activity: Activity) -> Double? {
        guard isKnown(of: seconds) else { return nil }
        let speeds = speeds
        let unknown = seconds - speeds.reduce(0) { $0 + $1.seconds }
        return max(0, unknown) + min(seconds, Self.moving(speeds, standing: activity.standingMetresPerSecond))
    }

    /// How much of some time the speed was that of somebody who moves.
    static func moving(_ speeds: [(seconds: Double, metresPerSecond: Double)], standing: Double) -> Double {
        speeds.reduce(0) { $0 + ($1.metresPerSecond >= standing ? $1.seconds : 0) }
    }

    /// The speeds over ten seconds each, or what is left of a piece.
    private var speeds: [(seconds: Double, metresPerSecond: Double)] {
        var speeds: [(seconds: Double, metresPerSecond: Double)] = []
        var (start, index): (Mark?, Int) = (nil, 0)
        while index < marks.count {
            let mark = marks[index]
            guard let from = start, from.piece == mark.piece else {
                start = mark
                index += 1
                continue
            }
            let isLast = index + 1 == marks.count || marks[index + 1].piece != mark.piece
            guard mark.seconds - from.seconds >= Self.window || isLast else {
                index += 1
                continue
            }
            let end = min(mark.seconds, from.seconds + Self.window)
            let before = marks[index - 1].seconds > from.seconds ? marks[index - 1] : from
            let share = mark.seconds > before.seconds ? (end - before.seconds) / (mark.seconds - before.seconds) : 1
            let metres = before.metres + share * (mark.metres - before.metres)
            let length = end - from.seconds
            if length > 0 { speeds.append((length, (metres - from.metres) / length)) }
            start = Mark(seconds: end, metres: metres, piece: mark.piece)
            if end >= mark.seconds { index += 1 }
        }
        return speeds
    }
}

/// How long it took to come so far: a line through the marks. Queries must come in rising order.
struct Arrivals {
    private let marks: [Way.Mark]
    private var index = 0

    init(_ way: Way) { marks = way.marks }

    /// After how many seconds the person first was so many metres from the beginning.
    mutating func seconds(at metres: Double) -> Double? {
        while index < marks.count, marks[index].metres < metres { index += 1 }
        guard index < marks.count else { return nil }
        guard index > 0 else { return marks[0].seconds }
        return Self.between(marks[index - 1], marks[index], metres)
    }

    /// After how many seconds the person was last so many metres from the beginning.
    mutating func lastSeconds(at metres: Double) -> Double? {
        while index < marks.count, marks[index].metres <= metres { index += 1 }
        guard index > 0 else { return nil }
        guard index < marks.count else { return marks[index - 1].seconds }
        return Self.between(marks[index - 1], marks[index], metres)
    }

    private static func between(_ one: Way.Mark, _ other: Way.Mark, _ metres: Double) -> Double {
        let way = other.metres - one.metres
        return way > 0 ? one.seconds + (other.seconds - one.seconds) * (metres - one.metres) / way : one.seconds
    }
}
