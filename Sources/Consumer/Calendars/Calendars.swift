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
// here. Calendars whose servers need long have turns of their own, for a day. A server that fails is left alone for a minute, then for
// twice as long each time, up to six hours. `CalendarMerge` says what a look means, and `CalendarRounds.swift` has one look from its
// beginning to its end.
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
    /// The people among them, and those who have disconnected since, for whom a look has needed long in the last day.
    var slowness: [ID: Slowness] = [:]
    /// Requests that wait for the next look at their calendar.
    var waiting: [ID: [PeopleRequest]] = [:]
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
    /// The looks that are under way.
    var turns: [CalendarCourier.Lane: Turn] = [:]
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

    /// Milliseconds between looks, and from a change to a look.
    static let (pause, soon): (UInt64, UInt64) = (900_000, 2000)
    /// How many requests of a person may wait for a look.
    static let mostWaiting = 4
    /// For how many people servers are asked at a time, or are waiting to be.
    static let mostAsking = 8
    /// From when on a server has its rest even if its person asks, in milliseconds.
    private static let long: UInt64 = 10_000
    /// From when on a server counts as slow, and for how long, in milliseconds. A connection that cannot be made takes ten seconds,
    /// and that may be because of the consumer's own network.
    private static let (slow, slowDay): (UInt64, UInt64) = (15_000, 86_400_000)
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

    func settingsChanged() {
        guard settings == nil else { return goOn(at: 0) }
        // The operator wants no calendars any more.
        for request in waiting.values.flatMap(\.self) { request.refuse(Self.unwanted) }
        waiting = [:]
    }

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
        guard !isUnderWay(user) else {
            states[user]?.isChanged = true
            return
        }
        // A server that fails is not asked more often for that.
        guard state.failures == 0, let due = state.due else { return }
        let time = max(millisecondsSinceBoot() + Self.soon, slowness[user]?.rested ?? 0)
        states[user]?.due = min(due, time)
        goOn(at: time)
    }

    func forgotten(_ user: ID) {
        (states[user], tallies[user]) = (nil, nil)
        overtake(user)
        for request in waiting.removeValue(forKey: user) ?? [] { request.refuse(Self.unconnected) }
        answer(user, .gone)
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

    /// Looks at the calendar that has been due for longest, among those of quick servers and among those of slow ones.
    private func work() {
        guard let settings else { return }
        let now = millisecondsSinceBoot()
        for lane in [CalendarCourier.Lane.turns, .slow] where turns[lane] == nil {
            let due = states.compactMap { user, state in
                self.lane(of: user, now) == lane && !isUnderWay(user) ? state.due.map { (user: user, time: $0) } : nil
            }
            guard let next = due.min(by: { $0.time < $1.time }) else { continue }
            if next.time > now {
                goOn(at: next.time)
            } else if context.doors.isBeingForgotten(next.user) {
                // Others are due, too.
                forgotten(next.user)
            } else {
                turns[lane] = Turn(user: next.user, began: now, served: waiting.removeValue(forKey: next.user) ?? [])
                look(CalendarLook(user: next.user, lane: lane, settings: settings, end: now + longestLook))
            }
        }
    }

    func isUnderWay(_ user: ID) -> Bool { turns.values.contains { $0.user == user } }

    func lane(of user: ID, _ now: UInt64) -> CalendarCourier.Lane {
        slowness[user].map { now < $0.until } ?? false ? .slow : .turns
    }

    /// A look at a person's calendar is over, whatever has ended it.
    private func end(_ user: ID) -> Turn? {
        guard let (lane, turn) = turns.first(where: { $0.value.user == user }) else { return nil }
        turns[lane] = nil
        let now = millisecondsSinceBoot()
        slowness = slowness.filter { now < $0.value.until }
        let took = now - turn.began
        if took >= Self.long {
            let rested = now + turn.rest(now)
            let until = took >= Self.slow ? now + Self.slowDay : slowness[user]?.until ?? 0
            slowness[user] = Slowness(rested: rested, until: max(rested, until))
        }
        return turn
    }

    /// A look is over.
    /// - Parameters:
    ///   - problem: why it has failed; nil if both sides are the same.
    ///   - refused: how many reminders the server did not take.
    func ended(_ user: ID, _ problem: CalendarProblem?, refused: Int = 0) {
        let turn = end(user)
        defer { goOn(at: 0) }
        guard var state = states[user] else { return answer(turn, .gone) }
        let now = millisecondsSinceBoot()
        let rest = turn?.rest(now) ?? 0
        state.failures = problem == nil ? 0 : state.failures + 1
        if let problem {
            state.doubt = doubt(state.doubt, problem, now)
            state.due = now + max(UInt64(backoff.longest(afterFailures: state.failures) / .milliseconds(1)), rest)
            context.limitedLog.info("calendar of \(user)") {
                "the calendar of \(user) is read again later: \(problem.truth)\($0)"
            }
        } else {
            state.due = now + max(state.isChanged ? Self.soon : Self.pause, rest)
            (state.refused, state.doubt) = (refused, nil)
            if refused == 0 { state.inStep = context.now() }
        }
        (state.problem, state.isChanged) = (problem, false)
        // Somebody has asked for a look since this one began.
        if let busy = slowness[user]?.busy(now) {
            for request in waiting.removeValue(forKey: user) ?? [] { request.refuse(busy) }
        } else if waiting[user] != nil {
            state.due = now
        }
        states[user] = state
        answer(turn, problem)
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
        var turn = end(user)
        if let problem {
            states[user]?.due = nil
            states[user]?.problem = problem
        } else {
            states[user] = nil
        }
        turn?.served += waiting.removeValue(forKey: user) ?? []
        answer(turn, problem ?? .gone)
        goOn(at: 0)
    }

    /// What was being looked at is not what is there now: it is looked at again soon, also for those who wait.
    func superseded(_ user: ID) {
        let turn = end(user)
        defer { goOn(at: 0) }
        guard states[user] != nil else { return answer(turn, .gone) }
        let now = millisecondsSinceBoot()
        states[user]?.due = max(now, slowness[user]?.rested ?? 0)
        let requests = (turn?.served ?? []) + (waiting.removeValue(forKey: user) ?? [])
        guard let refusal = settings == nil ? Self.unwanted : slowness[user]?.busy(now) else {
            waiting[user] = requests.isEmpty ? nil : requests
            return
        }
        for request in requests { request.refuse(refusal) }
    }

    /// Answers the requests that wait for a look, which goes on.
    private func answer(_ user: ID, _ problem: CalendarProblem) {
        for (lane, turn) in turns where turn.user == user {
            answer(turn, problem)
            turns[lane]?.served = []
        }
    }

    private func answer(_ turn: Turn?, _ problem: CalendarProblem?) {
        for request in turn?.served ?? [] {
            request.answering {
                if let problem { throw problem.reply }
                request.done(try shown(to: request.user))
            }
        }
    }
}
