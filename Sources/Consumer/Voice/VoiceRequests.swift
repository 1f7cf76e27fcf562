import Contract
package import Desk
import Features
import Files
import Telemetry
import Workouts

// What people ask: `voice/get` and `voice/set`.

extension Voice {
    package var verbs: [Verb] {
        [
            Verb(
                "voice/get", .voiceGet,
                .atOnce { [unowned self] in .object(try members(of: plan(of: $0.user), $0.user)) }),
            Verb("voice/set", .voiceSet, .atOnce { [unowned self] in try set($0) }),
        ]
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let (interval, contents) = (try request.interval(), try request.contents())
        let plan = try context.store.attempt(naming: [user]) {
            let before = try self.plan(of: user)
            guard let plan = SpeakingPlan(interval ?? before.interval, contents ?? before.contents) else {
                throw ReplyError(.invalid, "\"say\" names at least one thing, and none twice", field: "say")
            }
            try VoicePlanDocument(documents: context.documents).write(plan, of: user)
            return plan
        }.get()
        changed(to: plan, of: user)
        return .object(try members(of: plan, user))
    }

    private func members(of plan: SpeakingPlan, _ user: ID) throws(VaultError) -> [JSON.Member] {
        plan.members + [JSON.Member("voice", .bool(try Listener(context.documents, user) != nil))]
    }
}

extension PeopleRequest {
    /// How often something is said; nil if nothing is said about that.
    fileprivate func interval() throws(ReplyError) -> SpokenInterval? {
        let minutes = try optionalInteger("minutes", in: 1...Int64(SpokenInterval.minutesRange.upperBound))
        let (kilometres, miles) = (try length("kilometres"), try length("miles"))
        let all = [
            minutes.map { SpokenInterval.minutes(Int($0)) }, kilometres.map { .kilometres($0) },
            miles.map { .miles($0) },
        ].compactMap(\.self)
        guard all.count <= 1 else {
            throw ReplyError(.invalid, "name one of \"minutes\", \"kilometres\" and \"miles\"", field: "minutes")
        }
        return all.first
    }

    private func length(_ field: String) throws(ReplyError) -> Double? {
        guard let value = fields[field], value != .null else { return nil }
        guard let length = value.double, SpokenInterval.distances.contains(length) else {
            throw ReplyError(.badRequest, "\"\(field)\" has to be a number from 0.5 to 50", field: field)
        }
        return length
    }

    fileprivate func contents() throws(ReplyError) -> [SpokenContent]? {
        try optionalTexts("say", atMost: SpokenContent.allCases.count)?.map { name throws(ReplyError) in
            guard let content = SpokenContent(rawValue: name) else {
                let all = SpokenContent.allCases.map(\.rawValue).joined(separator: ", ")
                throw ReplyError(.invalid, "\"say\" is a list of these: \(all)", field: "say")
            }
            return content
        }
    }
}

/// What `voice/…` ask and answer.
extension RequestContract {
    private static let contents = PayloadSchema.array(
        of: .word(SpokenContent.allCases.map(\.rawValue)), atMost: Int64(SpokenContent.allCases.count)
    ).about("in the order in which it is said")

    private static let length = PayloadSchema.number(in: SpokenInterval.distances)
    private static let every: [PayloadSchema.Field] = [
        .known("minutes", .integer(in: 1...Int64(SpokenInterval.minutesRange.upperBound))),
        .known("kilometres", length), .known("miles", length),
    ]

    private static let plan = PayloadSchema.object(
        "SpeakingPlan", "What a person hears during a workout, and how often: one of minutes, kilometres and miles.",
        every + [
            .always("say", contents), .always("voice", .bool.about("whether anything is said: the profile says so")),
        ])

    static let voiceGet = RequestContract("Shows what is said during a workout, and how often.", answers: plan)

    static let voiceSet = RequestContract(
        "Says what is said during a workout, and how often. What is left out stays as it is.",
        asks: every + [.known("say", contents)], answers: plan)
}
