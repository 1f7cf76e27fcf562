import Files
import Reminders
import Telemetry

// How a person's reminders and their calendar become the same again. What was changed on one side is taken over by the other.
// If both sides were changed, the later change wins, and a change wins over a deletion; the person is told of both. Nothing
// here waits, asks or writes: `CalendarSight` is what a look has found, and `steps` are what has to be written there.
//
//     look           the calendar's changes since the last look, and the events that are not known yet
//     take(sight)    } one transaction: the reminders, the link with what will be sent, what the person is told
//     steps          }
//     write          each step says which state of the event it takes the place of: nothing is overwritten unseen
//     take(outcome)  another transaction
//
// It may end between any two of these lines, and begins with a look again. What has arrived without our knowing is found to say
// what was being sent, and what has not arrived is sent again under the same name. As soon as it is known that it has not arrived,
// it counts as sent no longer: otherwise a change there would be taken for one of what we had sent.

/// Something of which a person is told.
enum CalendarNews: Hashable, Sendable {
    /// Both sides were changed, and this one here was changed later.
    case keptOurs(label: String)
    /// Both sides were changed, and the calendar's was changed later.
    case tookTheirs(label: String)
    /// It was deleted in the calendar, and changed here: it is there again.
    case putBack(label: String)
    /// It was deleted here, and changed in the calendar: it is here again.
    case broughtBack(label: String)
    /// It was changed in the calendar to something that no reminder can be.
    case estranged(label: String)
    /// Events of the calendar find no room here.
    case full
    /// So many reminders at once were deleted in the calendar, and are deleted here.
    case emptied(count: Int)
}

/// One person's reminders and calendar, while they are brought in step.
struct CalendarMerge {
    private(set) var reminders: [Reminder]
    private(set) var link: CalendarLink
    /// In the order in which it happened.
    private(set) var news: [CalendarNews] = []
    /// Unix milliseconds.
    private let now: Int64
    private let draw: () throws(VaultError) -> ID
    /// Whether the person knows that there is no room.
    private var isFull: Bool

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - draw: makes ids of reminders.
    init(_ reminders: [Reminder], _ link: CalendarLink, now: Int64, draw: @escaping () throws(VaultError) -> ID) {
        (self.reminders, self.link, self.now, self.draw) = (reminders, link, now, draw)
        isFull = link.others.values.contains { $0.reason == .full }
    }

    // MARK: What was found there

    /// Takes over what a look has found.
    mutating func take(_ sight: CalendarSight) throws(VaultError) {
        rename(sight)
        link.forgetUnarrived(sight)
        let count = missing(sight).count
        if isSuspicious(sight) { news.append(.emptied(count: count)) }
        for name in gone(sight) { lose(name, wasSeen: sight.removed.contains(name)) }
        for (name, finding) in sight.read.sorted(by: { $0.key < $1.key }) { try take(finding, name) }
        // What was never seen there and belongs to nobody here needs no step.
        let known = Set(reminders.map(\.id))
        link.entries.removeAll { $0.etag == nil && !known.contains($0.reminder) }
        link.token = sight.token
        // Events that found no room are looked at again when there is some: by then, everything is.
        if reminders.count < ReminderList.most, link.others.values.contains(where: { $0.reason == .full }) {
            link.others = link.others.filter { $0.value.reason != .full }
            link.token = nil
        }
    }

    /// Takes over what became of a step.
    mutating func take(_ outcome: CalendarOutcome, of step: CalendarStep) throws(VaultError) {
        switch outcome {
        case .found(let finding):
            link.forget(step, unless: finding)
            try take(finding, step.name)
        case .gone: lose(step.name, wasSeen: false)
        case .refused: link.refuse(step)
        case .done(let etag):
            guard let index = link.entries.firstIndex(where: { $0.name == step.name }) else { return }
            guard case .put(_, _, let appointment, _, _, _) = step else {
                link.entries.remove(at: index)
                return
            }
            (link.entries[index].etag, link.entries[index].base) = (etag, appointment)
            (link.entries[index].sending, link.entries[index].estranged) = (nil, nil)
        }
    }

