import Daemon
package import Files
package import Fitness
package import Records
package import Telemetry

// What applied when. Where a person lives, how tall and heavy they are and what they want to reach changes, but
// their past days do not: a day of last year is computed with last year's weight, in the zone of that time.
//
//     zones     where they lived, and from which moment on; the first from the beginning of time
//     bodies    what they said of themselves, and from which day on
//     targets   what they wanted to reach, and from which day on
//
// The history is in the person's document "history". There is none until it is needed: then it begins with what the
// profile says now, and with the consumer's own zone if the profile names none. Any code that computes days reads
// it; only the session's thread writes it.
//
// A person who moves is believed from that moment on. A move within ten minutes after another counts as a correction of
// it.

/// What applied when, for one person.
package struct History: Equatable {
    /// From a moment on (Unix milliseconds; the first from the beginning of time), the zone of this name.
    struct Zone: Equatable {
        var from: Int64
        var name: String
    }

    /// What a person says of themselves, and formulas need.
    package struct Body: Equatable {
        var heightCentimetres: Double
        var weightKilograms: Double
        var gender: Profile.Gender
        package var dateOfBirth: CalendarDay
        var heart: HeartRateFacts
    }

    /// At least one, in the order in which they begin.
    fileprivate(set) var zones: [Zone]
    /// Nil if the person has never said anything.
    fileprivate(set) var bodies: DayHistory<Body>?
    package fileprivate(set) var goals: DayHistory<GoalTargets>
    /// The person's days.
    package fileprivate(set) var localDays: LocalDays

    package static func == (one: History, other: History) -> Bool {
        one.zones == other.zones && one.bodies == other.bodies && one.goals == other.goals
    }

    /// The person as they were on a day. Nothing is known about a person who has never said anything.
    package func person(on day: CalendarDay) -> Person {
        guard let body = bodies?.value(on: day) else { return Person() }
        let sex: Person.Sex? =
            switch body.gender {
            case .female: .female
            case .male: .male
            case .other, .undisclosed: nil
            }
        return Person(
            sex: sex, ageYears: Double(body.dateOfBirth.age(on: day)), heightCentimetres: body.heightCentimetres,
            weightKilograms: body.weightKilograms, heart: body.heart)
    }

    /// Whether the person has ever said anything of themselves.
    package var isOfSomebodyKnown: Bool { bodies != nil }

    /// What the person wanted to reach on a day.
    package func targets(on day: CalendarDay) -> GoalTargets { goals.value(on: day) }

    /// Whether the person has ever wanted to reach something in a week.
    var hasWeekGoals: Bool { goals.entries.contains { !$0.value.weeks.isEmpty } }
}

