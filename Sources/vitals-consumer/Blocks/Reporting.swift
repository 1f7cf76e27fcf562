import Daemon
import Telemetry

extension Consumer {
    /// Logs what an operator should hear of: of each kind from each gateway once a minute.
    func tell(_ report: Report) {
        let block = report.identity.map { " block \($0)" } ?? ""
        let start = "gateway \(report.gateway):\(block)"
        switch report.verdict {
        case .stored, .duplicate: return
        case .discarded:
            discarded[report.gateway, default: 0] += 1
            guard isDue("discarded", report), let count = discarded.removeValue(forKey: report.gateway) else { return }
            log.warning(
                """
                gateway \(report.gateway): \(count) \(count == 1 ? "block" : "blocks") of readings from after its sensor had \
                been given to another person, sealed to the one before: not kept
                """)
        case .forgotten:
            guard isDue("forgotten", report) else { return }
            log.notice("gateway \(report.gateway): blocks of somebody who was forgotten, acknowledged and not kept")
        case .storedGap(let gap):
            // Each is said: a gap is the only trace of what it names.
            log.warning(
                """
                \(start) \(gap.count) readings from \(gap.first) to \(gap.last) (Unix milliseconds) are lost: the gateway \
                \(gap.reason == .outboxFull ? "had no room for them" : "could not read them any more")
                """)
        case .conflict:
            guard isDue("conflict", report) else { return }
            log.error(
                "\(start) came again with other bytes: refused. A cloned gateway, or someone who pretends to be it")
        case .unreadable:
            guard isDue("unreadable", report) else { return }
            log.error("\(start) does not open, or says nothing: refused")
        case .handedBack(let outcome): tell(outcome, report)
        case .notNow:
            guard isDue("not now", report) else { return }
            log.warning("\(start) cannot be opened yet: asked for its session's key")
        case .ignored(let reason):
            guard isDue(reason.rawValue, report) else { return }
            log.warning("\(start) ignored: \(reason.rawValue)")
        }
    }

    private func tell(_ outcome: Adoption.Outcome, _ report: Report) {
        switch outcome {
        case .known, .forgotten: return
        case .adopted(let stream):
            log.notice("gateway \(report.gateway): stream \(stream) was opened after the backup; known again")
        case .keyIsLost(let sensor, let stream):
            guard isDue("lost \(stream)", report) else { return }
            log.error(
                """
                gateway \(report.gateway): stream \(stream) of \(sensor) is sealed to a secret that was made after the backup \
                and lost with it: its blocks can never be opened, and stay at the gateway until it has no room for them
                """)
        case .forged:
            guard isDue("forged grant", report) else { return }
            log.warning("gateway \(report.gateway): a grant that this consumer has not signed for it, ignored")
        }
    }

    private func isDue(_ kind: String, _ report: Report) -> Bool {
        // Whoever makes up gateways must not fill the table, and so silence the alarms of those that there are.
        let isStranger = report.verdict == .ignored(.unknownGateway)
        return isDue(isStranger ? kind : "\(kind) \(report.gateway)")
    }
}
