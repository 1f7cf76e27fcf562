import Features
import Fitness
import Insight
import Pictures
import TrainingPlans
import Workouts

/// What people share in words, in their language and units.
struct SharedFigures: Sendable {
    let language: Language
    let units: Units

    /// `Run on 21 November 2026: 9.0 km, 52 min, 5:48 min/km, 640 kcal.`
    func workout(_ activity: Activity, _ poster: WorkoutPoster, _ day: CalendarDay) -> String {
        let figures = [
            poster.toldMetres.map(distance), poster.seconds.flatMap(duration),
            poster.toldMetresPerSecond.flatMap { swiftness($0, poster.swiftness) },
            poster.kilocalories.map(kilocalories),
        ].compactMap { $0 }
        let title = language(.sharedOnDay, ["what": name(of: activity), "day": language.date(day)])
        return sentence(title, figures)
    }

    /// What a day, a week or a month came to.
    func report(
        _ period: ReportSpan.Period, _ days: ClosedRange<CalendarDay>, _ totals: PeriodTotals, _ done: WorkoutTotals
    ) -> String {
        let (first, last) = (days.lowerBound, days.upperBound)
        let title =
            switch period {
            case .day: language(.sharedDay, ["day": language.date(first)])
            case .week: language(.sharedWeek, ["from": language.date(first), "to": language.date(last)])
            case .month, .year:
                language(.sharedMonth, ["month": language.months[first.month - 1], "year": "\(first.year)"])
            }
        var figures = amounts(totals)
        if let goal = totals.goals[.steps], goal.reached > 0 {
            figures.append(
                period == .day
                    ? language(.sharedReached)
                    : language(
                        .sharedReachedDays,
                        ["number": language.number(Double(goal.reached)), "days": "\(first.distance(to: last) + 1)"]))
        }
        figures += workouts(done)
        return sentence(title, figures)
    }

    /// What a week came to, for the person whose week it was.
    func week(
        _ days: ClosedRange<CalendarDay>, _ totals: PeriodTotals, _ done: WorkoutTotals, _ goals: [WeekGoal: GoalDay]
    ) -> String {
        var figures = amounts(totals) + workouts(done)
        if let full = goals[.days]?.value, full > 0 {
            figures.append(language(.weekFullDays, ["number": language.number(full)]))
        }
        if goals.values.contains(where: \.isReached) { figures.append(language(.weekGoal)) }
        if let heart = totals.heartRate, let resting = heart.resting {
            let phrase: Phrase = heart.restingOf == .day ? .weekRestingByDay : .weekResting
            figures.append(language(phrase, ["number": language.number(resting.rounded())]))
        }
        let title = language(.weekOver, ["from": language.date(days.lowerBound), "to": language.date(days.upperBound)])
        return sentence(title, figures)
    }

    /// All workouts together.
    func statistics(_ summaries: [WorkoutSummary]) -> String {
        let all = WorkoutStatistic.of(summaries)
        let (ways, times) = (all[.distance], all[.duration])
        let figures = [
            counted(summaries.count), ways?.total.map(distance), times?.total.flatMap(duration),
            all[.energy]?.total.map(kilocalories),
            ways.map { language(.sharedFarthest, ["way": distance($0.maximum)]) },
            times.flatMap { duration($0.maximum) }.map { language(.sharedLongest, ["time": $0]) },
        ].compactMap { $0 }
        return sentence(language(.sharedWorkouts), figures)
    }

    /// What somebody has posted, with what the week had come to by then.
    func post(_ text: String, workouts: Int, seconds: Double, _ day: CalendarDay) -> String {
        let time = duration(seconds).map { " (\($0))" } ?? ""
        let week = workouts > 0 ? language(.sharedPost, ["figures": counted(workouts) + time]) : nil
        let lines = [text.isEmpty ? nil : text, week].compactMap { $0 }
        guard lines.isEmpty else { return lines.joined(separator: "\n") }
        let picture = language(.sharedOnDay, ["what": language(.sharedPicture), "day": language.date(day)])
        return sentence(picture, [])
    }

    // MARK: Parts

    private func amounts(_ totals: PeriodTotals) -> [String] {
        [
            totals.steps.map { language(.steps, ["number": language.number($0.total)]) },
            totals.metres.map { distance($0.total, totals.metresByKind) }, totals.kilocalories.map { kilocalories($0.total) },
        ].compactMap { $0 }
    }

    private func workouts(_ done: WorkoutTotals) -> [String] {
        guard done.workouts > 0 else { return [] }
        let time = done[.duration].flatMap(duration).map { " (\($0))" } ?? ""
        return [counted(done.workouts) + time]
    }

    /// A distance, and what of it was not on foot if there is more than one kind.
    private func distance(_ metres: Double, _ kinds: [DistanceKind: Double]) -> String {
        let ways: [(kind: DistanceKind, phrase: Phrase)] = [
            (.bicycle, .sharedByBicycle), (.swimming, .sharedSwimming), (.other, .sharedOtherwise),
        ]
        let parts = ways.compactMap { kind, phrase in
            kinds[kind].flatMap { $0 > 0 ? language(phrase, ["way": distance($0)]) : nil }
        }
        let isMixed = kinds.values.count { $0 > 0 } > 1
        return distance(metres) + (isMixed ? " (\(parts.joined(separator: ", ")))" : "")
    }

    private func sentence(_ title: String, _ figures: [String]) -> String {
        figures.isEmpty ? "\(title)." : "\(title): \(figures.joined(separator: ", "))."
    }

    private func name(of activity: Activity) -> String {
        switch activity {
        case .running: language(.sharedRun)
        case .walking: language(.sharedWalk)
        case .cycling: language(.sharedRide)
        case .custom(let name):
            TrainingKind(activity: name.text).map { kind in
                language(Phrase(read: kind.words.english, german: kind.words.german))
            } ?? name.text
        }
    }

    private func counted(_ workouts: Int) -> String {
        workouts == 1
            ? language(.sharedOneWorkout)
            : language(.sharedManyWorkouts, ["number": language.number(Double(workouts))])
    }

    /// Rounded in metres, whatever the units are: see `WorkoutPoster.toldMetres`.
    private func distance(_ metres: Double) -> String {
        language.text(units.ways((metres / 100).rounded() * 100, decimals: 1))
    }

    /// To the minute: `52 min`, `1 h 12 min`; nil for less than half a minute.
    private func duration(_ seconds: Double) -> String? {
        let minutes = Int(min(max(seconds, 0), 1e12) / 60 + 0.5)
        guard minutes >= 60 else { return minutes > 0 ? "\(minutes) min" : nil }
        let hours = language.number(Double(minutes / 60))
        return minutes % 60 == 0 ? "\(hours) h" : "\(hours) h \(minutes % 60) min"
    }

    private func swiftness(_ metresPerSecond: Double, _ kind: WorkoutPoster.Swiftness) -> String? {
        switch kind {
        case .speed: language.text(units.speed(metresPerSecond))
        case .pace:
            Pace(metres: metresPerSecond, seconds: 1).map { "\($0.text(in: units)) min/\(units.wayUnit.rawValue)" }
        }
    }

    private func kilocalories(_ kilocalories: Double) -> String {
        language(.kilocalories, ["number": language.number(kilocalories)])
    }
}