/// The histories of all people. Belongs to the thread of its store and keys.
package final class Histories {
    private let documents: Documents
    /// The zone of people who do not say where they live.
    private let zone: String
    private let observer: (any HistoryObserver)?
    private var rules: [String: ZoneRules] = [:]
    /// People whose history is kept, and agrees with their profile.
    private var kept: Set<ID> = []
    private static let capacity = 65_536
    private var reported = OncePerMinute<String>(capacity: 16)
    /// In bytes: a longer document is not read.
    package var maximumLength = JSON.maximumLength

    /// - Parameters:
    ///   - zone: a name that `ZoneRules` knows.
    ///   - observer: keeps something that follows from histories; nil where none is changed.
    package init(_ store: Store, _ keys: Keys, zone: String, observer: (any HistoryObserver)? = nil) {
        documents = Documents(store: store, keys: keys)
        self.zone = zone
        self.observer = observer
    }

    /// What applied when; if nothing is kept yet, what would be kept.
    package func history(of user: ID) throws(VaultError) -> History {
        if let history = try read(user) { return history }
        return try history(beginningWith: profile(of: user))
    }

    /// The same, and keeps it: within a transaction. People without a zone in their profile move with the consumer.
    /// - Parameter now: Unix milliseconds.
    package func keep(_ user: ID, now: Int64) throws(VaultError) -> History {
        if kept.contains(user), let history = try read(user) { return history }
        let profile = try profile(of: user)
        let known = try read(user)
        let old: History
        if let known { old = known } else { old = try history(beginningWith: profile) }
        var history = old
        _ = try move(&history, to: profile?.timeZone ?? zone, now: now)
        if history != known { try write(history, of: user, replacing: old) }
        if kept.count >= Self.capacity { kept = [] }
        kept.insert(user)
        return history
    }

    /// Takes a profile that is about to replace the person's old one, within the same transaction.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: from which moment on the days are different; nil if they stay the same.
    package func take(_ profile: Profile, of user: ID, now: Int64) throws(VaultError) -> Int64? {
        let old = try self.profile(of: user)
        let isFirst = try read(user) == nil
        var history: History
        let before: History
        if isFirst, old == nil {
            before = try self.history(beginningWith: nil)
            history = try self.history(beginningWith: profile)
        } else {
            before = try keep(user, now: now)
            history = before
        }
        let moved = try move(&history, to: profile.timeZone ?? zone, now: now)
        let today = history.localDays.day(of: now)
        let body = History.Body(profile)
        if history.bodies == nil { history.bodies = DayHistory(body, from: today) }
        history.bodies?.set(body, fromNowOn: today)
        try write(history, of: user, replacing: before)
        // It agrees with the profile that is about to be kept, and not with the one that still is.
        kept.insert(user)
        return moved
    }

    /// Sets what a person wants to reach from a day on, within a transaction.
    package func setTargets(
        _ targets: GoalTargets, of user: ID, from day: CalendarDay, now: Int64
    ) throws(VaultError) {
        let before = try keep(user, now: now)
        var history = before
        history.goals.set(targets, fromNowOn: day)
        try write(history, of: user, replacing: before)
    }

    /// Has some days counted with what the person says of themselves today, within a transaction; other days stay.
    /// - Parameter now: Unix milliseconds.
    func applyBody(on days: ClosedRange<CalendarDay>, of user: ID, now: Int64) throws(VaultError) {
        let before = try keep(user, now: now)
        guard let body = before.bodies?.value(on: before.localDays.day(of: now)) else { return }
        var history = before
        history.bodies?.set(body, on: days)
        try write(history, of: user, replacing: before)
    }

    /// The rules of the zone where a person lives now.
    package func zone(of user: ID) throws(VaultError) -> ZoneRules {
        try rules(of: profile(of: user)?.timeZone ?? zone)
    }

    /// What was kept since the last commit is not kept any more.
    package func rolledBack() { kept = [] }

    // MARK: Beginning and moving

    func profile(of user: ID) throws(VaultError) -> Profile? {
        try documents.read("profile", of: user).flatMap { Profile(kept: $0) }
    }

    private func history(beginningWith profile: Profile?) throws(VaultError) -> History {
        let zones = [History.Zone(from: Self.beginning, name: profile?.timeZone ?? zone)]
        let first = CalendarDay(daysSince1970: 0)
        return History(
            zones: zones, bodies: profile.map { DayHistory(History.Body($0), from: first) },
            goals: DayHistory(GoalTargets.first, from: first), localDays: try localDays(zones))
    }

    /// - Returns: from which moment on; nil if they live there already.
    private func move(_ history: inout History, to name: String, now: Int64) throws(VaultError) -> Int64? {
        guard let last = history.zones.last, last.name != name else { return nil }
        var from = now
        if history.zones.count > 1, now < last.from + Self.correction {
            from = min(now, last.from)
            history.zones.removeLast()
        }
        if history.zones.last?.name != name { history.zones.append(History.Zone(from: from, name: name)) }
        history.localDays = try localDays(history.zones)
        return from
    }

    private static let beginning = -Moment.limit
    private static let correction: Int64 = 600_000

    private func localDays(_ zones: [History.Zone]) throws(VaultError) -> LocalDays {
        var moves: [(from: Int64, zone: ZoneRules)] = []
        for zone in zones.dropFirst() { moves.append((zone.from, try rules(of: zone.name))) }
        return LocalDays(try rules(of: zones.first?.name ?? zone), moves: moves)
    }

    /// The rules of a zone. A zone that the machine no longer knows is no reason to refuse readings: the consumer's
    /// own is used instead.
    private func rules(of name: String) throws(VaultError) -> ZoneRules {
        if let known = rules[name] { return known }
        if let read = ZoneRules(known: name) {
            rules[name] = read
            return read
        }
        let attempted = "find the time zone \(name)"
        guard name != zone else {
            throw VaultError(attempted, .missing, said: "it is not in /usr/share/zoneinfo: install tzdata")
        }
        if reported.allows(name, now: millisecondsSinceBoot()) {
            log.error("a person lives in the time zone \(name), which this machine does not know: install tzdata")
        }
        return try rules(of: zone)
    }
}

