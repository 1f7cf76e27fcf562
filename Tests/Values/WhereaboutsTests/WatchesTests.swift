import Fitness
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Whereabouts

/// What guardians are told of besides areas.
@Suite(.timeLimit(.minutes(60))) struct WatchesTests {
    private func second(_ seconds: Int) -> Int64 { epoch + Int64(seconds) * 1000 }

    @Test("a silence is judged by the time of the latest fix and the service's clock")
    func silence() {
        let watch = SilenceWatch(minutes: 30)
        #expect(watch.occasion(last: at(0), since: at(-90), now: at(30) - 1) == nil)
        let told = watch.occasion(last: at(0), since: at(-90), now: at(30))
        #expect(told == Occasion(key: "silence \(at(0))", time: at(0)))
        // The same one until a fix comes.
        #expect(watch.occasion(last: at(0), since: at(-90), now: at(500)) == told)
        #expect(watch.occasion(last: at(490), since: at(-90), now: at(500)) == nil)
        #expect(watch.occasion(last: at(490), since: at(-90), now: at(520))?.key == "silence \(at(490))")
        // Nothing is missed before it is watched.
        #expect(watch.occasion(last: at(0), since: at(100), now: at(129)) == nil)
        #expect(watch.occasion(last: at(0), since: at(100), now: at(130)) != nil)
        #expect(watch.occasion(last: nil, since: at(100), now: at(129)) == nil)
        #expect(watch.occasion(last: nil, since: at(100), now: at(130))?.time == at(100))
    }

    @Test("a low battery is told once, and again after it was charged or has risen by ten points")
    func battery() throws {
        func told(_ said: [(Double, Bool)]) throws -> [Int64] {
            var watch = BatteryWatch(below: 15)
            return try said.enumerated().compactMap { minute, one in
                let occasion = watch.take(percent: one.0, isCharging: one.1, at: at(Double(minute)), of: "phone")
                var restarted = BatteryWatch(below: 15)
                restarted.restore(try JSON(payload: watch.state.bytes))
                #expect(restarted == watch)
                #expect(occasion.map { $0.key == "battery phone \($0.time)" } != false)
                return occasion?.time
            }
        }
        #expect(try told([(20, false), (15, false), (14.9, false), (14, false), (3, false)]) == [at(2)])
        #expect(try told([(14, false), (16, false), (14, false), (24.9, false), (14, false)]) == [at(0)])
        #expect(try told([(14, false), (25, false), (14, false)]) == [at(0), at(2)])
        #expect(try told([(14, false), (14, true), (13, false)]) == [at(0), at(2)])
        #expect(try told([(5, true), (-1, false), (101, false), (.nan, false)]).isEmpty)
    }

    @Test("one phone's battery says nothing of another's, and what is late or twice says nothing")
    func batteries() {
        var watch = BatteryWatch(below: 15)
        var told = 0
        for minute in 0..<60 {
            let (percent, phone) = minute % 2 == 0 ? (10.0, "old") : (90, "new")
            if watch.take(percent: percent, isCharging: false, at: at(Double(minute)), of: phone) != nil { told += 1 }
        }
        #expect(told == 1 && watch.isLow)
        #expect(watch.take(percent: 90, isCharging: true, at: at(58), of: "old") == nil && watch.isLow)
        #expect(watch.take(percent: 5, isCharging: false, at: at(59), of: "new") == nil)
        // A clock in the next year holds nothing up for longer than ten minutes.
        #expect(watch.take(percent: 5, isCharging: false, at: at(600_000), of: "new", now: at(60))?.time == at(70))
        #expect(watch.take(percent: 50, isCharging: false, at: at(71), of: "new", now: at(71)) == nil)
        #expect(watch.take(percent: 5, isCharging: false, at: at(72), of: "new", now: at(72)) != nil)
        for index in 0..<1000 {
            let name = String(repeating: "n", count: 90) + "\(index)"
            _ = watch.take(percent: 5, isCharging: false, at: at(100), of: name)
            #expect(watch.state.bytes.count < 2048)
        }
    }

    @Test("what is no state of a battery changes nothing")
    func batteryState() {
        var watch = BatteryWatch(below: 15)
        _ = watch.take(percent: 5, isCharging: false, at: at(0), of: "phone")
        let before = watch
        let strange: [JSON] = [
            .null, 7, ["batteries": 7], ["batteries": [7]], ["batteries": [["source": "a"]]],
            ["batteries": [["source": "a", "last": -1]]], ["batteries": [["source": "a", "last": 1, "low": 1]]],
            ["batteries": .array(Array(repeating: ["source": "a", "last": 1], count: 2))],
            ["batteries": .array((0..<9).map { ["source": .string("\($0)"), "last": 1] })],
        ]
        for json in strange {
            watch.restore(json)
            #expect(watch == before)
        }
        watch.restore([:])
        #expect(!watch.isLow)
    }

    @Test("a heart rate out of its range is told after the minutes, once, and again after a minute within it")
    func heartRate() {
        var watch = HeartRateRangeWatch(below: 40, above: 120, minutes: 5)
        var told: [Occasion] = []
        func rate(_ value: Int64, _ seconds: Range<Int>) {
            told += seconds.compactMap { watch.take(value, at: second($0)) }
        }
        rate(80, 0..<60)
        rate(120, 60..<400)
        #expect(told.isEmpty)
        rate(121, 400..<699)
        #expect(told.isEmpty)
        rate(121, 699..<2000)
        #expect(told == [Occasion(key: "heart rate \(second(400))", time: second(400))])
        // Half a minute within is no recovery.
        rate(100, 2000..<2030)
        rate(130, 2030..<2500)
        #expect(told.count == 1)
        rate(100, 2500..<2562)
        rate(39, 2562..<2900)
        #expect(told.count == 2 && told.last?.time == second(2562))
    }

    @Test("single outliers neither end what lasts nor begin it, however often they come")
    func outliers() {
        func told(_ usual: Int64, _ outlier: Int64, every: Int, step: Int) -> Int {
            var watch = HeartRateRangeWatch(below: nil, above: 120, minutes: 5)
            return (1...600).count { index in
                watch.take(index % every == 0 ? outlier : usual, at: second(index * step)) != nil
            }
        }
        for every in [2, 3, 10] {
            for step in [1, 5, 60] {
                #expect(told(150, 80, every: every, step: step) == 1)
                #expect(told(80, 200, every: every, step: step) == 0)
            }
        }
        // Nine seconds in a minute are outliers, too.
        var (high, low) = (0, 0)
        var watches = [HeartRateRangeWatch](
            repeating: HeartRateRangeWatch(below: nil, above: 120, minutes: 5), count: 2)
        for index in 1...1200 {
            if watches[0].take(index % 60 < 9 ? 80 : 150, at: second(index)) != nil { high += 1 }
            if watches[1].take(index % 60 < 9 ? 150 : 80, at: second(index)) != nil { low += 1 }
        }
        #expect(high == 1 && low == 0)
        // What is no heart rate is not even an outlier.
        #expect(told(150, 0, every: 2, step: 1) == 1 && told(80, 255, every: 2, step: 1) == 0)
    }

    @Test("after a gap of more than two minutes it begins again, and what is late or twice says nothing")
    func gaps() {
        var watch = HeartRateRangeWatch(below: nil, above: 120, minutes: 5)
        #expect((0..<200).allSatisfy { watch.take(150, at: second($0)) == nil })
        #expect((320..<619).allSatisfy { watch.take(150, at: second($0)) == nil })
        #expect((0..<620).allSatisfy { watch.take(150, at: second($0)) == nil || $0 == 619 })
        var other = HeartRateRangeWatch(below: nil, above: 120, minutes: 5)
        #expect((0..<4).allSatisfy { other.take(150, at: second($0 * 119)) == nil || $0 == 3 })
        var sparse = HeartRateRangeWatch(below: nil, above: 120, minutes: 5)
        #expect((0..<20).allSatisfy { sparse.take(150, at: second($0 * 121)) == nil })
    }

    @Test("what is known of a heart rate is kept, without the heart rates, and goes on from any of them")
    func heartRateState() throws {
        let rates = (0..<900).map { index -> Int64 in
            switch index {
            case 300..<305, 640..<720: 80
            case 100..<500, 720..<900: 35
            default: index % 60 < 9 ? 35 : 60
            }
        }
        /// What is told if the watch is restored from its state after so many seconds.
        func told(restoredAt moment: Int?) -> [Occasion] {
            var watch = HeartRateRangeWatch(below: 40, above: nil, minutes: 2)
            return rates.indices.compactMap { index in
                if index == moment {
                    let state = watch.state
                    watch = HeartRateRangeWatch(below: 40, above: nil, minutes: 2)
                    watch.restore(state)
                }
                return watch.take(rates[index], at: second(index))
            }
        }
        let all = told(restoredAt: nil)
        #expect(all.map(\.time) == [second(100), second(720)])
        for moment in rates.indices { #expect(told(restoredAt: moment) == all, "\(moment)") }
        var watch = HeartRateRangeWatch(below: 40, above: nil, minutes: 1)
        #expect((0...60).count { watch.take(35, at: second($0)) != nil } == 1)
        #expect(
            watch.state == [
                "told": true, "last": .integer(second(60)), "outside": true, "since": .integer(second(0)),
            ])
        #expect(watch.take(60, at: second(61)) == nil)
        #expect(watch.state["turn"] == .integer(second(61)))
        let before = watch
        let wrong: [JSON] = [
            7, .null, ["told": 1], ["last": -1], ["last": "now"], ["since": 0, "outside": 1], ["since": .number(0.5)],
            ["since": 0, "outside": true, "turn": "later"],
        ]
        for json in wrong {
            watch.restore(json)
            #expect(watch == before, "\(json)")
        }
        // Of an earlier version, which kept no times.
        watch.restore(["told": true])
        #expect(watch.state == ["told": true])
    }

    @Test("heart rates of a day are news, unless it has heard later ones")
    func heartRateNews() {
        var watch = HeartRateRangeWatch(below: 40, above: nil, minutes: 1)
        let (day, ahead): (Int64, Int64) = (24 * 3_600_000, 600_000)
        #expect(watch.news(now: second(0)) == second(0) - day + 1..<second(0) + ahead + 1)
        _ = watch.take(60, at: second(-10))
        #expect(watch.news(now: second(0)) == second(-10) + 1..<second(0) + ahead + 1)
        // Each edge is what it says.
        let news = watch.news(now: second(0))
        for (time, isNews) in [(news.lowerBound - 1, false), (news.lowerBound, true)] {
            var other = watch
            _ = other.take(60, at: time, now: second(0))
            #expect((other != watch) == isNews)
        }
        #expect(watch.news(now: .min).isEmpty)
        #expect(watch.news(now: .max).lowerBound > second(-10))
    }

    @Test(
        "stillness is told by the minute on the wall, on days of 23 and of 25 hours, too",
        arguments: ["2026-03-29", "2026-10-25", "2026-11-25"])
    func stillness(day: String) throws {
        let zone = try #require(
            ZoneRules(Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))))
        let days = LocalDays(zone)
        let date = try #require(CalendarDay(day))
        let interval = try #require(days.intervals(of: date).first)
        let watch = StillnessWatch(minute: 540)
        var told: [Int64: Set<Occasion>] = [:]
        for time in stride(from: interval.lowerBound, to: interval.upperBound, by: 60_000) {
            let seconds = time / 1000
            let minute = Int((seconds + zone.offset(at: seconds)) / 60 % 1440)
            guard let occasion = watch.occasion(on: day, minuteNow: minute, hasMoved: false, now: time) else {
                continue
            }
            told[time, default: []].insert(occasion)
            #expect(watch.occasion(on: day, minuteNow: minute, hasMoved: true, now: time) == nil)
        }
        // Nine on the wall: eight hours after midnight if the clocks go forward, ten if they go back.
        let hours = ["2026-03-29": 8, "2026-10-25": 10, "2026-11-25": 9][day] ?? 0
        let nine = interval.lowerBound + Int64(hours) * 3_600_000
        #expect(told.keys.min() == nine)
        #expect(Set(told.values.flatMap { $0 }) == [Occasion(key: "stillness \(day)", time: nine)])
    }
}
