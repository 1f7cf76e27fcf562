package import Telemetry

/// Who asks: known from the topic alone, which the broker's access rules guard. Nothing in a payload says who the asker
/// is.
package enum Asker: Hashable, Sendable {
    /// Somebody who is not signed in.
    case guest
    case person(ID)
}

/// Something that a request has made and that only its asker can use, such as a device: it is taken back if the
/// reply does not leave, and if the broker says that nobody listens for the reply. If the same request comes again,
/// it is done again.
// Proof of @unchecked: touched on the session's thread, and nowhere else.
package final class Unheard: @unchecked Sendable {
    package init() {}

    /// Set before the answer, by the handler.
    package var takeBack: (() -> Void)?
}

/// An error that says what to tell the asker.
package protocol RequestRefusal: Error {
    var reply: ReplyError { get }
}

/// A request that the desk has checked: its size, its Response Topic, how often its asker asks.
package struct PeopleRequest: Sendable {
    package let asker: Asker
    /// `sign-up`, or `devices/list`.
    package let name: String
    package let fields: JSON
    /// Digest of what makes it the same request when it comes again: topic, response topic and correlation data; nil
    /// if it has no correlation data. `Answered` remembers it for requests that must not be done twice.
    package let identity: [UInt8]?
    /// How long its asker waits for the reply: its Message Expiry, at most a minute; without one, 10 s.
    package let limit: Duration
    /// Holds what to take back if the reply reaches nobody.
    package let unheard: Unheard
    /// Called with what the operator's log should say about an error.
    private let report: @Sendable (String) -> Void
    /// To be called once, on the session's thread.
    package var answer: @Sendable (Reply.Outcome) -> Void

    package init(
        asker: Asker, name: String, fields: JSON, identity: [UInt8]?, limit: Duration = .seconds(10),
        unheard: Unheard = Unheard(), report: @escaping @Sendable (String) -> Void = { _ in },
        answer: @escaping @Sendable (Reply.Outcome) -> Void
    ) {
        self.asker = asker
        self.name = name
        self.fields = fields
        self.identity = identity
        self.limit = limit
        self.unheard = unheard
        self.report = report
        self.answer = answer
    }

    package func done(_ data: JSON = [:]) { answer(.ok(data)) }

    /// Answers with an error: what a handler says to the asker or, for every other error, that it is our fault.
    package func refuse(_ error: any Error) {
        switch error {
        case let error as ReplyError: return answer(.error(error))
        case let error as any RequestRefusal: return answer(.error(error.reply))
        default: break
        }
        report("\(name) failed: \(error)")
        let words = "this cannot be done now; the operator's log says why"
        answer(.error(ReplyError(.internal, words, retryAfterSeconds: 60)))
    }

    /// Answers with what was found, or says why not.
    package func finish(_ result: Result<JSON, some Error>) {
        switch result {
        case .success(let data): done(data)
        case .failure(let error): refuse(error)
        }
    }

    /// Runs a body that answers later; an error that it throws is the answer.
    package func answering(_ body: () throws -> Void) {
        do { try body() } catch { refuse(error) }
    }

    /// Who asks, if only people can.
    package var user: ID {
        get throws(ReplyError) {
            guard case .person(let user) = asker else {
                throw ReplyError(.notAllowed, "sign in first: only people can ask this")
            }
            return user
        }
    }
}

extension PeopleRequest {
    /// A field that must be there: a text of at most this many bytes.
    package func text(_ field: String, atMost limit: Int) throws(ReplyError) -> String {
        guard let text = try optionalText(field, atMost: limit) else {
            throw ReplyError(.badRequest, "\"\(field)\" is missing", field: field)
        }
        return text
    }

    /// A text; nil if the field is absent or null.
    package func optionalText(_ field: String, atMost limit: Int) throws(ReplyError) -> String? {
        switch fields[field] {
        case nil, .null?: return nil
        case .string(let text)?:
            guard text.utf8.count <= limit else {
                throw ReplyError(.badRequest, "\"\(field)\" has more than \(limit) bytes", field: field)
            }
            return text
        default: throw ReplyError(.badRequest, "\"\(field)\" has to be a text", field: field)
        }
    }

    /// Yes or no; nil if the field is absent or null.
    package func optionalBool(_ field: String) throws(ReplyError) -> Bool? {
        switch fields[field] {
        case nil, .null?: return nil
        case .bool(let value)?: return value
        default: throw ReplyError(.badRequest, "\"\(field)\" has to be true or false", field: field)
        }
    }

    /// A whole number; nil if the field is absent or null.
    package func optionalInteger(_ field: String, in range: ClosedRange<Int64>) throws(ReplyError) -> Int64? {
        switch fields[field] {
        case nil, .null?: return nil
        case .integer(let value)? where range.contains(value): return value
        default:
            let words = "\"\(field)\" has to be a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw ReplyError(.badRequest, words, field: field)
        }
    }

    /// A list of texts of at most 64 bytes; nil if the field is absent or null.
    package func optionalTexts(_ field: String, atMost limit: Int) throws(ReplyError) -> [String]? {
        let wrong = ReplyError(.badRequest, "\"\(field)\" has to be a list of at most \(limit) texts", field: field)
        switch fields[field] {
        case nil, .null?: return nil
        case .array(let values)? where values.count <= limit:
            return try values.map { value throws(ReplyError) in
                guard case .string(let text) = value, text.utf8.count <= 64 else { throw wrong }
                return text
            }
        default: throw wrong
        }
    }

    /// A field that must be there: the id of something.
    package func id(_ field: String) throws(ReplyError) -> ID {
        let text = try text(field, atMost: 64)
        do throws(MalformedValue) { return try ID(text) } catch {
            throw ReplyError(.badRequest, "\"\(field)\": \(error)", field: field)
        }
    }
    /// An id; nil if the field is absent or null.
    package func optionalID(_ field: String) throws(ReplyError) -> ID? {
        fields[field] == nil || fields[field] == .null ? nil : try id(field)
    }
}
