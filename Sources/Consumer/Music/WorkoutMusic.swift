package import Desk
package import Exercise
package import Features
import Files
import MQTT
import Readings
import Records
import Telemetry

// A workout starts the music in the house, pauses it with the workout and at its end, if its person has said so. The
// gateway is asked as its household asks it, and only for people of that household: whoever has enrolled the gateway for
// it, or, in a home without accounts, whom the settings give a sensor there. That is looked at each time, because a
// gateway may have got another owner since.
//
// A gateway is asked one thing at a time. What people want in the meantime waits, and only the latest of it: somebody
// may pause and go on ten times a second, and a gateway need not answer.

/// Answers `music/…`, and starts and pauses music with workouts. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class WorkoutMusic: FeatureService, WorkoutObserver, @unchecked Sendable {
    private let context: PeopleContext
    /// A level of its own, which a home's bridge lets pass.
    private let tail = "consumer/\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    /// A workout that has gone on for longer is not the moment for it any more.
    private static let limit = Duration.seconds(10)

    /// The gateways that have not answered yet, with what waits for that.
    private var asked: [ID: Wish?] = [:]

    /// What a person wants of the music.
    private struct Wish {
        let user: ID
        let request: MusicRequest
    }

    package init(_ parts: FeatureParts, with workouts: RunningWorkouts) {
        context = parts.context
        workouts.tell(self)
    }

    package var verbs: [Verb] {
        [
            Verb("music/get", .musicGet, .atOnce { [unowned self] in try get(of: $0.user) }),
            Verb("music/set", .musicSet, .atOnce { [unowned self] in try set($0) }),
        ]
    }

    // MARK: What people say

    private func get(of user: ID) throws -> JSON {
        try MusicChoice(context.documents, of: user)?.json ?? ["workouts": false]
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        guard let withWorkouts = try request.optionalBool("workouts") else {
            throw ReplyError(.badRequest, "\"workouts\" is missing: true or false", field: "workouts")
        }
        let asked = try request.optionalText("gateway", atMost: 36)
        let choice = MusicChoice(gateway: try gateway(asked, for: user), withWorkouts: withWorkouts)
        try context.store.change(user) { () throws(VaultError) in try choice.keep(context.documents, of: user) }
        return choice.json
    }

    /// The gateway that somebody names, or the one that they chose before, or the only one.
    private func gateway(_ asked: String?, for user: ID) throws -> ID {
        let gateways = try households(of: user)
        if let asked {
            guard let gateway = gateways.first(where: { $0.text == asked }) else {
                throw ReplyError(
                    .notFound, "you are not of the household of a gateway \(asked.prefix(36))", field: "gateway")
            }
            return gateway
        }
        if let chosen = try MusicChoice(context.documents, of: user)?.gateway, gateways.contains(chosen) {
            return chosen
        }
        guard let only = gateways.first else {
            throw ReplyError(.notFound, "you are not of the household of any gateway", field: "gateway")
        }
        guard gateways.count == 1 else {
            let names = gateways.map(\.text).joined(separator: ", ")
            throw ReplyError(.badRequest, "which gateway? There are \(names)", field: "gateway")
        }
        return only
    }

    /// The gateways whose household a person is of.
    private func households(of user: ID) throws(VaultError) -> [ID] {
        let enrolled = try EnrolledGateways(store: context.store, keys: context.keys).all(of: user)
        let all = Set(enrolled.filter(\.isHousehold).map(\.id)).union(Self.given(to: user, in: context.settings))
        return all.sorted { $0.text < $1.text }
    }

    /// The gateways at which the settings give somebody a sensor. Where there are accounts, a sensor is not enough: it may be
    /// somebody else's gateway, and the broker's rules let only those ask it who have enrolled it.
    static func given(to user: ID, in settings: any HouseSettings) -> Set<ID> {
        guard !settings.hasAccounts else { return [] }
        let gateways = settings.people.filter { $0.user == user }.flatMap { $0.sensors.map(\.gateway) }
        return Set(gateways.filter { settings.gateways[$0] != nil })
    }

    // MARK: Workouts

    package func turned(_ turn: WorkoutTurn, _ workout: ObservedWorkout) {
        // A phone without a network may tell an hour later that a workout has begun, and one without readings is over since
        // the last of them: the music does not follow.
        guard let request = turn.request, !workout.isLate(now: context.now()) else { return }
        fulfil(Wish(user: workout.user, request: request))
    }

    private func fulfil(_ wish: Wish) {
        let user = wish.user
        guard !context.doors.isBeingForgotten(user) else { return }
        do throws(VaultError) {
            guard let choice = try MusicChoice(context.documents, of: user), choice.withWorkouts,
                try households(of: user).contains(choice.gateway)
            else { return }
            ask(wish, of: choice.gateway)
        } catch {
            context.limitedLog.error("music of \(user)") {
                "whether the workout of \(user) starts music was not read\($0): \(error)"
            }
        }
    }

    private func ask(_ wish: Wish, of gateway: ID) {
        guard asked[gateway] == nil else {
            asked[gateway] = .some(wish)
            return
        }
        asked[gateway] = .some(nil)
        let (topics, request) = (context.topics, wish.request)
        context.session.request(
            [], to: topics[gateway, .musicRequest(request)], responseTopic: topics[gateway, .response(tail)],
            within: Self.limit
        ) { [self] result in
            if let reason = Self.refusal(in: result) {
                context.limitedLog.info("music of \(gateway)") {
                    "the gateway \(gateway) was asked to \(request.rawValue) music\($0): \(reason)"
                }
            }
            if let next = asked.removeValue(forKey: gateway) ?? nil { fulfil(next) }
        }
    }

    /// Why a gateway has not done what it was asked; nil if it has.
    private static func refusal(in result: Result<Message, MQTTError>) -> String? {
        switch result {
        case .failure(let error): return "\(error)"
        case .success(let message):
            let reply = decoded { () throws(MalformedValue) in try Reply(payload: message.payload) }
            guard case .error(let error)? = reply?.outcome else { return nil }
            // A gateway is a stranger's machine.
            return String(error.message.prefix(200))
        }
    }
}

extension WorkoutTurn {
    /// What a gateway is asked for when a workout takes this turn; nil if nothing.
    fileprivate var request: MusicRequest? {
        switch self {
        case .began, .resumed: .play
        case .paused, .ended, .cancelled: .pause
        case .goesOn, .reachedGoal, .zone: nil
        }
    }
}
