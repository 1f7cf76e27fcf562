package import Files
package import Fitness
import Readings
import Records
package import Telemetry

// Days that are counted again: by their person, with another profile; and by the operator, who compares.

extension Days {
    /// How many days can be counted with another profile at once: each is opened and sealed again, with all
    /// the heart rates of its hours, and nobody else is answered meanwhile.
    package static let mostRecounted = 10

    /// Counts the distance and energy of some days with the profile of today, and by today's formulas, within a transaction.
    /// Goals that were reached stay reached. Call `committed` after it.
    /// - Parameter days: none after the person's today.
    /// - Returns: how many days are different now.
    package func recount(_ days: ClosedRange<CalendarDay>, of user: ID, now: Int64) throws(VaultError) -> Int {
        try histories.applyBody(on: days, of: user, now: now)
        let history = try histories.keep(user, now: now)
        var book = DayBook(rows, user, history.localDays)
        var changed: [CalendarDay] = []
        for day in try rows.days(of: user, in: days) {
            let before = try book.record(of: day).figures
            try book.measure(day, history)
            guard try book.record(of: day).figures != before else { continue }
            changed.append(day)
            try evaluate(day, &book, history, silently: true, now: now)
        }
        try evaluate(weeksOf: changed, &book, history, silently: true, now: now)
        try book.write()
        // Zones follow from the body, too.
        pending.insert(user)
        return changed.count
    }

    /// Computes all days of a person again from what is stored, and compares.
    package func recount(of user: ID) throws(VaultError) -> (kept: Int, differing: Int) {
        let history = try histories.history(of: user)
        var book = DayBook(rows, user, history.localDays, isBlank: true)
        try book.fill(DayBook.calendar, from: StoredReadings(store: store, keys: keys))
        let span = try rows.span(of: user)
        // Exercise enters workouts, and compares them itself.
        if let span {
            for (day, record) in try rows.records(of: user, in: span) where !record.workouts.isEmpty {
                try book.take(record.workouts.values.map { $0 }, on: day)
            }
        }
        _ = try book.derive(history)
        var computed = book.records.filter { !$0.value.isEmpty }
        var (kept, differing) = (0, 0)
        if let span {
            for (day, record) in try rows.records(of: user, in: span) {
                var record = record
                // What was announced cannot be computed again.
                record.reached = [:]
                var found = computed.removeValue(forKey: day)
                // A day from before hours of several sources counted stands, until its steps or workouts change.
                if let steps = found?.steps, steps != record.steps, try book.stepsOfOneSource(on: day) == record.steps {
                    found?.steps = record.steps
                    found?.figures = record.figures
                }
                // What the same steps came to by other formulas, or with a body that the history no longer has, stands.
                if found?.steps == record.steps, found?.workouts.isEmpty != false || record.figures?.formulas != DayFigures.formulas {
                    found?.figures = record.figures
                }
                kept += 1
                if record != found ?? DayRecord() { differing += 1 }
            }
        }
        return (kept, differing + computed.count)
    }
}
