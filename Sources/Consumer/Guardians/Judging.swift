import Days
import Features
import Files
import Fitness
import OwnTracks
import Phones
import Readings
import Records
import Telemetry
import Whereabouts

// What guardians watch is judged as it is measured, and what does not happen by the clock: every five seconds. What a rule knows is
// written when something of it is to be told, in the same transaction, and otherwise once a minute; after a restart, positions and
// heart rates that came later than what it knows are judged again, in the order of their times. So no area and no heart rate is judged before the stored
// day was read, and what is known is written before a position that comes late is passed over: after a restart it would have its turn.

extension Guardians {
    /// How often rules are looked at by the clock, and how often what they know is kept, in milliseconds.
    private static let (looking, keeping): (UInt64, UInt64) = (5000, 60_000)
    /// How often what rules know is kept because a position came late, in milliseconds.
    private static let keepingLate: UInt64 = 1000

    /// The rules of a dependent who is watched, as they are kept. What is known of a rule stays, unless it was replaced.
    /// - Parameter before: what is known of them; nil for what is in memory.
    func loadRules(of dependent: ID, knowing before: [WatchedRule]? = nil) throws(VaultError) {
        let known = before ?? watched[dependent]?.rules ?? []
        let rules = try self.rules.rules(for: dependent)
        watched[dependent]?.rules = rules.map { rule in known.first { $0.isSame(as: rule) } ?? WatchedRule(rule) }
        watched[dependent]?.areRulesRead = true
        let isNew = rules.contains { rule in
            !known.contains { $0.rule.id == rule.id && $0.rule.begin == rule.begin }
        }
        if isNew { learn(dependent) }
    }

    /// One rule of a dependent was set up, replaced or removed: the others are not read again.
    func ruleChanged(_ id: ID, of dependent: ID) {
        guard watched[dependent]?.areRulesRead == true else { return rulesChanged(of: dependent) }
        // What is not read again now must not be written over what was just set up.
        let before = watched[dependent]?.removeRule(id)
        watched[dependent]?.areRulesRead = false
        attempt(dependent) { () throws(VaultError) in
            let rule = try rules.rule(id)
            watched[dependent]?.areRulesRead = true
            guard let rule else { return }
            if let before, before.isSame(as: rule) {
                watched[dependent]?.add(before)
            } else {
                watched[dependent]?.add(WatchedRule(rule))
                learn(dependent)
            }
        }
    }

    /// A new rule learns where the dependent is: by the latest positions, or, where none is known, by those that are stored.
    private func learn(_ dependent: ID) {
        let latest = watched[dependent]?.fixes.latest ?? []
        if latest.isEmpty { loadAgain(dependent) } else { judge(latest, of: dependent) }
    }

    // MARK: Places

    /// Positions that have come, in their order.
    func judge(_ fixes: [StoredFix], of dependent: ID) {
        guard let one = watched[dependent], one.isLoaded else { return }
        let (now, areas) = (context.now(), one.enabledAreas)
        guard !areas.isEmpty else { return }
        // What every area knows already is not looked at for each.
        let known = Dictionary(areas.flatMap(\.rule.judged), uniquingKeysWith: min)
        let isKnownToAll = { (stored: StoredFix) in
            stored.fix.time <= known[stored.source] ?? -Moment.limit
                && areas.allSatisfy { $0.rule.judged[stored.source] != nil }
        }
        let news = fixes.filter { !isKnownToAll($0) }
        var isLate = news.count < fixes.count
        for (index, rule) in areas {
            guard let area = rule.rule.area else { continue }
            var (watch, judged) = (rule.watch, rule.judged)
            for stored in news {
                guard stored.fix.time > judged[stored.source] ?? -Moment.limit else {
                    isLate = true
                    continue
                }
                let before = (watch, judged[stored.source])
                judged[stored.source] = stored.fix.time
                let fix = Fix(
                    time: stored.fix.time, place: stored.fix.place, accuracyMetres: stored.fix.position.accuracyMetres)
                guard let crossing = watch.take(fix, of: stored.source, area.shape, now: now) else { continue }
                watched[dependent]?.rules[index].watch = watch
                guard !tell(crossing, index, of: dependent) else { continue }
                // It is judged again once it can be written.
                (watch, judged[stored.source]) = before
                loadAgain(dependent)
                break
            }
            watched[dependent]?.rules[index].watch = watch
            watched[dependent]?.rules[index].judged = judged
        }
        if isLate { keepSoon(dependent) }
    }

