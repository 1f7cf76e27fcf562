import Daemon
import Days
import Features
import Files
import Fitness
package import MQTT
import OwnTracks
package import Phones
package import Reactor
import Readings
package import Records
package import Telemetry
import Whereabouts

// What guardians see without asking, as retained messages on their own topics (`SightTopic`). What should be there follows from
// the ties in the databases and from what is known of the dependents (`Watched`). A position is shown as soon as it is stored, at
// most once a second; what must no longer be seen goes at once.
//
// At each connection the broker tells what it has kept, because a consumer that was killed has not taken back what it should
// have.

/// What the broker may have for a guardian.
struct Shown: Hashable {
    let guardian: ID
    let dependent: ID
    let topic: SightTopic
}

extension Guardians: PeopleObserver, PhoneListener {
    // MARK: The service

    package func start(_ loop: EventLoop) {
        self.loop = loop
        do throws(VaultError) {
            let choices = try OwnPlaceChoice.everybody(context.documents)
            for user in choices { attempt(user) { () throws(VaultError) in try endChoice(of: user) } }
            for dependent in try Set(ties.everyDependent() + choices) {
                attempt(dependent) { () throws(VaultError) in try watch(dependent) }
                watched[dependent]?.holdRates()
            }
        } catch {
            context.limitedLog.error("guardians") { "who watches over whom was not read\($0): \(error)" }
        }
        tick()
    }

    package func connected() {
        isConnected = true
        (shown, chosen, placed) = ([:], [:], [:])
        // A broker that was started again has lost what it had: nothing waits for its pause.
        for dependent in watched.keys {
            watched[dependent]?.made = [:]
            watched[dependent]?.placeMade = nil
        }
        unsettled.formUnion(watched.keys)
        followAllSensors()
        do throws(VaultError) { try tellChosen() } catch {
            context.limitedLog.error("guardians") { "whom guardians look at was not published\($0): \(error)" }
        }
    }

    package func disconnected() {
        isConnected = false
        (shown, chosen, placed) = ([:], [:], [:])
    }

    /// The broker had kept this, or a sensor says whether it is on.
    package func heard(_ topic: Topic, _ message: Message) {
        switch topic {
        case .user(let guardian, let topic):
            guard message.retain, !message.payload.isEmpty else { return }
            if topic == .chosenDependent {
                if chosen[guardian] == nil { chosen[guardian] = PublishedChoice() }
                settleChosen(of: guardian)
            } else if topic == .place {
                if placed[guardian] == nil { placed[guardian] = 0 }
                settle(guardian, atOnce: true)
            } else if let (dependent, topic) = topic.sight {
                let key = Shown(guardian: guardian, dependent: dependent, topic: topic)
                if shown[key] == nil { shown[key] = 0 }
                settle(dependent, atOnce: true)
            }
        case .gateway(let gateway, .status): heardStatus(of: gateway, message.payload)
        case .gateway(let gateway, .sensor(let sensor, .availability)):
            heardAvailability(of: SensorName(gateway: gateway, sensor: sensor), message.payload)
        default: return
        }
    }

    /// Each second: what could not be shown before, whom nobody has read yet, days that are over, rules that could not be read, and
    /// alerts that are due.
    private func tick() {
        let now = context.now()
        for dependent in Array(unsettled) { settle(dependent) }
        for (dependent, one) in watched where one.dayEnds <= now {
            attempt(dependent) { () throws(VaultError) in try newDay(dependent) }
        }
        loadNext()
        for (dependent, one) in watched where !one.areRulesRead {
            attempt(dependent) { () throws(VaultError) in try loadRules(of: dependent) }
        }
        lookAtRules()
        loop?.after(.seconds(1)) { [unowned self] in tick() }
    }

