import Fitness
import Records
import Telemetry

// A challenge counts calendar days, each in the time zone of the person whose day it is. So its first day begins in the east while it is
// still the day before in the west, and it is over when its last day is over everywhere: at noon, by UTC, of the day after. Readings may
// come late, because a sensor was out of reach. They change the table for two more days. Then it is final.

/// What the members of a group compare for a week or a month.
struct Challenge: Equatable, Sendable {
    /// What is counted of each day.
    enum Measure: String, CaseIterable, Sendable {
        case steps
        /// Metres on foot.
        case distance
        /// Metres in all ways.
        case allDistance = "all-distance"
        /// Whole minutes of workouts, without pauses.
        case minutes
        /// Workouts that are over.
        case workouts
    }

    enum Period: String, CaseIterable, Sendable {
        case week, month
    }

    enum State: Equatable, Sendable {
        case isOn
        /// It is over everywhere, and late readings still count.
        case isOver
        /// Nothing changes it any more.
        case isFinal
    }

    /// What a target can be, in the unit of the measure.
    static let targets: ClosedRange<Int64> = 1...1_000_000_000

    let measure: Measure
    let period: Period
    let days: ClosedRange<CalendarDay>
    /// What everybody wants to reach; nil if nothing was said.
    let target: Int64?
    /// Whether those who compete were told that it is over.
    var isTold = false
    /// Whether everybody's value is kept.
    var isKept = false

    /// One that begins on a day. A week has seven days. A month lasts until the day before that of the same number in the
    /// next month, or until the end of the next month if that has no such day.
    init(_ measure: Measure, _ period: Period, from day: CalendarDay, target: Int64?) {
        self.init(measure, period, days: day...Self.last(period, from: day), target: target)
    }

    private init(_ measure: Measure, _ period: Period, days: ClosedRange<CalendarDay>, target: Int64?) {
        (self.measure, self.period, self.days, self.target) = (measure, period, days, target)
    }

    private static func last(_ period: Period, from day: CalendarDay) -> CalendarDay {
        guard period == .month else { return day.advanced(by: 6) }
        let (year, month) = day.month == 12 ? (day.year + 1, 1) : (day.year, day.month + 1)
        guard let same = CalendarDay(year: year, month: month, day: day.day) else {
            return CalendarMonth(year: year, month: month)?.days.upperBound ?? day.advanced(by: 30)
        }
        return same.advanced(by: -1)
    }

    /// When its last day is over everywhere, in Unix milliseconds: no clock is farther behind UTC than twelve hours.
    var over: Int64 { (days.upperBound.daysSince1970 + 1) * 86_400_000 + 12 * 3_600_000 }

    /// Until when late readings change it, in Unix milliseconds.
    var final: Int64 { over + 2 * 86_400_000 }

    func state(at time: Int64) -> State {
        if time < over { .isOn } else { time < final ? .isOver : .isFinal }
    }

    /// When there is something to be done for it, in Unix milliseconds: those who compete are told, or the table is
    /// kept; nil if all of that is done.
    var due: Int64? { isKept ? nil : isTold ? final : over }
}

// MARK: As it is kept

extension Challenge {
    init?(kept json: JSON) {
        guard case .string(let measureText)? = json["measure"], let measure = Measure(rawValue: measureText),
            case .string(let periodText)? = json["period"], let period = Period(rawValue: periodText),
            case .string(let fromText)? = json["from"], let from = CalendarDay(fromText),
            case .string(let toText)? = json["to"], let to = CalendarDay(toText), from <= to
        else { return nil }
        var target: Int64?
        if case .integer(let number)? = json["target"] { target = number }
        self.init(measure, period, days: from...to, target: target)
        (isTold, isKept) = (json["told"] == true, json["kept"] == true)
    }

    /// As people see it.
    var json: JSON {
        .object(present: [
            "measure": .string(measure.rawValue), "period": .string(period.rawValue),
            "from": .string("\(days.lowerBound)"), "to": .string("\(days.upperBound)"),
            "target": target.map(JSON.integer),
        ])
    }

    var kept: JSON { json.with("told", isTold ? true : nil).with("kept", isKept ? true : nil) }
}
