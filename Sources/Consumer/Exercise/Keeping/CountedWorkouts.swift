import Days
package import Files
package import Fitness
import Records
package import Telemetry
import Workouts

// Of a workout that two devices recorded, one recording counts (`SameWorkouts`), with what only the others know. Here that is said of what
// is kept, for all who ask for more than one workout: statistics, records, load, reports, gear, weeks and challenges.

/// A workout that is over.
package struct CountedWorkout {
    /// The recording that counts, with what only the others know.
    package let workout: KeptWorkout
    /// The others.
    package let others: [KeptWorkout]

    /// Those of some finished workouts that count, in the order of their starts. A workout without figures counts alone.
    package static func all(of workouts: [KeptWorkout], _ local: () throws(VaultError) -> LocalDays) throws(VaultError)
        -> [CountedWorkout]
    {
        var counted: [CountedWorkout] = []
        for part in parts(workouts) {
            guard part.count > 1 else {
                counted.append(CountedWorkout(workout: part[0], others: []))
                continue
            }
            counted += of(part, try local())
        }
        return counted
    }

    /// The same of workouts that may overlap.
    private static func of(_ workouts: [KeptWorkout], _ local: LocalDays) -> [CountedWorkout] {
        var byID: [String: KeptWorkout] = [:]
        for workout in workouts { byID[workout.id.text] = workout }
        let groups = SameWorkouts.groups(of: workouts.compactMap(\.ofDay)) { local.day(of: $0) }
        let counted = groups.compactMap { group -> CountedWorkout? in
            guard let workout = byID[group.counted.id] else { return nil }
            let others = group.others.compactMap { byID[$0.id] }
            return CountedWorkout(workout: workout.filled(from: others), others: others)
        }
        let uncounted = workouts.filter { $0.ofDay == nil }.map { CountedWorkout(workout: $0, others: []) }
        return (counted + uncounted).sorted { $0.workout.started < $1.workout.started }
    }

    /// Parts that do not overlap, in the order of when they begin.
    static func parts(_ workouts: [KeptWorkout]) -> [[KeptWorkout]] {
        workouts.partedByTime { workout in
            workout.ofDay?.times ?? workout.started..<workout.started
        }
    }
}

extension KeptWorkout {
    /// With what only other recordings of it know, the first ones first.
    func filled(from others: [KeptWorkout]) -> KeptWorkout {
        var filled = self
        for other in others {
            if let figures = filled.figures, let more = other.figures { filled.figures = figures.filled(from: more) }
            filled.gear = filled.gear ?? other.gear
        }
        return filled
    }
}

extension JSON {
    /// What one recording can take from another one. Files say 0 of what their device does not measure.
    private static let shared: [(member: String, with: [String])] = [
        ("distance_m", []), ("energy_kcal", ["energy_by"]), ("ascent_m", []), ("steps", []), ("heart_rate", []),
        ("speed_mps", []),
        ("cadence", []), ("power_w", []), ("best", []), ("pool", []),
    ]

    /// The figures of a workout, with those that only another recording of it has.
    func filled(from other: JSON) -> JSON {
        var filled = self
        for (member, with) in Self.shared where !filled.knows(member) && other.knows(member) {
            for name in [member] + with { filled = filled.without(name).with(name, other[name]) }
        }
        return filled
    }

    private func without(_ name: String) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    private func knows(_ member: String) -> Bool {
        guard let value = self[member] else { return false }
        return value.double.map { $0 > 0 } ?? true
    }
}

extension WorkoutRows {
    /// How long a workout is at most, in days.
    private static let longest = WorkoutFold.longest / 86_400_000

    /// A person's workouts that count and began on some local days, the latest first.
    package func counted(
        of user: ID, over days: ClosedRange<CalendarDay>, _ local: LocalDays
    ) throws(VaultError) -> [KeptWorkout] {
        let near = Self.days(around: days)
        // Another recording may have begun on the day before or after.
        let all = try workouts(of: user, on: near.lowerBound - Self.longest...near.upperBound + Self.longest).map(
            \.workout)
        let counted = try CountedWorkout.all(of: all.filter(\.timer.isOver)) { () throws(VaultError) in local }
        return counted.map(\.workout).filter { days.contains(local.day(of: $0.started)) }.reversed()
    }

    /// The workouts of some lines.
    func workouts(of user: ID, _ lines: [WorkoutLine]) throws(VaultError) -> [KeptWorkout] {
        var workouts: [KeptWorkout] = []
        for line in lines {
            if let workout = try workout(line.id, of: user)?.workout { workouts.append(workout) }
        }
        return workouts
    }

    /// All recordings of a workout that is over, itself included: first the one that counts; nil if it is the only one.
    /// - Parameter local: read only where there are several, because mostly there is one.
    package func recordings(
        of workout: KeptWorkout, _ user: ID, _ local: () throws(VaultError) -> LocalDays
    ) throws(VaultError) -> CountedWorkout? {
        let day = Self.day(workout.started)
        // This includes workouts that overlap only its neighbours.
        // Lines are read first, because mostly nothing overlaps.
        let near = try lines(of: user, on: day - 2 * Self.longest...day + 2 * Self.longest)
        guard let part = near.overlapping.first(where: { $0.contains { $0.id == workout.id } }) else { return nil }
        return try CountedWorkout.all(of: workouts(of: user, part), local).first { one in
            !one.others.isEmpty && ([one.workout] + one.others).contains { $0.id == workout.id }
        }
    }
}
