import Daemon
package import Days
package import Features
package import Files
package import Reactor
package import Records
package import Telemetry

/// What forgetting asks of the service.
package protocol ForgettingDoors: AnyObject {
    /// The sensors that the settings give to people.
    var givenSensors: Set<SensorName> { get }

    /// Brings some sensors' streams in line, and publishes their grants.
    func settle(_ sensors: Set<SensorName>) throws(VaultError)

    /// An account is gone: the broker must no longer let its devices do anything.
    func accountGone(_ user: ID, _ devices: [ID])
}

/// Forgets people, one after the other, in between everything else that the session's thread does. All of them are on the list at
/// once, and leave is taken of all of them at the same time: nobody waits for somebody else's. Belongs to that thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Forgetting: @unchecked Sendable {
    /// How far it has come.
    package struct Progress: Equatable {
        package let step: String
        package let done: Int
        package let of: Int
    }

    /// Called at the end: with what the proof found, or why the forgetting continues later by itself.
    /// - Parameter left: what the person has to do themselves, in sentences.
    package typealias Completion = (Result<Erasure.Proof, VaultError>, _ left: [String]) -> Void

    private struct Job {
        let user: ID
        let keepingAccount: Bool
        let progress: (Progress) -> Void
        var completion: Completion?
        /// Whether the person is on the list, from when on nothing loses the job.
        var isNoted = false
        /// What is kept of the person elsewhere is seen to before anything is erased here: it cannot be found afterwards.
        var leave = Leave.notTaken
        var erasure: Erasure?

        var isReady: Bool {
            if case .taken = leave { true } else { erasure != nil }
        }
    }

    private enum Leave {
        case notTaken
        case isBeingTaken
        /// - Parameter left: what the person has to do themselves, in sentences.
        case taken(left: [String])

        var left: [String] { if case .taken(let left) = self { left } else { [] } }
        var isBeingTaken: Bool { if case .isBeingTaken = self { true } else { false } }
    }

    package let features: [Feature]
    private let places: ForgottenPlaces
    private lazy var portions = Portions { [unowned self] in work() }
    private var jobs: [Job] = [] {
        didSet { if jobs.count != oldValue.count { beingForgotten.users = Set(jobs.map(\.user)) } }
    }
    /// The job that something is done of, among them.
    private var current = 0
    /// There may be rows of streams that no longer belong to anybody.
    private var isSweeping = true
    /// The list may say more about somebody who was already being forgotten when it was read.
    private var isBehind = false
    private var reported = OncePerMinute<String>(capacity: 16)
    private let limitedLog = LimitedLog()
    private let doors: any ForgettingDoors
    private let beingForgotten: BeingForgotten
    private let changes: PeopleChanges
    private let endReading: () -> Void

    /// - Parameters:
    ///   - features: of which something is forgotten.
    ///   - changes: hear of a person as soon as their data must no longer be seen, and again at the end.
    ///   - endReading: ends what this process reads of the databases, if it can be read again later.
    package init(
        _ places: ForgottenPlaces, _ features: [Feature], _ doors: any ForgettingDoors,
        _ beingForgotten: BeingForgotten, _ changes: PeopleChanges, endReading: @escaping () -> Void = {}
    ) {
        self.features = features
        self.places = places
        self.doors = doors
        self.beingForgotten = beingForgotten
        self.changes = changes
        self.endReading = endReading
    }

    /// Forgets everything about a person, and continues until it is done, through errors and restarts.
    /// - Parameters:
    ///   - keepingAccount: whether the account stays, with its contact, devices and claims, under a new secret.
    ///   - progress: called at each step.
    ///   - completion: called once, on the session's thread.
    package func forget(
        _ user: ID, keepingAccount: Bool, progress: @escaping (Progress) -> Void = { _ in },
        completion: @escaping Completion
    ) {
        jobs.append(Job(user: user, keepingAccount: keepingAccount, progress: progress, completion: completion))
        portions.goOn()
    }

    /// Finds out who is on the list and not yet forgotten: at the start, and when another process may have written to
    /// it. Their data is unreadable when this returns, unless somebody is reading the keys just now; the rest is done
    /// on the loop.
    package func catchUp() throws(VaultError) {
        for person in try places.bringUpToDate().inOrder {
            guard !beingForgotten.contains(person.user) else {
                isBehind = true
                continue
            }
            guard try Erasure.isPending(person, places.store, places.keys, features) else {
                // What was under way when they were forgotten may have made it again.
                if person.isWithAccount, try places.keys.version(of: person.user) == nil {
                    try places.store.removeLock(of: person.user)
                }
                continue
            }
            log.notice("forgetting \(person.user), as the list of the forgotten says")
            var erasure = erasure(person)
            while let step = erasure.step, step < .readings, try erasure.advance() == .done {}
            // From here on they are known to be forgotten, and that it is not over.
            jobs.append(
                Job(
                    user: person.user, keepingAccount: !person.isWithAccount, progress: { _ in }, erasure: erasure))
            changes.sensorsChanged(nil)
            changes.forgotten(person.user)
        }
        isSweeping = true
        portions.goOn()
    }

    /// Continues with what is left, on the thread of this loop, which must be the caller's thread.
    package func start(_ loop: EventLoop) { portions.start(loop) }

    private func erasure(_ person: Forgotten) -> Erasure {
        Erasure(person, places.store, places.keys, features, given: doors.givenSensors) {
            [doors] (sensors) throws(VaultError) in
            try doors.settle(sensors)
        }
    }

    // MARK: On the loop

    private func work() -> Portions.Next {
        do throws(VaultError) { return try workOnce() } catch {
            if reported.allows("\(error.reason)", now: millisecondsSinceBoot()) {
                log.error("forgetting continues in 5 s: \(error)")
            }
            if jobs.indices.contains(current) {
                jobs[current].completion?(.failure(error), jobs[current].leave.left)
                jobs[current].completion = nil
            }
            return .after(.seconds(5))
        }
    }

    /// - Returns: when to continue.
    private func workOnce() throws(VaultError) -> Portions.Next {
        guard !jobs.isEmpty else {
            if isBehind {
                try catchUp()
                isBehind = false
                return .soon()
            }
            guard isSweeping else { return .never }
            isSweeping = try places.store.deleteForgotten(atMost: Erasure.portion) > 0
            return isSweeping ? .soon() : .never
        }
        try begin()
        guard bringForward() else { return .never }
        let job = jobs[0]
        guard var erasure = job.erasure else {
            // A secret or a stream may have been made while leave was taken.
            let person = try noted(job)
            tell(job, .account)
            jobs[0].erasure = erasure(person)
            return .soon()
        }
        let step = erasure.step
        // Finished parts of a step stay done; after an error the whole step is done again.
        let advance: Erasure.Advance
        do throws(VaultError) { advance = try erasure.advance() } catch {
            // The rows of the account may be gone: which clients it had is known here only.
            if step == .account { jobs[0].erasure = erasure }
            throw error
        }
        jobs[0].erasure = erasure
        if step == .account {
            changes.forgotten(job.user)
            if !job.keepingAccount {
                changes.gatewaysChanged()
                changes.gatewaysEnded()
            }
        }
        if step == .streams { changes.sensorsChanged(nil) }
        switch advance {
        case .goesOn: return .soon()
        case .waitsForReaders:
            endReading()
            return .soon(atLeast: .seconds(1))
        case .done: break
        }
        guard let next = erasure.step else {
            if try erasure.isComplete() { end(erasure) } else { jobs[0].erasure = erasure }
            return .soon()
        }
        tell(job, next)
        return .soon()
    }

    /// Puts those on the list who are not on it yet, and has leave taken of them.
    private func begin() throws(VaultError) {
        for index in jobs.indices where jobs[index].erasure == nil && !jobs[index].isNoted {
            current = index
            _ = try noted(jobs[index])
            jobs[index].isNoted = true
            takeLeave(jobs[index].user, index)
        }
        current = 0
    }

    /// Brings forward the first person of whom leave was taken, unless the first one is being forgotten already.
    /// - Returns: false if there is none yet: work goes on when leave is taken, which is limited in time.
    private func bringForward() -> Bool {
        guard jobs[0].erasure == nil else { return true }
        guard let index = jobs.firstIndex(where: \.isReady) else { return false }
        jobs.replaceSubrange(0...index, with: [jobs[index]] + jobs[0..<index])
        return true
    }

    private func takeLeave(_ user: ID, _ index: Int) {
        jobs[index].leave = .isBeingTaken
        changes.takeLeave(of: user) { [self] left in
            guard let index = jobs.firstIndex(where: { $0.user == user && $0.leave.isBeingTaken }) else { return }
            jobs[index].leave = .taken(left: left)
            portions.goOn()
        }
    }

    private func noted(_ job: Job) throws(VaultError) -> Forgotten {
        let person = try places.keys.toForget(job.user, withAccount: !job.keepingAccount)
        try places.note(person)
        return person
    }

    private func tell(_ job: Job, _ step: Erasure.Step) {
        let steps = Erasure.Step.allCases
        job.progress(
            Progress(step: step.rawValue, done: steps.firstIndex(of: step) ?? 0, of: steps.count))
    }

    private func end(_ erasure: Erasure) {
        let job = jobs.removeFirst()
        let proof = erasure.proof
        changes.forgotten(job.user)
        // A person can have everything deleted repeatedly, and keep the account.
        limitedLog.notice("forgot \(job.user)") {
            "forgot \(job.user): \(proof.tried) sealed rows tried with every key there is, \(proof.opened) opened\($0)"
        }
        job.progress(Progress(step: "done", done: Erasure.Step.allCases.count, of: Erasure.Step.allCases.count))
        job.completion?(.success(proof), job.leave.left)
        // After the reply, which is for one of these devices.
        if !job.keepingAccount { doors.accountGone(job.user, erasure.devices) }
    }
}
