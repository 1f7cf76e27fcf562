import Foundation
import HouseholdSupport
import Telemetry
import TestSupport

@testable import Sharing
@testable import vitals_consumer

extension Circle {
    /// What the settings say where people may share to this machine.
    static let sharingSettings =
        #"sharing: { schemes: ["json", "mastodon"], private_hosts: ["127.0.0.1"], time_limit: "60 s" },"#

    /// Adds a service of a person's.
    /// - Returns: its id.
    @discardableResult
    func addService(_ user: ID, _ address: String, _ label: String? = nil) throws -> String {
        let fields = JSON.object(present: ["address": .string(address), "label": label.map(JSON.string)])
        return try done(user, "share/add", fields).text("service")
    }

    /// Somebody who has walked today, and would share that.
    func walker() throws -> ID {
        let user = try person(name: "Ada", locale: "en")
        try walk(user, 0, 12_345)
        return user
    }

    /// What the person would share of today's steps.
    func preview(_ user: ID, _ fields: JSON = ["what": "goal"]) throws -> JSON {
        try done(user, "share/preview", fields)
    }

    /// The results of posting it.
    func share(_ user: ID, _ share: JSON?, to services: String..., text: String? = nil) throws -> [JSON] {
        try self.share(user, share, to: services, text: text)
    }

    func share(_ user: ID, _ share: JSON?, to services: [String], text: String? = nil) throws -> [JSON] {
        let fields = JSON.object(present: [
            "share": share, "to": .array(services.map(JSON.string)), "text": text.map(JSON.string),
        ])
        return try shareResults { try done(user, "share/post", fields) }
    }
}

/// The results of `share/post`. It is asked again, as clients do, while something waits or goes out: a reply waits for less long than
/// posting may take.
func shareResults(_ post: () throws -> JSON) throws -> [JSON] {
    // A posting has a minute, and what waits has another one.
    let end = ContinuousClock.now + .seconds(120)
    while true {
        let results = try elements(post(), "results")
        guard results.contains(where: { $0["state"] == "waiting" || $0["state"] == "going" }) else { return results }
        guard ContinuousClock.now < end else { throw TestFailure("still under way: \(results)") }
    }
}

extension SharingServices {
    /// A service as it is kept.
    static var madeUp: JSON {
        [
            "services": [
                [
                    "service": "service-a", "address": "mastodons://the-token@mastodon.example", "created": 0,
                    "masked": "mastodons://mastodon.example/…",
                ]
            ]
        ]
    }
}

extension PushReceiver {
    /// What was posted, and the pictures that came along.
    var posts: [(text: String, picture: [UInt8]?)] {
        requests.compactMap { request in
            guard let body = try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any],
                let text = body["message"] as? String
            else { return nil }
            let picture = (body["attachments"] as? [[String: String]])?.first?["base64"]
            return (text, picture.flatMap { Data(base64Encoded: $0) }.map { Array($0) })
        }
    }
}

/// All parts of the picture of a preview.
func picture(of preview: JSON, _ next: (JSON) throws -> JSON) throws -> [UInt8] {
    guard var part = preview["picture"], let share = preview["share"] else { throw TestFailure("no picture") }
    var bytes: [UInt8] = []
    while true {
        guard let data = Data(base64Encoded: try part.text("data")) else { throw TestFailure("no base64") }
        bytes += data
        guard let offset = part["next"] else { break }
        part = try next(["share": share, "offset": offset])
    }
    guard case .integer(Int64(bytes.count))? = part["length"] else { throw TestFailure("not as long as it says") }
    return bytes
}
