import Daemon
import Days
import Desk
import Features
import Files
import Reactor
import Records
import Reminders
import Telemetry

// People's calendars are looked at in turn, one at a time: every quarter of an hour, and two seconds after a reminder was changed
// here. A server that fails is left alone for a minute, then for twice as long each time, up to six hours. `CalendarMerge` says what
// a look means, and `CalendarRounds.swift` has one look from its beginning to its end.
//
// What the person has to do something about ends the looks: a password that is refused, and a calendar that is gone. Both are
// believed when they are still so half an hour later, and so is a calendar in which most events are missing.

/// People's calendars. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class Calendars: FeatureService, PeopleObserver, PasswordObserver, ReminderObserver, @unchecked Sendable {
    let context: PeopleContext
    let reminders: Reminders
    let courier = CalendarCourier()
    /// How often a person may have a server asked that they name, and have their calendar looked at.
    var connections = Allowance<ID>(perSecond: 1.0 / 60, burst: 5)
    var looks = Allowance<ID>(perSecond: 1.0 / 15, burst: 4)
    /// The people who have connected a calendar.
    var states: [ID: State] = [:]
    /// Requests that wait for the next look at their calendar.
    var waiting: [ID: [PeopleRequest]] = [:]
    /// Requests that wait for the look that is under way: it began after they came.
    private var served: [PeopleRequest] = []
    /// What goes on when a calendar is deleted of somebody who is about to be forgotten, by the ids of connections.
    var leaves: [ID: (timer: EventLoop.Timer, completion: @Sendable (String?) -> Void)] = [:]
    /// People who have reset their password, until the devices of before are out: these could connect a calendar.
    var leaving: Set<ID> = []
    /// People for whom a server is being asked now, or will be when its turn comes.
    var asking: Set<ID> = []
    /// People among them who have reset their password or ended their calendar since: what is found is not for them any longer.
    private var overtaken: Set<ID> = []
    /// What calendars have brought people today.
    var tallies: [ID: CalendarTally] = [:]
    /// The person at whose calendar this looks now.
    var current: ID?
    /// When that look began, in milliseconds since boot.
    var began: UInt64 = 0
    /// Whether what has changed is what a look has found.
    var isTakingOver = false
    /// How long a server has to say something that ends the looks, in milliseconds.
    var longestDoubt: UInt64 = 1_800_000
    /// No look lasts longer, with all that it reads and writes; in milliseconds.
    var longestLook: UInt64 = 120_000
    /// For how long a server is asked to delete the calendar of somebody who is about to be forgotten. A second later they
    /// are forgotten, whatever keeps the courier.
    var longestLeave: Duration = .seconds(8)
    private var backoff = Backoff(first: .seconds(60), limit: .seconds(6 * 3600))
    private var wakeUp: (time: UInt64, timer: EventLoop.Timer)?
    private var loop: EventLoop?

    /// What is known of a person's calendar while the service lives.
    struct State {
        /// When it is looked at next, milliseconds since boot; nil for never by itself.
        var due: UInt64?
        /// The calendar's own address, as soon as it has been looked at: two people may not have the same one.
        var calendar: String?
        /// What has to be believed when it is still so later, and since when a server says it, in milliseconds since boot.
        var doubt: (problem: CalendarProblem, since: UInt64)?
        /// Whether reminders were changed during the look.
        var isChanged = false
        /// It is not looked at before, whoever asks: its server needed long. Milliseconds since boot.
        var rested: UInt64 = 0
        /// How many looks in a row have failed.
        var failures = 0
        /// Why the latest look has failed; nil if it has not.
        var problem: CalendarProblem?
        /// When both sides were the same last, Unix milliseconds.
        var inStep: Int64?
        /// How many reminders the server did not take.
        var refused = 0

        /// Why nobody has this calendar looked at now; nil if somebody may.
        func busy(_ now: UInt64) -> ReplyError? {
            guard now < rested else { return nil }
            let seconds = Int((rested - now) / 1000) + 1
            let words = "the calendar server needed long: it is looked at again in \(seconds) s at the earliest"
            return ReplyError(.busy, words, retryAfterSeconds: seconds)
        }
    }

    /// Milliseconds between looks, and from a change to a look.
    static let (pause, soon): (UInt64, UInt64) = (900_000, 2000)
    /// How many requests of a person may wait for a look.
    static let mostWaiting = 4
    /// For how many people servers are asked at a time, or are waiting to be.
    static let mostAsking = 8
    /// A server that needs long is looked at less often: so many times as long passes until the next look. From `long` on, in
    /// milliseconds, that is so even if its person asks.
    private static let (rest, long): (UInt64, UInt64) = (20, 10_000)
    private static let patience: UInt64 = 5000

    var settings: CalendarSettings? { context.settings[CalendarSetting.self].calendar }
    var reminderList: ReminderList { ReminderList(documents: context.documents) }

    init(_ parts: FeatureParts, _ reminders: Reminders) {
        (context, self.reminders) = (parts.context, reminders)
        context.changes.add(self)
        reminders.tell(self)
    }

    func start(_ loop: EventLoop) {
        self.loop = loop
        readEverybody()
    }

    func settingsChanged() { goOn(at: 0) }

    private func readEverybody() {
        do throws(VaultError) {
            for user in try CalendarRecord.everybody(context.documents) where states[user] == nil {
                states[user] = State(due: 0)
            }
            goOn(at: 0)
        } catch {
            context.limitedLog.error("calendars") { "the list of people with calendars was not read\($0): \(error)" }
            loop?.after(.milliseconds(Int64(Self.patience))) { [unowned self] in readEverybody() }
        }
    }

    // MARK: What changes

    func remindersChanged(of user: ID) {
        guard let state = states[user], !isTakingOver else { return }
        if current == user {
            states[user]?.isChanged = true
            return
        }
        // A server that fails is not asked more often for that.
        guard state.failures == 0, let due = state.due else { return }
        states[user]?.due = min(due, millisecondsSinceBoot() + Self.soon)
        goOn(at: millisecondsSinceBoot() + Self.soon)
    }

    func forgotten(_ user: ID) {
        (states[user], tallies[user]) = (nil, nil)
        overtake(user)
        for request in waiting.removeValue(forKey: user) ?? [] { request.refuse(Self.unconnected) }
        if current == user { answer(.gone) }
        goOn(at: 0)
    }

    func resettingPassword(of user: ID) throws(VaultError) -> String? {
        guard var record = try CalendarRecord(context.documents, of: user), record.stop == nil else { return nil }
        record.stop = .reset
        try record.keep(context.documents, of: user)
        return "Your calendar is not kept in step until you connect it again: vitals calendar connect"
    }

    func signingOut(_ user: ID) {
        overtake(user)
        leaving.insert(user)
    }

    func signedOut(_ user: ID) { leaving.remove(user) }

    private func overtake(_ user: ID) {
        if asking.contains(user) { overtaken.insert(user) }
    }

    /// A server was asked for a person.
    /// - Returns: whether what it says is for them.
    func endAsking(_ user: ID) -> Bool {
        asking.remove(user)
        return overtaken.remove(user) == nil
    }

    // MARK: The clock

    /// Works at some time, milliseconds since boot, or before. Not within the transaction that may be open now.
    func goOn(at time: UInt64) {
        guard let loop else { return }
        if let wakeUp {
            guard time < wakeUp.time else { return }
            wakeUp.timer.cancel()
        }
        let now = millisecondsSinceBoot()
        let timer = loop.after(.milliseconds(Int64(clamping: max(time, now) - now))) { [unowned self] in
            wakeUp = nil
            work()
        }
        wakeUp = (time, timer)
    }

    /// Looks at the calendar that has been due for longest.
    private func work() {
        guard current == nil, let settings else { return }
        let due = states.compactMap { user, state in state.due.map { (user: user, time: $0) } }
        guard let next = due.min(by: { $0.time < $1.time }) else { return }
        guard next.time <= millisecondsSinceBoot() else { return goOn(at: next.time) }
        // Others are due, too.
        guard !context.doors.isBeingForgotten(next.user) else { return forgotten(next.user) }
        (current, began) = (next.user, millisecondsSinceBoot())
        served = waiting.removeValue(forKey: next.user) ?? []
        look(CalendarLook(user: next.user, settings: settings, end: millisecondsSinceBoot() + longestLook))
    }

    /// A look is over.
    /// - Parameters:
    ///   - problem: why it has failed; nil if both sides are the same.
    ///   - refused: how many reminders the server did not take.
    func ended(_ user: ID, _ problem: CalendarProblem?, refused: Int = 0) {
        defer {
            current = nil
            goOn(at: 0)
        }
        guard var state = states[user] else { return answer(.gone) }
        let now = millisecondsSinceBoot()
        let took = current == user ? now - began : 0
        let rest = took * Self.rest
        state.rested = took < Self.long ? 0 : now + rest
        state.failures = problem == nil ? 0 : state.failures + 1
        if let problem {
            state.doubt = doubt(state.doubt, problem, now)
            state.due = now + max(UInt64(backoff.longest(afterFailures: state.failures) / .milliseconds(1)), rest)
            context.limitedLog.info("calendar of \(user)") {
                "the calendar of \(user) is looked at later: \(problem.words)\($0)"
            }
        } else {
            state.due = now + max(state.isChanged ? Self.soon : Self.pause, rest)
            (state.refused, state.doubt) = (refused, nil)
            if refused == 0 { state.inStep = context.now() }
        }
        (state.problem, state.isChanged) = (problem, false)
        // Somebody has asked for a look since this one began.
        if let busy = state.busy(now) {
            for request in waiting.removeValue(forKey: user) ?? [] { request.refuse(busy) }
        } else if waiting[user] != nil {
            state.due = now
        }
        states[user] = state
        answer(problem)
    }

    /// What is doubted after a look has failed. A server that is away in between says nothing about it.
    private func doubt(
        _ before: (problem: CalendarProblem, since: UInt64)?, _ problem: CalendarProblem, _ now: UInt64
    ) -> (problem: CalendarProblem, since: UInt64)? {
        guard problem.isFinal || problem == .emptied else { return before }
        return before?.problem == problem ? before : (problem, now)
    }

    /// Nothing more is looked at until the person connects a calendar again.
    func stopped(_ user: ID, _ problem: CalendarProblem?) {
        current = nil
        if let problem {
            states[user]?.due = nil
            states[user]?.problem = problem
        } else {
            states[user] = nil
        }
        served += waiting.removeValue(forKey: user) ?? []
        answer(problem ?? .gone)
        goOn(at: 0)
    }

    /// What was being looked at is not what is there now: it is looked at again soon, also for those who wait.
    func superseded(_ user: ID) {
        current = nil
        if states[user] != nil {
            states[user]?.due = millisecondsSinceBoot()
            waiting[user] = served + waiting[user, default: []]
            served = []
            if waiting[user]?.isEmpty == true { waiting[user] = nil }
        }
        answer(.gone)
        goOn(at: 0)
    }

    private func answer(_ problem: CalendarProblem?) {
        for request in served {
            request.answering {
                if let problem { throw problem.reply }
                request.done(try shown(to: request.user))
            }
        }
        served = []
    }
}
