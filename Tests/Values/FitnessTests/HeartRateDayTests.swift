import Foundation
import Testing

@testable import Fitness

@Suite("Heart rates of a day")
struct HeartRateDayTests {
    typealias Numbered = (number: Int64, minute: HeartRateMinute)

    /// A minute with a sample each second.
    static func minute(_ beatsPerMinute: Int, seconds: Range<Int> = 0..<60) -> HeartRateMinute {
        var minute = HeartRateMinute()
        for second in seconds { minute.add(beatsPerMinute, at: Int64(second) * 1000) }
        return minute
    }

    static func minutes(_ rates: [(count: Int, beatsPerMinute: Int)], from first: Int64 = 0) -> [(
        number: Int64, minute: HeartRateMinute
    )] {
        let all = rates.flatMap { [HeartRateMinute](repeating: minute($0.beatsPerMinute), count: $0.count) }
        return all.enumerated().map { (first + Int64($0.offset), $0.element) }
    }

    func near(_ value: Double?, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
        value.map { abs($0 - expected) <= tolerance } ?? false
    }

    @Test("add up in any order")
    func merging() {
        var samples = (0..<200).map { _ in (rate: Int.random(in: 30...220), time: Int64.random(in: -60_000..<0)) }
        var whole = HeartRateMinute()
        for sample in samples { whole.add(sample.rate, at: sample.time) }
        for _ in 0..<20 {
            samples.shuffle()
            let cut = Int.random(in: 0...200)
            var (one, other) = (HeartRateMinute(), HeartRateMinute())
            for sample in samples[..<cut] { one.add(sample.rate, at: sample.time) }
            for sample in samples[cut...] { other.add(sample.rate, at: sample.time) }
            one.merge(other)
            #expect(one == whole)
        }
        #expect(
            whole.samples.minimum == samples.map(\.rate).min() && whole.samples.maximum == samples.map(\.rate).max())
        #expect(whole.samples.sum == samples.reduce(0) { $0 + $1.rate } && HeartRateSamples().mean == nil)
    }

    @Test("mark the five seconds that a sample is in, before 1970, too")
    func slots() {
        var minute = HeartRateMinute()
        for time: Int64 in [0, 4999, 5000, 59_999, 60_000 - 1] { minute.add(60, at: 120_000 + time) }
        #expect(minute.slots == 0b1000_0000_0011)
        var early = HeartRateMinute()
        early.add(60, at: -1)
        #expect(early.slots == 0b1000_0000_0000 && HeartRateMinute.number(of: -1) == -1)
        #expect(HeartRateMinute.number(of: 59_999) == 0 && HeartRateMinute.number(of: 60_000) == 1)
    }

    /// A day that begins at a time of the clock at 0, in UTC, with minutes in any order.
    static func day(
        _ minutes: [Numbered], of person: Person = Person(), hours: Int64 = 24, begins: Int = 0, workouts: [Range<Int64>] = []
    ) -> HeartRateDay? {
        let time = HeartRateDay.Time([0..<hours * 3_600_000], workouts: workouts) {
            Int(($0 / 60_000 + Int64(begins) + 1440) % 1440)
        }
        return HeartRateDay(HeartRateSources(minutes.sorted { $0.number < $1.number }[...]), time, of: person)
    }

    @Test("give mean over time, least and most, and nothing if there is none")
    func extremes() throws {
        var first = Self.minute(60)
        first.add(80, at: 0)
        let two: [Numbered] = [(5, Self.minute(90)), (1, first)]
        let day = try #require(Self.day(two))
        #expect(near(day.mean, ((60.0 * 60 + 80) / 61 + 90) / 2) && day.minimum == 60 && day.maximum == 90)
        #expect(day.recordedSeconds == 120 && day.resting == nil && day.restingOf == nil && day.zoneSeconds == nil)
        let none: [Numbered] = [(1, HeartRateMinute())]
        #expect(Self.day(none) == nil && Self.day([]) == nil)
        // What the day before still holds is no heart rate of the day.
        #expect(Self.day([(-1, Self.minute(60, seconds: 59..<60))]) == nil)
    }

    @Test("of the day before hold into the day, and those of its end do not go beyond it")
    func borders() throws {
        // One value in five minutes: the one of 23:57:30 holds for two and a half minutes of the day.
        let samples = stride(from: Int64(-300 * 6 + 150), to: 300 * 6, by: 300).map { (time: $0, beatsPerMinute: $0 < 0 ? 60 : 72) }
        let day = try #require(Self.day(FitnessTests.minutes(samples), hours: 1))
        #expect(day.recordedSeconds == 1950 && near(day.mean, (150 * 60 + 1800 * 72) / 1950.0) && day.minimum == 72)
        let late = try #require(Self.day(FitnessTests.minutes([(3500, 70), (3800, 70)]), hours: 1))
        #expect(late.recordedSeconds == 100)
    }

    @Test("at rest are the mean of the six quietest half-hours", arguments: try FigureVector.all("heart-rate", ["resting_of"]))
    func resting(_ vector: FigureVector) throws {
        let minutes = rows(vector.arguments[0]).flatMap { run in
            Self.minutes([(Int(run[1] - run[0]), Int(run[2]))], from: Int64(run[0]))
        }
        let workouts = vector.arguments.count > 1 ? rows(vector.arguments[1]).map { Int64($0[0] * 1000)..<Int64($0[1] * 1000) } : []
        let day = try #require(Self.day(minutes, workouts: workouts))
        #expect(isNear(day.resting, (vector.expected as? NSNumber)?.doubleValue))
    }

    @Test("at rest are of the night if enough of it is recorded, and of half-hours that are half recorded and without a workout")
    func rest() throws {
        let night = Self.minutes([(240, 50)])
        #expect(try #require(Self.day(night)).restingOf == .night)
        #expect(try #require(Self.day(night, begins: 22 * 60)).restingOf == .night)
        #expect(try #require(Self.day(night, begins: 12 * 60)).restingOf == .day)
        // Seven of the half-hours are in the night.
        #expect(try #require(Self.day(night, begins: 4 * 60 + 30)).restingOf == .day)
        var poor = night.filter { !(90..<106).contains($0.number) }
        #expect(try #require(Self.day(poor)).resting == nil)
        poor.append((90, Self.minute(50)))
        #expect(try #require(Self.day(poor)).resting == 50)
        #expect(try #require(Self.day(night, workouts: [-5..<1])).resting == nil)
        #expect(try #require(Self.day(night, workouts: [-5..<0])).resting == 50)
    }

    @Test("are in the zone of each minute's mean, below half of the maximum in none")
    func zones() throws {
        // The maximum is 187, so that the zones begin at 93.5, 112.2, 130.9, 149.6 and 168.3.
        let day = Self.minutes([(1, 93), (2, 94), (3, 113), (4, 131), (5, 150), (6, 169), (7, 220)])
        let known = try #require(Self.day(day, of: Person(ageYears: 30)))
        #expect(known.zoneSeconds == [120, 180, 240, 300, 780] && known.recordedSeconds == 28 * 60)
    }
}
