import Contract
import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry

/// `statistics/recount`: a person has some of their past days counted with what they say of themselves today, because what
/// they said before was wrong. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class DayRecounting: @unchecked Sendable {
    private let context: PeopleContext
    private let days: Days

    init(_ context: PeopleContext, _ days: Days) {
        self.context = context
        self.days = days
    }

    /// What people may ask.
    var verbs: [Verb] {
        [
            Verb(
                "statistics/recount", .recount, own: Allowance(perSecond: 0.1, burst: 5),
                .atOnce { [self] in try recount($0) })
        ]
    }

    private func recount(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let asked = try request.days("from", "to")
        let (from, to) = (asked.lowerBound, asked.upperBound)
        guard from.distance(to: to) < Days.mostRecounted else {
            throw ReplyError(.badRequest, "more than \(Days.mostRecounted) days: ask for some of them at a time", field: "from")
        }
        let history = try days.histories.history(of: user)
        let today = history.localDays.day(of: now)
        guard to <= today else { throw ReplyError(.invalid, "\"to\" is yet to come", field: "to") }
        guard history.isOfSomebodyKnown else {
            throw ReplyError(.notFound, "there is no profile to count with: set it first")
        }
        var changed = 0
        do throws(VaultError) {
            try context.store.change(user) { () throws(VaultError) in
                changed = try days.recount(asked, of: user, now: now)
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        return ["from": .string("\(from)"), "to": .string("\(to)"), "changed": .integer(Int64(changed))]
    }
}

extension RequestContract {
    fileprivate static let recount = RequestContract(
        """
        Has distance and energy of some past days, at most \(Days.mostRecounted), counted with the profile of today. Otherwise \
        another profile never changes a day that is over.
        """,
        asks: [.always("from", .day), .always("to", .day.about("the same day, or a later one; not after today"))],
        answers: .record([
            .always("from", .day), .always("to", .day),
            .always("changed", .count.about("how many days are different now")),
        ]))
}
