package import Features
import Files
import Fitness
import Records
import Storage
import Telemetry

extension Feature {
    /// Accounts: who somebody is, and how they sign in.
    package static let accounts = Feature(
        name: "accounts",
        tables: [
            PersonalTable(name: "accounts", erasure: .withAccount, exported: .shown(in: "account.json")),
            PersonalTable(name: "subjects", erasure: .withAccount, exported: .shown(in: "account.json")),
        ],
        documents: [
            FeatureDocument(
                name: "contact", isKeptByReset: true, hangsByItself: true, exported: .shown(in: "account.json"))
        ],
        exports: [
            .document(
                "account.json",
                "Your id, your e-mail address or phone number, the providers that you sign in with, and when the account was made."
            ) { source throws(VaultError) in try account(source) }
        ],
        erasing: { person, _ throws(VaultError) in
            try AccountRows(store: person.store, keys: person.keys).endCodes(of: person.user, now: person.time)
        },
        service: { parts throws(VaultError) in try AccountsService(parts.context) }, settings: AccountsSetting.self)

    private static func account(_ source: ExportSource) throws(VaultError) -> JSON {
        let contact = try source.documents.read("contact", of: source.user)
        let rows = AccountRows(store: source.store, keys: source.keys)
        let (row, providers) = (try rows.account(of: source.user), try rows.providers(of: source.user))
        return .object(present: [
            "user": .string(source.user.text), "email": contact?["email"], "phone": contact?["phone"],
            "providers": providers.isEmpty ? nil : .array(providers.map { .string($0) }),
            "created": row.map { .string(iso8601(unixMilliseconds: $0.created)) },
            "verified": row?.verified.map { .string(iso8601(unixMilliseconds: $0)) },
        ])
    }

    /// The devices on which people are signed in.
    package static let devices = Feature(
        name: "devices",
        sealedTables: [
            SealedTable(
                "devices", key: "device", sealed: "name", isKeptByReset: true, exported: .shown(in: "devices.json")
            ) { row, user, version throws(VaultError) in
                Documents.context(Documents.label(ofDevice: try row.text("entry")), user, version)
            }
        ],
        exports: [
            .document("devices.json", "The devices on which you are signed in.") { source throws(VaultError) in
                let devices = try source.documents.devices(of: source.user).map { device in
                    JSON.object(present: [
                        "device": .string(device.id), "name": device.name,
                        "created": .string(iso8601(unixMilliseconds: device.created)),
                    ])
                }
                return devices.isEmpty ? nil : ["devices": .array(devices)]
            }
        ],
        erasing: { person, effects throws(VaultError) in
            if person.isWithAccount {
                effects.clients += try person.store.devices(of: person.user)
            } else {
                try person.documents.sealDevicesAgain(of: person.user, upTo: person.version)
            }
        },
        hanging: { hanging, source throws(VaultError) in
            hanging.devices = try source.store.devices(of: source.user).count
        })
}

extension Documents {
    /// A device as it is kept.
    fileprivate struct Device {
        let id: String
        let created: Int64
        let version: Int64
        /// Nil if it cannot be opened.
        let name: JSON?
    }

    fileprivate func devices(of user: ID, upTo version: Int64 = .max) throws(VaultError) -> [Device] {
        let rows = try store.database.query(
            """
            SELECT device, created_ms, secret_version, name FROM devices WHERE person = ? AND secret_version <= ?
            ORDER BY created_ms, device
            """, [.text(user.text), .integer(version)]
        ) { row throws(VaultError) in
            (
                id: try row.text("device"), created: try row.int("created_ms"), version: try row.int("secret_version"),
                name: try row.blob("name")
            )
        }
        var devices: [Device] = []
        for row in rows {
            let name = try opened(row.name, Self.label(ofDevice: row.id), of: user, version: row.version)
            devices.append(Device(id: row.id, created: row.created, version: row.version, name: name))
        }
        return devices
    }

    /// Seals the names of a person's devices under their latest secret.
    fileprivate func sealDevicesAgain(of user: ID, upTo version: Int64) throws(VaultError) {
        for device in try devices(of: user, upTo: version) {
            let label = Self.label(ofDevice: device.id)
            let (version, name) = try sealed(device.name ?? .string(""), label, of: user)
            try store.database.execute(
                "UPDATE devices SET secret_version = ?, name = ? WHERE device = ?",
                [.integer(version), .blob(name), .text(device.id)])
        }
    }
}
