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
        #expect(minute.slots == 0b1000_0000_0011 && minute.recordedSeconds == 15 && !minute.isSufficient)
        var early = HeartRateMinute()
        early.add(60, at: -1)
        #expect(early.slots == 0b1000_0000_0000 && HeartRateMinute.number(of: -1) == -1)
        #expect(HeartRateMinute.number(of: 59_999) == 0 && HeartRateMinute.number(of: 60_000) == 1)
        #expect(Self.minute(60).recordedSeconds == 60 && Self.minute(60, seconds: 0..<30).isSufficient)
        #expect(!Self.minute(60, seconds: 0..<25).isSufficient)
    }

    @Test("give mean, least and most, and nothing if there is none")
    func extremes() throws {
        var first = Self.minute(60)
        first.add(80, at: 0)
        let two: [Numbered] = [(5, Self.minute(90)), (1, first)]
        let day = try #require(HeartRateDay(two, of: Person()))
        #expect(near(day.mean, Double(60 * 60 + 80 + 90 * 60) / 121) && day.minimum == 60 && day.maximum == 90)
        #expect(day.recordedSeconds == 120 && day.resting == nil && day.zoneSeconds == nil && day.kilocalories == nil)
        let none: [Numbered] = [(1, HeartRateMinute())]
        #expect(HeartRateDay(none, of: Person()) == nil && HeartRateDay(none.dropLast(), of: Person()) == nil)
    }

    @Test("at rest are the lowest mean of five consecutive good minutes, on days of four hours")
    func resting() throws {
        let day = Self.minutes([(100, 70), (4, 40), (1, 60), (135, 65)])
        #expect(try near(#require(HeartRateDay(day, of: Person())).resting, 44))
        // One minute less is less than four hours.
        #expect(try #require(HeartRateDay(day.dropLast(), of: Person())).resting == nil)
        // A gap breaks them, and so does a minute of too few samples.
        var gap = day
        for index in 102..<240 { gap[index].number += 1 }
        #expect(try near(#require(HeartRateDay(gap, of: Person())).resting, 54))
        var poor = day + Self.minutes([(60, 90)], from: 240)
        poor[102].minute = Self.minute(40, seconds: 0..<25)
        #expect(try near(#require(HeartRateDay(poor.shuffled(), of: Person())).resting, 58))
    }

    @Test("are in the zone of each minute's mean, below 60 % in the first")
    func zones() throws {
        // The maximum is 187, so that the zones begin at 112.2, 130.9, 149.6 and 168.3.
        let day = Self.minutes([(1, 50), (2, 112), (3, 113), (4, 131), (5, 150), (6, 169), (7, 220)])
        let zones = try #require(HeartRateDay(day, of: Person(ageYears: 30))).zoneSeconds
        #expect(zones == [180, 180, 240, 300, 780])
    }

    @Test("give energy between 57 and 90 % of the maximum, at the ages that the formula was made for")
    func energy() throws {
        let man = Person(sex: .male, ageYears: 35, weightKilograms: 75)
        // The maximum is 183.5: 57 % are 104.595, 90 % are 165.15.
        let half = Self.minutes([(30, 150)])
        #expect(try near(#require(HeartRateDay(half, of: man)).kilocalories, 441.0, 0.05))
        #expect(
            try #require(HeartRateDay(half + Self.minutes([(100, 104)], from: 60), of: man)).kilocalories
                == HeartRateDay(half, of: man)?.kilocalories)
        let (fast, clamped) = (Self.minutes([(10, 200)]), man.kilocalories(heartRate: 165.15, minutes: 10))
        #expect(try near(#require(HeartRateDay(fast, of: man)).kilocalories, #require(clamped)))
        #expect(try #require(HeartRateDay(Self.minutes([(10, 104)]), of: man)).kilocalories == 0)
        let poor: [Numbered] = [(0, Self.minute(150, seconds: 0..<30))]
        #expect(
            try near(
                #require(HeartRateDay(poor, of: man)).kilocalories,
                #require(man.kilocalories(heartRate: 150, minutes: 0.5))))
        for (age, isKnown) in [(17.0, false), (18, true), (45, true), (46, false)] {
            let person = Person(sex: .female, ageYears: age, weightKilograms: 60)
            #expect((try #require(HeartRateDay(half, of: person)).kilocalories != nil) == isKnown)
        }
        for person in [
            Person(ageYears: 30, weightKilograms: 60), Person(sex: .male, weightKilograms: 60),
            Person(sex: .male, ageYears: 30),
        ] {
            #expect(try #require(HeartRateDay(half, of: person)).kilocalories == nil)
        }
    }
}
