import Fitness
import Records
import Telemetry
import Workouts

// A list of years opens each workout only to hand its line on. Making a workout of each takes longer than all the rest;
// so a list looks into what is kept only as far as it must.

/// A workout that is over, as a list needs it.
struct WorkoutLine {
    let id: ID
    /// Unix milliseconds.
    let started: Int64
    /// Unix milliseconds; nil before its line was computed.
    let ended: Int64?
    let activity: Activity
    /// The shoes or the bicycle that it was done with; nil if nobody said.
    var gear: ID?
    /// Its line, as it was last computed and written; nil before that.
    var figures: ArraySlice<UInt8>?

    private static let figures = Array(KeptWorkout.figuresMember.utf8)
    private static let activity = Array("activity".utf8)
    private static let gear = Array("gear".utf8)
    private static let (begun, over) = (Array("started".utf8), Array("ended".utf8))

    private init(_ workout: KeptWorkout) {
        (id, started, activity, gear) = (workout.id, workout.started, workout.activity, workout.gear)
        (figures, ended) = (nil, workout.timer.ended)
    }

    /// - Parameter kept: the bytes that spell `KeptWorkout.json`.
    /// - Returns: nil if they spell no workout.
    init?(id: ID, kept: [UInt8]) {
        do {
            if let line = try Self(id, computed: kept) {
                self = line
                return
            }
            guard let workout = KeptWorkout(id: id, kept: try StrictJSON.value(kept)) else { return nil }
            self.init(workout)
        } catch {
            return nil
        }
    }

    /// A workout with figures; nil if it has none.
    private init?(_ id: ID, computed kept: [UInt8]) throws(StrictJSON.Fault) {
        var (activity, gear) = (Activity?.none, ID?.none)
        var figures: ArraySlice<UInt8>?
        var members = WrittenMembers(of: kept[...])
        while let member = try members.next() {
            if member.isNamed(Self.figures) {
                figures = member.value
            } else if member.isNamed(Self.activity) {
                activity = try Self.text(member.value).flatMap(Activity.init(named:))
            } else if member.isNamed(Self.gear) {
                gear = try Self.text(member.value).flatMap { id in decoded { () throws(MalformedValue) in try ID(id) } }
            }
        }
        guard let figures, let activity, let times = try Self.times(figures) else { return nil }
        (self.id, self.activity, self.gear, self.figures) = (id, activity, gear, figures)
        (started, ended) = times
    }

    private static func text(_ value: ArraySlice<UInt8>) throws(StrictJSON.Fault) -> String? {
        if case .string(let text) = try StrictJSON.value(Array(value)) { text } else { nil }
    }

    /// What figures say of the beginning and the end, which are close to the front.
    private static func times(_ figures: ArraySlice<UInt8>) throws(StrictJSON.Fault) -> (started: Int64, ended: Int64?)? {
        var (started, ended): (Int64?, Int64?)
        var members = WrittenMembers(of: figures)
        while started == nil || ended == nil, let member = try members.next() {
            if member.isNamed(begun) {
                started = Int64(String(decoding: member.value, as: UTF8.self))
            } else if member.isNamed(over) {
                ended = Int64(String(decoding: member.value, as: UTF8.self))
            }
        }
        return started.map { ($0, ended) }
    }
}

extension [WorkoutLine] {
    /// Those that overlap with others, in parts. Where more overlap than nobody has recorded, each counts alone.
    var overlapping: [[WorkoutLine]] {
        let times = map { $0.started..<Swift.max($0.started, $0.ended ?? $0.started) }
        let parts = indices.partedByTime { times[$0] }
        return parts.compactMap { part in
            part.count > 1 && part.count <= SameWorkouts.mostCompared ? part.map { self[$0] } : nil
        }
    }
}
