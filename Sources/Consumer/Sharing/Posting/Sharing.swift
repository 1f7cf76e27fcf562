import Daemon
import Days
import Features
import Files
import Push
import Reactor
import Records
import Telemetry

// What people share is posted to their services: two at a time for all people, and one at a time of a person. A person shares one thing
// at a time, and nothing is tried again by itself: somebody is waiting, sees the result, and decides.

/// Posts what people share to services of theirs. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Sharing: FeatureService, PeopleObserver, PasswordObserver, @unchecked Sendable {
    let context: PeopleContext
    let days: Days
    let readers: FeatureReaders
    var previews = SharePreviews()
    /// How often a person may look at what they would share.
    var looks = Allowance<ID>(perSecond: 0.5, burst: 20)
    /// How often a person may share something. What is kept of that goes when they have everything deleted; this stays.
    var posted = Allowance<ID>(perSecond: Double(ShareRecords.most) / 86_400, burst: Double(ShareRecords.most))
    /// How often a person may add a service.
    var additions = Allowance<ID>(perSecond: 1.0 / 60, burst: 10)
    private let courier = PushCourier(["share-1", "share-2"])
    private var errands = Errands()
    /// Where Apprise is at work, maybe for somebody who is forgotten.
    private var busySlots: Set<Int> = []
    private var listeners: [Listener] = []

    /// Somebody who waits for what becomes of a share.
    private struct Listener {
        let number: ID
        let share: ID
        let timer: EventLoop.Timer
        let completion: () -> Void
    }

    init(_ parts: FeatureParts) {
        (context, days, readers) = (parts.context, parts.days, parts.readers)
        context.changes.add(self)
    }

    func forgotten(_ user: ID) {
        previews.removeAll(of: user)
        errands.removeAll(of: user)
        listen()
    }

    /// Somebody else may have added services. Nothing goes there by itself, so it is enough that the person knows.
    func resettingPassword(of user: ID) throws(VaultError) -> String? {
        let count = try SharingServices(context.documents, of: user).entries.count
        guard count > 0 else { return nil }
        let services = counted(count, "service")
        return "You can share to \(services): look whether all of that is your own: vitals share services"
    }

    func signingOut(_ user: ID) {}
    func signedOut(_ user: ID) {}

    /// Whether something is being posted for a person, or waits for that.
    func isBusy(with user: ID) -> Bool { errands.isBusy(with: user) }

    /// Whether there is room for what another person shares.
    var hasRoom: Bool { errands.hasRoom }

    /// Whether this run of the consumer is posting it.
    func isUnderWay(_ share: ID) -> Bool { errands.has(share) }

    /// Posts what was written down before.
    func post(_ errands: [Errand]) {
        self.errands.add(errands)
        goOn()
    }

    /// Calls when a share is over, or after a while.
    func wait(for share: ID, number: ID, atMost limit: Duration, completion: @escaping () -> Void) {
        guard isUnderWay(share) else { return completion() }
        let timer = context.session.loop.after(limit) { [unowned self] in
            listeners.removeAll { $0.number == number }
            completion()
        }
        listeners.append(Listener(number: number, share: share, timer: timer, completion: completion))
    }

    private func listen() {
        let over = listeners.filter { !isUnderWay($0.share) }
        listeners.removeAll { !isUnderWay($0.share) }
        for listener in over {
            listener.timer.cancel()
            listener.completion()
        }
    }

    /// What waits for a service that its person has removed does not go there.
    func removed(_ service: ID) {
        for errand in errands.removeWaiting(for: service) {
            _ = note(errand) { ($0.state, $0.problem) = (.failed, "you have removed the service: it was not sent") }
        }
        listen()
    }

    // MARK: A few at a time

    private func goOn() {
        while let slot = courier.slots.first(where: { !busySlots.contains($0) }), let errand = errands.begin() {
            begin(errand, in: slot)
        }
        listen()
    }

    private func begin(_ errand: Errand, in slot: Int) {
        guard case .success(let address) = errand.address, let settings = context.settings[SharingSetting.self].apprise
        else {
            let words =
                if case .failure(let error) = errand.address { error.message } else { "this home posts nothing" }
            return finish(errand) { ($0.state, $0.problem) = (.failed, words) }
        }
        // First it is written down: after a kill nobody knows whether it is there, and it is not sent again.
        guard note(errand, { $0.state = .going }) else {
            return finish(errand) {
                ($0.state, $0.problem) = (.failed, "the consumer cannot write now: it was not sent")
            }
        }
        let loop = context.session.loop
        let message = AppriseMessage(
            to: address, id: errand.share.text, title: PushSchemes.mail.contains(address.scheme) ? "Vitals" : "",
            text: errand.text, picture: errand.picture, patience: settings.timeLimit)
        busySlots.insert(slot)
        courier.carry(message, settings, in: slot) { [weak self] result in
            loop.perform { [weak self] in self?.over(errand, result, in: slot) }
        }
    }

    private func over(_ errand: Errand, _ result: AppriseResult, in slot: Int) {
        // The consumer is being stopped: nothing else begins.
        guard result.outcome != .cancelled else { return }
        busySlots.remove(slot)
        // The person may have been forgotten.
        guard errands.isUnderWay(errand) else { return goOn() }
        if result.outcome == .noApprise {
            context.limitedLog.error("sharing without apprise") {
                "nothing is posted\($0): the Python of the settings is not there, or has no Apprise: apt install apprise"
            }
        }
        if result.outcome == .isPrivate {
            context.limitedLog.info("share \(errand.user)") {
                "a share of \(errand.user) is not posted\($0): \(result.outcome.words)"
            }
        }
        finish(errand) { entry in
            (entry.state, entry.problem) = Self.told(result)
            entry.isWithoutPicture = entry.state == .sent && errand.picture != nil && !result.isPictureTaken
        }
        goOn()
    }

    private func finish(_ errand: Errand, _ body: (inout ShareRecord.Entry) -> Void) {
        _ = note(errand, body)
        errands.end(errand)
    }

    /// - Returns: whether it is written down.
    private func note(_ errand: Errand, _ body: (inout ShareRecord.Entry) -> Void) -> Bool {
        let user = errand.user
        guard !context.doors.isBeingForgotten(user) else { return false }
        do throws(VaultError) {
            try context.store.change(user) { () throws(VaultError) in
                var records = try ShareRecords(context.documents, of: user)
                guard records[errand.share] != nil else { return }
                records.change(errand.share, at: errand.service, body)
                try records.keep(context.documents, of: user)
            }
            return true
        } catch {
            context.limitedLog.error("sharing") { "what became of a share is not written down\($0): \(error)" }
            return false
        }
    }

    /// What the person is told.
    private static func told(_ result: AppriseResult) -> (ShareRecord.State, String?) {
        switch result.outcome.told {
        case .sent: (.sent, nil)
        case .notTaken where result.isDoubtful:
            (
                .unknown,
                result.answer.map { "the service got it, and said: \($0); look there before you share it again" }
                    ?? "the service got it, and did not answer: look there before you share it again"
            )
        case .notTaken:
            (
                .failed,
                result.answer.map { "the service did not take it, and said: \($0)" }
                    ?? "the service was not reached, or did not take it"
            )
        case .isPrivate, .notUnderstood, .noApprise, .gone, .cancelled: (.failed, result.outcome.words)
        case .tookTooLong:
            (.unknown, "the service did not answer in time: look there before you share it again")
        case .failed:
            (.unknown, "\(result.outcome.words): look there before you share it again")
        }
    }
}
