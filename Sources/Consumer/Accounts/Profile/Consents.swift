package import Desk
package import Files
import Readings
package import Records
package import Telemetry

/// What people agree to: that something is shown to others, and that their position is recorded. It is the document
/// "consent". Nothing is shown and no position is recorded unless they say so.
package struct Consents {
    /// What can be agreed to show to others.
    package static let shown = ["location", "motion", "steps"]
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

    /// Keeps what a person says, within a transaction.
    package func keep(_ said: [String: Bool], of user: ID) throws(VaultError) {
        let members = Self.names.compactMap { name in said[name].map { JSON.Member(name, .bool($0)) } }
        try documents.write(.object(members), Self.document, of: user)
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
    package func keep(_ share: Share, of user: ID) throws(VaultError) -> JSON {
        if let steps = share.steps {
            var said = try said(by: user)
            said["steps"] = steps
            try keep(said, of: user)
        }
        return ["steps": .bool(try showsSteps(user))]
    }
}