    /// An event that was only moved to another name is the same event.
    private mutating func rename(_ sight: CalendarSight) {
        let missing = gone(sight)
        for (name, finding) in sight.read where !link.entries.contains(where: { $0.name == name }) {
            guard case .event(let uid, _, _) = finding.content,
                let index = link.entries.firstIndex(where: { $0.uid == uid && missing.contains($0.name) })
            else { continue }
            link.entries[index].name = name
        }
    }

    /// The names of known events that are not there any more.
    func gone(_ sight: CalendarSight) -> [String] {
        var names = sight.removed
        if sight.isComplete {
            names.formUnion(link.entries.filter(\.isThere).map(\.name))
            names.formUnion(link.others.keys)
        }
        return names.subtracting(sight.listed.keys).sorted()
    }

    /// An event is gone.
    /// - Parameter wasSeen: whether the server says that it was there.
    private mutating func lose(_ name: String, wasSeen: Bool) {
        link.others[name] = nil
        guard let index = link.entries.firstIndex(where: { $0.name == name }) else { return }
        let entry = link.entries[index]
        let ours = reminder(entry.reminder).map(Appointment.init)
        // What both had was deleted there, or what had just arrived there for the first time.
        guard let ours, ours != entry.base, !wasSeen || entry.base != nil || ours != entry.sending else {
            link.entries.remove(at: index)
            return reminders.removeAll { $0.id == entry.reminder }
        }
        if entry.base != nil, !entry.isLost { news.append(.putBack(label: ours.label)) }
        // It may come back under another name, with what both sides had: so that stays.
        (link.entries[index].etag, link.entries[index].sending, link.entries[index].estranged) = (nil, ours, nil)
    }

    private mutating func take(_ finding: Finding, _ name: String) throws(VaultError) {
        switch finding.content {
        case .other(let reason): estrange(name, finding.etag, reason)
        case .event(let uid, let theirs, let modified):
            guard let index = entry(name, uid, theirs) else {
                return try adopt(name, uid, theirs, etag: finding.etag, told: false)
            }
            link.others[name] = nil
            try compare(index, name, theirs, modified: modified, etag: finding.etag)
        }
    }

    /// Where the entry of an event stands. An event that nobody knows is that of the reminder whose id it has, or of one that says
    /// the same: it is from before this calendar was connected again.
    private mutating func entry(_ name: String, _ uid: String, _ theirs: Appointment) -> Int? {
        if let index = link.entries.firstIndex(where: { $0.name == name }) { return index }
        if let index = link.entries.firstIndex(where: { $0.uid == uid && !$0.isThere }) {
            link.entries[index].name = name
            return index
        }
        let linked = Set(link.entries.filter(\.isThere).map(\.reminder))
        let free = reminders.filter { !linked.contains($0.id) }
        guard
            let reminder = free.first(where: { $0.id.text == uid }) ?? free.first(where: { Appointment($0) == theirs })
        else { return nil }
        // One that was being sent under another name has not arrived: the server has this one.
        link.entries.removeAll { $0.reminder == reminder.id }
        link.entries.append(CalendarLink.Entry(reminder: reminder.id, uid: uid, name: name))
        return link.entries.count - 1
    }

    private mutating func estrange(_ name: String, _ etag: String, _ reason: NoReminder) {
        guard let index = link.entries.firstIndex(where: { $0.name == name }) else {
            link.others[name] = CalendarLink.Other(etag: etag, reason: reason)
            return
        }
        guard let reminder = reminder(link.entries[index].reminder) else {
            let entry = link.entries.remove(at: index)
            link.others[name] = CalendarLink.Other(etag: etag, reason: reason)
            if entry.estranged == nil, let label = entry.base?.label { news.append(.estranged(label: label)) }
            return
        }
        // Once, until it is a reminder again, whatever else it becomes.
        if link.entries[index].estranged == nil { news.append(.estranged(label: reminder.label)) }
        (link.entries[index].etag, link.entries[index].base) = (etag, Appointment(reminder))
        (link.entries[index].sending, link.entries[index].estranged) = (nil, reason)
    }

