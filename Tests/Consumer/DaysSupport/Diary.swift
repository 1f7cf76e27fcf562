package import Days
import Files
package import Fitness
package import HouseholdSupport
import Records
package import Storage
package import Telemetry
import TestSupport

/// A household of which the days are kept, without a broker.
package final class Diary {
    package let household: Household
    package var parts: Parts
    package let days: Days
    package let changes: PeopleChanges
    package let stale: StaleHours
    package let user: ID

    package static let sensors = ["strap", "watch"]

    package init(
        zone: String = "Europe/Berlin", now: Int64 = 0, household: Household? = nil, goals: (any GoalEvaluation)? = nil,
        adding schema: Schema = Schema()
    ) throws {
        let household = try household ?? Household()
        var made: Days?
        let changes = PeopleChanges()
        self.changes = changes
        parts = try household.open(
            people: "demo: { sensors: [\"home/strap\", \"home/watch\"] }", now: now, adding: schema
        ) {
            store, keys in
            let days = Days(
                store, keys, Histories(store, keys, zone: zone), goals: goals, changes: changes)
            made = days
            return [days]
        }
        guard let days = made else { throw TestFailure("nothing is derived") }
        self.household = household
        self.days = days
        stale = try parts.stale
        user = try ID("demo")
        // No time is lost with waiting for a disk that these tests are not about.
        try parts.store.database.execute("PRAGMA synchronous = OFF")
        try settle()
    }

    /// Computes again all that is stale.
    package func settle() throws {
        while try !stale.work(within: .seconds(10)) {}
    }

    /// Hands in blocks at a time, and settles.
    package func take(_ blocks: [[UInt8]], now: Int64) throws {
        _ = try parts.take(all: blocks, wall: now)
        try settle()
    }

    /// Hands in readings of a new session at a time.
    package func take(_ readings: [Reading], _ sensor: String = "strap", now: Int64? = nil) throws {
        let session = try parts.session(household, sensor)
        // A block is of one kind.
        let blocks = try Reading.Kind.allCases.map { kind in readings.filter { $0.kind == kind } }
            .filter { !$0.isEmpty }.map { try session.block($0) }
        try take([session.keyBlock] + blocks, now: now ?? readings.map(\.moment.wall).max() ?? 0)
    }

    package func totals(_ day: String) throws -> DayTotals { try days.totals(of: user, on: calendarDay(day)) }

    package func steps(_ day: String) throws -> Int? { try totals(day).steps?.total }

    /// What the store holds is what computing it all again comes to.
    package func isExact() throws -> Bool { try days.recount(of: user).differing == 0 }

    /// Saves a profile as `profile/set` does.
    package func save(_ profile: Profile, now: Int64) throws {
        try parts.store.change(user) { () throws(VaultError) in
            try days.take(profile, of: user, now: now)
            try Documents(store: parts.store, keys: parts.keys).write(profile.json, "profile", of: user)
        }
        days.committed()
        try settle()
    }
}

package func calendarDay(_ text: String) throws -> CalendarDay {
    guard let day = CalendarDay(text) else { throw TestFailure("no day: \(text)") }
    return day
}

/// `2026-11-21T10:00:00Z` in Unix milliseconds.
package func utc(_ text: String) throws -> Int64 {
    guard let time = unixMilliseconds(iso8601: text) else { throw TestFailure("no time: \(text)") }
    return time
}

/// A step counter at a time; the gateway has been up since 1970.
package func count(_ time: Int64, _ counter: UInt32) -> Reading {
    Reading(at: Moment(wall: time, monotonic: UInt64(max(0, time))), .steps(StepCount(counter)))
}

package func temperature(_ time: Int64, _ thousandths: Int64) throws -> Reading {
    Reading(
        at: Moment(wall: time, monotonic: UInt64(max(0, time))),
        .temperature(try Temperature(thousandths: thousandths)))
}

/// A profile of somebody in a zone.
package func profile(
    zone: String?, height: Double = 175, weight: Double = 70, gender: ProfileRules.Gender = .male
) throws -> Profile {
    let fields: JSON = .object(present: [
        "name": "Ada", "date_of_birth": "1990-12-10", "gender": .string(gender.rawValue),
        "height_cm": .number(height), "weight_kg": .number(weight), "time_zone": zone.map(JSON.string),
    ])
    return try Profile(fields, old: nil, now: start)
}

/// The fields of a profile that is taken as it is.
package let properProfile: JSON = [
    "name": "Ada Lovelace", "date_of_birth": "1990-12-10", "gender": "female", "weight_kg": 60,
    "height_cm": .number(165.5),
]

extension Days {
    /// What is kept of all years of a person.
    package func allTotals(of user: ID) throws -> [DayTotals] {
        let years = try recordedYears(of: user)
        guard let first = years.first, let last = years.last else { return [] }
        let days = CalendarDay.days(ofYear: first).lowerBound...CalendarDay.days(ofYear: last).upperBound
        return try totals(of: user, in: days)
    }
}
