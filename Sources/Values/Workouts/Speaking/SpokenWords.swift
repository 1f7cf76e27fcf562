public import Fitness

/// What is said during a workout, in a person's language and units.
public struct SpokenWords: Hashable, Sendable {
    private let language: SpokenLanguage
    private let units: Units

    /// The words in a language and units.
    public init(_ language: SpokenLanguage, _ units: Units) {
        (self.language, self.units) = (language, units)
    }

    // MARK: Sentences

    /// That a workout has begun.
    /// - Parameters:
    ///   - zone: the chosen zone of heart rate; nil if none was chosen.
    ///   - known: the names of an activity that each language has its own name for; nil for any other.
    public func began(
        _ activity: Activity, _ goal: WorkoutGoal?, zone: Int? = nil, known: (english: String, german: String)? = nil
    ) -> String {
        let name = known.map { language($0.english, $0.german) } ?? name(activity)
        let begun = language("Workout started: ", "Training gestartet: ") + name + "."
        return begun + (goal.map { language(" Goal: ", " Ziel: ") + target($0) + "." } ?? "")
            + (zone.map { language(" Heart rate in zone \($0).", " Puls in Zone \($0).") } ?? "")
    }

    /// That the heart has left the zone that was chosen, or is back.
    /// - Parameter now: the heart rate; nil if it is not known.
    public func heart(_ place: TargetZone.Place, _ zone: Int, _ now: Int?) -> String {
        let rate = now.map { language(": heart rate \($0).", ": Puls \($0).") } ?? "."
        return switch place {
        case .below: language("Below zone \(zone)", "Unter Zone \(zone)") + rate
        case .within: language("Back in zone \(zone).", "Wieder in Zone \(zone).")
        case .above: language("Above zone \(zone)", "Über Zone \(zone)") + rate
        }
    }

    /// That it is interrupted.
    public var paused: String { language("Workout paused.", "Training unterbrochen.") }

    /// That it goes on.
    public var resumed: String { language("Workout resumed.", "Training fortgesetzt.") }

    /// That its goal is reached.
    public func reached(_ goal: WorkoutGoal) -> String {
        language("Goal reached: ", "Ziel erreicht: ") + target(goal) + "."
    }

    /// That it is over, and kept.
    /// - Parameter figures: nil if they are not known yet.
    public func ended(_ figures: WorkoutFigures?) -> String {
        let parts =
            figures.map { figures in [SpokenContent.duration, .distance].compactMap { said($0, figures) } } ?? []
        let ended = language("Workout ended", "Training beendet")
        return parts.isEmpty ? ended + "." : ended + ": " + parts.joined(separator: ", ") + "."
    }

    /// That it is over because nothing was measured any longer.
    public var endedInSilence: String {
        language(
            "Nothing was measured any longer: workout ended.", "Es wurde nichts mehr gemessen: Training beendet.")
    }

    /// That it is over, and not kept.
    public var cancelled: String { language("Workout cancelled.", "Training verworfen.") }

    /// How a workout goes; nil if nothing of what is wanted is known.
    public func progress(_ figures: WorkoutFigures, _ contents: [SpokenContent]) -> String? {
        let sentence = contents.compactMap { said($0, figures) }.joined(separator: ", ")
        guard let first = sentence.first else { return nil }
        return first.uppercased() + sentence.dropFirst() + "."
    }

    // MARK: Parts

    private func zone(_ zone: Int) -> String {
        zone == 0 ? language("below zone 1", "unter Zone 1") : "\(language("zone", "Zone")) \(zone)"
    }

    private func said(_ content: SpokenContent, _ figures: WorkoutFigures) -> String? {
        switch content {
        case .heartRate: figures.heartRate?.now.map { "\(language("heart rate", "Puls")) \($0)" }
        case .zone: figures.heartRate?.zone.map(zone)
        case .speed: figures.speed?.mean.flatMap(speed)
        case .pace: figures.speed?.paceMean.flatMap(pace)
        case .distance: figures.metres.flatMap(distance)
        case .duration: duration(Int(figures.activeMilliseconds / 1000))
        case .steps: figures.steps.map { language.counted($0, .steps) }
        case .energy: whole(figures.kilocalories).map { language.counted($0, .kilocalories) }
        case .goal: figures.percent.flatMap(percent)
        }
    }