    /// Keeps what rules know, at most once a second.
    private func keepSoon(_ dependent: ID) {
        guard let one = watched[dependent] else { return }
        guard clock() >= one.kept + Self.keepingLate else {
            // With the next look by the clock.
            watched[dependent]?.isToBeKept = true
            return
        }
        attempt(dependent) { () throws(VaultError) in try keepAll(of: dependent) }
    }

    /// A phone has left or entered a region of its own.
    func judge(_ transition: PhoneTransition, of phone: ID, _ dependent: ID) {
        guard let one = watched[dependent], let region = transition.region else { return }
        guard one.isLoaded else {
            watched[dependent]?.wait(for: transition, of: phone)
            return
        }
        for index in one.rules.indices
        where one.rules[index].rule.area?.region == region && one.rules[index].rule.isEnabled {
            let kind: Crossing.Kind = transition.event == .leave ? .left : .entered
            let source = "\(OwnGateway.name)/\(phone)"
            let before = watched[dependent]?.rules[index]
            let crossing = watched[dependent]?.rules[index].watch.take(
                kind, at: transition.time, of: source, now: context.now())
            guard let crossing, !tell(crossing, index, of: dependent) else { continue }
            // The positions that follow say the same.
            if let before { watched[dependent]?.rules[index] = before }
        }
    }

    /// - Returns: whether it was written, or need not be.
    private func tell(_ crossing: Crossing, _ index: Int, of dependent: ID) -> Bool {
        guard let rule = watched[dependent]?.rules[index].current, let area = rule.area else { return true }
        var isDone = false
        attempt(dependent) { () throws(VaultError) in
            // What was before the rule is no news.
            var isTold =
                (crossing.kind == .left ? area.isToldOfLeaving : area.isToldOfEntering) && crossing.time >= rule.begin
            if isTold, let hours = area.hours { isTold = try covers(hours, crossing.time, dependent) }
            if isTold {
                try raise(
                    rule, crossing.kind == .left ? .leftArea : .enteredArea,
                    "\(crossing.kind.rawValue) \(crossing.time)",
                    at: crossing.time, about: area.name)
                watched[dependent]?.rules[index].stored = rule.state
            } else {
                try keep(index, of: dependent)
            }
            isDone = true
        }
        return isDone
    }

    private func covers(_ hours: WatchHours, _ time: Int64, _ dependent: ID) throws(VaultError) -> Bool {
        let days = try histories.history(of: dependent).localDays
        // 1 January 1970 was a Thursday.
        let number = days.day(of: time).daysSince1970 + 3
        let weekday = Int(number - number.floorDivided(by: 7) * 7)
        return hours.covers(weekday: weekday, minute: days.minuteOfDay(at: time))
    }

    // MARK: Phones and hearts

    func judge(batteryPercent: Double, isCharging: Bool, at time: Int64, of phone: String, _ dependent: ID) {
        let now = context.now()
        eachRule(of: dependent) { rule throws(VaultError) in
            guard case .battery(var watch) = rule.kind else { return nil }
            watch.restore(rule.state)
            let occasion = watch.take(
                percent: batteryPercent, isCharging: isCharging, at: time, of: phone, now: now)
            rule.state = watch.state
            return occasion.map { ($0, .batteryLow, "\(Int(batteryPercent.rounded()))") }
        }
    }

    /// Heart rates that were stored, in the order of their times.
    func judge(_ rates: [StoredRate], of dependent: ID) {
        guard let one = watched[dependent] else { return }
        for index in one.rules.indices where one.rules[index].rule.isEnabled {
            guard case .heartRate = one.rules[index].rule.kind else { continue }
            for (time, rate) in rates where time >= one.rules[index].rule.begin {
                let before = watched[dependent]?.rules[index]
                let occasion = watched[dependent]?.rules[index].heartRates?.take(rate, at: time, now: context.now())
                guard let occasion else { continue }
                var isDone = false
                attempt(dependent) { () throws(VaultError) in
                    guard let rule = watched[dependent]?.rules[index].current else { return }
                    try raise(rule, .heartRateRange, occasion.key, at: occasion.time)
                    isDone = true
                }
                if !isDone, let before { watched[dependent]?.rules[index] = before }
            }
        }
    }

