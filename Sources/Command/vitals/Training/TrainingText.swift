import Daemon
import Telemetry

/// What replies and topics say of a training, in words.
enum TrainingText {
    /// `Strength: chest and lats, 30 min, about 120 kcal, beginner`
    static func heading(_ plan: JSON) -> String {
        let parts = [
            plan.text("title"), plan.whole("duration_s").map(minutes),
            plan.double("energy_kcal").map { "about \(decimal($0, 0)) kcal" }, plan.text("level"),
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// `30 min`
    static func minutes(_ seconds: Int) -> String { "\((seconds + 30) / 60) min" }

    /// `3 x 10`, or `3 x 30 s`
    static func sets(_ exercise: JSON) -> String {
        let effort =
            exercise.whole("repetitions").map { "\($0)" } ?? exercise.whole("work_s").map { "\($0) s" } ?? "-"
        return "\(exercise.whole("sets") ?? 1) x \(effort)"
    }

    /// What is to be done now, in a line: `Push-ups, set 2 of 3, 10 repetitions`.
    /// - Parameter later: the seconds that have passed since the consumer said this.
    static func now(_ training: JSON, later: Double = 0) -> String {
        let left = left(training, later: later).map { clock(seconds: $0) }
        let next = training.text("next").map { ", next: \($0)" } ?? ""
        switch training.text("phase") {
        case "over": return "done: vitals workout stop"
        case "rest": return "rest \(left ?? "")\(next)"
        case "paused":
            let rest = training.whole("left_s").map { ", \(clock(seconds: $0)) left" } ?? ""
            return "paused: \(exercise(training))\(rest)"
        default:
            let zone = training.whole("zone").map { zone in
                switch training["in_zone"] {
                case true?: ", in zone \(zone)"
                case false?: ", not in zone \(zone)"
                default: ", zone \(zone)"
                }
            }
            return exercise(training) + (left.map { ", \($0)" } ?? "") + (zone ?? "")
        }
    }

    /// `Push-ups, set 2 of 3, 10 repetitions`
    private static func exercise(_ training: JSON) -> String {
        let sets = training.whole("sets") ?? 1
        let parts = [
            training.text("name"), sets > 1 ? "set \(training.whole("set") ?? 1) of \(sets)" : nil,
            training.whole("repetitions").map { $0 == 1 ? "1 repetition" : "\($0) repetitions" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// `3 of 7`
    static func place(_ training: JSON) -> String {
        "\(training.whole("number") ?? 0) of \(training.whole("of") ?? 0)"
    }

    /// How many seconds the set or rest lasts; nil if it is waited for. The consumer's clock may differ from this machine's.
    private static func left(_ training: JSON, later: Double) -> Int? {
        guard let time = training.double("time"), let ends = training.double("ends") else { return nil }
        return Int(max(0, ((ends - time) / 1000 - later).rounded(.up)).clamped(to: 0...1e6))
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        min(max(self, range.lowerBound), range.upperBound)
    }
}

extension Office {
    /// Asks `training/…`. A refusal says what to do on the command line.
    func askOfTraining(_ verb: String, _ fields: [(String, JSON?)] = []) throws(Failure) -> JSON {
        do throws(Failure) { return try ask("training/\(verb)", fields) } catch {
            guard error.hint == nil, let hint = Self.hint(verb, error) else { throw error }
            throw Failure(error.exitCode, error.message, hint: hint, code: error.code, field: error.field)
        }
    }

    /// What a person can do about a refusal.
    private static func hint(_ verb: String, _ error: Failure) -> String? {
        switch (verb, error.code.flatMap(ReplyError.Code.init), error.field) {
        case ("start", .busy, _): "vitals workout stop, or vitals workout cancel"
        case ("choose", .notAllowed, _): "vitals train unchoose CHOICE takes one back; vitals train week lists them"
        case (_, _, "plan"): "vitals train offers some"
        case (_, _, "choice"): "vitals train week shows what you have chosen"
        case ("exercise", .notFound, _): "vitals train exercises lists them"
        case ("next", .notFound, _), ("previous", .notFound, _), ("skip", .notFound, _): "vitals train"
        case ("next", .notAllowed, _), ("previous", .notAllowed, _), ("skip", .notAllowed, _):
            error.message.contains("paused") ? "vitals workout resume" : "vitals workout stop"
        default: nil
        }
    }
}
