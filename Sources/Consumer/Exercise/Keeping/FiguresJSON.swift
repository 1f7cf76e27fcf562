import Days
package import Fitness
import Telemetry
package import Workouts

// How a workout went, as people get it. What is not known is left out.

extension WorkoutFigures {
    /// The members of a workout's line: times in Unix milliseconds, everything else in the unit that its name ends with.
    /// What was not measured is taken from what an imported file says of the whole, and how far and how long it was is first of
    /// all what the device says.
    /// - Parameter movingSeconds: for how long the person moved, if that is to be told.
    func members(_ workout: KeptWorkout, _ person: Person, movingSeconds: Double? = nil) -> [JSON.Member] {
        let origin = workout.origin
        let told = workout.metresPerSecond(self)
        let speeds: JSON? = speed.map { json($0, mean: told ?? $0.mean) } ?? told.map { Self.json(mean: $0) }
        return present([
            ("id", .string(workout.id.text)), ("activity", .string(workout.activity.name)),
            ("name", workout.name.map { .string($0) }),
            ("state", .string(state.rawValue)), ("started", started.map { .integer($0) }),
            ("ended", ended.map { .integer($0) }), ("ended_by", workout.end.map { .string($0.rawValue) }),
            ("duration_s", rounded(Double(workout.activeMilliseconds(self)) / 1000, 3)),
            ("moving_s", rounded(movingSeconds, 1)),
            ("distance_m", rounded(workout.metres(self), 1)),
            ("ascent_m", rounded(workout.ascentMetres(self), 1)),
            ("steps", (steps ?? origin?.steps).map { .integer(Int64($0)) }),
            ("energy_kcal", rounded(workout.kilocalories(self, of: person), 2)),
            ("energy_by", workout.energySource(self, of: person).map { .string($0.rawValue) }),
            ("heart_rate", heartRate.map(json) ?? origin?.heartRate),
            ("speed_mps", speeds?.with("pace_100m", pace100(workout))), ("cadence", cadence.map(json)), ("power_w", power.map(json)),
            ("percent", rounded(percent?.percentDown, 1)), ("goal", workout.goal.map { $0.json(endingWorkout: workout.endsAtGoal) }),
            ("source", origin.flatMap { $0.isByHand ? nil : .string($0.source) }),
            ("by_hand", origin?.isByHand == true ? true : nil), ("session", origin?.session?.shown), ("pool", origin?.pool?.json),
        ])
    }

    /// Swimmers measure their pace over 100 m: `1:52`. It is that of the active time, rests at the wall included.
    private func pace100(_ workout: KeptWorkout) -> JSON? {
        guard WorkoutKind(named: workout.activity.name) == .swimming, let metres = workout.metres(self) else {
            return nil
        }
        // A kilometre in the time of 100 m, so that the text is that of 100 m.
        return Pace(metres: metres * 10, seconds: Double(workout.activeMilliseconds(self)) / 1000).map {
            .string($0.text)
        }
    }

    /// A value of now; nil in a workout that is over.
    private func latest<Value>(_ value: Value?) -> Value? { ended == nil ? value : nil }

    private func json(_ heartRate: HeartRate) -> JSON {
        .object(present: [
            "now": latest(heartRate.now).map { .integer(Int64($0)) },
            "zone": latest(heartRate.zone).map { .integer(Int64($0)) },
            "mean": rounded(heartRate.mean, 1),
            "min": .integer(Int64(heartRate.minimum)),
            "max": .integer(Int64(heartRate.maximum)),
            "recorded_s": .integer(heartRate.recordedMilliseconds / 1000),
            "zones_s": heartRate.zoneMilliseconds.map { .array($0.map { .integer(($0 + 500) / 1000) }) },
            "load": rounded(heartRate.edwards, 1),
            "trimp": rounded(heartRate.banister, 1),
        ])
    }

    private static func json(mean: Double) -> JSON {
        .object(present: ["mean": rounded(mean, 3), "pace": Pace(metres: mean, seconds: 1).map { .string($0.text) }])
    }

