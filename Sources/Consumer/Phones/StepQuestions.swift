package import Days
import Features
import MQTT
import OwnTracks
import Readings
import Records
package import Telemetry

// An iPhone counts steps all the time, and says how many only if it is asked (`reportSteps`). So the phones of a person who
// works out are asked: every five minutes for the steps since the last question, and at the end for the rest. The times of
// two questions never overlap, because of two spans that do only one counts. Other phones ignore the question.
//
// An answer comes when the app next runs, perhaps after hours. It is stored like any other, and the workout is counted
// again.

/// For which times phones are asked.
struct StepQuestions {
    /// How often a phone is asked during a workout, in milliseconds: each answer costs it a connection.
    static let period: Int64 = 300_000

    /// Until when the steps of a workout were asked for.
    private struct Asked {
        let start: Int64
        var until: Int64
    }

    private var asked: [ID: Asked] = [:]

    /// The time of which the steps are to be asked for now, in whole seconds of Unix milliseconds; nil if there is none.
    /// - Parameter times: of the workout, until now or its end.
    mutating func next(_ user: ID, _ stage: WorkoutStage, _ times: Range<Int64>) -> ClosedRange<Int64>? {
        let (start, now) = (Self.second(times.lowerBound), Self.second(times.upperBound))
        let periods = (now - start) / Self.period
        var until = start
        if let known = asked[user], known.start == start {
            until = known.until
        } else if stage != .began {
            // The service was started again: what was asked for before is not known, but for the last question.
            until = start + max(0, periods - 1) * Self.period
        }
        let next = stage == .ended ? now : max(until, start + periods * Self.period)
        asked[user] = stage == .ended || stage == .cancelled ? nil : Asked(start: start, until: next)
        return stage != .cancelled && next > until ? until...next : nil
    }

    mutating func forget(_ user: ID) { asked[user] = nil }

    /// A moment without the fraction of its second.
    private static func second(_ time: Int64) -> Int64 { time.floorDivided(by: 1000) * 1000 }
}

extension Phones {
    package func worksOut(_ user: ID, _ stage: WorkoutStage, _ times: Range<Int64>) {
        // What cannot be asked now is asked later, or not at all where the workout ends.
        guard isConnected || stage == .ended || stage == .cancelled,
            let times = questions.next(user, stage, times), !context.doors.isBeingForgotten(user)
        else { return }
        do {
            try ask(user, times)
        } catch {
            context.limitedLog.info("steps of \(user)") {
                "the phones of \(user) were not asked for steps\($0): \(error)"
            }
        }
    }

    package func forgotten(_ user: ID) { questions.forget(user) }

    private func ask(_ user: ID, _ times: ClosedRange<Int64>) throws {
        // What was before the person agreed is not asked for.
        guard let begin = try RecordedKinds(context.documents).beginOfLocation(of: user),
            times.upperBound - 1000 > begin
        else { return }
        let from = begin > times.lowerBound ? (begin + 999).floorDivided(by: 1000) * 1000 : times.lowerBound
        try send(.reportSteps(from...times.upperBound), to: list.phones(of: user), of: user, expiring: Self.answerable)
    }

    /// After so many seconds the broker drops a question: a pedometer remembers a week.
    private static var answerable: UInt32 { 7 * 86_400 }
}
