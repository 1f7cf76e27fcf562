package import Desk
package import Features
package import Readings
import Telemetry

/// `heart-rate/delete`: a person has a range of their heart rate deleted. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
package final class HeartRateDeletion: @unchecked Sendable {
    private let context: PeopleContext
    private let deletions: Deletions
    private let packing: Packing

    package init(_ context: PeopleContext, _ deletions: Deletions, _ packing: Packing) {
        self.context = context
        self.deletions = deletions
        self.packing = packing
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb(
                "heart-rate/delete", .heartRateDelete,
                .later { [self] request in request.answering { try delete(request) } })
        ]
    }

    private func delete(_ request: PeopleRequest) throws {
        let user = try request.user
        let (from, to) = (try Self.time("from", request), try Self.time("to", request))
        guard from < to else { throw ReplyError(.badRequest, "\"from\" has to be before \"to\"", field: "from") }
        guard to <= context.now() else {
            throw ReplyError(.invalid, "what is yet to come cannot be deleted", field: "to")
        }
        guard let before = try deletions.hide(from..<to, of: user) else {
            throw ReplyError(.invalid, "too many ranges that do not touch: delete a longer one", field: "from")
        }
        let count = try HiddenCount(user, from..<to, before: before, context.store, context.keys) { count in
            request.finish(
                count.map { ["from": .integer(from), "to": .integer(to), "deleted": .integer(Int64($0))] })
        }
        packing.remove(count)
    }

    private static func time(_ name: String, _ request: PeopleRequest) throws(ReplyError) -> Int64 {
        guard case .integer(let time)? = request.fields[name], time.magnitude <= Moment.limit.magnitude else {
            throw ReplyError(.badRequest, "\"\(name)\" has to be a time in Unix milliseconds", field: name)
        }
        return time
    }
}
