/// What a request of a person says, and what the reply to it has in `data`.
///
/// It stands beside the verb that it describes, in the same feature, and takes its limits from the constants that the
/// verb checks with. `Channel.verb` makes of it the types that the document has, named after the verb: of `goals/set`
/// come `GoalsSetRequest` and `GoalsSetReply`.
public struct RequestContract: Hashable, Sendable {
    /// What the request does, as a sentence.
    public let words: String
    /// Its fields, besides the `id` that each request may have.
    public let asks: [PayloadSchema.Field]
    /// What the reply has in `data`. Without a name of its own, it is called after the verb: `GoalsSetData`.
    public let answers: PayloadSchema

    public init(_ words: String, asks: [PayloadSchema.Field] = [], answers: PayloadSchema = .nothing) {
        self.words = words
        self.asks = asks
        self.answers = answers
    }

    /// `GoalsSet` of `goals/set`, `SignInWith` of `sign-in-with`.
    static func name(of verb: String) -> String {
        verb.split { $0 == "/" || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