    private func json(_ speed: Speed, mean: Double?) -> JSON {
        .object(present: [
            "now": rounded(latest(speed.now), 2),
            "mean": rounded(mean, 3),
            "min": rounded(speed.minimum, 2),
            "max": rounded(speed.maximum, 2),
            "pace": mean.flatMap { Pace(metres: $0, seconds: 1) }.map { .string($0.text) },
            "pace_now": latest(speed.paceNow).map { .string($0.text) },
        ])
    }

    private func json(_ rate: Rate) -> JSON {
        .object(present: [
            "now": rounded(latest(rate.now), 1),
            "mean": rounded(rate.mean, 1),
            "max": rounded(rate.maximum, 1),
        ])
    }
}

extension WorkoutOrigin {
    /// Heart rates of the whole, where no sample has one.
    fileprivate var heartRate: JSON? {
        meanHeartRate.map { mean in
            .object(present: ["mean": .integer(Int64(mean)), "max": highestHeartRate.map { .integer(Int64($0)) }])
        }
    }
}

extension KeptWorkout {
    /// What it is called: by the person, else by the file that it is from.
    package var name: String? { title ?? origin?.name }

    /// How far it was: as the device says that an imported file is from, and else as it was measured.
    func metres(_ figures: WorkoutFigures) -> Double? { known(origin?.metres) ?? figures.metres }

    /// How much was climbed, in the same order.
    func ascentMetres(_ figures: WorkoutFigures) -> Double? { known(origin?.ascentMetres) ?? figures.ascentMetres }

    /// What energy it took beyond rest, in kilocalories, in the same order. What nobody can use in that time the device has not
    /// measured.
    func kilocalories(_ figures: WorkoutFigures, of person: Person) -> Double? {
        told(figures, person) ?? figures.kilocalories
    }

    /// What most of the energy is known by; nil if none is known.
    func energySource(_ figures: WorkoutFigures, of person: Person) -> EnergySource? {
        told(figures, person) == nil ? figures.energySource : .device
    }

    private func told(_ figures: WorkoutFigures, _ person: Person) -> Double? {
        origin?.kilocalories.flatMap { told in
            person.netKilocalories(
                device: told, minutes: Double(activeMilliseconds(figures)) / 60_000, isNet: origin?.isBeyondRest == true)
        }
    }

    /// How long it was active, in the same order.
    func activeMilliseconds(_ figures: WorkoutFigures) -> Int64 { origin?.activeMilliseconds ?? figures.activeMilliseconds }

    /// The same of one that is over.
    package var activeMilliseconds: Int64 { origin?.activeMilliseconds ?? timer.activeMilliseconds(at: timer.ended ?? started) }

    /// Whether the way by positions is about as long as the device says. Indoors, positions jump: then no records can be made of
    /// them.
    func agrees(_ course: Course) -> Bool {
        guard let told = known(origin?.metres), course.metres > 0 else { return !activity.isIndoors }
        return !activity.isIndoors && abs(course.metres - told) <= told / 5
    }

    /// Whether positions, of at least four fifths of the time, say something else than the device.
    func differs(_ course: Course) -> Bool {
        guard let told = known(origin?.metres), course.metres > 0, abs(course.metres - told) > told / 5 else {
            return false
        }
        return Way(course).isKnown(of: Double(activeMilliseconds) / 1000)
    }

    /// The mean speed by what the device says; nil if it says neither how far nor how long it was.
    func metresPerSecond(_ figures: WorkoutFigures) -> Double? {
        let active = activeMilliseconds(figures)
        guard known(origin?.metres) != nil || origin?.activeMilliseconds != nil, active > 0 else { return nil }
        return metres(figures).map { $0 * 1000 / Double(active) }
    }

    /// Files say 0 of what their device does not measure.
    private func known(_ value: Double?) -> Double? { value.flatMap { $0 > 0 ? $0 : nil } }

