import Desk
package import Fitness
import Telemetry

/// What can be asked about days; nil stands for now.
package enum StatisticsQuestion: Equatable {
    /// How many years a reply has at most.
    static let mostYears = 100
    /// What can be asked for as a year.
    static let askedYears: ClosedRange<Int64> = 1...9999

    case day(CalendarDay?)
    case week(CalendarDay?)
    case month(CalendarMonth?)
    case year(Int?)
    case years
    case summary(ClosedRange<CalendarDay>)
    case reached(ClosedRange<CalendarDay>, by: GoalCounts.Period)
    case streaks

    /// What a request asks.
    init(_ request: PeopleRequest) throws(ReplyError) {
        switch request.name {
        case "statistics/today": self = .day(nil)
        case "statistics/day": self = .day(try request.day("day"))
        case "statistics/week": self = .week(try request.optionalDay("day"))
        case "statistics/month": self = .month(try request.optionalMonth("month"))
        case "statistics/year": self = .year(try request.optionalYear("year"))
        case "statistics/years": self = .years
        case "goals/streaks": self = .streaks
        case "goals/reached":
            let days = try request.days("from", "to")
            let period = try GoalCounts.Period(request)
            guard days.lowerBound.distance(to: days.upperBound) < period.mostDays else {
                throw ReplyError(
                    .badRequest, "more than \(period.mostDays) days, by \(period.rawValue)", field: "from")
            }
            self = .reached(days, by: period)
        default:
            let days = try request.days("from", "to")
            let (from, to) = (days.lowerBound, days.upperBound)
            guard to.year - from.year < Self.mostYears else {
                throw ReplyError(.badRequest, "more than \(Self.mostYears) years", field: "from")
            }
            self = .summary(from...to)
        }
    }
}

extension PeopleRequest {
    /// From one day to another, both of which must be there.
    func days(_ first: String, _ last: String) throws(ReplyError) -> ClosedRange<CalendarDay> {
        let (from, to) = (try day(first), try day(last))
        guard from <= to else {
            throw ReplyError(
                .badRequest, "\"\(last)\" has to be the same day as \"\(first)\", or a later one", field: last)
        }
        return from...to
    }

    /// A month; nil if the field is absent or null.
    func optionalMonth(_ field: String) throws(ReplyError) -> CalendarMonth? {
        guard let text = try optionalText(field, atMost: 32) else { return nil }
        guard let month = CalendarMonth(text) else {
            throw ReplyError(.badRequest, "\"\(field)\" has to be a month such as 2026-11", field: field)
        }
        return month
    }

    /// A year; nil if the field is absent or null.
    func optionalYear(_ field: String) throws(ReplyError) -> Int? {
        switch fields[field] {
        case nil, .null?: return nil
        case .integer(let year)? where StatisticsQuestion.askedYears.contains(year): return Int(year)
        default: throw ReplyError(.badRequest, "\"\(field)\" has to be a year such as 2026", field: field)
        }
    }
}
