package import Accounts
import Daemon
import Days
package import Desk
package import Features
import Files
import Fitness
import Phones
import Reactor
import Readings
import Records
import Telemetry

// A guardian watches over a dependent, such as somebody over a father who has begun to wander.
//
// They are connected by the dependent's phone number or e-mail address and a code that the dependent has set
// (`Ties/VerificationCode.swift`). The dependent is told at once, says for each guardian what they may see, and can end it;
// what is no longer allowed is taken back at the broker right after the commit.
//
// Nobody reads anybody else's topics: what a guardian sees is copied to their own (`Watching.swift`, `Seen/`). Alerts are in
// `Alerting.swift` and `Rules/`.

/// Answers `guardians/…` and `dependents/…`, and shows guardians what they may see. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Guardians: FeatureService, @unchecked Sendable {
    let context: PeopleContext
    let accounts: Accounts
    /// Nil where nobody can have phones.
    let phones: Phones?
    let histories: Histories
    let readers: FeatureReaders
    var tries = CodeTries()
    /// How often a dependent may ask for help: each time, all guardians are told.
    var helps = Allowance<ID>(perSecond: 1.0 / 60, burst: 5)
    /// How often what phones say of their regions is kept, and how often a rule tells something.
    var regionWrites = Allowance<ID>(perSecond: 0.1, burst: 20)
    var raised = Allowance<ID>(perSecond: 1.0 / 60, burst: 20)
    /// How often a guardian may have a dependent's phones asked.
    var questions = Allowance<ID>(perSecond: 1.0 / 20, burst: 10)
    // Dependents who let somebody see something, and what the broker has of it: see Watching.
    var watched: [ID: Watched] = [:]
    /// Hashes of what was published; 0 if we only know that the broker has something.
    var shown: [Shown: Int] = [:]
    /// Of whom something could not be shown yet, and of these, those whose place is shown in a moment.
    var unsettled: Set<ID> = []
    var awaited: Set<ID> = []
    /// What was published about guardians' chosen dependents, and hashes of people's own places.
    var chosen: [ID: PublishedChoice] = [:]
    var placed: [ID: Int] = [:]
    /// Whose positions are to be read, are being read, and when they last were, in milliseconds since boot: also of people who are not
    /// watched now, so that nobody has them read more often by beginning again.
    var toLoad: [ID] = []
    var loading: ID?
    var loaded: [ID: UInt64] = [:]
    /// Whose sensors are listened to, and what they and their gateways say.
    var followed: [SensorName: ID] = [:]
    var availability: [SensorName: Bool] = [:]
    var gatewaysOffline: [ID: Bool] = [:]
    /// On which day it was last noted that a guardian was shown where a dependent is.
    var noted: [String: CalendarDay] = [:]
    /// When rules were last looked at by the clock, in milliseconds since boot.
    var looked: UInt64 = 0
    var loop: EventLoop?
    var isConnected = false
    /// More messages than this are not left waiting.
    static let mostUnfinished = 2000
    /// A clock that never runs backwards, in milliseconds.
    var clock: () -> UInt64 = millisecondsSinceBoot

    var ties: GuardianTies { GuardianTies(context.documents) }

    package init(_ parts: FeatureParts, _ accounts: Accounts) {
        context = parts.context
        (self.accounts, phones) = (accounts, parts.earlier(Phones.self))
        (histories, readers) = (parts.days.histories, parts.readers)
        context.changes.add(self)
        phones?.add(self)
    }

    package var verbs: [Verb] {
        [
            Verb("guardians/list", .guardiansList, .atOnce { [unowned self] in try listGuardians(of: $0.user) }),
            Verb("guardians/code", .guardiansCode, own: .hashing, .later { [unowned self] in setCode($0) }),
            Verb("guardians/allow", .guardiansAllow, own: .defence, .atOnce { [unowned self] in try allow($0) }),
            Verb(
                "guardians/remove", .guardiansRemove, own: .defence,
                .atOnce { [unowned self] in try removeGuardian($0) }),
            Verb("guardians/block", .guardiansBlock, own: .defence, .atOnce { [unowned self] in try block($0) }),
            Verb("guardians/unblock", .guardiansUnblock, .atOnce { [unowned self] in try unblock($0) }),
            Verb("guardians/help", .guardiansHelp, own: .defence, .atOnce { [unowned self] in try help($0) }),
            Verb("dependents/connect", .dependentsConnect, own: .hashing, .later { [unowned self] in connect($0) }),
            Verb("dependents/list", .dependentsList, .atOnce { [unowned self] in try listDependents(of: $0.user) }),
            Verb("dependents/choose", .dependentsChoose, .atOnce { [unowned self] in try choose($0) }),
            Verb("dependents/remove", .dependentsRemove, .atOnce { [unowned self] in try removeDependent($0) }),
            Verb("dependents/locate", .dependentsLocate, .atOnce { [unowned self] in try locate($0) }),
            Verb("dependents/today", .dependentsToday, .later { [unowned self] in showToday($0) }),
            Verb("dependents/day", .dependentsDay, .later { [unowned self] in showDay($0) }),
        ] + ruleVerbs + placeVerbs
    }

    /// Does what a person asks, only once, in one transaction.
    /// - Parameter others: of whom it changes something, too.
    func once(
        _ request: PeopleRequest, with others: @autoclosure () throws -> Set<ID>, _ body: (ID, Int64) throws -> JSON
    ) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        return try context.answered.once(request, now: now, with: known(try others())) { try body(user, now) }
    }

    /// Those of whom anything is kept: nothing is changed of somebody who was forgotten, and nothing made.
    func known(_ people: Set<ID>) throws(VaultError) -> Set<ID> {
        var known: Set<ID> = []
        for person in people where try context.keys.version(of: person) != nil { known.insert(person) }
        return known
    }

    /// Tells somebody something of another person, within a transaction.
    /// - Parameter values: what is filled in, by the language and the name of the other person.
    /// - Returns: the notification's id.
    @discardableResult
    func tell(
        _ user: ID, _ kind: Notification.Kind, _ phrase: Phrase, of other: ID, now: Int64,
        _ values: (_ language: Language, _ name: String) -> KeyValuePairs<String, String> = { ["name": $1] }
    ) throws(VaultError) -> String {
        let notifications = context.notifications
        let language = try notifications.language(of: user)
        let name = try notifications.name(of: other)
        let text = language(phrase, values(language, name ?? language(.somebody)))
        return try notifications.add(
            Notification(kind: kind, time: now, from: other, fromName: name, text: text), to: user,
            about: other)
    }
}
