package import Files
package import Records
package import Telemetry

/// How far a workout is.
package enum WorkoutStage: Sendable {
    case began
    case goesOn
    /// It is over, and kept.
    case ended
    /// It is over, and nothing is kept of it.
    case cancelled
}

/// Hears what changes about people. What it is called with is already committed, unless the method says otherwise.
package protocol PeopleObserver: AnyObject {
    /// Something about these people may look different.
    func changed(_ users: Set<ID>)

    /// Readings of a person were stored. They are as `Totals` has them: with corrected times, and bare.
    func stored(_ readings: PersonsReadings)

    /// Readings of a person that were stored have changed, or are gone.
    func corrected(_ user: ID)

    /// What others may see of these people is different, and must be at once.
    func changedAtOnce(_ users: Set<ID>)

    /// Some people see less of what a person shows them from now on.
    /// - Parameters:
    ///   - viewers: these, and by which id each of them has known the person.
    ///   - group: the group that one of them is in no longer; nil if they are friends no longer.
    func parted(_ user: ID, from viewers: [ID: ID], in group: ID?)

    /// A person's days begin and end at other times from now on. Called within the transaction that keeps their profile, before
    /// it can be read.
    func moved(_ user: ID)

    /// A person is working out, or has just ended that. Told again and again while they are.
    /// - Parameter times: from the beginning until now, or until the end, in Unix milliseconds.
    func worksOut(_ user: ID, _ stage: WorkoutStage, _ times: Range<Int64>)

    /// Everything of a person is being deleted, or was: nothing of it may be seen or kept any more.
    func forgotten(_ user: ID)

    /// Streams of these sensors have ended or opened, because they have other owners, or they are recorded differently;
    /// nil if those of any may have.
    func sensorsChanged(_ sensors: Set<SensorName>?)

    /// Gateways were enrolled or removed: blocks are taken from those that are enrolled now.
    func gatewaysChanged()

    /// Gateways were removed, and the broker should forget them. The person who asked for it has had the reply: the
    /// broker disconnects clients whose rights change.
    func gatewaysEnded()
}

/// Keeps something that follows from what applied when: see History.swift.
package protocol HistoryObserver: AnyObject {
    /// Another body or another zone applies on some of a person's days from now on. Called within the transaction that
    /// keeps this; what throws rolls it back.
    func replacing(_ old: History, with new: History, of user: ID) throws(VaultError)
}

/// Keeps something of workouts besides their rows.
package protocol WorkoutRemovalObserver: AnyObject {
    /// Other people affected by this.
    func people(touchedByRemoving workouts: Set<ID>, of user: ID) throws(VaultError) -> Set<ID>

    /// Nothing of some workouts is kept any longer. Called within the transaction that removes them; what throws rolls it back.
    func removingWorkouts(_ workouts: Set<ID>, of user: ID) throws(VaultError)
}

/// Hears that somebody has reset their password: others may have known the one before, and changed what is theirs.
package protocol PasswordObserver: AnyObject {
    /// Called within the transaction that sets the new password; what throws rolls it back.
    /// - Returns: what the person has to know of it, in a sentence; nil if there is nothing.
    func resettingPassword(of user: ID) throws(VaultError) -> String?

    /// The new password is set, and the devices of before are being signed out: until `signedOut`, they may still ask.
    func signingOut(_ user: ID)

    /// The devices of before are out.
    func signedOut(_ user: ID)
}

/// Keeps something for whoever an address or number belongs to, until somebody shows that it is theirs.
package protocol AddressObserver: AnyObject {
    /// The others of whom that changes something.
    /// - Parameter address: the keyed hash that an account is found by.
    func people(waitingFor address: [UInt8]) throws(VaultError) -> Set<ID>

    /// A person has shown that the address is theirs. Called within the transaction that notes it; what throws rolls it back.
    /// - Parameter now: Unix milliseconds.
    func showedAddress(_ address: [UInt8], _ user: ID, now: Int64) throws(VaultError)
}

/// Hears that a person blocks another one, who may not have been a friend, and must not learn of it.
package protocol BlockObserver: AnyObject {
    /// Called within the transaction that blocks, which names both; what throws rolls it back.
    func blocking(_ other: ID, by user: ID) throws(VaultError)
}

