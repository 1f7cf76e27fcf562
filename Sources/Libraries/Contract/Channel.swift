public import Telemetry

/// One topic, or the topics of one kind: who publishes what there.
public struct Channel: Hashable, Sendable {
    /// What a message carries.
    public enum Content: Hashable, Sendable {
        case json(PayloadSchema)
        /// Plain text.
        case text(PayloadSchema)
        /// Bytes, described in Telemetry.docc/Blocks.md or at OwnTracks.
        case binary
    }

    /// What the gateway and the consumer do with it.
    public enum Direction: String, Hashable, Sendable {
        /// One of them publishes there.
        case send
        /// A client publishes there.
        case receive
    }

    /// With `{parameter}` for a level that has different names.
    public let address: String
    public let direction: Direction
    public let qos: Int
    public let isRetained: Bool
    public let words: String
    public let content: Content
    /// What replies to a request here look like, and where they come if the request names no other place; nil if this
    /// takes no requests.
    let reply: Reply?
    /// The most bytes of a message; nil if nothing is said about it.
    let maximumLength: Int?

    struct Reply: Hashable, Sendable {
        let address: String?
        let schema: PayloadSchema
    }

    init(
        _ address: String, _ direction: Direction, qos: Int, isRetained: Bool = false, _ words: String,
        _ content: Content, reply: Reply? = nil, maximumLength: Int? = nil
    ) {
        self.address = address
        self.direction = direction
        self.qos = qos
        self.isRetained = isRetained
        self.words = words
        self.content = content
        self.reply = reply
        self.maximumLength = maximumLength
    }

    /// What the consumer publishes to a person.
    /// - Parameter name: what follows `users/{user}/`, with a `+` for a level that has different names.
    public static func person(
        _ name: String, qos: Int, isRetained: Bool, _ topics: Topics, _ schema: PayloadSchema
    ) -> Channel {
        let levels = name.split(separator: "/").reduce(into: [String]()) { levels, level in
            // `friends/+` is a friend, `goals/+` a goal.
            levels.append(level == "+" ? "{\((levels.last ?? "name").dropLast())}" : String(level))
        }
        return Channel(
            "\(topics.root)/users/{user}/\(levels.joined(separator: "/"))", .send, qos: qos, isRetained: isRetained,
            "what the consumer publishes to a person", .json(schema))
    }

    /// A request to the consumer: of a person if its name has a slash, and else of somebody who is not signed in.
    public static func verb(
        _ name: String, _ contract: RequestContract, maximumLength: Int, _ topics: Topics
    ) -> Channel {
        let isPersons = name.contains("/")
        let place = isPersons ? "users/{user}/requests" : "accounts"
        let type = RequestContract.name(of: name)
        let answers =
            contract.answers.name == nil ? contract.answers.named("\(type)Data", "What it replies.") : contract.answers
        return Channel(
            "\(topics.root)/\(place)/\(name)", .receive, qos: 1, contract.words,
            .json(Schemas.request("\(type)Request", contract.words, contract.asks)),
            reply: Reply(
                address: isPersons ? "\(topics.root)/users/{user}/responses/\(name)" : nil,
                schema: Schemas.reply("\(type)Reply", to: answers)),
            maximumLength: maximumLength)
    }
}
