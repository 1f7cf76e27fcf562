import Features
import Files
import Records
import Telemetry

/// An address of a person's, as it is kept.
struct PushEntry {
    let id: ID
    /// It may hold passwords and tokens.
    var address: String
    /// What may be shown of the address.
    let masked: String
    let label: String?
    /// The kinds of notifications that go there; nil for all.
    let kinds: [String]?
    /// Unix milliseconds.
    let created: Int64
    /// By what a browser recognises itself; nil if it is none.
    var browser: String?
    /// The device that the browser is signed in as, with which the address goes; nil if that is not known.
    var device: ID?
    /// Not since the password was reset, until the person confirms it.
    var isEnabled = true

    /// That there is another address, all addresses hear: somebody else may have added it. That they are switched off, they hear
    /// last.
    func wants(_ kind: Notification.Kind) -> Bool {
        guard isEnabled else { return kind == .pushOff }
        return kind == .pushAdded || kinds?.contains(kind.name) ?? true
    }
}

extension PushEntry {
    fileprivate init?(_ json: JSON) {
        guard case .string(let text)? = json["push"], let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .string(let address)? = json["address"], case .string(let masked)? = json["masked"],
            case .integer(let created)? = json["created"]
        else { return nil }
        var (label, kinds, browser, device): (String?, [String]?, String?, ID?)
        if case .string(let text)? = json["browser"] { browser = text }
        if case .string(let text)? = json["device"] { device = decoded { () throws(MalformedValue) in try ID(text) } }
        if case .string(let text)? = json["label"] { label = text }
        if case .array(let names)? = json["kinds"] {
            kinds = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        }
        self.init(
            id: id, address: address, masked: masked, label: label, kinds: kinds, created: created, browser: browser,
            device: device, isEnabled: json["enabled"] != false)
    }

    fileprivate var json: JSON {
        .object(present: [
            "push": .string(id.text), "address": .string(address), "masked": .string(masked),
            "label": label.map(JSON.string), "kinds": kinds.map { .array($0.map(JSON.string)) },
            "created": .integer(created), "browser": browser.map(JSON.string),
            "device": device.map { .string($0.text) }, "enabled": .bool(isEnabled),
        ])
    }
}

/// Where a person's notifications are brought, and what may be in them: a document of each person, sealed like every
/// document. No request shows an address as a whole. Belongs to the thread of its store and keys.
struct PushList {
    static let document = "push"
    /// How many addresses a person may have.
    static let limit = 5

    var entries: [PushEntry] = []
    /// Whether a notification's own text goes out, which may have readings, names and places in it.
    var hasDetails = false

    /// The list of a person; an empty one if they have none.
    init(_ documents: Documents, of user: ID) throws(VaultError) {
        guard let kept = try documents.read(Self.document, of: user) else { return }
        if case .array(let kept)? = kept["addresses"] { entries = kept.compactMap(PushEntry.init) }
        hasDetails = kept["details"] == true
    }

    /// Keeps the list in place of the one before, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        guard !entries.isEmpty || hasDetails else { return try documents.remove(Self.document, of: user) }
        try documents.write(
            ["addresses": .array(entries.map(\.json)), "details": .bool(hasDetails)], Self.document, of: user)
    }
}
