import Daemon
import Desk
import Features
import Readings
import Records
import Telemetry

/// Answers `export/part`, by readers of its own: a person who exports years asks for thousands of parts, and must not
/// keep people waiting who only want to see a curve.
enum ExportRequests {
    static func verb(_ readers: StoreReaders, _ context: PeopleContext) -> Verb {
        // A year at one heart rate a second has 60,000 parts.
        readers.verb("export/part", bulk: Allowance(perSecond: 200, burst: 400)) { request in
            let user = try request.user
            let cursor = try request.optionalText("cursor", atMost: 256)
            let (settings, now) = (context.settings, context.now())
            return { source in try part(of: user, cursor, settings, source.store, source.keys, now: now) }
        }
    }

    private static func part(
        of user: ID, _ cursor: String?, _ settings: any HouseSettings, _ store: Store, _ keys: Keys, now: Int64
    ) throws -> JSON {
        var position = ExportPosition()
        if let cursor {
            guard let known = try ExportPosition(cursor: cursor, of: user, keys) else {
                throw ReplyError(.invalid, "this cursor is not yours", field: "cursor")
            }
            position = known
        }
        let part = try Export(user, settings, store: store, keys: keys, now: now).part(at: position)
        return .object(present: [
            "file": .string(part.file), "data": .string(part.text), "encoding": part.isBase64 ? "base64" : nil,
            "next": try part.next.map { .string(try $0.cursor(of: user, keys)) },
        ])
    }
}
