import Admission
import Daemon
package import Desk
package import Features
package import Files
import Records
import Storage
package import Telemetry
import Vault

// A person's devices. Each is a client of its own at the broker: its random id is the username, and 32 random bytes are
// the password, which are given out once, in the reply to a sign-in. We keep only the hash that the broker keeps, too.
//
// The broker hears of a new device first, because the password exists only now; then its row is written, and the reply
// leaves. If that is interrupted, nobody has the password, and the broker drops the client at the next connection
// (BrokerRules.swift). A device that is removed loses its row first, for the same reason.

/// A device that has just been signed in.
package struct SignedIn: Equatable {
    package let user: ID
    package let device: ID
    /// The device's password for the broker: nobody will see it again.
    package let password: String
    /// Whether this sign-in made the person.
    package var isNew = false

    /// The reply's data.
    package func json(_ message: String) -> JSON {
        .object(present: [
            "user": .string(user.text), "device": .string(device.text), "password": .string(password),
            "new": isNew ? true : nil, "message": .string(message),
        ])
    }
}

/// The devices of all people. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Devices: @unchecked Sendable {
    private let context: PeopleContext
    /// People with a device that was ended, but not yet confirmed by the broker: until it is, the device may ask for
    /// codes.
    private var unconfirmed: Set<ID> = []
    /// How many a person may have.
    package static let limit = 32

    private var database: Database { context.store.database }

    package init(_ context: PeopleContext) {
        self.context = context
    }

    /// What people may ask about their devices.
    package var verbs: [Verb] {
        [
            Verb("devices/list", .devicesList, own: .devices, .atOnce { [unowned self] in try list(of: $0.user) }),
            Verb("devices/name", .devicesName, .atOnce { [unowned self] in try rename($0) }),
            Verb("devices/revoke", .devicesRevoke, own: .devices, .later { [unowned self] in revoke($0) }),
            Verb("account/sign-out", .accountSignOut, own: .defence, .later { [unowned self] in signOut($0) }),
        ]
    }

    /// The broker is in line with all changes. A device that was revoked while the broker did not answer, even before a
    /// restart, is gone only now.
    /// - Parameter found: people of whom a client was found there and removed.
    package func brokerIsInLine(_ found: Set<ID>) {
        let people = unconfirmed.union(found)
        unconfirmed = []
        for user in people {
            endCodes(of: user)
            context.changes.signedOut(user)
        }
    }

    /// Signs a device in, and answers when the broker knows it.
    /// - Parameters:
    ///   - drawn: its id and its password; nil draws both.
    ///   - rows: writes other rows in the transaction that writes the device's row; if it throws, there is no device.
    package func add(
        _ name: DeviceName, of user: ID, as drawn: (id: ID, password: String)? = nil, isNew: Bool = false,
        with rows: @escaping @Sendable () throws -> Void = {},
        _ completion: @escaping @Sendable (Result<SignedIn, any Error>) -> Void
    ) {
        do {
            try requireRoom(for: user)
            let device = if let drawn { drawn.id } else { try drawnID() }
            let password = if let drawn { drawn.password } else { try Self.drawnPassword() }
            guard let broker = context.rules else { throw Self.unconfirmed }
            broker.add(device: device, of: user, password: password) { [unowned self] error in
                completion(
                    Result {
                        if let error { throw refusal(error) }
                        do {
                            try context.store.attempt(naming: [user]) {
                                try requireRoom(for: user)
                                try rows()
                                try insert(device, of: user, name, BrokerCredential(password: password))
                            }.get()
                        } catch {
                            broker.remove(device) { _ in }
                            throw error
                        }
                        return SignedIn(user: user, device: device, password: password, isNew: isNew)
                    })
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// A password that nobody has to type: 32 random bytes.
    package static func drawnPassword() throws(VaultError) -> String { KeyFile.text(of: try RandomBytes.draw(32)) }

    /// Answers a sign-in. If nobody hears the reply, because the asker did not wait long enough, the device ends
    /// again: only the reply had its password.
    func welcome(_ signedIn: SignedIn, _ request: PeopleRequest, _ words: String) {
        request.unheard.takeBack = { [unowned self] in
            context.limitedLog.info("unheard \(signedIn.user)") {
                "nobody heard the reply to a sign-in any more: its device was signed out\($0)"
            }
            do throws(VaultError) {
                try context.store.change(signedIn.user) { () throws(VaultError) in try remove([signedIn.device]) }
                end([signedIn.device], of: signedIn.user) { _ in }
            } catch {
                context.limitedLog.error("unheard and not signed out") {
                    "a device that nobody knows of could not be signed out\($0): \(error)"
                }
            }
        }
        request.done(signedIn.json(words))
    }

    /// Ends clients at the broker whose rows are gone.
    /// - Parameter completion: gets nil when the broker has confirmed it, or what to tell the asker.
    package func end(_ devices: [ID], of user: ID, _ completion: @escaping @Sendable (ReplyError?) -> Void) {
        guard let broker = context.rules else { return completion(Self.unconfirmed) }
        let told: BrokerRules.Completion = { [unowned self] error in
            // Until the broker has disconnected it, the device may have asked for another code; and if the broker
            // has not disconnected it yet, the device still may.
            if error != nil { unconfirmed.insert(user) }
            endCodes(of: user)
            completion(error.map { refusal($0) })
        }
        guard !devices.isEmpty else { return completion(nil) }
        if devices.count == 1 {
            broker.remove(devices[0], told)
        } else {
            broker.remove(person: user, devices: devices, told)
        }
    }

    private func refusal(_ error: RulesError) -> ReplyError {
        context.limitedLog.warning("\(error)") { "\(error)\($0)" }
        return Self.unconfirmed
    }

    private func requireRoom(for user: ID) throws {
        guard try count(of: user) < Self.limit else {
            let words = "You have \(Self.limit) devices: revoke one, or reset the password, which revokes all"
            throw ReplyError(.notAllowed, words, field: "device")
        }
    }

    private func insert(_ device: ID, of user: ID, _ name: DeviceName, _ credential: BrokerCredential)
        throws(VaultError)
    {
        let (version, sealed) = try context.documents.sealed(
            .string(name.text), Documents.label(ofDevice: device.text), of: user)
        try database.execute(
            """
            INSERT INTO devices (device, person, credential, created_ms, secret_version, name) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(device.text), .text(user.text), .blob(credential.bytes), .integer(context.now()),
                .integer(version),
                .blob(sealed),
            ])
    }

    package func count(of user: ID) throws(VaultError) -> Int {
        Int(
            try database.first("SELECT count(*) FROM devices WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0)
    }

    /// The devices of a person, the oldest first.
    package func ids(of user: ID) throws(VaultError) -> [ID] {
        try database.query(
            "SELECT device FROM devices WHERE person = ? ORDER BY created_ms, device", [.text(user.text)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    /// Removes rows; the caller must tell the broker.
    package func remove(_ devices: [ID]) throws(VaultError) {
        for device in devices {
            try database.execute("DELETE FROM devices WHERE device = ?", [.text(device.text)])
        }
    }
}

// MARK: Requests

extension Devices {
    private func list(of user: ID) throws -> JSON {
        let devices = try rows(of: user).map { row -> JSON in
            ["device": .string(row.device), "name": row.name ?? "", "created": .integer(row.created)]
        }
        return ["devices": .array(devices)]
    }

    /// What a person calls each of their devices.
    package func names(of user: ID) throws(VaultError) -> [ID: String] {
        var names: [ID: String] = [:]
        for row in try rows(of: user) {
            guard let device = decoded({ () throws(MalformedValue) in try ID(row.device) }) else { continue }
            if case .string(let name)? = row.name { names[device] = name } else { names[device] = "" }
        }
        return names
    }

    /// The devices of a person as they are kept, the oldest first.
    private func rows(of user: ID) throws(VaultError) -> [(device: String, created: Int64, name: JSON?)] {
        let rows = try database.query(
            "SELECT device, created_ms, secret_version, name FROM devices WHERE person = ? ORDER BY created_ms, device",
            [.text(user.text)]
        ) { row throws(VaultError) in
            (
                device: try row.text("device"), created: try row.int("created_ms"),
                version: try row.int("secret_version"), name: try row.blob("name")
            )
        }
        var devices: [(device: String, created: Int64, name: JSON?)] = []
        for row in rows {
            let name = try context.documents.opened(
                row.name, Documents.label(ofDevice: row.device), of: user, version: row.version)
            devices.append((row.device, row.created, name))
        }
        return devices
    }

    private func rename(_ request: PeopleRequest) throws -> JSON {
        let (user, device) = (try request.user, try request.id("device"))
        guard present("name", request.fields) != nil else {
            throw ReplyError(.badRequest, "\"name\" is missing", field: "name")
        }
        let name = try DeviceName(request.fields, field: "name")
        let changed = try context.store.change(user) { () throws(VaultError) in
            let (version, sealed) = try context.documents.sealed(
                .string(name.text), Documents.label(ofDevice: device.text), of: user)
            return try database.execute(
                "UPDATE devices SET name = ?, secret_version = ? WHERE device = ? AND person = ?",
                [.blob(sealed), .integer(version), .text(device.text), .text(user.text)])
        }
        guard changed == 1 else { throw Self.notFound }
        return [:]
    }

    /// Answers when the broker has disconnected the device: from then on it is out.
    private func revoke(_ request: PeopleRequest) {
        request.answering {
            let (user, device) = try removeOwn(request)
            end([device], of: user) { refusal in
                if let refusal { request.refuse(refusal) } else { request.done() }
            }
        }
    }

    /// Answers first: the asker is most likely the device that goes, and would not be there to hear the reply.
    private func signOut(_ request: PeopleRequest) {
        request.answering {
            let (user, device) = try removeOwn(request)
            request.done(["message": "Signed out"])
            end([device], of: user) { _ in }
        }
    }

    private func removeOwn(_ request: PeopleRequest) throws -> (user: ID, device: ID) {
        let (user, device) = (try request.user, try request.id("device"))
        let owner = try database.first(
            "SELECT person FROM devices WHERE device = ?", [.text(device.text)], row: Row.text)
        guard owner == user.text else { throw Self.notFound }
        try context.store.change(user) { () throws(VaultError) in
            try remove([device])
            try context.changes.endingDevice(device, of: user)
            try removeCodes(of: user)
        }
        return (user, device)
    }

    /// Nobody knows which device has asked for which code: all of them end, within a transaction.
    private func removeCodes(of user: ID) throws(VaultError) {
        try rows.endCodes(of: user, now: context.now())
        try context.changes.endingCodes(of: user)
    }

    private func endCodes(of user: ID) {
        do throws(VaultError) {
            try context.store.change(user) { () throws(VaultError) in try removeCodes(of: user) }
        } catch {
            context.limitedLog.error("codes of devices") {
                "the codes of a device that was ended may still be good\($0): \(error)"
            }
        }
    }

    private var rows: AccountRows { AccountRows(store: context.store, keys: context.keys) }

    private static let notFound = ReplyError(.notFound, "You have no such device", field: "device")
    private static let unconfirmed = ReplyError(
        .busy, "The broker did not confirm it in time: try again", retryAfterSeconds: 15)
}
