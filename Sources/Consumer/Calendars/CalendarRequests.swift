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
    /// For how long a server is asked whether it has a calendar.
    private static var patience: Duration { .seconds(40) }

    static let unconnected = ReplyError(.notFound, "You have connected no calendar: vitals calendar connect")

    /// - Throws: if the operator wants none of it.
    private func requireSettings() throws(ReplyError) -> CalendarSettings {
        guard let settings else {
            let words = "this home speaks to no calendar: its operator has to add calendar: {} to consumer.json5"
            throw ReplyError(.notSupported, words, field: CalendarSetting.key)
        }
        return settings
    }

    // MARK: Connecting

    private func connect(_ request: PeopleRequest) throws {
        let (user, settings) = (try request.user, try requireSettings())
        let account = try account(request)
        guard !leaving.contains(user) else {
            let words = "your password was reset, and your devices are being signed out: try again soon"
            throw ReplyError(.busy, words, retryAfterSeconds: 5)
        }
        let reset = resets[user]
        if let record = try CalendarRecord(context.documents, of: user), !record.account.isSame(as: account) {
            throw ReplyError(
                .notAllowed,
                "you have connected a calendar at \(record.account.host) already: vitals calendar disconnect",
                field: "address")
        }
        if let seconds = connections.take(user, now: millisecondsSinceBoot()) {
            let words = "you have tried too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        courier.talk(in: .asked) { () throws(CalendarProblem) in
            try CalendarTalk(account, settings, within: Self.patience)
        } _: { talk throws(CalendarProblem) in
            try talk.find()
        } completion: { [weak self, loop = context.session.loop] result in
            loop.perform { [weak self] in
                request.answering {
                    guard let self else { return }
                    // A device of before a reset has asked.
                    guard self.resets[user] == reset else { throw Self.unconnected }
                    switch result {
                    case .success(let calendar): request.done(try self.connected(user, account, calendar))
                    case .failure(let problem): throw problem.reply
                    }
                }
            }
        }
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
    private func connected(_ user: ID, _ account: CalendarAccount, _ calendar: String) throws -> JSON {
        guard !context.doors.isBeingForgotten(user) else { throw Self.unconnected }
        let id = try drawnID()
        try context.store.change(user) { () throws(VaultError) in
            let before = try CalendarRecord(context.documents, of: user)
            var record = CalendarRecord(
                id: id, account: account, calendar: calendar, connected: context.now())
            // The same one with another password is still in step.
            if let before, before.calendar == calendar { record.link = before.link }
            try record.keep(context.documents, of: user)
        }
        states[user] = State(due: millisecondsSinceBoot())
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
        if let seconds = looks.take(user, now: millisecondsSinceBoot()) {
            let words = "you have asked too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        guard waiting[user, default: []].count < Self.mostWaiting else {
            throw ReplyError(.busy, "your calendar is being looked at: try again", retryAfterSeconds: 10)
        }
        waiting[user, default: []].append(request)
        // A look that is under way may have seen what was there before: this is for the next one. Those whose calendars have
        // been due for longer come first, however often somebody asks.
        if current != user, let due = states[user]?.due {
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
        if let seconds = connections.take(user, now: millisecondsSinceBoot()) {
            let words = "you have tried too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        delete(record, settings, in: .asked, within: .seconds(30)) { [weak self] result in
            request.answering {
                guard let self else { return }
                if case .failure(let problem) = result { throw problem.reply }
                try self.remove(record, of: user)
                request.done(["message": "Your calendar was deleted there"])
            }
        }
    }

    private func remove(_ record: CalendarRecord, of user: ID) throws {
        try context.store.change(user) { () throws(VaultError) in
            guard try CalendarRecord(context.documents, of: user)?.id == record.id else { return }
            try CalendarRecord.remove(context.documents, of: user)
        }
        forgotten(user)
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
        case .cancelled, .conflict, .tokenExpired: ReplyError(.busy, words, retryAfterSeconds: 10)
        case .tooMany, .forbidden: ReplyError(.notAllowed, words)
        case .unreachable, .untrusted, .tooLarge, .status: ReplyError(.refused, words)
        }
    }
}
