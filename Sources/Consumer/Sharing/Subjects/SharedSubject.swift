import Desk
import Fitness
import Insight
import Telemetry
import Workouts

/// What somebody wants to share. Each case is something of theirs: what makes its content finds nothing of anybody else.
enum SharedSubject: Sendable {
    case workout(ID)
    /// What the days of a period came to.
    case report(ReportSpan.Period, CalendarDay?)
    /// All workouts together.
    case statistics
    case goal(Goal, CalendarDay?)
    /// What the person has posted for friends and groups.
    case post(ID)

    /// What requests call each of them.
    static let kinds = ["workout", "report", "statistics", "goal", "post"]
    /// The periods of reports.
    static let periods: [ReportSpan.Period] = [.day, .week, .month]

    init(_ request: PeopleRequest) throws(ReplyError) {
        switch try request.text("what", atMost: 16) {
        case "workout": self = .workout(try request.id("workout"))
        case "report": self = .report(try Self.period(request), try Self.day(request))
        case "statistics": self = .statistics
        case "goal": self = .goal(try request.goal(), try Self.day(request))
        case "post": self = .post(try request.id("post"))
        default:
            throw ReplyError(.badRequest, "\"what\" has to be \(Self.kinds.joined(separator: ", "))", field: "what")
        }
    }

    private static func period(_ request: PeopleRequest) throws(ReplyError) -> ReportSpan.Period {
        guard let name = try request.optionalText("period", atMost: 16) else { return .week }
        guard let period = periods.first(where: { $0.rawValue == name }) else {
            throw ReplyError(.badRequest, "\"period\" has to be day, week or month", field: "period")
        }
        return period
    }

    private static func day(_ request: PeopleRequest) throws(ReplyError) -> CalendarDay? {
        guard let day = try request.optionalDay("day") else { return nil }
        guard ReportSpan.years.contains(day.year) else {
            throw ReplyError(.badRequest, "\"day\" is too long ago, or too far away", field: "day")
        }
        return day
    }

    /// What it is, in a word: what `{goal}` in the settings' link stands for.
    var name: String {
        switch self {
        case .workout: "workout"
        case .report: "report"
        case .statistics: "statistics"
        case .goal(let goal, _): goal.rawValue
        case .post: "post"
        }
    }
}