    private func speed(_ metresPerSecond: Double) -> String? {
        guard let tenths = tenths(metresPerSecond * 3600 / units.way) else { return nil }
        return language("average speed ", "Durchschnittsgeschwindigkeit ") + language.counted(tenths: tenths, way)
            + language(" per hour", " pro Stunde")
    }

    /// Nil if somebody is so slow that a pace says nothing: more than an hour for a kilometre or a mile.
    private func pace(_ pace: Pace) -> String? {
        let seconds = pace.secondsPerKilometre * units.way / 1000
        guard seconds < 3600, let whole = whole(seconds), whole > 0 else { return nil }
        return language("average pace ", "Durchschnittstempo ") + minutesAndSeconds(whole)
            + (units == .metric ? language(" per kilometre", " pro Kilometer") : language(" per mile", " pro Meile"))
    }

    /// What is short is said in metres or feet, to the nearest ten. A voice says fewer digits than `Units.distance` writes.
    private func distance(_ metres: Double) -> String? {
        switch units {
        case .metric:
            guard let ten = whole(metres / 10) else { return nil }
            guard ten >= 100 else { return language.counted(ten * 10, .metres) }
            return tenths(metres / 1000).map { language.counted(tenths: $0, .kilometres) }
        case .imperial:
            guard let tenths = tenths(metres / units.way) else { return nil }
            guard tenths == 0 else { return language.counted(tenths: tenths, .miles) }
            return whole(metres / Units.metresPerFoot / 10).map { language.counted($0 * 10, .feet) }
        }
    }

    /// From an hour on without seconds, which nobody remembers.
    private func duration(_ seconds: Int) -> String {
        guard seconds >= 3600 else { return minutesAndSeconds(seconds) }
        let (hours, minutes) = (language.counted(seconds / 3600, .hours), seconds / 60 % 60)
        return minutes == 0 ? hours : hours + " " + language.counted(minutes, .minutes)
    }

    private func minutesAndSeconds(_ seconds: Int) -> String {
        let parts = [(seconds / 60, SpokenLanguage.Counted.minutes), (seconds % 60, .seconds)].filter { $0.0 > 0 }
        guard !parts.isEmpty else { return language.counted(0, .seconds) }
        return parts.map { language.counted($0.0, $0.1) }.joined(separator: " ")
    }

    /// What is nearly reached is not reached: it is not rounded up.
    private func percent(_ percent: Double) -> String? {
        Int(exactly: percent.rounded(.down)).map {
            "\($0) " + language("percent of the goal", "Prozent des Ziels")
        }
    }

    private func target(_ goal: WorkoutGoal) -> String {
        switch goal.kind {
        case .distance: exact(goal.target)
        // From 1 to 172,800: it is a whole number of seconds at the most.
        case .duration: exactDuration(Int(goal.target.rounded()))
        case .steps: language.counted(Int(goal.target), .steps)
        case .energy: language.counted(Int(goal.target.rounded()), .kilocalories)
        }
    }

    /// A distance that somebody has chosen, without loss where it is in metres.
    private func exact(_ metres: Double) -> String {
        let whole = Int(metres.rounded())
        if units == .metric, whole % 100 != 0 {
            let kilometres = whole < 1000 ? nil : language.counted(whole / 1000, .kilometres)
            return [kilometres, language.counted(whole % 1000, .metres)].compactMap(\.self).joined(separator: " ")
        }
        return distance(metres) ?? ""
    }

    private func exactDuration(_ seconds: Int) -> String {
        let parts = [
            (seconds / 3600, SpokenLanguage.Counted.hours), (seconds / 60 % 60, .minutes), (seconds % 60, .seconds),
        ]
        return parts.filter { $0.0 > 0 }.map { language.counted($0.0, $0.1) }.joined(separator: " ")
    }

    private func name(_ activity: Activity) -> String {
        switch activity {
        case .running: language("running", "Laufen")
        case .walking: language("walking", "Gehen")
        case .cycling: language("cycling", "Radfahren")
        case .custom(let name): name.text
        }
    }

    // MARK: Numbers

    private var way: SpokenLanguage.Counted { units == .metric ? .kilometres : .miles }

    private func whole(_ value: Double?) -> Int? { value.flatMap { Int(exactly: $0.rounded()) } }
    private func tenths(_ value: Double) -> Int? { whole(value * 10) }
}
