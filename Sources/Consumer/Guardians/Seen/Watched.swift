import Features
import Fitness
import OwnTracks
import Phones
import Records
import Telemetry
import Whereabouts

/// What is known now of a dependent who lets somebody see something. It is in memory only: positions are read again from what is
/// stored after a restart; what a phone says of itself comes with its next message.
struct Watched {
    /// How many points of a day's way are shown.
    static let mostPoints = 300
    /// How many transitions wait until what is stored has been read.
    private static let mostTransitions = 64
    /// How often it is tried to read what is stored before something is judged without it.
    private static let patience = 3

    /// In the order in which guardians are alerted.
    var ties: [GuardianTie]
    var rules: [WatchedRule] = []
    /// Whether these are all that are kept.
    var areRulesRead = false
    /// When what they know was last kept, in milliseconds since boot.
    var kept: UInt64 = 0
    /// Whether a position has come late since then: after a restart it would have its turn.
    var isToBeKept = false
    /// Whether what is stored of the day has been read.
    private(set) var isLoaded = false
    /// When each topic was last made, in milliseconds since boot: that takes a while.
    var made: [SightTopic: UInt64] = [:]
    /// Whether their own place is on their topic, and when that was last made.
    var isPublished = false
    var placeMade: UInt64?
    private(set) var fixes = Fixes()
    private(set) var day: CalendarDay
    /// When the day began, and when it ends, in Unix milliseconds.
    private(set) var dayBegins: Int64
    private(set) var dayEnds: Int64
    private var path = DayPath()
    private(set) var motion = MotionJudge()
    private(set) var phone: PhoneState?
    /// What came while what is stored was being read; nil if nothing is being read.
    private var arrived: [StoredFix]?
    private var arrivedSteps: [StoredSteps] = []
    /// How often in a row what is stored could not be read.
    private var failures = 0
    /// Heart rates that came while those from before a restart were being read; nil once these were judged.
    private var heldRates: [StoredRate]?
    /// What phones have said of their regions before anything was read.
    private var transitions: [(PhoneTransition, phone: ID)] = []
    /// Whether sensors are on, as far as it is known.
    private(set) var sensors: [SensorName: Bool] = [:]
    /// When something of the phone or the sensors last changed, in Unix milliseconds.
    private var statusChanged: Int64 = 0

    /// What a phone has said of itself.
    struct PhoneState: Equatable {
        /// Unix milliseconds.
        var heard: Int64
        var batteryPercent: Double?
        var isCharging: Bool?
    }

    init(ties: [GuardianTie], day: CalendarDay, begins: Int64, ends: Int64) {
        (self.ties, self.day, dayBegins, dayEnds) = (ties, day, begins, ends)
    }

    /// Another day has begun: its way begins where the last one ended.
    mutating func begin(_ day: CalendarDay, begins: Int64, ends: Int64) {
        (self.day, dayBegins, dayEnds) = (day, begins, ends)
        path = DayPath()
        motion.beginDay()
    }

    // MARK: What is measured

    mutating func take(_ fix: Fixes.Found, of source: String) {
        if arrived != nil { arrived?.append(StoredFix(fix: fix, source: source)) }
        guard fixes.take(fix, of: source), source == fixes.source else { return }
        let place = Fix(time: fix.time, place: fix.place, accuracyMetres: fix.position.accuracyMetres)
        guard fix.time >= dayBegins else { return }
        path.take(place)
        motion.take(place)
    }

    mutating func take(_ news: PhoneNews) {
        guard news.time >= phone?.heard ?? -Moment.limit else { return }
        var state = PhoneState(heard: news.time, batteryPercent: phone?.batteryPercent, isCharging: phone?.isCharging)
        if let percent = news.batteryPercent { (state.batteryPercent, state.isCharging) = (percent, news.isCharging) }
        if state != phone { (phone, statusChanged) = (state, news.time) }
        if !news.motions.isEmpty, news.time >= dayBegins {
            motion.take(activities: Set(news.motions.map(\.rawValue)), at: news.time)
        }
    }

    /// What was counted partly on the day before says nothing of this one.
    mutating func take(_ steps: StoredSteps) {
        if arrived != nil { arrivedSteps.append(steps) }
        let begin = steps.until - Int64(steps.span.milliseconds)
        guard begin >= dayBegins else { return }
        motion.take(steps: Int(steps.span.steps), from: begin, to: steps.until)
    }

    mutating func take(_ sensor: SensorName, isOn: Bool?, now: Int64) {
        guard sensors[sensor] != isOn else { return }
        (sensors[sensor], statusChanged) = (isOn, now)
    }

    // MARK: What is stored

    /// Another day is theirs, because they live elsewhere: nothing is judged until that was read.
    mutating func forgetDay() { isLoaded = false }

    mutating func beginLoading() {
        (arrived, arrivedSteps) = ([], [])
        if heldRates != nil { heldRates = [] }
    }

    /// Keeps a transition until what is stored has been read; of too many, the latest.
    mutating func wait(for transition: PhoneTransition, of phone: ID) {
        transitions.removeAll { $0.0.region == transition.region && $0.phone == phone }
        transitions = transitions.suffix(Self.mostTransitions - 1) + [(transition, phone)]
    }