// MARK: - The document

extension Histories {
    package static let name = "history"
    private func read(_ user: ID) throws(VaultError) -> History? {
        guard let json = try documents.read(Self.name, of: user) else { return nil }
        var zones: [History.Zone] = []
        for entry in json["zones"]?.elements ?? [] {
            guard let name = entry["zone"]?.text else { continue }
            zones.append(History.Zone(from: entry["from"]?.whole ?? Self.beginning, name: name))
        }
        guard !zones.isEmpty else { return nil }
        return History(
            zones: zones, bodies: DayHistory(Self.bodies(json)),
            goals: DayHistory(Self.targets(json)) ?? DayHistory(.first, from: CalendarDay(daysSince1970: 0)),
            localDays: try localDays(zones))
    }

    /// The document as it is exported: with moments and days in ISO 8601.
    package static func dated(_ document: JSON) -> JSON {
        guard case .object(let members) = document else { return document }
        return .object(
            members.map { member in
                guard case .array(let entries) = member.value else { return member }
                // Zones begin at a moment, everything else on a day.
                let dated = entries.map { entry in
                    entry.dated("from") { from in
                        guard member.name == "zones" else { return "\(CalendarDay(daysSince1970: from))" }
                        return from == beginning ? nil : iso8601(unixMilliseconds: from)
                    }
                }
                return JSON.Member(member.name, .array(dated))
            })
    }

    /// An entry says what is new in it.
    private static func bodies(_ json: JSON) -> [DayHistory<History.Body>.Entry] {
        var entries: [DayHistory<History.Body>.Entry] = []
        for entry in json["bodies"]?.elements ?? [] {
            let old = entries.last?.value
            guard let day = entry["from"]?.whole,
                let height = entry["height_cm"]?.double ?? old?.heightCentimetres,
                let weight = entry["weight_kg"]?.double ?? old?.weightKilograms,
                let gender = entry["gender"]?.text.flatMap(Profile.Gender.init) ?? old?.gender,
                let birth = entry["date_of_birth"]?.text.flatMap({ CalendarDay($0) }) ?? old?.dateOfBirth
            else { continue }
            let body = History.Body(
                heightCentimetres: height, weightKilograms: weight, gender: gender, dateOfBirth: birth,
                heart: entry["heart"].map { HeartRateFacts(kept: $0) } ?? old?.heart ?? HeartRateFacts())
            entries.append((CalendarDay(daysSince1970: day), body))
        }
        return entries
    }

    private static func targets(_ json: JSON) -> [DayHistory<GoalTargets>.Entry] {
        (json["targets"]?.elements ?? []).compactMap { entry in
            guard let day = entry["from"]?.whole else { return nil }
            var targets = GoalTargets()
            for goal in Goal.allCases { targets[goal] = entry[goal.field]?.double }
            for goal in WeekGoal.allCases { targets[goal] = entry[goal.field]?.double }
            targets.isDistanceOnFoot = entry["distance_on_foot"] == true
            return (CalendarDay(daysSince1970: day), targets)
        }
    }

