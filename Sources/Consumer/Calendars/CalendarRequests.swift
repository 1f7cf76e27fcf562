import CalendarFiles
import Daemon
import Desk
import Features
import Fetch
import Files
import Records
import Reminders
import Telemetry

// What people ask: `calendar/…`.

extension Calendars {
    var verbs: [Verb] {
        [
            Verb("calendar/show", .calendarShow, .atOnce { [unowned self] in try shown(to: $0.user) }),
            Verb(
                "calendar/connect", .calendarConnect,
                .later { [unowned self] asked in asked.answering { try connect(asked) } }),
            Verb(
                "calendar/sync", .calendarSync, .later { [unowned self] asked in asked.answering { try sync(asked) } }),
            Verb(
                "calendar/disconnect", .calendarDisconnect,
                .later { [unowned self] asked in asked.answering { try disconnect(asked) } }),
            Verb("calendar/export", .calendarExport, .atOnce { [unowned self] in try export(of: $0.user) }),
        ]
    }

    /// No address, name or password is longer, in bytes.
    static let longest = (address: 1024, user: 256, password: 512)
    /// For how long a server is asked whether it has a calendar, in milliseconds.
    private static let patience: UInt64 = 25_000

    static let unconnected = ReplyError(.notFound, "You have connected no calendar: vitals calendar connect")

    /// - Throws: if the operator wants none of it.
    private func requireSettings() throws(ReplyError) -> CalendarSettings {
        guard let settings else { throw Self.unwanted }
        return settings
    }

    static var unwanted: ReplyError {
        let words = "this home speaks to no calendar: its operator has to add calendar: {} to consumer.json5"
        return ReplyError(.notSupported, words, field: CalendarSetting.key)
    }

    // MARK: Connecting

    private func connect(_ request: PeopleRequest) throws {
        let (user, settings) = (try request.user, try requireSettings())
        let account = try account(request)
        guard !leaving.contains(user) else {
            let words = "your password was reset, and your devices are being signed out: try again soon"
            throw ReplyError(.busy, words, retryAfterSeconds: 5)
        }
        let record = try CalendarRecord(context.documents, of: user)
        if let record { try requireSame(record, account) }
        let time = try begin(request)
        courier.talk(in: .asked) { () throws(CalendarProblem) in
            try CalendarTalk(account, settings, within: Self.left(until: time))
        } _: { talk throws(CalendarProblem) in
            try talk.find(record?.calendar)
        } completion: { [weak self, loop = context.session.loop] result in
            loop.perform { [weak self] in
                guard let self else { return }
                // A device of before a reset may have asked, or the person has had everything deleted since.
                let isForThem = self.endAsking(user)
                request.answering {
                    guard isForThem else { throw Self.unconnected }
                    switch result {
                    case .success(let found): request.done(try self.connected(user, account, found))
                    case .failure(let problem): throw self.reply(problem, to: user)
                    }
                }
            }
        }
    }

    /// What a person is told whose calendar is not reached; the log is told the truth.
    private func reply(_ problem: CalendarProblem, to user: ID) -> ReplyError {
        context.limitedLog.info("calendar of \(user)") {
            "what \(user) asks of their calendar is not done: \(problem.truth)\($0)"
        }
        return problem.reply
    }

    private func requireSame(_ record: CalendarRecord, _ account: CalendarAccount) throws(ReplyError) {
        guard !record.account.isSame(as: account) else { return }
        let words = "you have connected a calendar at \(record.account.host) already: vitals calendar disconnect"
        throw ReplyError(.notAllowed, words, field: "address")
    }

