import Foundation
import Testing

@testable import Fitness

@Suite("Beats")
struct BeatVectorTests {
    @Test("are valid as the vectors say", arguments: try FigureVector.all("variability", ["valid_beats"]))
    func valid(_ vector: FigureVector) {
        let series = HeartRateVariability.series([(time: Int64(0), intervals: numbers(vector.arguments[0]))])
        let expected = (vector.expected as? [Any] ?? []).map { ($0 as? NSNumber)?.doubleValue }
        #expect(series == expected, "\(series)")
    }

    @Test("vary as the vectors say", arguments: try FigureVector.all("variability", ["rmssd", "sdnn"]))
    func summary(_ vector: FigureVector) throws {
        let beats = try #require(vector.arguments[0] as? [Any]).map { ($0 as? NSNumber)?.doubleValue }
        let found = vector.call == "rmssd" ? HeartRateVariability.rmssd(beats) : HeartRateVariability.sdnn(beats)
        #expect(isNear(found, (vector.expected as? NSNumber)?.doubleValue))
    }
}

@Suite("A night")
struct NightTests {
    private static func add(_ beats: [Double], window: Int, of sensor: Int64 = 0, to night: inout NightVariability) {
        var time = Int64(window) * NightVariability.windowMilliseconds
        for beat in beats {
            night.add([beat], at: time, of: sensor)
            // A sensor says each second what has been in it.
            time += 1000
        }
    }

    @Test("has the variability of its windows", arguments: try FigureVector.all("variability", ["night_of"]))
    func windows(_ vector: FigureVector) {
        var (night, window) = (NightVariability(), 0)
        for row in rows(vector.arguments[0]) {
            for _ in 0..<Int(row[3]) {
                Self.add((0..<Int(row[2])).flatMap { _ in [row[0], row[1]] }, window: window, to: &night)
                window += 1
            }
        }
        night.finish()
        #expect(Double(night.windows.count) == vector["windows"])
        #expect(isNear(night.rmssd, vector["rmssd"]) && isNear(night.sdnn, vector["sdnn"]))
    }

    @Test("with two sensors has the beats of one in each window")
    func sensors() {
        var night = NightVariability()
        for window in 0..<12 {
            let start = Int64(window) * NightVariability.windowMilliseconds
            for second in 0..<280 as Range<Int64> {
                night.add([second % 2 == 0 ? 1000 : 1040], at: start + second * 1000, of: 7)
                // Another one that stops early, and says something else.
                if second < 200 { night.add([second % 2 == 0 ? 700 : 800], at: start + second * 1000 + 300, of: 3) }
            }
        }
        night.finish()
        #expect(night.windows.count == 12 && isNear(night.rmssd, 40))
    }

    @Test("has a trend of logarithms, of at least three nights")
    func trend() {
        #expect(isNear(NightVariability.trend([20, nil, 80, 40]), 40))
        #expect(NightVariability.trend([20, nil, 80]) == nil && NightVariability.trend([20, 0, 80]) == nil)
    }

    private static let hour: Int64 = 3_600_000

    /// With a value a minute.
    private static func night(
        _ hours: [(from: Double, to: Double, beatsPerMinute: Double)], workouts: [Range<Int64>] = []
    ) -> NightFigures? {
        let all = minutes(samples(hours.map { [$0.from * 3600, $0.to * 3600, 60, $0.beatsPerMinute] }))
        return NightFigures(
            HeartRateSources(all[...]), night: [22 * hour..<24 * hour, 24 * hour..<32 * hour], day: [8 * hour..<22 * hour], workouts: workouts)
    }

    @Test("says by how much the heart is slower than by day, without workouts")
    func dip() throws {
        // figures: 74 by day and 60 by night are 18.9 %.
        let night = try #require(Self.night([(8, 22, 74), (22, 32, 60)]))
        #expect(isNear(night.dip, 100 * 14 / 74.0) && night.recordedSeconds == 36_000 && isNear(night.mean, 60))
        let run = try #require(Self.night([(8, 12, 74), (12, 13, 160), (13, 22, 74), (22, 32, 60)], workouts: [12 * Self.hour..<13 * Self.hour]))
        #expect(isNear(run.dip, night.dip, 0.01))
        let short = try #require(Self.night([(18.5, 22, 74), (22, 32, 60)]))
        #expect(short.dip == nil)
    }

    @Test("has a lowest half-hour, and is nothing with less than three hours")
    func lowest() throws {
        let night = try #require(Self.night([(22, 25, 60), (25, 25.5, 48), (25.5, 32, 58)]))
        #expect(night.lowest?.from == 25 * Self.hour && isNear(night.lowest?.mean, 48))
        // Nobody rests in a half-hour with a workout.
        let busy = try #require(
            Self.night([(22, 25, 60), (25, 25.5, 48), (25.5, 32, 58)], workouts: [25 * Self.hour..<25 * Self.hour + 60_000]))
        #expect(busy.lowest?.mean == 58)
        #expect(Self.night([(22, 24.9, 60)]) == nil && Self.night([(22, 25, 60)]) != nil)
    }
}

@Suite("Days as the clock shows them")
struct DayMinutesTests {
    @Test("have a morning and an evening, with daylight saving")
    func minutes() throws {
        let days = LocalDays(try LocalDaysTests.zone("Europe/Berlin"))
        // In the night to 29 March 2026 an hour is skipped.
        let (saturday, sunday) = (try #require(CalendarDay("2026-03-28")), try #require(CalendarDay("2026-03-29")))
        let evening = days.intervals(of: saturday, minutes: 1320..<1440)
        let morning = days.intervals(of: sunday, minutes: 0..<480)
        #expect(evening.reduce(0) { $0 + $1.count } == 2 * 3_600_000)
        #expect(morning.reduce(0) { $0 + $1.count } == 7 * 3_600_000)
        #expect(evening.last?.upperBound == morning.first?.lowerBound)
        #expect(days.intervals(of: sunday, minutes: 0..<1440) == days.intervals(of: sunday))
    }
}
