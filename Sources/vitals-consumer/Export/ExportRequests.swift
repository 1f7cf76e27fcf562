import Daemon
import Reactor
import Telemetry
import Vault

/// Answers `export/part`, on a thread of its own: a person's readings are opened, and the session's thread has other things to
/// do. It belongs to the session's thread; what the other thread gets are values.
///
/// Each part opens the databases anew, only to read: nothing of anybody's keys stays there, and a person who is forgotten, or a
/// root key that is changed, is so for the next part.
// Proof of @unchecked: `waiting` is touched on the session's thread only; the rest does not change.
final class ExportRequests: @unchecked Sendable {
    /// How many parts may wait, and how many of one person's; more are refused.
    static let (capacity, ownCapacity) = (32, 4)
    /// A year at one heart rate a second has 60,000 parts.
    private let allowance = Allowance<ID>(perSecond: 200, burst: 400)

    private let people: People
    private let reader = EventLoop(name: "export")
    private var waiting: [ID: Int] = [:]

    init(_ people: People) { self.people = people }

    func register() {
        people.register("export/part", bulk: allowance, .later { [self] request in answer(request) })
    }

    func start() { reader.start() }

    /// What is asked for and not yet answered stays so.
    func stop() { reader.stop() }

    private func answer(_ request: PeopleRequest) {
        do {
            let user = try request.user
            let cursor = try request.optionalText("cursor", atMost: 256)
            guard waiting[user, default: 0] < Self.ownCapacity, waiting.values.reduce(0, +) < Self.capacity else {
                throw ReplyError(.busy, "others are being served: try again", retryAfterSeconds: 2)
            }
            waiting[user, default: 0] += 1
            let settings = people.context.settings
            let loop = people.context.session.loop
            reader.perform { [self] in
                let outcome = Result { try Self.part(of: user, cursor, settings) }
                loop.perform { [self] in
                    waiting[user] = waiting[user].flatMap { $0 > 1 ? $0 - 1 : nil }
                    switch outcome {
                    case .success(let part): request.done(part)
                    case .failure(let error): request.refuse(people.refusal(error, request.name))
                    }
                }
            }
        } catch {
            request.refuse(people.refusal(error, request.name))
        }
    }

    /// On the reader's thread.
    private static func part(of user: ID, _ cursor: String?, _ settings: ConsumerSettings) throws -> JSON {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true)
        var position = ExportPosition()
        if let cursor {
            guard let known = try ExportPosition(cursor: cursor, of: user, keys) else {
                throw ReplyError(.invalid, "this cursor is none of yours", field: "cursor")
            }
            position = known
        }
        let export = Export(user, settings, store: store, keys: keys)
        // One state of the database for all of a part.
        let part = try store.database.snapshot { () throws(VaultError) in try export.part(at: position) }
        return .object(present: [
            "file": .string(part.file), "data": .string(part.text), "encoding": part.isBase64 ? "base64" : nil,
            "next": try part.next.map { .string(try $0.cursor(of: user, keys)) },
        ])
    }
}
