import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import Whereabouts

// What a guardian asks about their dependents.

extension Guardians {
    private static let unknown = ReplyError(.notFound, "you watch over nobody with this id", field: "dependent")

    /// What a guardian may see of a dependent whom a request names.
    func tie(_ request: PeopleRequest) throws -> (dependent: ID, tie: GuardianTie) {
        let dependent = try request.id("dependent")
        guard let tie = try ties.tie(of: request.user, to: dependent), !context.doors.isBeingForgotten(dependent) else {
            throw Self.unknown
        }
        return (dependent, tie)
    }

    func listDependents(of user: ID) throws -> JSON {
        let list = try ties.dependents(of: user)
        for dependent in list.all where try ties.tie(of: user, to: dependent)?.allowed.contains(.location) == true {
            noteLook(user, at: dependent)
        }
        let entries = try list.all.compactMap { dependent in
            try ties.tie(of: user, to: dependent) == nil ? nil : try entry(dependent, of: user)
        }
        return .object(present: [
            "chosen": list.chosen.map { .string($0.text) }, "dependents": .array(entries),
        ])
    }

    /// A dependent as their guardian sees them.
    func entry(_ dependent: ID, of guardian: ID) throws(VaultError) -> JSON {
        let name = try context.notifications.name(of: dependent)
        let tie = try ties.tie(of: guardian, to: dependent)
        var members = [JSON.Member("dependent", .string(dependent.text))]
        if let name { members.append(JSON.Member("name", .string(name))) }
        members.append(JSON.Member("since", .integer(tie?.since ?? 0)))
        members += tie?.consents ?? []
        members += seen(dependent, tie)
        members.append(JSON.Member("alerts", .array(try openAlerts(of: dependent, for: guardian))))
        return .object(members)
    }

    /// What is known now of a dependent, as far as a guardian may see it.
    private func seen(_ dependent: ID, _ tie: GuardianTie?) -> [JSON.Member] {
        guard let tie, let one = watched[dependent] else { return [] }
        var members: [JSON.Member] = []
        if tie.allowed.contains(.location), let fix = one.fixes.last, fix.time >= tie.since {
            members.append(JSON.Member("position", Watched.json(fix)))
        }
        if tie.allowed.contains(.motion), let current = one.motion.current(now: context.now()) {
            members.append(JSON.Member("state", .string(current.state.rawValue)))
        }
        if SightTopic.status.isAllowed(tie), let percent = one.phone?.batteryPercent {
            members.append(JSON.Member("battery_percent", .integer(Int64(percent.rounded()))))
        }
        return members
    }

    /// Whom a guardian looks at from now on; themselves if it is nobody.
    func choose(_ request: PeopleRequest) throws -> JSON {
        var dependent: ID?
        if request.fields["dependent"] != .null { dependent = try tie(request).dependent }
        let reply = try once(request, with: []) { user, _ in
            let all = try ties.dependents(of: user).all
            if let dependent, !all.contains(dependent) { throw Self.unknown }
            try ties.change(dependentsOf: user) { list in list.chosen = dependent }
            return .object(present: ["chosen": dependent.map { .string($0.text) }])
        }
        settleChosen(of: try request.user)
        return reply
    }

    func removeDependent(_ request: PeopleRequest) throws -> JSON {
        let dependent = try request.id("dependent")
        let reply = try once(request, with: [dependent]) { user, now in
            guard try ties.dependents(of: user).all.contains(dependent) else { throw Self.unknown }
            let isMutual = try ties.tie(of: user, to: dependent) != nil
            try ties.end(user, of: dependent)
            try rules.removeAll(of: user, for: dependent)
            if isMutual { try tell(dependent, .guardianLeft, .guardianLeft, of: user, now: now) }
            return [:]
        }
        tiesChanged(of: dependent, with: try request.user)
        return reply
    }

    // MARK: Where they are

    /// Asks the phones of a dependent where they are.
    func locate(_ request: PeopleRequest) throws -> JSON {
        let (dependent, tie) = try tie(request)
        try require(.location, tie)
        let user = try request.user
        if let seconds = questions.take(user, now: clock()) {
            throw ReplyError(.rateLimited, "too many questions: again in \(seconds) s", retryAfterSeconds: seconds)
        }
        try context.store.change(dependent) { () throws(VaultError) in try addLook(user, at: dependent) }
        return ["asked": .integer(Int64(try phones?.askWhere(dependent) ?? 0))]
    }