    /// Begins again with what is stored, and what came since it was read.
    /// - Returns: what came since then, and transitions that have waited.
    mutating func load(
        _ stored: some Sequence<StoredFix>, _ steps: [StoredSteps]
    ) -> (fixes: [StoredFix], transitions: [(PhoneTransition, phone: ID)]) {
        let (later, waited, laterSteps) = (arrived ?? [], transitions, arrivedSteps)
        (arrived, isLoaded, transitions, arrivedSteps, failures) = (nil, true, [], [], 0)
        (fixes, path, motion) = (Fixes(), DayPath(), motion.withoutReadings())
        for one in steps + laterSteps { take(one) }
        for one in stored { take(one.fix, of: one.source) }
        for one in later { take(one.fix, of: one.source) }
        return (later, waited)
    }

    /// What is stored could not be read. After some tries, what is known has to do.
    /// - Returns: as `load`; nil if it is tried again before anything is judged.
    mutating func failLoading() -> (fixes: [StoredFix], transitions: [(PhoneTransition, phone: ID)])? {
        failures += 1
        let later = arrived ?? []
        (arrived, arrivedSteps) = (nil, [])
        guard isLoaded || failures >= Self.patience else { return nil }
        defer { (isLoaded, transitions) = (true, []) }
        return (later, transitions)
    }

    /// After a restart, nobody knows whether the latest heart rates were judged: others wait until these were.
    mutating func holdRates() { heldRates = [] }

    /// - Returns: whether these heart rates wait.
    mutating func hold(_ rates: [StoredRate]) -> Bool {
        guard heldRates != nil else { return false }
        // They are stored: what is not being read yet will find them.
        if arrived != nil { heldRates?.append(contentsOf: rates) }
        return true
    }

    /// The times of stored heart rates that have not been judged, in Unix milliseconds; nil if all were.
    func unjudgedRates(now: Int64) -> Range<Int64>? {
        guard heldRates != nil else { return nil }
        let news = rules.filter(\.rule.isEnabled).compactMap { rule in
            rule.heartRates?.news(now: now).clamped(to: rule.rule.begin..<Int64.max)
        }
        guard let first = news.map(\.lowerBound).min(), let last = news.map(\.upperBound).max() else { return nil }
        return first..<last
    }

    mutating func removeRule(_ id: ID) -> WatchedRule? {
        rules.firstIndex { $0.rule.id == id }.map { rules.remove(at: $0) }
    }

    /// Adds a rule at its place: they are in the order of their ids.
    mutating func add(_ rule: WatchedRule) {
        let place = rules.firstIndex { $0.rule.id.text > rule.rule.id.text } ?? rules.endIndex
        rules.insert(rule, at: place)
    }

    /// The areas that are watched, each with its place among the rules.
    var enabledAreas: [(index: Int, rule: WatchedRule)] {
        rules.enumerated().filter { $0.element.rule.isEnabled && $0.element.rule.area != nil }
            .map { (index: $0.offset, rule: $0.element) }
    }

    /// The time until which every area knows the positions of all sources, in Unix milliseconds; nil if there are none.
    var oldestJudged: Int64? {
        rules.filter { $0.rule.isEnabled && $0.rule.area != nil }.compactMap(\.watch.oldest).min()
    }

    /// Heart rates wait no longer.
    /// - Returns: those that have waited.
    mutating func releaseRates() -> [StoredRate] {
        defer { heldRates = nil }
        return heldRates ?? []
    }

    // MARK: What is seen

    /// What is to be seen of them, with the time in it; nil if nothing is known.
    /// - Parameter since: what was before is not shown.
    func payload(_ topic: SightTopic, name: String?, since: Int64, now: Int64) -> JSON? {
        switch topic {
        case .location:
            guard let fix = fixes.last, fix.time >= since else { return nil }
            return Self.json(fix, name)
        case .path:
            guard fixes.last != nil else { return nil }
            return [
                "day": .string("\(day)"),
                "points": Self.json(path.points(atMost: Self.mostPoints).filter { $0.time >= since }),
            ]
        case .motion:
            guard let current = motion.current(now: now) else { return nil }
            return [
                "time": .integer(current.time), "state": .string(current.state.rawValue),
                "since": .integer(current.since),
                "exercise_min": .integer(Int64(motion.exerciseMinutes)),
            ]
        case .status:
            let online = sensors.sorted { "\($0.key)" < "\($1.key)" }.map { sensor, isOn -> JSON in
                ["sensor": .string("\(sensor)"), "online": .bool(isOn)]
            }
            guard phone != nil || !online.isEmpty else { return nil }
            return .object(present: [
                "time": .integer(statusChanged),
                "battery_percent": phone?.batteryPercent.map { .integer(Int64($0.rounded())) },
                "charging": phone?.isCharging.map(JSON.bool), "phone": phone.map { .integer($0.heard) },
                "sensors": .array(online),
            ])
        }
    }

    /// A position, as requests and topics have it.
    /// - Parameter name: of the person.
    static func json(_ fix: Fixes.Found, _ name: String? = nil) -> JSON {
        .object(present: [
            "time": .integer(fix.time), "lat": .number(fix.position.latitudeDegrees),
            "lon": .number(fix.position.longitudeDegrees),
            "accuracy_m": fix.position.accuracyMetres.map(JSON.number),
            "altitude_m": fix.position.altitudeMetres.map(JSON.number), "name": name.map(JSON.string),
        ])
    }

    /// Points of a way: time, latitude, longitude.
    static func json(_ points: [Fix]) -> JSON {
        .array(
            points.map { fix in
                .array([.integer(fix.time), .number(fix.place.latitude), .number(fix.place.longitude)])
            })
    }
}