/// Hears that a device of a person's is signed out.
package protocol DeviceObserver: AnyObject {
    /// Called within the transaction that removes the device; what throws rolls it back.
    func endingDevice(_ device: ID, of user: ID) throws(VaultError)

    /// The codes that any device of the person's has asked for end, within a transaction: with a device that is removed, and again when
    /// the broker has disconnected it, because it may have asked for others until then.
    func endingCodes(of user: ID) throws(VaultError)
}

extension DeviceObserver {
    package func endingDevice(_ device: ID, of user: ID) throws(VaultError) {}
    package func endingCodes(of user: ID) throws(VaultError) {}
}

/// Takes leave elsewhere before a person is forgotten: of what is kept of them outside of this house.
package protocol LeaveTaker: AnyObject, Sendable {
    /// - Returns: what will happen elsewhere, for a person who is asked whether they mean it, in a sentence; nil if there is
    ///   nothing.
    func announceLeave(of user: ID) throws(VaultError) -> String?

    /// Called on the session's thread, while nothing new of the person can be made.
    /// - Parameter completion: called once, on the session's thread, within ten seconds: what the person has to do themselves, in a
    ///   sentence; nil if there is nothing.
    func takeLeave(of user: ID, completion: @escaping @Sendable (String?) -> Void)
}

extension PeopleObserver {
    package func changed(_ users: Set<ID>) {}
    package func stored(_ readings: PersonsReadings) {}
    package func corrected(_ user: ID) {}
    package func changedAtOnce(_ users: Set<ID>) {}
    package func parted(_ user: ID, from viewers: [ID: ID], in group: ID?) {}
    package func moved(_ user: ID) {}
    package func worksOut(_ user: ID, _ stage: WorkoutStage, _ times: Range<Int64>) {}
    package func forgotten(_ user: ID) {}
    package func sensorsChanged(_ sensors: Set<SensorName>?) {}
    package func gatewaysChanged() {}
    package func gatewaysEnded() {}
}

/// Passes on what changes about people to everything that shows or keeps something of them. It is made before all of
/// them, so that none of them needs to know of the others. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class PeopleChanges: PeopleObserver, @unchecked Sendable {
    private struct Entry {
        weak var observer: (any PeopleObserver)?
    }

    private var entries: [Entry] = []

    package init() {}

    /// - Parameter observer: is not kept alive.
    package func add(_ observer: any PeopleObserver) { entries.append(Entry(observer: observer)) }

    package func changed(_ users: Set<ID>) { for entry in entries { entry.observer?.changed(users) } }
    package func stored(_ readings: PersonsReadings) { for entry in entries { entry.observer?.stored(readings) } }
    package func corrected(_ user: ID) { for entry in entries { entry.observer?.corrected(user) } }
    package func changedAtOnce(_ users: Set<ID>) { for entry in entries { entry.observer?.changedAtOnce(users) } }
    package func parted(_ user: ID, from viewers: [ID: ID], in group: ID?) {
        for entry in entries { entry.observer?.parted(user, from: viewers, in: group) }
    }
    package func moved(_ user: ID) { for entry in entries { entry.observer?.moved(user) } }
    package func worksOut(_ user: ID, _ stage: WorkoutStage, _ times: Range<Int64>) {
        for entry in entries { entry.observer?.worksOut(user, stage, times) }
    }
    package func forgotten(_ user: ID) { for entry in entries { entry.observer?.forgotten(user) } }
    package func sensorsChanged(_ sensors: Set<SensorName>?) {
        for entry in entries { entry.observer?.sensorsChanged(sensors) }
    }
    package func gatewaysChanged() { for entry in entries { entry.observer?.gatewaysChanged() } }
    package func gatewaysEnded() { for entry in entries { entry.observer?.gatewaysEnded() } }
}

extension PeopleChanges {
    /// Two people who were friends are friends no longer. Of people who were not, nobody may be told anything: that would show one of
    /// them who the other is.
    package func friendsParted(_ one: ID, _ other: ID) {
        changedAtOnce([one, other])
        parted(one, from: [other: one], in: nil)
        parted(other, from: [one: other], in: nil)
    }

