import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import Workouts

// What somebody's workouts came to on a day, in a week, in a month or in a year: as a whole, and part by part, as a graph
// needs it. A workout belongs to the day on which it began, in the time zone in which its person lived then.

/// Answers `workouts/report`, on a reader's thread.
enum WorkoutReports {
    /// How many workouts of a day are listed; all of them count.
    private static let mostListed = 200

    static func verbs(_ readers: FeatureReaders, _ context: PeopleContext) -> [Verb] {
        [
            readers.statistics.verb("workouts/report", .workoutsReport) { request in
                let (user, question) = (try request.user, try Question(request))
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in try report(question, now: now, WorkoutHistory.Asked(source, user, zone)) }
            }
        ]
    }

    /// What a report is about.
    struct Question: Sendable {
        let period: ReportSpan.Period
        /// How many periods: the last of them is the one with `day` in it.
        let count: Int
        /// Nil for today.
        let day: CalendarDay?
        let activity: Activity?

        init(_ request: PeopleRequest) throws(ReplyError) {
            let name = try request.optionalText("period", atMost: 16) ?? ReportSpan.Period.week.rawValue
            guard let period = ReportSpan.Period(rawValue: name) else {
                throw ReplyError(.invalid, "\"period\" is day, week, month or year", field: "period")
            }
            self.period = period
            count = Int(try request.optionalInteger("count", in: 1...Int64(ReportSpan.most)) ?? 1)
            activity = try request.optionalActivity()
            guard let text = try request.optionalText("day", atMost: 16) else {
                day = nil
                return
            }
            guard let given = CalendarDay(text), ReportSpan.years.contains(given.year) else {
                throw ReplyError(.invalid, "\"day\" has to be a day such as 2026-11-21", field: "day")
            }
            day = given
        }
    }

    private static func report(_ question: Question, now: Int64, _ asked: WorkoutHistory.Asked) throws -> JSON {
        let days = try asked.history.localDays
        let span = ReportSpan(question.period, around: question.day ?? days.day(of: now), count: question.count)
        var filter = WorkoutHistory.Filter()
        filter.activity = question.activity
        let found = try summaries(on: span.days, filter, asked)
        let parts =
            try span.by == .workout
            ? found.reversed().prefix(mostListed).map { line($0.id, $0.summary) }
            : bars(span, found.map(\.summary), asked.history)
        return .object([
            JSON.Member("period", .string(question.period.rawValue)), JSON.Member("by", .string(span.by.rawValue)),
            JSON.Member("from", .string("\(span.days.lowerBound)")),
            JSON.Member("to", .string("\(span.days.upperBound)")), JSON.Member("parts", .array(parts)),
            JSON.Member("total", .object(WorkoutTotals(found.map(\.summary)).members)),
        ])
    }

    /// The workouts that began on some days, the latest first, with their ids.
    static func summaries(
        on days: ClosedRange<CalendarDay>, _ filter: WorkoutHistory.Filter, _ asked: WorkoutHistory.Asked
    ) throws(VaultError) -> [(id: ID, summary: WorkoutSummary)] {
        var filter = filter
        let found = WorkoutRows.days(around: days)
        filter.from = max(filter.from, found.lowerBound * 86_400_000)
        filter.to = min(filter.to, (found.upperBound + 1) * 86_400_000)
        let local = try asked.history.localDays
        return try asked.summaries(filter).filter { days.contains(local.day(of: $0.summary.started)) }
    }

    private static func line(_ id: ID, _ summary: WorkoutSummary) -> JSON {
        .object(
            [
                JSON.Member("id", .string(id.text)), JSON.Member("activity", .string(summary.activity.name)),
                JSON.Member("started", .integer(summary.started)),
            ] + WorkoutTotals([summary]).members)
    }

    /// The totals of each part. A day also has the targets of that day, which are for all steps of the day, not only for
    /// those of workouts.
    private static func bars(_ span: ReportSpan, _ summaries: [WorkoutSummary], _ history: History) -> [JSON] {
        let byPart = Dictionary(grouping: summaries) { span.part(of: history.localDays.day(of: $0.started)) ?? -1 }
        return span.parts.enumerated().map { index, days in
            var members = [
                JSON.Member("from", .string("\(days.lowerBound)")), JSON.Member("to", .string("\(days.upperBound)")),
            ]
            members += WorkoutTotals(byPart[index] ?? []).members
            if span.by == .day {
                let targets = history.targets(on: days.lowerBound)
                let goals = present(Goal.allCases.map { ($0.field, rounded(targets[$0], 0)) })
                if !goals.isEmpty { members.append(JSON.Member("goals", .object(goals))) }
            }
            return .object(members)
        }
    }
}

extension WorkoutTotals {
    /// As replies have them: rounded, and without what is not known.
    fileprivate var members: [JSON.Member] {
        let hearts = present([
            ("mean", rounded(heartRate, 1)), ("min", rounded(lowestHeartRate, 0)), ("max", rounded(highestHeartRate, 0)),
        ])
        let sums = WorkoutSummary.Attribute.allCases.filter(\.hasTotal).map { ($0.field, rounded(self[$0], 1)) }
        return [JSON.Member("workouts", .integer(Int64(workouts)))] + present(sums)
            + (hearts.isEmpty ? [] : [JSON.Member("heart_rate", .object(hearts))])
    }
}
