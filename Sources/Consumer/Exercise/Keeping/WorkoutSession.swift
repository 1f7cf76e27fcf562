import Telemetry

// What a file says about a workout, in addition to its figures: its part of a triathlon, and the pool where it was swum.

/// A part of an activity with several sports.
package struct WorkoutSession: Equatable, Sendable {
    /// 1 for the first one.
    let number: Int
    /// How many parts there are.
    let count: Int
    /// When the first one began, in Unix milliseconds: with the source, it tells activities apart.
    let begun: Int64

    init(number: Int, of count: Int, begun: Int64) { (self.number, self.count, self.begun) = (number, count, begun) }

    init?(_ json: JSON) {
        guard case .integer(let number)? = json["number"], case .integer(let count)? = json["of"],
            case .integer(let begun)? = json["begun"]
        else { return nil }
        self.init(number: Int(number), of: Int(count), begun: begun)
    }

    var json: JSON { ["number": .integer(Int64(number)), "of": .integer(Int64(count)), "begun": .integer(begun)] }

    /// As people get it: `{"number":2,"of":3}`
    var shown: JSON { ["number": .integer(Int64(number)), "of": .integer(Int64(count))] }
}

/// A pool, and what was swum in it.
package struct SwumPool: Equatable, Sendable {
    let metres: Double
    /// How many lengths were swum.
    var lengths: Int?
    /// Laps without swimming.
    var rests = 0
    /// How long those took, in seconds.
    var restSeconds = 0.0

    init(metres: Double) { self.metres = metres }

    init?(_ json: JSON) {
        guard let metres = json["length_m"]?.double else { return nil }
        self.init(metres: metres)
        if case .integer(let lengths)? = json["lengths"] { self.lengths = Int(lengths) }
        if case .integer(let rests)? = json["rests"] { self.rests = Int(rests) }
        restSeconds = json["rest_s"]?.double ?? 0
    }

    /// `{"length_m":25,"lengths":32,"rests":3,"rest_s":90}`, as it is kept and as people get it.
    var json: JSON {
        .object(present: [
            "length_m": rounded(metres, 2), "lengths": lengths.map { .integer(Int64($0)) },
            "rests": rests > 0 ? .integer(Int64(rests)) : nil, "rest_s": rests > 0 ? rounded(restSeconds, 1) : nil,
        ])
    }
}