    /// Compares an event with its reminder and with what both had last.
    private mutating func compare(
        _ index: Int, _ name: String, _ theirs: Appointment, modified: Int64?, etag: String
    ) throws(VaultError) {
        let entry = link.entries[index]
        let isChangedThere = theirs != entry.base && theirs != entry.sending
        guard let at = reminders.firstIndex(where: { $0.id == entry.reminder }) else {
            guard isChangedThere else {
                link.entries[index].etag = etag
                return
            }
            link.entries.remove(at: index)
            return try adopt(name, entry.uid, theirs, etag: etag, told: true)
        }
        let ours = Appointment(reminders[at])
        (link.entries[index].etag, link.entries[index].base) = (etag, theirs)
        (link.entries[index].sending, link.entries[index].estranged) = (nil, nil)
        guard theirs != ours, isChangedThere else { return }
        if ours != entry.base {
            // A calendar counts seconds, and its clock may be ahead.
            let theirTime = min(modified ?? now, now) / 1000
            guard reminders[at].changed / 1000 <= theirTime else {
                return news.append(.keptOurs(label: reminders[at].label))
            }
            news.append(.tookTheirs(label: theirs.label))
        }
        reminders[at] = theirs.applied(to: reminders[at], now: now)
    }

    /// Makes a reminder of an event.
    private mutating func adopt(
        _ name: String, _ uid: String, _ theirs: Appointment, etag: String, told: Bool
    ) throws(VaultError) {
        guard reminders.count < ReminderList.most else {
            if !isFull { news.append(.full) }
            isFull = true
            link.others[name] = CalendarLink.Other(etag: etag, reason: .full)
            return
        }
        let reminder = theirs.reminder(try draw(), now: now)
        reminders.append(reminder)
        link.others[name] = nil
        link.entries.append(CalendarLink.Entry(reminder: reminder.id, uid: uid, name: name, etag: etag, base: theirs))
        if told { news.append(.broughtBack(label: theirs.label)) }
    }

    // MARK: What has to be written there

    /// What is not the same there yet. The link says afterwards what is on its way: it has to be kept before the first step is
    /// taken.
    mutating func steps() -> [CalendarStep] {
        var steps: [CalendarStep] = []
        for entry in link.entries where reminder(entry.reminder) == nil {
            guard let etag = entry.etag else { continue }
            if let reason = entry.estranged {
                // It is something else now.
                link.entries.removeAll { $0.name == entry.name }
                link.others[entry.name] = CalendarLink.Other(etag: etag, reason: reason)
            } else {
                steps.append(.delete(name: entry.name, etag: etag))
            }
        }
        for reminder in reminders {
            let ours = Appointment(reminder)
            let index = link.entries.firstIndex { $0.reminder == reminder.id } ?? link.entries.count
            if index == link.entries.count {
                link.entries.append(
                    CalendarLink.Entry(reminder: reminder.id, uid: reminder.id.text, name: name(reminder.id)))
            }
            let entry = link.entries[index]
            guard entry.base != ours || entry.isLost else { continue }
            link.entries[index].sending = ours
            steps.append(
                .put(
                    name: entry.name, uid: entry.uid, ours, etag: entry.etag, changed: reminder.changed,
                    revision: reminder.revision))
        }
        return steps
    }

    /// What the event of a reminder is called: as the reminder is, if no other event has that name.
    private func name(_ id: ID) -> String {
        let taken = Set(link.entries.map(\.name))
        let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? "\(id.text).ics" : "\(id.text)-\($0).ics" }
        return names.first { !taken.contains($0) } ?? "\(id.text).ics"
    }

    func reminder(_ id: ID) -> Reminder? { reminders.first { $0.id == id } }
}