    // MARK: By the clock

    /// Looks at what has not happened, and keeps what rules know.
    func lookAtRules() {
        let clock = self.clock()
        guard clock >= looked + Self.looking else { return }
        looked = clock
        let now = context.now()
        for (dependent, one) in watched where one.motion.current(now: now) == nil {
            // What somebody did a while ago is not what they do.
            let isShown = shown.keys.contains { $0.dependent == dependent && $0.topic == .motion }
            if isShown { settle(dependent) }
        }
        for (dependent, one) in watched where !one.rules.isEmpty {
            // Before the day was read, nobody knows what is missing.
            guard one.isLoaded else { continue }
            attempt(dependent) { () throws(VaultError) in
                let days = try histories.history(of: dependent).localDays
                let (day, minute) = (days.day(of: now), days.minuteOfDay(at: now))
                eachRule(of: dependent) { rule throws(VaultError) in
                    switch rule.kind {
                    case .silence(let watch):
                        return watch.occasion(last: one.fixes.last?.time, since: rule.begin, now: now).map {
                            ($0, .noPosition, nil)
                        }
                    case .stillness(let watch):
                        let occasion = watch.occasion(
                            on: "\(day)", minuteNow: minute, hasMoved: one.motion.hasMoved, now: now)
                        // One that is set up after its hour begins tomorrow.
                        return occasion.flatMap { $0.time < rule.begin ? nil : ($0, .noMovement, nil) }
                    default: return nil
                    }
                }
                if one.isToBeKept || clock >= one.kept + Self.keeping { try keepAll(of: dependent) }
            }
        }
        do throws(VaultError) { try escalate() } catch {
            context.limitedLog.error("alerts") { "alerts were not passed on\($0): \(error)" }
        }
    }

    /// What there is to tell of a rule: the occasion, what kind of alert it is, and what it is about.
    private typealias Told = (Occasion, Notification.Kind, String?)

    private func eachRule(of dependent: ID, _ body: (inout WatchRule) throws(VaultError) -> Told?) {
        guard let one = watched[dependent] else { return }
        for index in one.rules.indices where one.rules[index].rule.isEnabled {
            attempt(dependent) { () throws(VaultError) in
                guard var rule = watched[dependent]?.rules[index].current,
                    let tie = one.ties.first(where: { $0.guardian == rule.guardian }), tie.allowed.contains(rule.sight)
                else { return }
                let told = try body(&rule)
                guard let (occasion, kind, about) = told else {
                    rule.told = nil
                    watched[dependent]?.rules[index].rule = rule
                    return
                }
                // Until things were in order in between, it is the same occasion; of a battery, its watch knows that for each phone.
                var isBattery = false
                if case .battery = rule.kind { isBattery = true }
                guard isBattery || rule.told == nil else { return }
                try raise(rule, kind, occasion.key, at: occasion.time, about: about)
                // In memory only: the alert's own id keeps it from being told again after a restart.
                rule.told = occasion.key
                watched[dependent]?.rules[index].rule = rule
            }
        }
    }

    /// Keeps what a rule knows.
    private func keep(_ index: Int, of dependent: ID) throws(VaultError) { try keepAll(of: dependent, only: index) }

    /// Keeps what all rules of a dependent know, in one transaction.
    /// - Parameter only: the index of a rule; nil for all.
    private func keepAll(of dependent: ID, only: Int? = nil) throws(VaultError) {
        guard let one = watched[dependent], !context.doors.isBeingForgotten(dependent) else { return }
        if only == nil {
            watched[dependent]?.kept = clock()
            watched[dependent]?.isToBeKept = false
        }
        let changed = one.rules.indices.filter { index in
            (only ?? index) == index && one.rules[index].current.state != one.rules[index].stored
        }
        guard !changed.isEmpty else { return }
        try context.store.change(dependent) { () throws(VaultError) in
            for index in changed where try rules.isThere(one.rules[index].rule.id) {
                try rules.write(one.rules[index].current)
            }
        }
        for index in changed { watched[dependent]?.rules[index].stored = one.rules[index].current.state }
    }
}
