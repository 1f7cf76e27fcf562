import ActivityFiles
import Fitness
import TestSupport

/// Makes up recordings. Their pauses lie between samples, their laps begin at samples, and their totals are the sums of
/// their laps'.
struct MadeUp {
    private var generator: SeededGenerator
    private let everywhere: Bool

    /// - Parameter everywhere: whether each sample has a place, and there is one.
    init(seed: UInt64, everywhere: Bool) {
        generator = SeededGenerator(seed: seed)
        self.everywhere = everywhere
    }

    private mutating func chance(_ part: Int) -> Bool { number(0..<part) == 0 }

    private mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }

    /// A number between two others, divided by a third.
    private mutating func part(_ range: ClosedRange<Int>, _ divisor: Double) -> Double {
        Double(Int.random(in: range, using: &generator)) / divisor
    }

    /// The next recording.
    mutating func next() -> Recording {
        let isWhole = chance(2)
        let start =
            Int64.random(in: 946_684_800...1_900_000_000, using: &generator) * 1000 + (isWhole ? 0 : 123)
        let count = number((everywhere ? 1 : 0)..<121)
        let starts = count > 20 && chance(2) ? [0, count / 3, count / 2] : []
        let (samples, pauses) = samples(count, start, isWhole: isWhole, starts)
        let end = samples.last?.time ?? start + 600_000
        let laps = laps(starts.map { samples[$0].time }, end, pauses)
        return Recording(
            sport: oneOf([.running, .walking, .cycling, .other("hiking"), .other("Bouldering hall 3")]) ?? .running,
            name: oneOf([nil, "Ronde à l'île <2> & \"co\"", "晨跑 🏃"]) ?? nil, start: start, end: end,
            pauses: pauses, laps: laps, samples: samples,
            totals: laps.isEmpty ? totals(start, end, pauses) : Self.sum(laps.map(\.totals)), device: device())
    }

    private mutating func oneOf<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &generator) }

    private mutating func device() -> Device? {
        oneOf([
            nil, Device(manufacturer: "garmin", product: "Forerunner 245", serial: "3868201"),
            Device(manufacturer: "garmin", product: "1345"),
        ]) ?? nil
    }

    private mutating func samples(
        _ count: Int, _ start: Int64, isWhole: Bool, _ laps: [Int]
    ) -> (samples: [Sample], pauses: [Pause]) {
        let has = (0..<9).map { _ in !chance(3) }
        var (samples, pauses) = ([Sample](), [Pause]())
        var (time, distance, steps) = (start, 0.0, UInt32(0))
        for index in 0..<count {
            if index > 0 {
                let before = time
                time += isWhole ? 1000 : Int64(number(1..<5001))
                if chance(15), !laps.contains(index) {
                    time += 60_000
                    pauses.append(Pause(start: before, end: time))
                }
            }
            distance += part(0...500, 100)
            steps += UInt32(number(0..<4))
            samples.append(sample(time, (distance * 100).rounded() / 100, steps, has))
        }
        return (samples, pauses)
    }

    private mutating func sample(_ time: Int64, _ distance: Double, _ steps: UInt32, _ has: [Bool]) -> Sample {
        var sample = Sample(time: time)
        if everywhere || has[0] && !chance(10) {
            sample.place = Place(
                latitude: part(-900_000_000...900_000_000, 1e7), longitude: part(-1_799_999_999...1_799_999_999, 1e7))
        }
        if has[1], !chance(10) { sample.altitude = part(-2000...40_000, 5) }
        if has[2], !chance(10) { sample.distance = distance }
        if has[3], !chance(10) { sample.speed = part(0...20_000, 1000) }
        if has[4], !chance(10) { sample.cadence = part(0...254, 1) }
        if has[5], !chance(10) { sample.temperature = part(-40...60, 1) }
        if has[6], !chance(10) { sample.steps = steps }
        if has[7], !chance(10) { sample.heartRate = UInt16(number(30..<251)) }
        if has[8], !chance(10) { sample.power = UInt16(number(0..<2001)) }
        return sample
    }

    private mutating func laps(_ starts: [Int64], _ end: Int64, _ pauses: [Pause]) -> [Lap] {
        zip(starts, starts.dropFirst() + [end]).map { start, end in
            Lap(start: start, end: end, totals: totals(start, end, pauses))
        }
    }

    private mutating func totals(_ from: Int64, _ to: Int64, _ pauses: [Pause]) -> Totals {
        let paused = pauses.filter { $0.start >= from && $0.end <= to }.reduce(0) { $0 + $1.end - $1.start }
        return Totals(
            distanceMetres: part(1...1_000_000, 100), durationMilliseconds: to - from - paused,
            energyKilocalories: part(1...900, 1), ascentMetres: part(0...90_000, 100), steps: number(0..<90_001))
    }

    private static func sum(_ totals: [Totals]) -> Totals {
        Totals(
            distanceMetres: totals.reduce(0) { $0 + ($1.distanceMetres ?? 0) },
            durationMilliseconds: totals.reduce(0) { $0 + ($1.durationMilliseconds ?? 0) },
            energyKilocalories: totals.reduce(0) { $0 + ($1.energyKilocalories ?? 0) },
            ascentMetres: totals.reduce(0) { $0 + ($1.ascentMetres ?? 0) },
            steps: totals.reduce(0) { $0 + ($1.steps ?? 0) })
    }
}