    /// Tells those who hear of it that a person resets their password, within the transaction that sets the new one.
    /// - Returns: what the person has to know of it, in sentences.
    package func resettingPassword(of user: ID) throws(VaultError) -> [String] {
        var sentences: [String] = []
        for observer in passwordObservers {
            if let sentence = try observer.resettingPassword(of: user) { sentences.append(sentence) }
        }
        return sentences
    }

    package func signingOut(_ user: ID) { for observer in passwordObservers { observer.signingOut(user) } }
    package func signedOut(_ user: ID) { for observer in passwordObservers { observer.signedOut(user) } }

    private var passwordObservers: [any PasswordObserver] {
        entries.compactMap { $0.observer as? any PasswordObserver }
    }
}

extension PeopleChanges: AddressObserver {
    package func people(waitingFor address: [UInt8]) throws(VaultError) -> Set<ID> {
        var people: Set<ID> = []
        for entry in entries {
            people.formUnion(try (entry.observer as? any AddressObserver)?.people(waitingFor: address) ?? [])
        }
        return people
    }

    package func showedAddress(_ address: [UInt8], _ user: ID, now: Int64) throws(VaultError) {
        for entry in entries { try (entry.observer as? any AddressObserver)?.showedAddress(address, user, now: now) }
    }
}

extension PeopleChanges: BlockObserver {
    package func blocking(_ other: ID, by user: ID) throws(VaultError) {
        for entry in entries { try (entry.observer as? any BlockObserver)?.blocking(other, by: user) }
    }
}

extension PeopleChanges: DeviceObserver {
    package func endingDevice(_ device: ID, of user: ID) throws(VaultError) {
        for entry in entries { try (entry.observer as? any DeviceObserver)?.endingDevice(device, of: user) }
    }

    package func endingCodes(of user: ID) throws(VaultError) {
        for entry in entries { try (entry.observer as? any DeviceObserver)?.endingCodes(of: user) }
    }
}

extension PeopleChanges {
    /// What will happen to what is kept of a person elsewhere when they are forgotten, in sentences.
    package func announceLeave(of user: ID) throws(VaultError) -> [String] {
        var sentences: [String] = []
        for taker in entries.compactMap({ $0.observer as? any LeaveTaker }) {
            if let sentence = try taker.announceLeave(of: user) { sentences.append(sentence) }
        }
        return sentences
    }

    /// Has leave taken of a person before they are forgotten, by one after the other.
    /// - Parameter completion: called once, on the session's thread: what the person has to do themselves, in sentences.
    package func takeLeave(of user: ID, completion: @escaping @Sendable ([String]) -> Void) {
        takeLeave(of: user, entries.compactMap { $0.observer as? any LeaveTaker }[...], [], completion)
    }

    private func takeLeave(
        of user: ID, _ takers: ArraySlice<any LeaveTaker>, _ sentences: [String],
        _ completion: @escaping @Sendable ([String]) -> Void
    ) {
        guard let taker = takers.first else { return completion(sentences) }
        taker.takeLeave(of: user) { [self] sentence in
            takeLeave(of: user, takers.dropFirst(), sentences + (sentence.map { [$0] } ?? []), completion)
        }
    }
}

extension WorkoutRemovalObserver {
    package func people(touchedByRemoving workouts: Set<ID>, of user: ID) throws(VaultError) -> Set<ID> { [] }
}

extension PeopleChanges: WorkoutRemovalObserver {
    package func people(touchedByRemoving workouts: Set<ID>, of user: ID) throws(VaultError) -> Set<ID> {
        var people: Set<ID> = []
        guard !workouts.isEmpty else { return people }
        for observer in entries.compactMap({ $0.observer as? any WorkoutRemovalObserver }) {
            people.formUnion(try observer.people(touchedByRemoving: workouts, of: user))
        }
        return people
    }

    package func removingWorkouts(_ workouts: Set<ID>, of user: ID) throws(VaultError) {
        guard !workouts.isEmpty else { return }
        for observer in entries.compactMap({ $0.observer as? any WorkoutRemovalObserver }) {
            try observer.removingWorkouts(workouts, of: user)
        }
    }
}

extension PeopleChanges: HistoryObserver {
    package func replacing(_ old: History, with new: History, of user: ID) throws(VaultError) {
        for entry in entries { try (entry.observer as? any HistoryObserver)?.replacing(old, with: new, of: user) }
    }
}
