import Reminders
import Telemetry

// A server may say that events are gone that nobody has deleted: while it is mended, after an old copy of it was put back, or with a
// list that lacks a part. Reminders that were deleted here would be lost.

extension CalendarMerge {
    /// The names of events that are gone, and whose reminders would go with them.
    func missing(_ sight: CalendarSight) -> [String] {
        let moved = sight.read.values.compactMap { finding -> String? in
            if case .event(let uid, _, _) = finding.content { uid } else { nil }
        }
        let gone = Set(gone(sight))
        return link.entries.filter { entry in
            guard let base = entry.base, entry.isThere, gone.contains(entry.name) else { return false }
            return !moved.contains(entry.uid) && reminder(entry.reminder).map(Appointment.init) == base
        }.map(\.name)
    }

    /// Whether more is missing than people delete at a time. Servers lose calendars, too, and find them again: so this is believed
    /// when it is still so later.
    func isSuspicious(_ sight: CalendarSight) -> Bool {
        let missing = missing(sight).count
        let linked = link.entries.count(where: \.isThere)
        let isEmpty = sight.isComplete && missing > 0 && missing == linked
        return isEmpty || missing > Self.mostMissing && missing * 2 >= linked
    }

    /// More than these, and at least half of all, are not believed to be deleted at once.
    private static let mostMissing = 3
}
