import Daemon
package import Features
import Files
import Fitness
import Records
import Storage
import Telemetry

extension Feature {
    /// Notifications that are brought to addresses of their person's.
    package static let push = Feature(
        name: "push",
        schema: PushQueue.schema,
        tables: [
            PersonalTable(
                name: "push_queue", erasure: .always,
                exported: .hidden(because: "ids of notifications that are on their way, for a day at most"))
        ],
        documents: [FeatureDocument(name: PushList.document, exported: .shown(in: "push.json"))],
        exports: [
            .document(
                "push.json",
                """
                Where your notifications are brought, and whether their own text goes there ("details"). Of each address, only its \
                scheme and its server are here: the rest may hold passwords and tokens, with which somebody who finds a copy could \
                write in your name. You have them where you made them.
                """
            ) { source throws(VaultError) in
                let list = try PushList(source.documents, of: source.user)
                let addresses = list.entries.map { entry in
                    entry.shown().dated("created") { iso8601(unixMilliseconds: $0) }
                }
                guard !addresses.isEmpty || list.hasDetails else { return nil }
                return ["addresses": .array(addresses), "details": .bool(list.hasDetails)]
            }
        ],
        service: { PushDelivery($0.context) }, notifications: [.pushAdded, .pushOff], settings: PushSetting.self)
}

extension PushEntry {
    /// What the person sees of it, and perhaps more about it.
    func shown(with more: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        let members: KeyValuePairs<String, JSON?> = [
            "push": .string(id.text), "address": .string(masked), "label": label.map(JSON.string),
            "kinds": kinds.map { .array($0.map(JSON.string)) }, "created": .integer(created),
            "browser": browser.map(JSON.string), "enabled": .bool(isEnabled),
        ]
        return .object((Array(members) + Array(more)).compactMap { name, value in value.map { JSON.Member(name, $0) } })
    }
}
