package import Daemon
package import Telemetry

// What can be asked. A feature makes its verbs, and the service hands them to the desk: neither knows the other.

/// One request that can be asked, and what answers it.
package struct Verb {
    /// Who may ask it.
    package enum Audience: Sendable { case guests, persons }

    /// A verb for guests, `resource/verb` for people.
    package let name: String
    package let audience: Audience
    /// Of its payload.
    let maximumLength: Int
    /// How often a person may ask it, beside all else; nil where it is counted with all else.
    let allowance: Allowance<ID>?
    let isRemembered: Bool
    let handling: Handling

    /// - Parameters:
    ///   - name: a verb for guests, `resource/verb` for people.
    ///   - maximumLength: of its payload.
    ///   - bulk: how often a person may ask it, beside all else that they ask: for what comes in many parts, each of which can be
    ///     asked for again. Replies to it are not remembered, for they would take the place of all others.
    ///   - own: how often a person may ask it, beside all else that they ask: `.defence` or `.devices` for what people defend themselves
    ///     with. A thief who has one of their devices can then flood the desk with something else, and they are still answered.
    package init(
        _ name: String, for audience: Audience = .persons, maximumLength: Int = Request.maximumLength,
        bulk: Allowance<ID>? = nil, own: Allowance<ID>? = nil, _ handling: Handling
    ) {
        self.name = name
        self.audience = audience
        self.maximumLength = maximumLength
        allowance = bulk ?? own
        isRemembered = bulk == nil
        self.handling = handling
    }
}

/// How a request is worked on. Both run on the session's thread, and must not hold it up.
package enum Handling {
    /// Answered when it returns. What it changes must be durable then: `store.database.transaction`.
    case atOnce((PeopleRequest) throws -> JSON)
    /// Answered later: after hashing a password, or when the broker has confirmed something.
    case later((PeopleRequest) -> Void)
}

/// How often each person may ask what they defend themselves with.
extension Allowance<ID> {
    package static var defence: Self { Self(perSecond: 5, burst: 50) }
    /// To see the devices and to end one costs little, and nothing else puts a thief out without ending all of them.
    package static var devices: Self { Self(perSecond: 20, burst: 200) }
}
