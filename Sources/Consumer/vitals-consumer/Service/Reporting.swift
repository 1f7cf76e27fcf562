import Daemon
import Features
import MQTT
import Readings
import Records
import Storage
import Telemetry

extension Consumer {
    /// Logs what an operator should hear of: each kind from each gateway once a minute, with how often it happened.
    func tell(_ report: Report) {
        let start = "gateway \(report.gateway):\(report.identity.map { " block \($0)" } ?? "")"
        switch report.verdict {
        case .stored, .duplicate: return
        case .discarded:
            guard let count = due("discarded", report) else { return }
            log.warning(
                """
                gateway \(report.gateway): \(count) \(count == 1 ? "block" : "blocks") of readings from after its sensor had \
                been given to another person, sealed to the one before: not kept
                """)
        case .tooDense(let readings):
            guard let count = due("too dense", report, readings) else { return }
            log.warning(
                """
                \(start) \(count) \(count == 1 ? "reading was" : "readings were") not kept: no sensor sends that many \
                readings or RR intervals in one second, and no gateway puts readings of that many days into one block. \
                The sensor or the gateway is broken, or somebody else controls it
                """)
        case .tooManyClocks:
            guard let count = due("too many clocks", report) else { return }
            log.warning(
                """
                \(start) \(count) clock \(count == 1 ? "block was" : "blocks were") not kept: its stream has \(Store.mostClockBlocks) \
                already, and no gateway's clock is set that often. The gateway is broken, or somebody else controls it
                """)
        case .forgotten:
            guard due("forgotten", report) != nil else { return }
            log.notice("gateway \(report.gateway): blocks of a forgotten person were acknowledged and not kept")
        case .storedGap(let gap): tell(gap, start, report)
        case .conflict:
            guard let count = due("conflict", report) else { return }
            log.error(
                """
                \(start) came again with other bytes: refused\(timesSinceLogged(count)). A cloned gateway, or someone who \
                pretends to be it
                """, event: .blockRefused)
        case .unreadable:
            guard let count = due("unreadable", report) else { return }
            log.error(
                "\(start) does not open, or says nothing: refused\(timesSinceLogged(count))", event: .blockRefused)
        case .handedBack(let outcome): tell(outcome, report)
        case .notNow:
            guard let count = due("not now", report) else { return }
            log.warning("\(start) cannot be opened yet: asked for its session's key\(timesSinceLogged(count))")
        case .held(let held): tell(held, report)
        case .ignored(let reason):
            guard let count = due(reason.rawValue, report) else { return }
            log.warning("\(start) ignored: \(reason.rawValue)\(timesSinceLogged(count))")
        }
    }

    private func tell(_ held: Held, _ report: Report) {
        guard let count = due(held.limit.rawValue, report) else { return }
        let (gateway, person) = (settings.limits.gateway, settings.limits.person)
        let (what, key) =
            switch held.limit {
            case .gatewayDay: ("has sent more than \(spelt(bytes: gateway.day)) in a day", "gateway.day")
            case .personDay: ("sends more than \(spelt(bytes: person.day)) in a day for \(held.user)", "person.day")
            case .gatewayTotal: ("has \(spelt(bytes: gateway.total)) stored", "gateway.total")
            case .personTotal: ("stores for \(held.user), who has \(spelt(bytes: person.total))", "person.total")
            }
        let hint =
            held.limit.isTotal ? "grant more with limits.\(key), or delete something" : "limits.\(key) grants more"
        log.warning(
            """
            gateway \(report.gateway) \(what): blocks were offered \(count) \(count == 1 ? "time" : "times") and not taken; they stay at \
            the gateway for as long as it has room, and are sent again (\(hint))
            """, event: .blocksHeld)
        if held.limit.isTotal { tellThatStorageIsFull(held.user) }
    }

    /// Tells a person once a month that nothing is recorded for them any more.
    private func tellThatStorageIsFull(_ text: String) {
        let (context, now) = (features.context, unixMilliseconds())
        let notifications = context.notifications
        do throws(VaultError) {
            guard let user = decoded({ () throws(MalformedValue) in try ID(text) }),
                !context.doors.isBeingForgotten(user),
                try context.keys.version(of: user) != nil
            else { return }
            try context.store.change(user) { () throws(VaultError) in
                let told = try notifications.list(of: user, withConfirmed: true, limit: Notifications.mostKept)
                let isKnown = told.notifications.contains {
                    $0.notification.kind == .storageFull && $0.notification.time > now - 30 * 86_400_000
                }
                guard !isKnown else { return }
                let language = try notifications.language(of: user)
                try notifications.add(
                    Notification(kind: .storageFull, time: now, text: language(.storageFull, [:])), to: user)
            }
        } catch {
            if isDue("storage full") { log.error("\(text) was not told that there is no more room for them: \(error)") }
        }
    }

    /// Counts what is stored: now, and every hour after that.
    func countStored() {
        var delay = Duration.seconds(3600)
        do throws(VaultError) {
            // A portion takes a millisecond or a few; most of the time is left to everything else.
            if try ingest.countStored() { delay = .milliseconds(20) }
        } catch {
            if isDue("stored sizes") { log.error("what is stored was not counted; again in an hour: \(error)") }
        }
        session.loop.after(delay) { [weak self] in self?.countStored() }
    }

    /// Each gap is stored, and `check` counts what is missing; the log tells the latest gap, and how much was lost
    /// since it last told one.
    private func tell(_ gap: GapBody, _ start: String, _ report: Report) {
        guard let count = due("gap", report, Int(clamping: gap.count)) else { return }
        let more = count > Int(clamping: gap.count) ? ", and with those that were not told of yet \(count)" : ""
        log.warning(
            """
            \(start) \(gap.count) readings from \(gap.first) to \(gap.last) (Unix milliseconds)\(more), are lost: the gateway \
            \(gap.reason == .outboxFull ? "had no room for them" : "could not read them any more")
            """, event: .readingsLost)
    }

    private func tell(_ outcome: Adoption.Outcome, _ report: Report) {
        switch outcome {
        case .known, .forgotten: return
        case .adopted(let stream):
            guard let count = due("adopted", report) else { return }
            log.notice(
                "gateway \(report.gateway): stream \(stream) was opened after the backup; known again\(timesSinceLogged(count))"
            )
        case .keyIsLost(let sensor, let stream):
            guard let count = due("lost", report) else { return }
            log.error(
                """
                gateway \(report.gateway): stream \(stream) of \(sensor) is sealed to a secret that was made after the backup \
                and lost with it: its blocks can never be opened, and stay at the gateway until it has no room for them\
                \(timesSinceLogged(count))
                """)
        case .forged:
            guard let count = due("forged grant", report) else { return }
            log.warning(
                "gateway \(report.gateway): ignored a grant that this consumer has not signed for it\(timesSinceLogged(count))"
            )
        }
    }

    /// Logs what is wrong with the connection to the broker: each kind once a minute.
    func tell(_ problem: MQTTError) {
        guard let count = told.count("\(problem.reason)", now: millisecondsSinceBoot()) else { return }
        log.error("\(problem)\(timesSinceLogged(count))")
    }

    private func due(_ kind: String, _ report: Report, _ count: Int = 1) -> Int? {
        // A client that makes up gateways must not fill the table, and so silence the alarms about real gateways.
        let isStranger = report.verdict == .ignored(.unknownGateway)
        return told.count(isStranger ? kind : "\(kind) \(report.gateway)", count, now: millisecondsSinceBoot())
    }
}
