import Files
import Records
import Reminders
import Telemetry

// What is remembered of a calendar, so that the next look can tell what has changed on which side. A change is known by what is
// said, and not by numbers: an event that a server has written in another way, or whose note somebody has changed, has another
// ETag and says the same.
//
// What is about to be written there is kept before it leaves (`sending`). So a consumer that is killed after the server has taken
// it, and before it heard of that, knows its own words when it reads them.

/// Which reminder is which event of a person's calendar.
struct CalendarLink: Hashable, Sendable {
    /// A reminder and its event.
    struct Entry: Hashable, Sendable {
        let reminder: ID
        /// The event's UID: the reminder's id if it was made here.
        let uid: String
        /// The last part of its address there.
        var name: String
        /// Of what both sides had last; nil if it is not known: it may not be there yet.
        var etag: String?
        /// What both sides had last; nil if they never agreed.
        var base: Appointment?
        /// What was on its way there last, and may have arrived.
        var sending: Appointment?
        /// Why the event is no reminder any more. It is left alone until somebody changes the reminder here.
        var estranged: NoReminder?

        /// Whether the event is there, as far as anybody knows.
        var isThere: Bool { etag != nil || base != nil && !isLost }
        /// Whether it was there, and has to be put back.
        var isLost: Bool { etag == nil && base != nil && sending != nil }
    }

    /// An event that is no reminder.
    struct Other: Hashable, Sendable {
        let etag: String
        let reason: NoReminder
    }

    var entries: [Entry] = []
    /// By the names of their events.
    var others: [String: Other] = [:]
    /// What the server calls the state that was seen last; nil if everything has to be looked at.
    var token: String?

    /// How many events that are no reminders are remembered. A calendar that has more is not kept in step.
    static let mostOthers = 150
    /// How many events a calendar may have.
    static let mostEvents = ReminderList.most + mostOthers
    /// What is longer, in bytes, is not remembered: all of it has to have room in one document.
    static let longest = (uid: 128, name: 128, etag: 82, token: 2048)

    /// Whether both documents that it is kept in can be read again.
    var hasRoom: Bool {
        let (entries, others) = json
        return entries.bytes.count < JSON.maximumLength - Self.restOfEntries
            && others.bytes.count < JSON.maximumLength - Self.restOfOthers
    }

    /// What stands beside the entries, and beside the others, in bytes: of the account, its address, name and password.
    private static let (restOfEntries, restOfOthers) = (64, 12 * 1024)

    /// Which of these events have to be read.
    /// - Parameter listed: ETags by names.
    func unread(of listed: [String: String]) -> [String] {
        var known = others.mapValues(\.etag)
        for entry in entries { known[entry.name] = entry.etag }
        return listed.filter { known[$0.key] != $0.value }.keys.sorted()
    }

    /// Whether a text may be kept as it is, or as a part of an address: nothing in it takes more room than it has.
    static func isPlain(_ text: some StringProtocol, atMost length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" && $0 != "\"" }
    }

    /// Whether it is an ETag (RFC 9110, 8.8.3) that may be kept.
    static func isETag(_ text: String) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        guard quoted.utf8.count > 2, quoted.first == "\"", quoted.last == "\"" else { return false }
        return text.utf8.count <= longest.etag && isPlain(quoted.dropFirst().dropLast(), atMost: longest.etag)
    }
}

// MARK: As it is kept

extension CalendarLink {
    /// Its entries, and the rest.
    var json: (entries: JSON, others: JSON) {
        let others = others.sorted { $0.key < $1.key }.map { name, other in
            JSON.array([.string(name), .string(other.etag), .string(other.reason.words)])
        }
        return (.array(entries.map(\.json)), .array(others))
    }

    /// What was kept. What cannot be read is left out, and looked at again.
    init(entries: JSON?, others: JSON?, token: String?) {
        self.token = token
        if case .array(let kept)? = entries { self.entries = kept.compactMap(Entry.init) }
        if case .array(let kept)? = others {
            for case .array(let parts) in kept {
                guard parts.count == 3, case .string(let name) = parts[0], case .string(let etag) = parts[1],
                    case .string(let words) = parts[2]
                else { continue }
                self.others[name] = Other(etag: etag, reason: NoReminder(words))
            }
        }
    }
}

extension CalendarLink.Entry {
    fileprivate var json: JSON {
        .object(present: [
            "reminder": .string(reminder.text), "uid": uid == reminder.text ? nil : .string(uid), "name": .string(name),
            "etag": etag.map(JSON.string), "base": (base?.line).map(JSON.string),
            "sending": (sending?.line).map(JSON.string), "estranged": (estranged?.words).map(JSON.string),
        ])
    }

    fileprivate init?(_ json: JSON) {
        func member(_ name: String) -> String? {
            if case .string(let text)? = json[name] { text } else { nil }
        }
        guard let id = member("reminder").flatMap({ text in decoded { () throws(MalformedValue) in try ID(text) } }),
            let name = member("name")
        else { return nil }
        self.init(
            reminder: id, uid: member("uid") ?? id.text, name: name, etag: member("etag"),
            base: member("base").flatMap(Appointment.init(line:)),
            sending: member("sending").flatMap(Appointment.init(line:)),
            estranged: member("estranged").map { NoReminder($0) })
    }
}
