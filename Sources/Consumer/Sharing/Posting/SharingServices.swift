import Features
import Files
import Records
import Telemetry

/// A service of a person's, as it is kept.
struct SharingService {
    let id: ID
    /// It may hold passwords and tokens.
    let address: String
    /// What may be shown of the address.
    let masked: String
    let label: String?
    /// Unix milliseconds.
    let created: Int64

    /// What the person sees of it.
    var shown: JSON {
        .object(present: [
            "service": .string(id.text), "label": .string(name), "address": .string(masked),
            "created": .integer(created),
        ])
    }

    var name: String { label ?? masked }
}

extension SharingService {
    fileprivate init?(_ json: JSON) {
        guard let id = json["service"].flatMap({ ID(kept: $0) }),
            case .string(let address)? = json["address"], case .string(let masked)? = json["masked"],
            case .integer(let created)? = json["created"]
        else { return nil }
        var label: String?
        if case .string(let text)? = json["label"] { label = text }
        self.init(id: id, address: address, masked: masked, label: label, created: created)
    }

    fileprivate var json: JSON {
        .object(present: [
            "service": .string(id.text), "address": .string(address), "masked": .string(masked),
            "label": label.map(JSON.string), "created": .integer(created),
        ])
    }
}

/// Where a person posts what they share: a document of each person, sealed like every document. No request shows an address as a
/// whole. Belongs to the thread of its store and keys.
struct SharingServices {
    static let document = "share-services"
    /// How many a person may have.
    static let limit = 5

    var entries: [SharingService] = []

    /// The services of a person; none if they have none.
    init(_ documents: Documents, of user: ID) throws(VaultError) {
        guard case .array(let kept)? = try documents.read(Self.document, of: user)?["services"] else { return }
        entries = kept.compactMap(SharingService.init)
    }

    /// Keeps the list in place of the one before, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        guard !entries.isEmpty else { return try documents.remove(Self.document, of: user) }
        try documents.write(["services": .array(entries.map(\.json))], Self.document, of: user)
    }
}
