import Daemon
package import Desk
package import Features
import Telemetry

/// Answers `export/part`, by readers of its own: a person who exports years asks for thousands of parts, and must not
/// keep people waiting who only want to see a curve.
package enum ExportRequests {
    /// In bytes.
    static let longestCursor = 256

    package static func verb(_ readers: StoreReaders, _ context: PeopleContext) -> Verb {
        // A year at one heart rate a second has 60,000 parts.
        readers.verb("export/part", .exportPart, bulk: Allowance(perSecond: 200, burst: 400)) { request in
            let cursor = try request.optionalText("cursor", atMost: longestCursor)
            let (user, features, settings, now) = (try request.user, context.features, context.settings, context.now())
            return { read in
                let source = ExportSource(user, settings, store: read.store, keys: read.keys, now: now)
                return try part(of: Export(features, source), cursor)
            }
        }
    }

    private static func part(of export: Export, _ cursor: String?) throws -> JSON {
        var position = export.start
        if let cursor {
            guard let known = try export.position(of: cursor) else {
                throw ReplyError(.invalid, "this cursor is not yours", field: "cursor")
            }
            position = known
        }
        let part = try export.part(at: position)
        return .object(present: [
            "file": .string(part.file), "data": .string(part.text), "encoding": part.isBase64 ? "base64" : nil,
            "next": try part.next.map { .string(try export.cursor(for: $0)) },
        ])
    }
}
