import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

@Suite("Minutes of heart rate")
struct HeartRateMinutesTests {
    /// Some days of beats, with pauses, of all kinds.
    private func beats(_ generator: inout SeededGenerator, count: Int = 2500) -> [Reading] {
        var (time, rate) = (Int64.random(in: -40_000_000...0, using: &generator), 80)
        return (0..<count).map { _ in
            switch Int.random(in: 0..<200, using: &generator) {
            case 0: time += Int64.random(in: 0...40_000_000, using: &generator)
            case 1: time += Int64.random(in: 0...4_000_000, using: &generator)
            default: time += Int64.random(in: 0...2_000, using: &generator)
            }
            rate = min(max(0, rate + Int.random(in: -8...8, using: &generator)), 400)
            let contacts: [HeartRateMeasurement.Contact] = [.detected, .detected, .notSupported, .notDetected]
            return Reading(
                at: beat(time, 0).moment,
                .heartRate(
                    HeartRateMeasurement(
                        beatsPerMinute: UInt16(rate), contact: contacts.randomElement(using: &generator) ?? .detected,
                        rrIntervals: Int.random(in: 0..<20, using: &generator) == 0 ? [800] : [])))
        }
    }

    @Test(
        "are the same in whatever order and portions readings come, and wherever they are folded",
        arguments: 1...6 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var hearts = try Hearts()
        let sessions = try ["strap", "belt", "band"].map { try hearts.parts.session(hearts.household, $0) }
        let stranger = try hearts.parts.session(hearts.household, "watch")
        _ = try hearts.parts.take(all: (sessions + [stranger]).map(\.keyBlock))
        _ = try hearts.parts.take(stranger.block(beat(0, 200), beat(60_000, 30)))
        var readings = beats(&generator)
        readings.shuffle(using: &generator)
        let expected = Counted(readings)
        while !readings.isEmpty {
            var batch: [[UInt8]] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) where !readings.isEmpty {
                let count = min(Int.random(in: 1...64, using: &generator), readings.count)
                let session = sessions[Int.random(in: 0...2, using: &generator)]
                batch.append(try session.block(Array(readings.prefix(count))))
                readings.removeFirst(count)
            }
            _ = try hearts.parts.take(all: batch)
            let hour = Int64.random(in: -12...300, using: &generator)
            if Bool.random(using: &generator) { try hearts.fold(before: start / 3_600_000 + hour) }
        }
        for folds in [false, true] {
            if folds { try hearts.fold() }
            let minutes = try hearts.tiers.minutes(of: hearts.demo, in: -Moment.limit..<Moment.limit).together
            #expect(minutes.map(\.number) == expected.minutes.map(\.number))
            #expect(minutes.map(\.minute) == expected.minutes.map(\.minute))
            #expect(try hearts.agrees())
            try hearts.showWindows(from: start - 50_000_000)
        }
        #expect(try hearts.parts.count("heart_rate_hours") == 0 && hearts.parts.count("heart_rate_days") > 1)
        #expect(
            try hearts.tiers.minutes(of: hearts.other, in: 0..<Moment.limit).together.map(\.minute.samples.sum) == [200, 30])
    }

    @Test(
        "of several sensors lead to the same day in any order and portions of arrival, and however often they come",
        arguments: 1...4 as ClosedRange<UInt64>)
    func severalSensors(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // A strap for an hour, a wrist's noise for longer, and a band each five minutes all day.
        let strap = (0..<3600).map { index in
            Reading(
                at: beat(Int64(7_200 + index) * 1000, 0).moment,
                .heartRate(
                    HeartRateMeasurement(
                        beatsPerMinute: UInt16.random(in: 120...150, using: &generator), rrIntervals: [UInt16(450)])))
        }
        let wrist = (0..<2400).map { beat(Int64(6_000 + 3 * $0) * 1000, UInt16.random(in: 180...240, using: &generator)) }
        let band = (0..<200).map { beat(Int64(300 * $0) * 1000, UInt16.random(in: 50...70, using: &generator)) }
        var days: [HeartRateDay?] = []
        for isMixed in [false, true, true] {
            var hearts = try Hearts()
            var blocks: [[UInt8]] = []
            for (sensor, readings) in [("strap", strap), ("belt", wrist), ("band", band)] {
                let session = try hearts.parts.session(hearts.household, sensor)
                _ = try hearts.parts.take(session.keyBlock)
                var left = isMixed ? readings.shuffled(using: &generator) : readings
                while !left.isEmpty {
                    let count = min(left.count, Int.random(in: 1...64, using: &generator))
                    blocks.append(try session.block(Array(left.prefix(count))))
                    left.removeFirst(count)
                }
            }
            if isMixed { blocks += blocks.shuffled(using: &generator).prefix(30) }
            if isMixed { blocks.shuffle(using: &generator) }
            while !blocks.isEmpty {
                let count = min(blocks.count, Int.random(in: 1...20, using: &generator))
                _ = try hearts.parts.take(all: Array(blocks.prefix(count)))
                blocks.removeFirst(count)
                let hour = start / 3_600_000 + Int64.random(in: 0...20, using: &generator)
                if isMixed, Int.random(in: 0..<5, using: &generator) == 0 { try hearts.fold(before: hour) }
            }
            #expect(try hearts.agrees())
            let sources = try hearts.tiers.minutes(of: hearts.demo, in: start - 3_600_000..<start + 90_000_000)
            days.append(
                HeartRateDay(sources, HeartRateDay.Time([start..<start + 86_400_000]) { Int($0 / 60_000 % 1440) }, of: Person()))
        }
        #expect(days[0] == days[1] && days[0] == days[2])
        // Of the two hours with the wrist's noise the strap has one, and the band has the rest.
        func rates(_ readings: [Reading], _ isIn: (Int64) -> Bool) -> [Int] {
            readings.filter { isIn(($0.moment.wall - start) / 1000) }.compactMap(\.heartRate)
        }
        func mean(_ rates: [Int]) -> Double { Double(rates.reduce(0, +)) / Double(rates.count) }
        let hour = rates(strap) { _ in true }
        let noise = rates(wrist) { !(7_200..<10_800 ~= $0) }
        let rest = rates(band) { !(6_000..<13_200 ~= $0) }
        let day = try #require(days[0])
        #expect(abs(day.mean - (720 * mean(hour) + 720 * mean(noise) + 10_560 * mean(rest)) / 12_000) < 1e-9)
        #expect(day.recordedSeconds == 60_000 && day.minimum == rest.min() && day.maximum == noise.max())
    }

    @Test("of records are known as such, and an hour has only so many sources: those that were heard first")
    func sources() throws {
        let hearts = try Hearts()
        let all = (1...20 as ClosedRange<Int64>).shuffled()
        // In one batch, in several, and after the hour was folded.
        for part in [all[..<9], all[9..<13], all[13..<14], all[14...]] {
            var person = PersonsReadings(user: hearts.demo)
            for stream in part {
                person.add(
                    [BareReading(beat(stream * 1000, UInt16(60 + stream)))],
                    sensor: stream % 2 == 0 ? "phones/import-x" : "home/strap", stream: stream)
            }
            try hearts.minutes.take([person], now: start)
            if part.count == 4 { try hearts.fold() }
        }
        for folds in [false, true] {
            if folds { try hearts.fold() }
            let found = try hearts.tiers.minutes(of: hearts.demo, in: start..<start + 60_000).all
            let kept = found.filter { !$0.minutes.isEmpty }.sorted { $0.source.number < $1.source.number }
            #expect(kept.map(\.source) == (1...8).map { HeartRateSource($0, isRecord: $0 % 2 == 0) })
            #expect(kept.map { $0.minutes.first?.minute.samples.sum } == (61...68).map { $0 })
        }
    }

    @Test("are looked for in portions, however many hours have to be left alone")
    func portions() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock, session.block(beat(0, 71)))
        let hour = start / 3_600_000
        // Of a person who is being forgotten, say.
        try hearts.parts.store.database.execute(
            """
            WITH RECURSIVE hours (hour) AS (SELECT 0 UNION ALL SELECT hour + 1 FROM hours WHERE hour < 9999)
            INSERT INTO heart_rate_hours (person, hour, secret_version, sealed) SELECT 'other', hour, 1, x'00' FROM hours
            """)
        var calls = 0
        while try hearts.parts.count("heart_rate_days") == 0 {
            let goesOn = try hearts.minutes.fold(
                before: hour + 1, isBusy: { $0 == hearts.other }, now: start + 60_000)
            try #require(goesOn)
            calls += 1
        }
        #expect(calls == 3)
        while try hearts.minutes.fold(before: hour + 1, isBusy: { $0 == hearts.other }, now: start + 60_000) {
            calls += 1
        }
        #expect(calls == 5)
        // All of them are looked at again.
        try hearts.parts.store.database.execute("DELETE FROM heart_rate_hours WHERE person = 'other' AND hour <> 7")
        _ = try hearts.parts.take(session.block(beat(1000, 72)))
        #expect(try hearts.minutes.fold(before: hour + 1, isBusy: { $0 == hearts.other }, now: start + 121_001))
        #expect(try hearts.parts.count("heart_rate_hours") == 1)
    }

    @Test("forget which hours are busy where these are too many")
    func touched() throws {
        var hearts = try Hearts()
        hearts.minutes.mostTouched = 2
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock, session.block(beat(-7_200_000, 70), beat(-3_600_000, 71)))
        #expect(try !hearts.minutes.fold(before: start / 3_600_000, now: start + 1000))
        _ = try hearts.parts.take(session.block(beat(-10_800_000, 70)))
        #expect(try hearts.minutes.fold(before: start / 3_600_000, now: start + 1000))
        #expect(try hearts.agrees())
    }

    @Test("leave hours alone that are not over, that are busy, or that readings come for")
    func closed() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        let hour = start / 3_600_000
        _ = try hearts.parts.take(session.keyBlock, session.block(beat(-3_600_000, 70), beat(0, 71)))
        // Of the hour before something came just now.
        #expect(try !hearts.minutes.fold(before: hour, now: start + 59_999))
        #expect(try !hearts.minutes.fold(before: hour - 1, now: start + 60_000))
        #expect(try !hearts.minutes.fold(before: hour, isBusy: { $0 == hearts.demo }, now: start + 60_000))
        #expect(try hearts.minutes.fold(before: hour, now: start + 60_000))
        #expect(try hearts.parts.count("heart_rate_hours") == 1)
        #expect(try hearts.agrees())
    }

    @Test("are no others after a batch that did not come about")
    func rolledBack() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        let (first, second) = (try session.block(beat(0, 70)), try session.block(beat(1000, 80)))
        _ = try hearts.parts.take(session.keyBlock, first)
        try hearts.parts.store.database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON heart_rate_hours BEGIN SELECT RAISE(FAIL, 'no'); END")
        #expect(throws: VaultError.self) { _ = try hearts.parts.take(second) }
        try hearts.parts.store.database.execute("DROP TRIGGER full")
        #expect(try hearts.agrees())
        _ = try hearts.parts.take(second)
        #expect(try hearts.agrees())
        #expect(try hearts.samplesKept() == 2)
    }

    @Test("stay readable when a secret is changed, and are then written under the new one")
    func rotation() throws {
        var hearts = try Hearts()
        let old = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(old.keyBlock, old.block(beat(-90_000_000, 60), beat(0, 70)))
        try hearts.fold(before: start / 3_600_000)
        #expect(try hearts.parts.keys.rotate(hearts.demo) == 2)
        #expect(try hearts.agrees())
        _ = try hearts.parts.take(old.block(beat(-90_000_000, 61), beat(0, 71)))
        #expect(try hearts.agrees())
        try hearts.fold()
        #expect(try hearts.agrees())
        for table in ["heart_rate_days", "heart_rate_months"] {
            let versions = try hearts.parts.store.database.query("SELECT secret_version FROM \(table)", row: Row.int)
            #expect(Set(versions) == [2], "\(table)")
        }
    }

    @Test("move with the readings when a clock block comes, also when they were folded")
    func clock() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        let readings = (0..<60).map { beat(Int64($0) * 100_000, UInt16(60 + $0)) }
        _ = try hearts.parts.take(session.block(readings))
        try hearts.fold()
        #expect(try hearts.agrees())
        let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: -86_400_000, until: 4_000_000)
        _ = try hearts.parts.take(session.seal(.clock, clock.bytes))
        #expect(try !hearts.agrees())
        try hearts.catchUp()
        #expect(try hearts.agrees())
        try hearts.fold()
        #expect(try hearts.agrees())
        #expect(try hearts.tiers.minutes(of: hearts.demo, in: 0..<start).together.count == 30)
        // What comes later is counted where it belongs.
        _ = try hearts.parts.take(session.block(beat(500, 99)))
        #expect(try hearts.agrees())
    }

    @Test("that loose blocks repeat are counted once, and what is damaged is counted again")
    func counting() throws {
        var hearts = try Hearts()
        let (old, new) = (try hearts.parts.session(hearts.household), try hearts.parts.session(hearts.household))
        _ = try hearts.parts.take(old.keyBlock, new.keyBlock, old.block(beat(0, 60), beat(1000, 61)))
        _ = try hearts.parts.take(
            new.loose(old, [old.record(0, beat(0, 60)), old.record(1, beat(1000, 61)), old.record(2, beat(2000, 62))]))
        try hearts.catchUp()
        #expect(try hearts.agrees())
        #expect(try hearts.samplesKept() == 3)
        for table in ["heart_rate_hours", "heart_rate_days", "heart_rate_months"] {
            try hearts.parts.store.database.execute("UPDATE \(table) SET sealed = zeroblob(60)")
            let later = try new.block(beat(Int64.random(in: 3000...60_000), 70))
            _ = try hearts.parts.take(later)
            try hearts.fold()
            try hearts.catchUp()
            #expect(try hearts.agrees(), "\(table)")
            try hearts.fold()
            #expect(try hearts.agrees(), "\(table)")
        }
    }

    @Test("are folded though thousands of hours before them cannot be")
    func waiting() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock, session.block(beat(0, 60)))
        // Of somebody whose secret is not there.
        try hearts.parts.store.database.execute(
            """
            INSERT INTO heart_rate_hours (person, hour, secret_version, sealed)
                WITH RECURSIVE hours(hour) AS (SELECT 1 UNION ALL SELECT hour + 1 FROM hours WHERE hour < 3000)
                SELECT 'gone', hour, 1, zeroblob(60) FROM hours
            """)
        try hearts.fold()
        #expect(try hearts.parts.count("heart_rate_hours") == 3000 && hearts.parts.count("heart_rate_days") == 1)
        #expect(try hearts.agrees())
    }

    @Test("that a loose block brought before their own are counted once")
    func looseFirst() throws {
        var hearts = try Hearts()
        let (old, new) = (try hearts.parts.session(hearts.household), try hearts.parts.session(hearts.household))
        _ = try hearts.parts.take(
            old.keyBlock, new.keyBlock, new.loose(old, [old.record(0, beat(0, 60)), old.record(1, beat(1000, 61))]))
        try hearts.catchUp()
        #expect(try hearts.samplesKept() == 2)
        _ = try hearts.parts.take(old.block(beat(0, 60), beat(1000, 61), beat(2000, 62)))
        try hearts.catchUp()
        #expect(try hearts.samplesKept() == 3)
        #expect(try hearts.agrees())
    }

    @Test("of times as far away as there are any do no harm")
    func edges() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        let times = [
            -Moment.limit, -Moment.limit + 3_600_000, -1, 0, 3_599_999, 3_600_000, Moment.limit - 1, Moment.limit,
        ]
        for time in times {
            let reading = Reading(
                at: Moment(wall: time, monotonic: 1), .heartRate(HeartRateMeasurement(beatsPerMinute: 240)))
            _ = try hearts.parts.take(session.block(reading, reading))
        }
        #expect(try hearts.agrees())
        try hearts.fold()
        #expect(try hearts.agrees())
        #expect(try hearts.tiers.minutes(of: hearts.demo, in: 0..<60_000).together.map(\.minute.samples.sum) == [480])
        #expect(try hearts.tiers.minutes(of: hearts.demo, in: 1..<60_000).together.isEmpty)
        #expect(try hearts.tiers.minutes(of: hearts.demo, in: 3_600_000..<3_600_001).together.count == 1)
        #expect(try hearts.tiers.hours(of: hearts.demo, in: 0..<0).isEmpty)
    }

    @Test("lie in rows from which nothing can be read without a key, bound to where they are")
    func sealing() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock, session.block(beat(0, 70)))
        _ = try hearts.parts.take(session.block(beat(86_400_000, 71), beat(2 * 86_400_000, 72)))
        try hearts.fold(before: start / 3_600_000 + 47)
        let rows = HeartRateRows(hearts.parts.store, hearts.parts.keys)
        let day = HeartRateHour(start / 3_600_000).day
        let database = hearts.parts.store.database
        guard case .cells = try rows.read(.days, day, of: hearts.demo) else { return #expect(Bool(false)) }
        // A row in the place of another does not open.
        try database.execute("UPDATE heart_rate_days SET day = day + 10")
        guard case .damaged = try rows.read(.days, day + 10, of: hearts.demo) else { return #expect(Bool(false)) }
        try database.execute("UPDATE heart_rate_days SET day = day - 10, person = 'other'")
        guard case .damaged = try rows.read(.days, day, of: hearts.other) else { return #expect(Bool(false)) }
        #expect(try hearts.tiers.minutes(of: hearts.other, in: 0..<Moment.limit).together.isEmpty)
    }
}