    func attempt(_ dependent: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("guardians of \(dependent)") {
                "what the guardians of \(dependent) see is not as it should be\($0): \(error)"
            }
        }
    }

    // MARK: Who is watched

    /// The ties of a dependent have changed, or what they allow: what is no longer allowed is taken back at once.
    /// - Parameter guardian: whose tie it is; nil if they are gone.
    func tiesChanged(of dependent: ID, with guardian: ID? = nil) {
        attempt(dependent) { () throws(VaultError) in try watch(dependent) }
        settle(dependent, atOnce: true)
        if let guardian { settleChosen(of: guardian) }
    }

    /// Begins, goes on or ends watching a person, as the databases say.
    private func watch(_ dependent: ID) throws(VaultError) {
        let doors = context.doors
        let ties =
            doors.isBeingForgotten(dependent)
            ? [] : try self.ties.ties(of: dependent).filter { !doors.isBeingForgotten($0.guardian) }
        let isPublished = try publishesPlace(dependent)
        guard isPublished || ties.contains(where: { !$0.allowed.isEmpty }) else {
            if watched.removeValue(forKey: dependent) != nil {
                toLoad.removeAll { $0 == dependent }
                followSensors(of: dependent)
            }
            return
        }
        if watched[dependent] == nil {
            let (day, times) = try today(of: dependent)
            watched[dependent] = Watched(
                ties: ties, day: day, begins: times.lowerBound, ends: times.upperBound)
            toLoad.append(dependent)
            try loadRules(of: dependent)
            followSensors(of: dependent)
        } else {
            watched[dependent]?.ties = ties
            // The rules of a guardian who is none any more are gone.
            try loadRules(of: dependent)
        }
        watched[dependent]?.isPublished = isPublished
    }

    func rulesChanged(of dependent: ID) {
        guard watched[dependent] != nil else { return }
        // What is not read again now must not be written over what was just set up.
        let before = watched[dependent]?.rules ?? []
        watched[dependent]?.rules = []
        watched[dependent]?.areRulesRead = false
        attempt(dependent) { () throws(VaultError) in try loadRules(of: dependent, knowing: before) }
    }

    private func newDay(_ dependent: ID) throws(VaultError) {
        let (day, times) = try today(of: dependent)
        watched[dependent]?.begin(day, begins: times.lowerBound, ends: times.upperBound)
        loadAgain(dependent)
        unsettled.insert(dependent)
    }

    /// A dependent's day, and from when to when it is, in Unix milliseconds.
    func today(of dependent: ID) throws(VaultError) -> (CalendarDay, Range<Int64>) {
        let days = try histories.history(of: dependent).localDays
        let (day, now) = (days.day(of: context.now()), context.now())
        let intervals = days.intervals(of: day)
        return (day, (intervals.first?.lowerBound ?? now)..<max(now + 1, intervals.last?.upperBound ?? now + 1))
    }

    package func moved(_ user: ID) {
        guard watched[user] != nil else { return }
        // The day is read again in its turn, however often somebody moves.
        watched[user]?.forgetDay()
        attempt(user) { () throws(VaultError) in try newDay(user) }
    }

    package func forgotten(_ user: ID) {
        watched[user] = nil
        toLoad.removeAll { $0 == user }
        loaded[user] = nil
        let others = Set(shown.keys.compactMap { $0.guardian == user ? $0.dependent : nil })
        // Their documents may be gone already, and those who watched over them are known by what was shown.
        settle(user, atOnce: true)
        for dependent in others { tiesChanged(of: dependent) }
        for (dependent, one) in watched where one.ties.contains(where: { $0.guardian == user }) {
            tiesChanged(of: dependent)
        }
        settleChosen(of: user)
        takeBackChosen(user)
        followSensors(of: user)
    }

    /// Deleted readings are no longer shown.
    package func corrected(_ user: ID) { loadAgain(user) }

    // MARK: What is measured

    package func measured(_ readings: [Reading], of user: ID, by sensor: SensorName) {
        guard watched[user] != nil, !isOfFile(sensor) else { return }
        // A clock that is far ahead would hide what comes later.
        let latest = context.now() + 300_000
        let fixes = readings.compactMap { reading -> StoredFix? in
            guard case .position(let position) = reading.value, reading.moment.wall <= latest else { return nil }
            return StoredFix(fix: Fixes.Found(time: reading.moment.wall, position: position), source: "\(sensor)")
        }
        for one in fixes { watched[user]?.take(one.fix, of: one.source) }
        for reading in readings where reading.moment.wall <= latest {
            if case .pedometer(let span) = reading.value { watched[user]?.take((span, until: reading.moment.wall)) }
        }
        settle(user)
        judge(fixes, of: user)
    }

    /// What files bring is no news.
    private func isOfFile(_ sensor: SensorName) -> Bool {
        sensor.gateway.text == OwnGateway.name && sensor.sensor.text.hasPrefix(OwnGateway.importPrefix)
    }

    package func heard(_ news: PhoneNews, of user: ID) {
        guard watched[user] != nil else { return }
        watched[user]?.take(news)
        settle(user)
        if let percent = news.batteryPercent {
            judge(
                batteryPercent: percent, isCharging: news.isCharging ?? false, at: news.time, of: news.phone.text, user)
        }
        if let transition = news.transition { judge(transition, of: news.phone, user) }
        if let (areAll, regions) = news.regions { keep(regions, areAll: areAll, of: news.phone, user) }
    }

    private func keep(_ regions: [PhoneRegion], areAll: Bool, of phone: ID, _ user: ID) {
        attempt(user) { () throws(VaultError) in
            var known = try PhoneRegions.read(context.documents, of: user)
            let before = known
            known.take(regions, areAll: areAll, of: phone)
            guard known != before, regionWrites.take(user, now: clock()) == nil else { return }
            try context.store.change(user) { () throws(VaultError) in try known.write(context.documents, of: user) }
        }
    }

    // MARK: Showing

    /// Publishes what has changed, and takes back what must not be seen. What is shown is made again at most once in the topic's
    /// pause, however much comes.
    /// - Parameter atOnce: whether it is made now: somebody may see something else than before.
    func settle(_ dependent: ID, atOnce: Bool = false) {
        guard isConnected else { return }
        unsettled.remove(dependent)
        let (now, clock) = (context.now(), self.clock())
        var (wanted, waiting): ([Shown: JSON], Set<Shown>) = ([:], [])
        for topic in SightTopic.allCases {
            guard let one = watched[dependent] else { break }
            let ties = one.ties.filter(topic.isAllowed)
            guard !ties.isEmpty else { continue }
            let keys = ties.map { (tie: $0, key: Shown(guardian: $0.guardian, dependent: dependent, topic: topic)) }
            if !atOnce, let time = one.made[topic], clock < time + topic.pause {
                waiting.formUnion(keys.map(\.key))
                unsettled.insert(dependent)
                if topic == .location { settle(dependent, after: time + topic.pause - clock) }
                continue
            }
            var name: String?
            if topic == .location {
                attempt(dependent) { () throws(VaultError) in name = try context.notifications.name(of: dependent) }
            }
            for (tie, key) in keys {
                guard let payload = one.payload(topic, name: name, since: tie.since, now: now) else { continue }
                wanted[key] = payload
                // A place is quickly made: one that is as it was does not keep the next one waiting.
                let isNews = topic != .location || shown[key] != payload.bytes.hashValue
                if isNews { watched[dependent]?.made[topic] = clock }
            }
        }
        for key in shown.keys where key.dependent == dependent && wanted[key] == nil && !waiting.contains(key) {
            takeBack(key)
        }
        for (key, payload) in wanted { show(payload, key) }
        settlePlace(dependent, atOnce: atOnce)
    }

    /// Settles a dependent as soon as a place may be shown again: the next second would be late.
    private func settle(_ dependent: ID, after milliseconds: UInt64) {
        guard awaited.insert(dependent).inserted else { return }
        loop?.after(.milliseconds(milliseconds)) { [unowned self] in
            awaited.remove(dependent)
            settle(dependent)
        }
    }

    private func show(_ payload: JSON, _ key: Shown) {
        let bytes = payload.bytes
        let hash = bytes.hashValue
        guard shown[key] != hash else { return }
        guard context.session.unfinishedCount < Self.mostUnfinished,
            context.session.publish(
                bytes, to: context.topics[user: key.guardian, .sight(key.topic, of: key.dependent)], qos: .atLeastOnce,
                retain: true)
        else {
            unsettled.insert(key.dependent)
            return
        }
        shown[key] = hash
        if key.topic == .location { noteLook(key.guardian, at: key.dependent) }
    }

    private func takeBack(_ key: Shown) {
        let topic = context.topics[user: key.guardian, .sight(key.topic, of: key.dependent)]
        if context.session.publish([], to: topic, qos: .atLeastOnce, retain: true) {
            shown[key] = nil
        } else {
            unsettled.insert(key.dependent)
        }
    }
}