    /// Begins to ask a server for a person: one thing at a time, and not for everybody at once.
    /// - Returns: when that has to be over, in milliseconds since boot.
    private func begin(_ request: PeopleRequest) throws -> UInt64 {
        let (user, now) = (try request.user, millisecondsSinceBoot())
        if let seconds = connections.take(user, now: now) {
            let words = "you have tried too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        guard !asking.contains(user), asking.count < Self.mostAsking else {
            let words = "a calendar server is being asked for you or for many others: try again"
            throw ReplyError(.busy, words, retryAfterSeconds: 10)
        }
        asking.insert(user)
        return now + min(Self.patience, UInt64(clamping: Int64(request.limit / .milliseconds(1))))
    }

    /// What is left of somebody's time when their turn has come.
    private static func left(until time: UInt64) throws(CalendarProblem) -> Duration {
        let now = millisecondsSinceBoot()
        guard now < time else { throw .timeout }
        return .milliseconds(Int64(clamping: time - now))
    }

    private func account(_ request: PeopleRequest) throws -> CalendarAccount {
        let address = try request.text("address", atMost: Self.longest.address)
        let user = try request.text("user", atMost: Self.longest.user)
        let password = try request.text("password", atMost: Self.longest.password)
        do throws(FetchError) { _ = try WebAddress(address) } catch {
            throw ReplyError(.invalid, "the address: \(error.said)", field: "address")
        }
        // A colon ends a name where HTTP says it with its password.
        for (field, text) in [("user", user), ("password", password)] {
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isPlain, !text.isEmpty, field == "password" || !text.contains(":") else {
                throw ReplyError(.invalid, "no calendar server takes such a \(field)", field: field)
            }
        }
        return CalendarAccount(address: address, user: user, password: password)
    }

    /// The server has a calendar.
    private func connected(_ user: ID, _ account: CalendarAccount, _ found: CalendarTalk.Found) throws -> JSON {
        guard !context.doors.isBeingForgotten(user) else { throw Self.unconnected }
        // Each would have the other's reminders.
        guard !states.contains(where: { $0.key != user && $0.value.calendar == found.calendar }) else {
            throw CalendarProblem.taken.reply
        }
        let id = try drawnID()
        let other = try context.store.change(user) { () throws(VaultError) -> CalendarRecord? in
            let before = try CalendarRecord(context.documents, of: user)
            // Another one was connected in the meantime.
            if let before, !before.account.isSame(as: account) { return before }
            let isSame = before?.calendar == found.calendar
            var record = CalendarRecord(
                id: id, account: account, calendar: found.calendar,
                isMade: found.isMade || isSame && before?.isMade == true, connected: context.now())
            // The same one with another password is still in step.
            if isSame, let before { record.link = before.link }
            try record.keep(context.documents, of: user)
            // Somebody else may have done it, with a device that was stolen.
            guard before == nil else { return nil }
            try tell(user, context.notifications.language(of: user)(.calendarConnected, ["host": account.host]))
            return nil
        }
        if let other { try requireSame(other, account) }
        states[user] = State(due: max(millisecondsSinceBoot(), slowness[user]?.rested ?? 0), calendar: found.calendar)
        goOn(at: 0)
        context.limitedLog.info("calendar connected \(user)") { "\(user) has connected a calendar\($0)" }
        return try shown(to: user)
    }

    // MARK: Afterwards

    /// What a person is shown of their calendar.
    func shown(to user: ID) throws -> JSON {
        guard let record = try CalendarRecord(context.documents, of: user) else { return ["connected": false] }
        let state = states[user]
        let stop: String? =
            switch record.stop {
            case .password: CalendarProblem.password.words
            case .reset: "your password was reset: connect it again"
            case nil: settings == nil ? "this home speaks to no calendar now" : state?.problem?.words
            }
        let others = Dictionary(grouping: record.link.others.values, by: \.reason.words).sorted { $0.key < $1.key }
        return .object(present: [
            "connected": true, "address": .string(record.account.address), "user": .string(record.account.user),
            "calendar": .string(record.calendar), "since": .integer(record.connected),
            "in_step": (state?.inStep).map(JSON.integer), "problem": stop.map(JSON.string),
            "stopped": record.stop == nil ? nil : true,
            "reminders": .integer(Int64(record.link.entries.filter { $0.base != nil && $0.estranged == nil }.count)),
            "refused": .integer(Int64(state?.refused ?? 0)),
            "others": .array(others.map { ["count": .integer(Int64($1.count)), "why": .string($0)] }),
        ])
    }