    /// A person who changes their mind too often keeps the first entry and the latest ones.
    private func write(_ history: History, of user: ID, replacing old: History) throws(VaultError) {
        var (zones, bodies, targets) = (history.zones, history.bodies?.entries ?? [], history.goals.entries)
        var json = Self.json(zones, bodies, targets)
        while json.bytes.count > maximumLength {
            let longest = max(zones.count, bodies.count, targets.count)
            guard longest > 1 else { break }
            let few = 1..<max(2, longest / 16)
            if zones.count == longest {
                zones.removeSubrange(few)
            } else if bodies.count == longest {
                bodies.removeSubrange(few)
            } else {
                targets.removeSubrange(few)
            }
            json = Self.json(zones, bodies, targets)
        }
        try documents.write(json, Self.name, of: user)
        var new = history
        (new.zones, new.bodies, new.localDays) = (zones, DayHistory(bodies), try localDays(zones))
        guard new.zones != old.zones || new.bodies != old.bodies else { return }
        try observer?.replacing(old, with: new, of: user)
    }

    private static func json(
        _ zones: [History.Zone], _ bodies: [DayHistory<History.Body>.Entry],
        _ targets: [DayHistory<GoalTargets>.Entry]
    ) -> JSON {
        var last: History.Body?
        let bodies = bodies.map { day, body in
            defer { last = body }
            return JSON.object(present: [
                "from": .integer(day.daysSince1970),
                "height_cm": body.heightCentimetres == last?.heightCentimetres ? nil : .number(body.heightCentimetres),
                "weight_kg": body.weightKilograms == last?.weightKilograms ? nil : .number(body.weightKilograms),
                "gender": body.gender == last?.gender ? nil : .string(body.gender.rawValue),
                "date_of_birth": body.dateOfBirth == last?.dateOfBirth ? nil : .string("\(body.dateOfBirth)"),
                "heart": body.heart == last?.heart ?? HeartRateFacts() ? nil : .object(body.heart.members),
            ])
        }
        return [
            "zones": .array(
                zones.enumerated().map { index, zone in
                    .object(present: ["from": index == 0 ? nil : .integer(zone.from), "zone": .string(zone.name)])
                }),
            "bodies": .array(bodies),
            "targets": .array(
                targets.map { day, targets in
                    let goals =
                        Goal.allCases.map { ($0.field, targets[$0]) }
                        + WeekGoal.allCases.map { ($0.field, targets[$0]) }
                    let members = goals.compactMap { field, target in target.map { JSON.Member(field, .number($0)) } }
                    let onFoot = targets.isDistanceOnFoot ? [JSON.Member("distance_on_foot", true)] : []
                    return .object([JSON.Member("from", .integer(day.daysSince1970))] + members + onFoot)
                }),
        ]
    }
}

extension History.Body {
    package init(_ profile: Profile) {
        self.init(
            heightCentimetres: profile.heightCentimetres, weightKilograms: profile.weightKilograms,
            gender: profile.gender, dateOfBirth: profile.dateOfBirth, heart: profile.heart)
    }
}

extension JSON {
    /// The elements of a list; none if it is no list.
    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var whole: Int64? { if case .integer(let whole) = self { whole } else { nil } }
    /// A number, whole or not; nil if it is none.
    package var double: Double? {
        switch self {
        case .integer(let whole): Double(whole)
        case .number(let number): number
        default: nil
        }
    }
}

extension JSON {
    /// An object, which has members already, with another one, if that has a value.
    package func with(_ name: String, _ value: JSON?) -> JSON {
        guard let value else { return self }
        let member = Member(name, value)
        switch self {
        case .object(let members): return .object(members + [member])
        case .written(let bytes):
            return .written(bytes.dropLast() + [UInt8(ascii: ",")] + JSON.object([member]).bytes.dropFirst())
        default: return self
        }
    }

    /// The same value with the whole number in a member spelt as a date; without the member if it has no date.
    package func dated(_ name: String, _ spell: (Int64) -> String?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.compactMap { member in
                guard member.name == name, case .integer(let number) = member.value else { return member }
                return spell(number).map { JSON.Member(name, .string($0)) }
            })
    }
}
