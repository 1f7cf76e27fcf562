import Telemetry
import Vault

// A person's devices. Each is a client of its own at the broker: its random id is the username, and 32 random bytes are the password,
// which are given out once, in the reply to a sign-in. What is kept is the hash that the broker keeps, too.
//
// The row comes first, then the broker hears of it, then the device's owner. Where that is interrupted, the broker is brought in line with
// the rows at the next connection; a device whose credential got lost on the way is one more in the list, to be revoked.

/// A device that has just been signed in.
struct SignedIn: Equatable {
    let user: ID
    let device: ID
    /// What the device says to the broker: nobody will see it again.
    let password: String
    /// Whether the person was made by this.
    var isNew = false

    /// The reply's data.
    func json(_ message: String) -> JSON {
        .object(present: [
            "user": .string(user.text), "device": .string(device.text), "password": .string(password),
            "new": isNew ? true : nil, "message": .string(message),
        ])
    }
}

/// The devices of all people. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Devices: @unchecked Sendable {
    private unowned let people: People
    private let context: PeopleContext
    /// Makes a device of a person's a client of the broker's; told whether the broker has confirmed it.
    var admit: (_ device: ID, _ user: ID, BrokerCredential, @escaping @Sendable (Bool) -> Void) -> Void = { $3(true) }
    /// Ends clients at the broker; told whether the broker has confirmed it.
    var dismiss: (_ devices: [ID], _ user: ID, @escaping @Sendable (Bool) -> Void) -> Void = { $2(true) }

    /// How many a person may have.
    static let limit = 32

    private var database: Database { context.store.database }

    /// Makes the requests about devices known.
    init(_ people: People) {
        self.people = people
        context = people.context
        people.register("devices/list", .atOnce { [unowned self] in try list(of: $0.user) })
        people.register("devices/name", .atOnce { [unowned self] in try rename($0) })
        people.register("devices/revoke", .later { [unowned self] in revoke($0) })
        people.register("account/sign-out", .later { [unowned self] in signOut($0) })
    }

    /// Signs a device in, and answers when the broker knows it.
    func add(
        _ name: DeviceName, of user: ID, isNew: Bool = false,
        _ completion: @escaping @Sendable (Result<SignedIn, any Error>) -> Void
    ) {
        do {
            guard try count(of: user) < Self.limit else {
                let words = "You have \(Self.limit) devices: revoke one, or reset the password, which revokes all"
                return completion(.failure(ReplyError(.notAllowed, words, field: "device")))
            }
            let password = KeyFile.text(of: try RandomBytes.draw(32))
            let credential = try BrokerCredential(password: password)
            let device = try drawnID()
            try insert(device, of: user, name, credential)
            admit(device, user, credential) { [unowned self] isConfirmed in
                guard isConfirmed else {
                    // What is not there cannot be revoked by mistake later.
                    try? remove([device])
                    return completion(
                        .failure(
                            ReplyError(
                                .busy, "The broker did not take the device: try again", retryAfterSeconds: 5)))
                }
                completion(.success(SignedIn(user: user, device: device, password: password, isNew: isNew)))
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func insert(_ device: ID, of user: ID, _ name: DeviceName, _ credential: BrokerCredential)
        throws(VaultError)
    {
        let (version, sealed) = try context.documents.sealed(.string(name.text), "device \(device)", of: user)
        try database.execute(
            """
            INSERT INTO devices (device, user, credential, created_ms, secret_version, name) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(device.text), .text(user.text), .blob(credential.bytes), .integer(context.now()),
                .integer(version),
                .blob(sealed),
            ])
    }

    func count(of user: ID) throws(VaultError) -> Int {
        Int(
            try database.first("SELECT count(*) FROM devices WHERE user = ?", [.text(user.text)], row: Row.int) ?? 0)
    }

    /// The devices of a person, the oldest first.
    func ids(of user: ID) throws(VaultError) -> [ID] {
        try database.query(
            "SELECT device FROM devices WHERE user = ? ORDER BY created_ms, device", [.text(user.text)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    /// Removes rows; the broker is to be told.
    func remove(_ devices: [ID]) throws(VaultError) {
        for device in devices {
            try database.execute("DELETE FROM devices WHERE device = ?", [.text(device.text)])
        }
    }
}

// MARK: Requests

extension Devices {
    private func list(of user: ID) throws -> JSON {
        let rows = try database.query(
            "SELECT device, created_ms, secret_version, name FROM devices WHERE user = ? ORDER BY created_ms, device",
            [.text(user.text)]
        ) { row throws(VaultError) in
            (device: try row.text(0), created: try row.int(1), version: try row.int(2), name: try row.blob(3))
        }
        var devices: [JSON] = []
        for row in rows {
            let name = try context.documents.opened(row.name, "device \(row.device)", of: user, version: row.version)
            devices.append([
                "device": .string(row.device), "name": name ?? "", "created": .integer(row.created),
            ])
        }
        return ["devices": .array(devices)]
    }

    private func rename(_ request: PeopleRequest) throws -> JSON {
        let (user, device) = (try request.user, try request.id("device"))
        guard present("name", request.fields) != nil else {
            throw ReplyError(.badRequest, "\"name\" is missing", field: "name")
        }
        let name = try DeviceName(request.fields, field: "name")
        let (version, sealed) = try context.documents.sealed(.string(name.text), "device \(device)", of: user)
        let changed = try database.execute(
            "UPDATE devices SET name = ?, secret_version = ? WHERE device = ? AND user = ?",
            [.blob(sealed), .integer(version), .text(device.text), .text(user.text)])
        guard changed == 1 else { throw Self.notFound }
        return [:]
    }

    /// Answers when the broker has let go of the device: from then on it is out.
    private func revoke(_ request: PeopleRequest) {
        people.answering(request) {
            let (user, device) = try removeOwn(request)
            dismiss([device], user) { isConfirmed in
                if isConfirmed { request.done() } else { request.refuse(Self.unconfirmed) }
            }
        }
    }

    /// Answers first: what asks is most likely the device that goes, and would not be there to hear it.
    private func signOut(_ request: PeopleRequest) {
        people.answering(request) {
            let (user, device) = try removeOwn(request)
            request.done(["message": "Signed out"])
            dismiss([device], user) { _ in }
        }
    }

    private func removeOwn(_ request: PeopleRequest) throws -> (user: ID, device: ID) {
        let (user, device) = (try request.user, try request.id("device"))
        let changed = try database.execute(
            "DELETE FROM devices WHERE device = ? AND user = ?", [.text(device.text), .text(user.text)])
        guard changed == 1 else { throw Self.notFound }
        return (user, device)
    }

    private static let notFound = ReplyError(.notFound, "You have no such device", field: "device")
    /// The rows are gone, so the broker will be brought in line.
    static let unconfirmed = ReplyError(
        .busy, "This is done as soon as the broker can be reached", retryAfterSeconds: 5)
}

extension People {
    /// Runs a handler that answers later; what it throws is the answer.
    func answering(_ request: PeopleRequest, _ body: () throws -> Void) {
        do { try body() } catch { request.refuse(refusal(error, request.name)) }
    }
}
