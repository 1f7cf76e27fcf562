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
            Made from the code: see deploy/topics.md. The root \
            vitals/v1 is a setting, and so is Home Assistant's prefix, homeassistant.
            """
        return .object(present: [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Vitals", "version": .string(version), "description": .string(words),
                "license": ["name": "see LICENSE"],
            ],
            "defaultContentType": "application/json",
            "channels": object(channels.flatMap(channelMembers)),
            "operations": object(channels.flatMap(operations)),
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
        address.split(separator: "/").drop { !Self.tops.contains($0) }
            .map { $0.filter { $0 != "{" && $0 != "}" } }.joined(separator: ".")
    }

    /// The levels that come after a root, or where there is none.
    private static let tops: Set<Substring> = [
        "gateways", "users", "accounts", "stores", "home-assistant", "homeassistant",
    ]

    private func reference(_ path: String) -> JSON { ["$ref": .string("#/\(path)")] }

    // MARK: Channels

    private func channelMembers(_ channel: Channel) -> [JSON.Member] {
        let own = JSON.Member(
            name(channel.address), described(channel.address, channel.words, messageName(channel)))
        guard let reply = channel.reply else { return [own] }
        let message = replyName(reply)
        // A channel whose address requests name has none here.
        let named = JSON.Member(
            "replies.\(message)", described(nil, "the response topic that a request names", message))
        let listed = reply.address.map { address in
            JSON.Member(name(address), described(address, "replies to requests that name no response topic", message))
        }
        return [own, named] + [listed].compactMap(\.self)
    }

    private func described(_ address: String?, _ words: String, _ message: String) -> JSON {
        let parameters = (address ?? "").split(separator: "/").filter { $0.hasPrefix("{") }
            .map { JSON.Member(String($0.dropFirst().dropLast()), [:]) }
        return .object(present: [
            "address": address.map(JSON.string) ?? .null, "description": .string(words),
            "parameters": parameters.isEmpty ? nil : .object(parameters),
            "messages": .object([JSON.Member(message, reference("components/messages/\(message)"))]),
        ])
    }

    // MARK: Operations

    private func operations(_ channel: Channel) -> [JSON.Member] {
        let own = operation(
            channel.direction, channel.address, messageName(channel), qos: channel.qos, isRetained: channel.isRetained,
            words: channel.maximumLength.map { "at most \($0) bytes" },
            reply: channel.reply.map { reply in
                let place = "channels/replies.\(replyName(reply))"
                return [
                    "address": ["location": "$message.header#/responseTopic"], "channel": reference(place),
                    "messages": .array([reference("\(place)/messages/\(replyName(reply))")]),
                ]
            })
        guard let reply = channel.reply, let address = reply.address else { return [own] }
        return [own, operation(.send, address, replyName(reply), qos: 1, isRetained: false)]
    }

    private func operation(
        _ direction: Channel.Direction, _ address: String, _ message: String, qos: Int, isRetained: Bool,
        words: String? = nil, reply: JSON? = nil
    ) -> JSON.Member {
        let name = name(address)
        return JSON.Member(
            name,
            .object(present: [
                "action": .string(direction.rawValue), "channel": reference("channels/\(name)"),
                "messages": .array([reference("channels/\(name)/messages/\(message)")]),
                "description": words.map(JSON.string),
                "bindings": [
                    "mqtt": [
                        "qos": .integer(Int64(qos)), "retain": .bool(isRetained), "bindingVersion": "0.2.0",
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

    private func replyName(_ reply: Channel.Reply) -> String { reply.schema.name ?? "Reply" }

    private var messages: [JSON.Member] {
        channels.flatMap { channel -> [JSON.Member] in
            let name = messageName(channel)
            let replies = channel.reply.map { [message(replyName($0), "application/json")] } ?? []
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
