import Fitness
import Foundation
import TestSupport
import Testing

@testable import Whereabouts

/// When an area is watched.
@Suite(.timeLimit(.minutes(60))) struct WatchHoursTests {
    @Test("hours of a day contain their first minute, and end before their last")
    func day() {
        let hours = WatchHours(from: 480, to: 1200, weekdays: [0, 4])
        #expect(hours.covers(weekday: 0, minute: 480) && hours.covers(weekday: 4, minute: 1199))
        #expect(!hours.covers(weekday: 0, minute: 479) && !hours.covers(weekday: 0, minute: 1200))
        #expect(!hours.covers(weekday: 1, minute: 600) && !hours.covers(weekday: 5, minute: 0))
    }

    @Test("hours over midnight belong to the day on which they begin, also from Sunday to Monday")
    func night() {
        let hours = WatchHours(from: 1320, to: 360, weekdays: [4, 6])
        #expect(hours.covers(weekday: 4, minute: 1320) && hours.covers(weekday: 5, minute: 359))
        #expect(!hours.covers(weekday: 5, minute: 360) && !hours.covers(weekday: 4, minute: 359))
        #expect(!hours.covers(weekday: 5, minute: 1320))
        #expect(hours.covers(weekday: 6, minute: 1439) && hours.covers(weekday: 0, minute: 0))
        #expect(!hours.covers(weekday: 0, minute: 1320) && !hours.covers(weekday: 6, minute: 0))
    }

    @Test("hours that end when they begin are a whole day, and no weekdays are all")
    func whole() {
        let always = WatchHours(from: 0, to: 0)
        let monday = WatchHours(from: 300, to: 300, weekdays: [0])
        for weekday in 0...6 {
            for minute in 0...1439 {
                #expect(always.covers(weekday: weekday, minute: minute))
                let expected = weekday == 0 && minute >= 300 || weekday == 1 && minute < 300
                #expect(monday.covers(weekday: weekday, minute: minute) == expected)
            }
        }
    }
}