    private func require(_ sight: Sight, _ tie: GuardianTie) throws(ReplyError) {
        guard tie.allowed.contains(sight) else {
            let words = "the dependent does not let you see it: they decide with guardians/allow"
            throw ReplyError(.notAllowed, words, field: sight.rawValue)
        }
    }

    /// The steps and the distance of a dependent's today, as they have them themselves.
    func showToday(_ request: PeopleRequest) {
        request.answering {
            let (dependent, tie) = try tie(request)
            try require(.steps, tie)
            let (user, zone, now) = (try request.user, context.settings.timeZone, context.now())
            var asked = request
            // While it was read, the dependent may have taken their consent back.
            asked.answer = { [unowned self] outcome in
                let isAllowed = try? ties.tie(of: user, to: dependent)?.allowed.contains(.steps)
                if isAllowed == true { request.answer(outcome) } else { request.refuse(Self.unknown) }
            }
            readers.questions.answer(asked) { source in
                let days = Days(source.store, source.keys, Histories(source.store, source.keys, zone: zone))
                let today = try days.histories.history(of: dependent).localDays.day(of: now)
                let totals = try days.totalsWithoutHeartRate(of: dependent, on: today)
                return .object(present: [
                    "day": .string("\(today)"), "steps": totals.steps.map { .integer(Int64($0.total)) },
                    "distance_m": totals.metres.map { .number($0, decimals: 0) }, "distances_m": totals.figures?.metres.json,
                ])
            }
        }
    }

    /// The way of a day of a dependent's.
    func showDay(_ request: PeopleRequest) {
        request.answering {
            let (dependent, tie) = try tie(request)
            try require(.location, tie)
            let user = try request.user
            let days = try histories.history(of: dependent).localDays
            let today = days.day(of: context.now())
            var day = today
            if let text = try request.optionalText("day", atMost: 16) {
                guard let named = CalendarDay(text) else {
                    throw ReplyError(.invalid, "\"day\" has to be a day, such as 2026-11-25", field: "day")
                }
                day = named
            }
            guard day <= today, today.daysSince1970 - day.daysSince1970 <= Self.daysShown else {
                throw ReplyError(.notAllowed, "guardians see the last \(Self.daysShown) days", field: "day")
            }
            // What was before they were connected is not theirs to see.
            let intervals = days.intervals(of: day).map {
                max($0.lowerBound, tie.since)..<max($0.upperBound, tie.since)
            }
            try context.store.change(dependent) { () throws(VaultError) in try addLook(user, at: dependent) }
            let shown = day
            var asked = request
            // While it was read, the dependent may have taken their consent back.
            asked.answer = { [unowned self] outcome in
                let isAllowed = try? ties.tie(of: user, to: dependent)?.allowed.contains(.location)
                if isAllowed == true { request.answer(outcome) } else { request.refuse(Self.unknown) }
            }
            readers.questions.answer(asked) { source in
                var path = DayPath()
                var judge = MotionJudge()
                for interval in intervals where !interval.isEmpty {
                    let stored = try Guardians.stored(
                        of: dependent, from: interval.lowerBound, to: interval.upperBound, source)
                    var fixes = Fixes()
                    for one in stored where fixes.take(one.fix, of: one.source) && fixes.source == one.source {
                        let accuracy = one.fix.position.accuracyMetres
                        let fix = Fix(time: one.fix.time, place: one.fix.place, accuracyMetres: accuracy)
                        path.take(fix)
                        judge.take(fix)
                    }
                }
                return .object(present: [
                    "day": .string("\(shown)"), "points": Watched.json(path.points(atMost: Self.pointsShown)),
                    "exercise_min": tie.allowed.contains(.motion) ? .integer(Int64(judge.exerciseMinutes)) : nil,
                ])
            }
        }
    }

    private static let (daysShown, pointsShown): (Int64, Int) = (30, 500)
}