    private func sync(_ request: PeopleRequest) throws {
        let user = try request.user
        _ = try requireSettings()
        guard let record = try CalendarRecord(context.documents, of: user) else { throw Self.unconnected }
        guard record.stop == nil, states[user] != nil else {
            throw ReplyError(.notAllowed, "the calendar has to be connected again: vitals calendar connect")
        }
        if let busy = slowness[user]?.busy(millisecondsSinceBoot()) { throw busy }
        if let seconds = looks.take(user, now: millisecondsSinceBoot()) {
            let words = "you have asked too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        guard waiting[user, default: []].count < Self.mostWaiting else {
            throw ReplyError(.busy, "your calendar is being looked at: try again", retryAfterSeconds: 10)
        }
        waiting[user, default: []].append(request)
        // A look that is under way may have seen what was there before: this is for the next one. People whose calendars have
        // been due for longer come first, however often somebody asks.
        if !isUnderWay(user), let due = states[user]?.due {
            states[user]?.due = min(due, millisecondsSinceBoot())
        }
        goOn(at: 0)
    }

    private func disconnect(_ request: PeopleRequest) throws {
        let user = try request.user
        guard let record = try CalendarRecord(context.documents, of: user) else { throw Self.unconnected }
        guard try request.optionalBool("delete") ?? false else {
            try remove(record, of: user)
            return request.done(["message": "Your calendar stays as it is, and is not kept in step any more"])
        }
        let settings = try requireSettings()
        let time = try begin(request)
        let limit = Duration.milliseconds(Int64(clamping: time - millisecondsSinceBoot()))
        remove(record, settings, in: .asked, within: limit) { [weak self] result in
            guard let self else { return }
            _ = self.endAsking(user)
            request.answering {
                let words: String
                switch result {
                case .success(.deleted): words = "Your calendar was deleted there"
                case .success(.emptied(let left)): words = Self.words(record, left: left)
                case .failure(let problem): throw self.reply(problem, to: user)
                }
                try self.remove(record, of: user)
                request.done(["message": .string(words)])
            }
        }
    }

    private func remove(_ record: CalendarRecord, of user: ID) throws {
        let isRemoved = try context.store.change(user) { () throws(VaultError) -> Bool in
            guard try CalendarRecord(context.documents, of: user)?.id == record.id else { return false }
            try CalendarRecord.remove(context.documents, of: user)
            return true
        }
        if isRemoved { forgotten(user) }
    }

    private func export(of user: ID) throws -> JSON {
        let events = try reminderList.read(user).map { reminder in
            CalendarEvent(
                Appointment(reminder), uid: reminder.id.text, changed: reminder.changed, revision: reminder.revision)
        }
        let file = calendarFile(of: events, name: CalendarTalk.name)
        return ["events": .integer(Int64(events.count)), "calendar": .string(String(decoding: file, as: UTF8.self))]
    }
}

extension CalendarProblem {
    /// What the person who asked is told.
    var reply: ReplyError {
        switch self {
        case .password: ReplyError(.refused, words, field: "password")
        case .address, .redirected, .malformed: ReplyError(.invalid, words, field: "address")
        case .gone: ReplyError(.notFound, words)
        case .timeout: ReplyError(.timeout, words)
        case .cancelled, .conflict, .tokenExpired, .emptied: ReplyError(.busy, words, retryAfterSeconds: 10)
        case .tooMany, .forbidden, .tooOften, .taken: ReplyError(.notAllowed, words)
        case .notPublic, .unreachable, .untrusted, .tooLarge, .status: ReplyError(.refused, words)
        }
    }
}
