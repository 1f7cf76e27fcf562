import Foundation
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport

@testable import Exercise

extension WorkoutHouse {
    /// The settings for the exercises of this project.
    static let catalogue = "training: { exercises: \"\(projectFolder)/deploy/training/exercises.json\" },"

    /// A house in which plans are made.
    static func training(_ body: (WorkoutHouse) throws -> Void) throws {
        try with(more: " \(catalogue)", body)
    }

    /// The first plan of an offer.
    func plan(_ kind: String = "weights", minutes: Int64 = 30, seed: Int64 = 7) throws -> JSON {
        let fields: JSON = ["kind": .string(kind), "minutes": .integer(minutes), "seed": .integer(seed)]
        guard let plan = try done("training/offer", fields).list("offers").first else { throw TestFailure("no plan") }
        return plan
    }

    /// Starts a training of a plan.
    @discardableResult
    func train(_ plan: JSON) throws -> JSON {
        guard let training = try done("training/start", ["plan": plan["plan"] ?? .null])["training"] else {
            throw TestFailure("no training")
        }
        return training
    }

    /// The next message about the training that is as wanted; nil for the empty one.
    @discardableResult
    func publishedTraining(_ what: String, _ isMeant: (JSON?) -> Bool) throws -> JSON? {
        try client.wait(what) { message -> JSON?? in
            guard message.topic.hasSuffix("/training") else { return nil }
            let json = message.payload.isEmpty ? nil : try JSON(payload: message.payload)
            return isMeant(json) ? .some(json) : nil
        }
    }

    /// Skips what comes before the main part, and what of it is not of repetitions.
    func skipToRepetitions() throws -> JSON {
        var now = try done("training/current")["training"] ?? .null
        while now["part"] != "main" || now["repetitions"] == nil { now = try done("training/skip") }
        return now
    }

    /// Asks with something by which the request is known again.
    func ask(
        again identity: [UInt8], _ verb: String, _ fields: JSON = [:], at place: String
    ) throws -> Reply.Outcome {
        client.session.publish(
            Message(
                topic: "vitals/v1/users/demo/requests/\(verb)", payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place, correlationData: identity)))
        return try reply(at: place, to: verb)
    }
}

extension JSON {
    /// Some of its members.
    func only(_ names: String...) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { names.contains($0.name) })
    }
}