    /// The line of a list, by a fold of everything that is known, at a time in Unix milliseconds.
    func line(_ fold: WorkoutFold, _ history: History, now: Int64) -> JSON {
        .object(fold.figures(at: timer.ended ?? now).members(self, history.person(at: started)))
    }

    /// What its day must know of it; nil before its figures were computed.
    package var ofDay: DayWorkout? {
        guard timer.isOver, let figures, let ended = timer.ended else { return nil }
        let measured: [JSON?] = [
            figures["heart_rate"]?["zones_s"] ?? figures["heart_rate"]?["min"], figures["speed_mps"]?["max"],
            figures["cadence"] ?? figures["power_w"], origin?.metres.map { .number($0) },
        ]
        return DayWorkout(
            id: id.text, activity.name, started..<max(started, min(ended, started + WorkoutFold.longest)),
            metres: figures["distance_m"]?.double, kilocalories: figures["energy_kcal"]?.double,
            steps: ownSteps(figures),
            rank: (isPreferred ? Self.chosenRank : 0) + (origin == nil ? Self.ownRank : 0) + measured.count { $0 != nil },
            file: origin?.file, effort: effort(figures))
    }

    /// How its active time went.
    private func effort(_ figures: JSON) -> Effort {
        var zones: [Int]?
        func seconds(_ value: JSON?) -> Int { if case .integer(let whole)? = value { Int(Int32(clamping: whole)) } else { 0 } }
        if case .array(let times)? = figures["heart_rate"]?["zones_s"] { zones = times.map { seconds($0) } }
        return Effort(
            active: Int(Int32(clamping: activeMilliseconds / 1000)), recorded: seconds(figures["heart_rate"]?["recorded_s"]), zones: zones)
    }

    /// Steps that a foot pod or a file has counted, and not what the person wears all day; nil if nothing has, or nobody makes so
    /// many.
    private func ownSteps(_ figures: JSON) -> Double? {
        let hasFootPod = origin == nil && activity.countsSteps && figures["cadence"] != nil
        let own = hasFootPod ? figures["steps"]?.double : origin?.steps.map(Double.init)
        return own.flatMap { $0 <= Double(StepCounter.mostIn(activeMilliseconds)) ? $0 : nil }
    }

    /// One that the person started here goes before all others, but for one that they have chosen.
    private static let (ownRank, chosenRank) = (100, 1000)

    /// What of it can be compared with others; nil before its figures were computed.
    package var summary: WorkoutSummary? {
        guard let figures else { return nil }
        var values: [WorkoutSummary.Attribute: Double] = [:]
        for attribute in WorkoutSummary.Attribute.allCases {
            values[attribute] =
                switch attribute {
                case .heartRate: figures["heart_rate"]?["mean"]?.double
                case .speed: figures["speed_mps"]?["mean"]?.double
                case .load: figures["heart_rate"]?["load"]?.double
                default: figures[attribute.field]?.double
                }
        }
        var times: [BestTime] = []
        if case .array(let best)? = figures["best"] {
            times = best.compactMap { time in
                guard let metres = time["distance_m"]?.double, let seconds = time["seconds"]?.double,
                    let start = time["start_s"]?.double
                else { return nil }
                return BestTime(metres: metres, seconds: seconds, start: start)
            }
        }
        var summary = WorkoutSummary(activity, started: started, values: values, bestTimes: times)
        summary.recordedSeconds = figures["heart_rate"]?["recorded_s"]?.double
        summary.lowestHeartRate = figures["heart_rate"]?["min"]?.double
        summary.highestHeartRate = figures["heart_rate"]?["max"]?.double
        return summary
    }
}

/// The members that have a value.
func present(_ members: [(String, JSON?)]) -> [JSON.Member] {
    members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
}

/// A number with at most so many decimals; nil if it is not known.
func rounded(_ value: Double?, _ decimals: Int) -> JSON? {
    guard let value, value.isFinite else { return nil }
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    let rounded = (value * scale).rounded() / scale
    return Int64(exactly: rounded).map(JSON.integer) ?? .number(rounded)
}
