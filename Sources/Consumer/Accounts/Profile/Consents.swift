import Days
package import Desk
package import Files
import Fitness
import Readings
package import Records
package import Telemetry

/// What people agree to: that something is shown to others, and that their position is recorded. It is the document
/// "consent". Nothing is shown and no position is recorded unless they say so.
package struct Consents {
    /// What can be agreed to show to others.
    package static let shown = ["location", "motion", "steps", homeAssistant]
    /// Showing the day in Home Assistant, and to everybody who can sign in there.
    private static let homeAssistant = "home_assistant"
    /// What can be agreed to.
    package static let names = shown + [RecordedKinds.recordLocation]
    package static let document = "consent"

    package let documents: Documents

    package init(_ documents: Documents) { self.documents = documents }

    /// What a person has said of each; nil if they have not.
    package func said(by user: ID) throws(VaultError) -> [String: Bool] {
        let kept = try documents.read(Self.document, of: user)
        var said: [String: Bool] = [:]
        for name in Self.names { if case .bool(let value)? = kept?[name] { said[name] = value } }
        return said
    }

    /// Whether friends see a person's steps.
    package func showsSteps(_ user: ID) throws(VaultError) -> Bool { try said(by: user)["steps"] ?? false }

    /// Whether a person's day is shown in Home Assistant, as far as the person is concerned: what they have said of it, or
    /// else what the settings say.
    package func showsInHomeAssistant(_ user: ID, _ settings: HomeAssistantSettings) throws(VaultError) -> Bool {
        try said(by: user)[Self.homeAssistant] ?? settings.people.contains(user)
    }

    /// What applies to a person: what they have said, and what the settings say where they have said nothing.
    package func applying(to user: ID, _ settings: HomeAssistantSettings) throws(VaultError) -> [String: Bool] {
        var said = try said(by: user)
        said[Self.homeAssistant] = try showsInHomeAssistant(user, settings)
        return said
    }

    /// Keeps what a person says, within a transaction, and since when their position is recorded.
    /// - Parameter now: Unix milliseconds.
    package func keep(_ said: [String: Bool], of user: ID, now: Int64) throws(VaultError) {
        var members = Self.names.compactMap { name in said[name].map { JSON.Member(name, .bool($0)) } }
        if said[RecordedKinds.recordLocation] == true {
            let since = try RecordedKinds(documents).beginOfLocation(of: user) ?? now
            if since > -Moment.limit { members.append(JSON.Member(RecordedKinds.recordLocationSince, .integer(since))) }
        }
        try documents.write(.object(members), Self.document, of: user)
    }

    /// The document as it is exported: with the time in ISO 8601.
    package static func dated(_ document: JSON) -> JSON {
        document.dated(RecordedKinds.recordLocationSince) { iso8601(unixMilliseconds: $0) }
    }

    /// What a request about friends may say in addition: `"share":{"steps":true}`. Making a friend shows them nothing
    /// by itself.
    package struct Share {
        fileprivate let steps: Bool?

        package init(_ request: PeopleRequest) throws(ReplyError) {
            let wrong = ReplyError(
                .badRequest, "\"share\" says what your friends see: {\"steps\": true} or {\"steps\": false}",
                field: "share")
            switch present("share", request.fields) {
            case nil: steps = nil
            case .object(let members)?:
                guard members.allSatisfy({ $0.name == "steps" }) else { throw wrong }
                switch members.first?.value {
                case nil: steps = nil
                case .bool(let value)?: steps = value
                default: throw wrong
                }
            default: throw wrong
            }
        }

        /// Whether the request says anything about sharing.
        package var saysSomething: Bool { steps != nil }
    }

    /// Keeps what a person's request says about sharing, within a transaction.
    /// - Returns: what their friends see from now on, for the reply.
    package func keep(_ share: Share, of user: ID, now: Int64) throws(VaultError) -> JSON {
        if let steps = share.steps {
            var said = try said(by: user)
            said["steps"] = steps
            try keep(said, of: user, now: now)
        }
        return ["steps": .bool(try showsSteps(user))]
    }
}
