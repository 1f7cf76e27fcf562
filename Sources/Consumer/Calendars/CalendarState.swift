import Desk
import Telemetry

// What is known of people's calendars while the service lives.

extension Calendars {
    /// What is known of one.
    struct State {
        /// When it is looked at next, milliseconds since boot; nil for never by itself.
        var due: UInt64?
        /// The calendar's own address, as soon as it has been looked at: two people may not have the same one.
        var calendar: String?
        /// What has to be believed when it is still so later, and since when a server says it, in milliseconds since boot.
        var doubt: (problem: CalendarProblem, since: UInt64)?
        /// Whether reminders were changed during the look.
        var isChanged = false
        /// How many looks in a row have failed.
        var failures = 0
        /// Why the latest look has failed; nil if it has not.
        var problem: CalendarProblem?
        /// When both sides were the same last, Unix milliseconds.
        var inStep: Int64?
        /// How many reminders the server did not take.
        var refused = 0
    }

    /// That a look has needed long. It outlives the connection: whoever connects a calendar again has it looked at no sooner.
    struct Slowness {
        /// No calendar of the person is looked at before, whoever asks. Milliseconds since boot.
        let rested: UInt64
        /// Until then the person's server counts as one that needs long. Milliseconds since boot.
        let until: UInt64

        /// Why nobody has the calendar looked at now; nil if somebody may.
        func busy(_ now: UInt64) -> ReplyError? {
            guard now < rested else { return nil }
            let seconds = Int((rested - now) / 1000) + 1
            let words = "the calendar server needed long: it is looked at again in \(seconds) s at the earliest"
            return ReplyError(.busy, words, retryAfterSeconds: seconds)
        }
    }

    /// A look that is under way.
    struct Turn {
        let user: ID
        /// Milliseconds since boot.
        let began: UInt64
        /// Requests that wait for it: it began after they came.
        var served: [PeopleRequest] = []

        /// For how long its server is left alone, if it ends now, in milliseconds: a server that needs long is looked at less often.
        func rest(_ now: UInt64) -> UInt64 { 20 * (now - began) }
    }
}
