import Files
import Records
import Storage
import Telemetry

/// A person's calendar, as it is kept: two documents, sealed like every document. No request and no export shows the password.
/// Belongs to the thread of its store and keys.
struct CalendarRecord {
    static let document = "calendar"
    static let eventsDocument = "calendar-events"

    /// Why it is not looked at until its person connects it again.
    enum Stop: String {
        /// The server refused the password.
        case password
        /// The person's own password was reset: somebody else may have connected it.
        case reset
    }

    /// Drawn when it was connected: what is found for another one comes too late.
    let id: ID
    var account: CalendarAccount
    /// The calendar's own address.
    let calendar: String
    /// Whether it was made for this: then everything in it goes with it.
    let isMade: Bool
    /// When it was connected, in Unix milliseconds.
    let connected: Int64
    var stop: Stop?
    /// Whether the person knows that the server does not take some reminders.
    var isRefusalTold = false
    var link = CalendarLink()
}

extension CalendarRecord {
    /// What is kept of a person; nil if they have connected no calendar.
    init?(_ documents: Documents, of user: ID) throws(VaultError) {
        guard let kept = try documents.read(Self.document, of: user) else { return nil }
        func member(_ name: String) -> String? {
            if case .string(let text)? = kept[name] { text } else { nil }
        }
        guard let id = member("id").flatMap({ text in decoded { () throws(MalformedValue) in try ID(text) } }),
            let address = member("address"), let name = member("user"), let password = member("password"),
            let calendar = member("calendar"), case .integer(let connected)? = kept["connected"]
        else { return nil }
        let events = try documents.read(Self.eventsDocument, of: user)
        self.init(
            id: id, account: CalendarAccount(address: address, user: name, password: password), calendar: calendar,
            isMade: kept["made"] == true, connected: connected, stop: member("stop").flatMap(Stop.init(rawValue:)),
            isRefusalTold: kept["refusal_told"] == true,
            link: CalendarLink(entries: events?["events"], others: kept["others"], token: member("token")))
    }

    /// Keeps it in place of what was kept before, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        let (entries, others) = link.json
        try documents.write(
            .object(present: [
                "id": .string(id.text), "address": .string(account.address), "user": .string(account.user),
                "password": .string(account.password), "calendar": .string(calendar), "connected": .integer(connected),
                "made": .bool(isMade), "refusal_told": isRefusalTold ? true : nil,
                "stop": (stop?.rawValue).map(JSON.string), "token": link.token.map(JSON.string), "others": others,
            ]), Self.document, of: user)
        try documents.write(["events": entries], Self.eventsDocument, of: user)
    }

    /// Removes what is kept of a person's calendar, within a transaction.
    static func remove(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.remove(Self.document, of: user)
        try documents.remove(Self.eventsDocument, of: user)
    }

    /// All people who have connected one.
    static func everybody(_ documents: Documents) throws(VaultError) -> [ID] {
        try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(Self.document)],
            row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }
}
