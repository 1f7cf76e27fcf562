package import Telemetry

/// Where a workout comes from that was imported, and what its file says of it as a whole.
package struct WorkoutOrigin: Equatable, Sendable {
    /// What recorded it, in the words of its file: `garmin 3113`.
    package let source: String
    /// What the person or the device called it.
    package var name: String?
    /// In metres. It counts before what its samples say, because people compare with what their device shows.
    package var metres: Double?
    /// In kilocalories, with what the body uses at rest unless `isBeyondRest`. It counts as the distance does, if it can be.
    package var kilocalories: Double?
    /// Whether the energy is only what it took beyond rest.
    package var isBeyondRest = false
    /// In metres; it counts as the distance does.
    package var ascentMetres: Double?
    /// Steps of both feet; they count only where samples do not say it, as do the heart rates.
    package var steps: Int?
    /// How long it was active, in milliseconds, if that is not what is left of it without its pauses.
    package var activeMilliseconds: Int64?
    /// In beats a minute.
    package var meanHeartRate: Int?
    /// In beats a minute.
    package var highestHeartRate: Int?
    /// Whether its positions were left out, because the person had not agreed that theirs are recorded.
    package var lacksWay = false
    /// Which part of a longer activity it is; nil if it is a whole one.
    package var session: WorkoutSession?
    /// Where it was swum.
    package var pool: SwumPool?
    /// Whether the person has said everything, and nothing was recorded.
    package var isByHand = false

    /// A number that the parts of its activity have in common.
    var file: Int64? {
        session.map { Int64(bitPattern: Mark.of(Array("\(source) \($0.begun)".utf8))) }
    }

    /// That of a workout that somebody adds by hand.
    static var byHand: WorkoutOrigin {
        var origin = WorkoutOrigin(source: "by hand")
        // They say what they read somewhere, and get to read the same.
        (origin.isByHand, origin.isBeyondRest) = (true, true)
        return origin
    }

    /// The same without what it says of the whole, for a part of the workout.
    var withoutTotals: WorkoutOrigin {
        var origin = WorkoutOrigin(source: source)
        (origin.name, origin.lacksWay, origin.session) = (name, lacksWay, session)
        return origin
    }

    package init(source: String) { self.source = source }

    /// `{"source":…,"name":…,"distance_m":…,"energy_kcal":…,"beyond_rest":true,"ascent_m":…,"steps":…,"active_ms":…,`
    /// `"heart_rate":…,"highest_heart_rate":…,"lacks_way":true,"session":{…},"pool":{…},"by_hand":true}`
    package var json: JSON {
        .object(present: [
            "source": .string(source), "name": name.map { .string($0) }, "distance_m": rounded(metres, 1),
            "energy_kcal": rounded(kilocalories, 1), "beyond_rest": isBeyondRest ? true : nil, "ascent_m": rounded(ascentMetres, 1),
            "steps": steps.map { .integer(Int64($0)) }, "active_ms": activeMilliseconds.map { .integer($0) },
            "heart_rate": meanHeartRate.map { .integer(Int64($0)) },
            "highest_heart_rate": highestHeartRate.map { .integer(Int64($0)) }, "lacks_way": lacksWay ? true : nil,
            "session": session?.json, "pool": pool?.json,
            "by_hand": isByHand ? true : nil,
        ])
    }

    init?(_ json: JSON) {
        guard case .string(let source)? = json["source"] else { return nil }
        self.init(source: source)
        if case .string(let name)? = json["name"] { self.name = name }
        metres = json["distance_m"]?.double
        kilocalories = json["energy_kcal"]?.double
        isBeyondRest = json["beyond_rest"] == true
        ascentMetres = json["ascent_m"]?.double
        if case .integer(let steps)? = json["steps"] { self.steps = Int(steps) }
        if case .integer(let active)? = json["active_ms"] { activeMilliseconds = active }
        if case .integer(let mean)? = json["heart_rate"] { meanHeartRate = Int(mean) }
        if case .integer(let highest)? = json["highest_heart_rate"] { highestHeartRate = Int(highest) }
        lacksWay = json["lacks_way"] == true
        session = json["session"].flatMap(WorkoutSession.init)
        pool = json["pool"].flatMap(SwumPool.init)
        isByHand = json["by_hand"] == true
    }
}
