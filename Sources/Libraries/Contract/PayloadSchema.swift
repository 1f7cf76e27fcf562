public import Telemetry

/// What a JSON payload looks like, as JSON Schema (2020-12's words that draft 7 has, too, because AsyncAPI takes that).
///
/// A schema says what is always there and of what type it is. Readers ignore fields that they do not know; so a schema
/// does not forbid them, and only tests do.
public struct PayloadSchema: Hashable, Sendable {
    /// What generated types call it; nil if it has no name of its own.
    public let name: String?
    public let json: JSON

    private init(_ name: String?, _ json: JSON) {
        self.name = name
        self.json = json
    }

    /// A field of an object.
    public struct Field: Hashable, Sendable {
        public let name: String
        let schema: PayloadSchema
        let isRequired: Bool

        /// A field that is always there.
        public static func always(_ name: String, _ schema: PayloadSchema) -> Field {
            Field(name: name, schema: schema, isRequired: true)
        }

        /// A field that is left out if its value is not known.
        public static func known(_ name: String, _ schema: PayloadSchema) -> Field {
            Field(name: name, schema: schema, isRequired: false)
        }

        /// The same field, where it is always there, or where whoever asks may leave it out, or some of its own fields.
        public func asked(isAlways: Bool) -> Field { isAlways ? .always(name, schema) : .known(name, schema.partial) }
    }

    /// - Parameter name: what generated types call it, such as `HeartRate`.
    public static func object(_ name: String, _ words: String, _ fields: [Field]) -> PayloadSchema {
        record(fields).named(name, words)
    }

    /// The same type if it has no fields of its own; otherwise one of another name, in which none of them is always there.
    private var partial: PayloadSchema {
        guard case .object(let members) = json, case .string(let title)? = json["title"], json["properties"] != nil
        else {
            return self
        }
        let name = "\(title)Part"
        let rest = members.filter { $0.name != "title" && $0.name != "required" }
        return PayloadSchema(name, .object([JSON.Member("title", .string(name))] + rest))
    }

    /// An object without a name of its own.
    public static func record(_ fields: [Field]) -> PayloadSchema {
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        return PayloadSchema(
            nil,
            .object(present: [
                "type": "object", "properties": .object(fields.map { JSON.Member($0.name, $0.schema.json) }),
                "required": required.isEmpty ? nil : .array(required),
            ]))
    }

    /// An object without any fields.
    public static let nothing = record([])

    /// Unix milliseconds, UTC.
    public static let time = PayloadSchema(nil, ["type": "integer", "description": "Unix milliseconds, UTC"])
    public static let text = PayloadSchema(nil, ["type": "string"])
    public static let bool = PayloadSchema(nil, ["type": "boolean"])
    public static let integer = PayloadSchema(nil, ["type": "integer"])
    public static let count = integer(from: 0)
    public static let number = PayloadSchema(nil, ["type": "number"])
    public static let percent = integer(from: 0, through: 100)
    /// An id of a gateway, a sensor or a person.
    public static let id = text(matching: "^[a-z0-9-]{1,36}$")
    /// A day in somebody's time zone.
    public static let day = text(matching: "^[0-9]{4,}-[0-9]{2}-[0-9]{2}$")
    /// Anything at all, which the document about topics describes.
    public static let anything = PayloadSchema(nil, [:])

    /// An object whose fields others describe.
    public static let members = PayloadSchema(nil, ["type": "object"])

    public static func integer(from least: Int64, through most: Int64? = nil) -> PayloadSchema {
        PayloadSchema(
            nil, .object(present: ["type": "integer", "minimum": .integer(least), "maximum": most.map(JSON.integer)]))
    }

    public static func integer(in range: ClosedRange<Int64>) -> PayloadSchema {
        integer(from: range.lowerBound, through: range.upperBound)
    }

    public static func number(in range: ClosedRange<Double>) -> PayloadSchema {
        PayloadSchema(nil, ["type": "number", "minimum": bound(range.lowerBound), "maximum": bound(range.upperBound)])
    }

    private static func bound(_ value: Double) -> JSON { Int64(exactly: value).map(JSON.integer) ?? .number(value) }

    public static func text(matching pattern: String) -> PayloadSchema {
        PayloadSchema(nil, ["type": "string", "pattern": .string(pattern)])
    }

    /// - Parameter bytes: the limit. JSON Schema counts characters, and a text never has more of these than bytes.
    public static func text(from least: Int = 0, atMost bytes: Int) -> PayloadSchema {
        PayloadSchema(
            nil,
            .object(present: [
                "type": "string", "minLength": least > 0 ? .integer(Int64(least)) : nil,
                "maxLength": .integer(Int64(bytes)), "description": .string("at most \(bytes) bytes of UTF-8"),
            ]))
    }

    /// Bytes in base64.
    /// - Parameter bytes: how many there may be before they are encoded; nil if nothing is said about it.
    public static func base64(atMost bytes: Int? = nil) -> PayloadSchema {
        PayloadSchema(
            nil,
            .object(present: [
                "type": "string", "contentEncoding": "base64",
                "maxLength": bytes.map { .integer(Int64(($0 + 2) / 3 * 4)) },
            ]))
    }

    /// One of these words.
    public static func word(_ words: [String]) -> PayloadSchema {
        PayloadSchema(nil, ["type": "string", "enum": .array(words.map(JSON.string))])
    }

    /// Always this word.
    public static func only(_ word: String) -> PayloadSchema { PayloadSchema(nil, ["const": .string(word)]) }

    public static func array(of element: PayloadSchema, atMost limit: Int64? = nil) -> PayloadSchema {
        PayloadSchema(
            nil, .object(present: ["type": "array", "items": element.json, "maxItems": limit.map(JSON.integer)]))
    }

    /// One of several.
    public static func either(_ schemas: PayloadSchema...) -> PayloadSchema {
        PayloadSchema(nil, ["oneOf": .array(schemas.map(\.json))])
    }

    /// The same, or null where that is not the same as leaving the field out.
    public var orNull: PayloadSchema { .either(self, PayloadSchema(nil, ["type": "null"])) }

    /// The same with words for people: a unit, what it means, what it is if it is left out. Not for what has a name of
    /// its own.
    public func about(_ words: String) -> PayloadSchema {
        guard case .object(let members) = json else { return self }
        let others = members.filter { $0.name != "description" }
        let known = members.first { $0.name == "description" }?.value
        let text = if case .string(let before)? = known { "\(words); \(before)" } else { words }
        return PayloadSchema(name, .object(others + [JSON.Member("description", .string(text))]))
    }

    /// The same under a name of its own, with words for people.
    public func named(_ name: String, _ words: String) -> PayloadSchema {
        guard case .object(let members) = json else { return self }
        return PayloadSchema(
            name, .object([JSON.Member("title", .string(name)), JSON.Member("description", .string(words))] + members))
    }
}
