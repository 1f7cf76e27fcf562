package import Contract
package import Fitness
import Records
package import Telemetry

/// Something that has happened, and that a person may want to know about.
package struct Notification: Hashable {
    /// What it is, for programs. Each feature has its own. Kinds of the same name are the same.
    package struct Kind: Hashable, Sendable {
        package let name: String
        /// What goes to places that others may see, unless its person wants its own text there: what kind of thing has
        /// happened, without readings, names and places.
        package let neutral: Phrase
        /// Whether somebody is to hear of it before everything else.
        package let isAlert: Bool

        package init(_ name: String, _ neutral: Phrase, isAlert: Bool = false) {
            self.name = name
            self.neutral = neutral
            self.isAlert = isAlert
        }

        /// One that was kept, of which only the name is known: `[Feature].kind` has the rest.
        package init(kept name: String) { self.init(name, .neutralNews) }

        package static func == (one: Self, other: Self) -> Bool { one.name == other.name }
        package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    package var kind: Kind
    /// When it happened, Unix milliseconds.
    package var time: Int64
    /// The friend; for a request to become one, the invitation.
    package var from: ID?
    package var fromName: String?
    package var day: CalendarDay?
    /// Which goal was reached: `steps`.
    package var goal: String?
    /// The alert that guardians may confirm.
    package var alert: ID?
    /// The reminder that is due.
    package var reminder: ID?
    /// The post that it is about.
    package var post: ID?
    /// For people, in their own language.
    package var text: String

    /// Whether somebody is to hear of it before everything else. Of a kind that was read again, only the name is known; but
    /// what guardians may confirm is always one.
    var isAlert: Bool { kind.isAlert || alert != nil }

    package init(
        kind: Kind, time: Int64, from: ID? = nil, fromName: String? = nil, day: CalendarDay? = nil, goal: String? = nil,
        alert: ID? = nil, reminder: ID? = nil, post: ID? = nil, text: String
    ) {
        self.kind = kind
        self.time = time
        self.from = from
        self.fromName = fromName.map(PlainText.shown)
        self.day = day
        self.goal = goal
        self.alert = alert
        self.reminder = reminder
        self.post = post
        // It may have a name that was kept before names were checked.
        self.text = PlainText.shown(text)
    }
}

/// A notification that is kept.
package struct StoredNotification: Hashable {
    /// Random; it says nothing.
    package let id: String
    package let notification: Notification
    /// Whether the person has said that they know.
    package let isConfirmed: Bool

    /// What `json` has.
    package static let schema = PayloadSchema.object(
        "Notification", "Something that has happened.",
        [
            .always("id", .text), .always("kind", .text), .always("time", .time), .always("text", .text),
            .known("from", .id), .known("from_name", .text), .known("day", .day), .known("goal", .text),
            .known("alert", .id), .known("reminder", .id), .known("post", .id), .always("confirmed", .bool),
        ])

    /// As people get it, in the list and on the topic.
    package var json: JSON {
        guard case .object(let members) = notification.json else { return [:] }
        return .object(
            [JSON.Member("id", .string(id))] + members + [JSON.Member("confirmed", .bool(isConfirmed))])
    }
}

extension Notification {
    /// As it is sealed.
    package var json: JSON {
        .object(present: [
            "kind": .string(kind.name), "time": .integer(time), "text": .string(text),
            "from": from.map { .string($0.text) }, "from_name": fromName.map(JSON.string),
            "day": day.map { .string("\($0)") }, "goal": goal.map(JSON.string),
            "alert": alert.map { .string($0.text) }, "reminder": reminder.map { .string($0.text) },
            "post": post.map { .string($0.text) },
        ])
    }

    /// Reads what was sealed; nil if it is no notification.
    package init?(kept json: JSON) {
        guard case .string(let name)? = json["kind"], case .integer(let time)? = json["time"],
            case .string(let text)? = json["text"]
        else { return nil }
        func member(_ field: String) -> String? {
            if case .string(let text)? = json[field] { text } else { nil }
        }
        func id(_ field: String) -> ID? {
            member(field).flatMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
        }
        self.init(
            kind: Kind(kept: name), time: time, from: id("from"), fromName: member("from_name"),
            day: member("day").flatMap { CalendarDay($0) }, goal: member("goal"), alert: id("alert"),
            reminder: id("reminder"), post: id("post"), text: text)
    }
}
