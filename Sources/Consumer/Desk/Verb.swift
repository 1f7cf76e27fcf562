package import Contract
package import Daemon
package import Telemetry

// The requests that can be asked. A feature makes its verbs, and the service hands them to the desk: feature and desk
// do not know each other.

/// One request that can be asked, and what answers it.
package struct Verb {
    /// The people who may ask it.
    package enum Audience: Sendable { case guests, persons }

    /// A verb for guests, `resource/verb` for people.
    package let name: String
    /// What the request says, and its reply.
    package let contract: RequestContract
    package let audience: Audience
    /// The maximum length of its payload.
    package let maximumLength: Int
    /// How often a person may ask it, apart from all other requests; nil if it is counted with these.
    let allowance: Allowance<ID>?
    /// Whether it is answered however much was replied to the same person.
    let isExempt: Bool
    /// Whether the same request is known when it comes again.
    let isRemembered: Bool
    /// Whether its reply is kept for that, so that it is not done again.
    let isReplyKept: Bool
    /// Tests put something around it that sees what is asked and answered.
    package var handling: Handling

    /// - Parameters:
    ///   - name: a verb for guests, `resource/verb` for people.
    ///   - contract: what the request says, and its reply: for the document of all topics.
    ///   - maximumLength: of its payload.
    ///   - bulk: how often a person may ask it, apart from all their other requests: for what comes in many parts, each
    ///     of which can be asked for again. Replies to it are not remembered, because they would take the place of all
    ///     others.
    ///   - own: how often a person may ask it, apart from all their other requests: `.defence`, `.devices` or `.hashing` for
    ///     what people defend themselves with. A thief who has one of their devices can then flood the desk with something
    ///     else, and they are still answered. All devices of a person share it: a thief who sends these very requests is first
    ///     shut out with `devices/revoke`, which has the largest one.
    ///   - namesOthers: whether the reply shows other people, by names that may be forgotten, or that the asker may not see a
    ///     moment later. It is not kept: if it got lost, the request is done again, which has to be harmless.
    package init(
        _ name: String, _ contract: RequestContract, for audience: Audience = .persons,
        maximumLength: Int = Request.maximumLength, bulk: Allowance<ID>? = nil, own: Allowance<ID>? = nil,
        namesOthers: Bool = false, _ handling: Handling
    ) {
        self.name = name
        self.contract = contract
        self.audience = audience
        self.maximumLength = maximumLength
        allowance = bulk ?? own
        isExempt = own != nil
        isRemembered = bulk == nil
        isReplyKept = !namesOthers
        self.handling = handling
    }
}

/// How a request is handled. Both kinds run on the session's thread, and must not hold it up.
package enum Handling {
    /// Answered when it returns. What it changes must be durable then: `store.database.transaction`.
    case atOnce((PeopleRequest) throws -> JSON)
    /// Answered later: after hashing a password, or when the broker has confirmed something.
    case later((PeopleRequest) -> Void)
}

/// How often each person may send the requests that they defend themselves with.
extension Allowance<ID> {
    package static var defence: Self { Self(perSecond: 5, burst: 50) }
    /// For what hashes a password or a code, which takes a good part of a second and 32 MiB.
    package static var hashing: Self { Self(perSecond: 0.1, burst: 50) }
    /// It costs little to list the devices and to end one, and nothing else shuts a thief out without ending all of
    /// them.
    package static var devices: Self { Self(perSecond: 20, burst: 200) }
}
