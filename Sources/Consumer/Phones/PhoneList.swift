import Files
import OwnTracks
import Records
import Telemetry

/// A phone of a person's: a device at the broker that only tells where its person is, and a sensor of the consumer's own
/// gateway. Its id is the same everywhere. Its name is the device's.
struct Phone {
    let id: ID
    /// For the broker.
    let password: String
    /// What its messages are sealed with; nil if they are plain.
    let secret: String?
    /// Unix milliseconds.
    let created: Int64

    init(id: ID, password: String, secret: String?, created: Int64) {
        (self.id, self.password, self.secret, self.created) = (id, password, secret, created)
    }

    fileprivate init?(_ json: JSON) {
        guard case .string(let text)? = json["phone"], let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .string(let password)? = json["password"], case .integer(let created)? = json["created"]
        else { return nil }
        var secret: String?
        if case .string(let text)? = json["secret"] { secret = text }
        self.init(id: id, password: password, secret: secret, created: created)
    }

    fileprivate var json: JSON {
        .object(present: [
            "phone": .string(id.text), "password": .string(password), "secret": secret.map(JSON.string),
            "created": .integer(created),
        ])
    }
}

/// The phones of people: a document of each person, with the passwords and secrets of their phones. It is sealed like every
/// document, and no request but `phones/link` shows what is in it. Belongs to the thread of its store and keys.
struct PhoneList {
    static let document = "phones"
    /// How many a person may have.
    static let limit = 8

    let documents: Documents

    /// The phones of a person, the oldest first.
    func phones(of user: ID) throws(VaultError) -> [Phone] {
        guard case .array(let kept)? = try documents.read(Self.document, of: user)?["phones"] else { return [] }
        return kept.compactMap(Phone.init)
    }

    /// A phone of a person; nil if they have no such phone.
    func phone(_ id: ID, of user: ID) throws(VaultError) -> Phone? { try phones(of: user).first { $0.id == id } }

    /// Keeps a person's phones, in place of those before, within a transaction.
    func keep(_ phones: [Phone], of user: ID) throws(VaultError) {
        guard !phones.isEmpty else { return try documents.remove(Self.document, of: user) }
        try documents.write(["phones": .array(phones.map(\.json))], Self.document, of: user)
    }
}
