public import Telemetry

/// The document that says what is published where, for programs: https://www.asyncapi.com/docs/reference/specification/v3.0.0
///
/// The application that it describes is Vitals as a whole: what gateway or consumer publish, it sends; what clients
/// publish, it receives.
public struct AsyncAPI: Sendable {
    private let channels: [Channel]
    private let version: String

    public init(_ channels: [Channel], version: String) {
        self.channels = channels.sorted { $0.address < $1.address }
        self.version = version
    }

    /// The document. The same channels give the same bytes.
    public var json: JSON {
        let words = """
            Made from the code: see deploy/topics.md, which also says what the fields of requests to the consumer are. The root \
            vitals/v1 is a setting.
            """
        return .object(present: [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Vitals", "version": .string(version), "description": .string(words),
                "license": ["name": "see LICENSE"],
            ],
            "defaultContentType": "application/json",
            "channels": object(channels.flatMap(channelMembers)),
            "operations": object(channels.map(operation)),
            "components": ["messages": object(messages), "schemas": object(schemas)],
        ])
    }

    /// Members of one name have to be the same: otherwise two different schemas have one name, and one of them must get
    /// another.
    private func object(_ members: [JSON.Member]) -> JSON {
        var seen: [String: JSON] = [:]
        for member in members {
            let known = seen.updateValue(member.value, forKey: member.name)
            precondition(known == nil || known == member.value, "two different things are called \(member.name)")
        }
        return .object(seen.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) })
    }

    // MARK: Names

    /// `gateways.gateway.status` of `vitals/v1/gateways/{gateway}/status`; the root is not part of it.
    private func name(_ address: String) -> String {
        address.split(separator: "/").drop { !["gateways", "users", "accounts", "stores"].contains($0) }
            .map { $0.filter { $0 != "{" && $0 != "}" } }.joined(separator: ".")
    }

    private func reference(_ path: String) -> JSON { ["$ref": .string("#/\(path)")] }

    // MARK: Channels

    private func channelMembers(_ channel: Channel) -> [JSON.Member] {
        let message = messageName(channel)
        let members = [JSON.Member(name(channel.address), described(channel.address, channel.words, message))]
        guard let reply = channel.reply else { return members }
        let answer = reply.address.map { described($0, "replies to requests that name no other place", nil, reply) }
        return members + [JSON.Member(replyName(channel), answer ?? described(nil, "replies", nil, reply))]
    }

    private func replyName(_ channel: Channel) -> String {
        channel.reply?.address.map(name) ?? "\(name(channel.address)).reply"
    }

    private func described(_ address: String?, _ words: String, _ message: String?, _ reply: Channel.Reply? = nil)
        -> JSON
    {
        let name = message ?? reply?.schema.name ?? "Reply"
        let parameters = (address ?? "").split(separator: "/").filter { $0.hasPrefix("{") }
            .map { JSON.Member(String($0.dropFirst().dropLast()), [:]) }
        return .object(present: [
            "address": address.map(JSON.string) ?? .null, "description": .string(words),
            "parameters": parameters.isEmpty ? nil : .object(parameters),
            "messages": .object([JSON.Member(name, reference("components/messages/\(name)"))]),
        ])
    }

    // MARK: Operations

    private func operation(_ channel: Channel) -> JSON.Member {
        let (name, message) = (name(channel.address), messageName(channel))
        let reply: JSON? = channel.reply.map { reply in
            let place = replyName(channel)
            return .object(present: [
                "address": ["location": "$message.header#/responseTopic"],
                "channel": reference("channels/\(place)"),
                "messages": .array([reference("channels/\(place)/messages/\(reply.schema.name ?? "Reply")")]),
            ])
        }
        return JSON.Member(
            name,
            .object(present: [
                "action": .string(channel.direction.rawValue), "channel": reference("channels/\(name)"),
                "messages": .array([reference("channels/\(name)/messages/\(message)")]),
                "description": channel.maximumLength.map { .string("at most \($0) bytes") },
                "bindings": [
                    "mqtt": [
                        "qos": .integer(Int64(channel.qos)), "retain": .bool(channel.isRetained),
                        "bindingVersion": "0.2.0",
                    ]
                ],
                "reply": reply,
            ]))
    }

    // MARK: Messages

    private func messageName(_ channel: Channel) -> String {
        switch channel.content {
        case .json(let schema), .text(let schema): schema.name ?? "Message"
        case .binary: "Sealed"
        }
    }

    private var messages: [JSON.Member] {
        channels.flatMap { channel -> [JSON.Member] in
            let name = messageName(channel)
            let replies = channel.reply.map { [message($0.schema.name ?? "Reply", "application/json")] } ?? []
            switch channel.content {
            case .json: return [message(name, "application/json")] + replies
            case .text: return [message(name, "text/plain")]
            case .binary:
                return [JSON.Member(name, ["name": .string(name), "contentType": "application/octet-stream"])]
            }
        }
    }

    private func message(_ name: String, _ type: String) -> JSON.Member {
        JSON.Member(
            name,
            [
                "name": .string(name), "contentType": .string(type), "payload": reference("components/schemas/\(name)"),
            ])
    }

    private var schemas: [JSON.Member] {
        channels.flatMap { channel -> [PayloadSchema] in
            switch channel.content {
            case .json(let schema), .text(let schema): [schema] + [channel.reply?.schema].compactMap(\.self)
            case .binary: []
            }
        }.flatMap { schema in
            var inner: [JSON.Member] = []
            let outer = hoisted(schema.json, isInner: false, into: &inner)
            return inner + [JSON.Member(schema.name ?? "Message", outer)]
        }
    }

    /// A schema in which those with names of their own are references, and these besides: a type that several messages
    /// have is generated once.
    private func hoisted(_ json: JSON, isInner: Bool, into found: inout [JSON.Member]) -> JSON {
        switch json {
        case .array(let values): return .array(values.map { hoisted($0, isInner: true, into: &found) })
        case .object(let members):
            let inner = JSON.object(
                members.map { JSON.Member($0.name, hoisted($0.value, isInner: true, into: &found)) })
            guard isInner, case .string(let name)? = json["title"] else { return inner }
            found.append(JSON.Member(name, inner))
            return reference("components/schemas/\(name)")
        default: return json
        }
    }
}
