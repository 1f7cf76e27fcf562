package import Days
import Features
import Files
import Fitness
import OwnTracks
import Readings
import Records
import Telemetry
import Whereabouts

// Where dependents were today is read from what is stored, after a restart and whenever that has changed: on another thread, one
// dependent after the other. What comes in the meantime is taken afterwards, too. After a restart, so are the heart rates that were
// stored and perhaps not judged.

extension Guardians {
    /// How far back their last place is looked for, if they were nowhere today, in milliseconds.
    private static let longAgo: Int64 = 7 * 86_400_000
    /// No fix that is older is judged, in milliseconds: see `AreaWatch`.
    private static let longestAway: Int64 = 86_400_000
    /// No day has more positions: two a second.
    private static let mostPositions = 172_800
    /// How often what is stored of a dependent is read again, in milliseconds.
    private static let pause: UInt64 = 60_000

    /// Has what is stored of a dependent read again.
    func loadAgain(_ dependent: ID) {
        guard watched[dependent] != nil, !toLoad.contains(dependent) else { return }
        toLoad.append(dependent)
    }

    /// Reads what is stored of the next dependent.
    func loadNext() {
        let clock = self.clock()
        guard loading == nil,
            let index = toLoad.firstIndex(where: { clock >= (loaded[$0] ?? 0) + Self.pause || loaded[$0] == nil })
        else { return }
        let dependent = toLoad.remove(at: index)
        guard let one = watched[dependent] else { return }
        loading = dependent
        watched[dependent]?.beginLoading()
        let now = context.now()
        // What was not judged before midnight, because the service was away, still is to be.
        let begin = min(one.dayBegins, max(one.oldestJudged ?? one.dayBegins, now - Self.longestAway))
        let unjudged = one.unjudgedRates(now: now)
        readers.statistics.read { source in
            let stored = try Self.storedPlaces(of: dependent, from: begin, now: now, source)
            return (
                fixes: stored.fixes, steps: stored.steps,
                rates: try unjudged.map { try Self.storedRates(of: dependent, $0, source) } ?? []
            )
        } completion: { [unowned self] result in
            loading = nil
            loaded[dependent] = self.clock()
            switch result {
            case .success(let found):
                let arrived = watched[dependent]?.load(found.fixes, found.steps)
                settle(dependent, atOnce: true)
                judge(Array(found.fixes), found.rates, and: arrived, of: dependent)
            case .failure(let error):
                loadAgain(dependent)
                // Alerts do not wait for ever for a disk that cannot be read.
                if let arrived = watched[dependent]?.failLoading() { judge([], [], and: arrived, of: dependent) }
                context.limitedLog.error("guardians of \(dependent)") {
                    "where \(dependent) was today was not read\($0): \(error)"
                }
                return
            }
            loadNext()
        }
    }

    /// The positions since a time, or the last one before it, and the steps of phones.
    static func storedPlaces(
        of user: ID, from begin: Int64, now: Int64, _ source: ReadSource
    ) throws(VaultError) -> (fixes: ArraySlice<StoredFix>, steps: [StoredSteps]) {
        let fixes = try stored(of: user, from: begin, to: now + 60_000, source)
        let latest =
            fixes.isEmpty ? try stored(of: user, from: now - longAgo, to: begin, source).suffix(1) : fixes[...]
        return (latest, try storedSteps(of: user, from: begin, to: now + 60_000, source))
    }

    /// Judges what is stored, and then what came while nobody looked.
    private func judge(
        _ fixes: [StoredFix], _ rates: [StoredRate],
        and arrived: (fixes: [StoredFix], transitions: [(PhoneTransition, phone: ID)])?, of dependent: ID
    ) {
        judge(fixes + (arrived?.fixes ?? []), of: dependent)
        for (transition, phone) in arrived?.transitions ?? [] { judge(transition, of: phone, dependent) }
        let held = watched[dependent]?.releaseRates() ?? []
        judge((rates + held).sorted { $0.time < $1.time }, of: dependent)
    }

    /// Positions of a time, in the order of their times, without those that files brought.
    static func stored(of user: ID, from: Int64, to: Int64, _ source: ReadSource) throws(VaultError) -> [StoredFix] {
        var fixes: [StoredFix] = []
        try each(of: user, .position, from: from, to: to, source) { reading, sensor in
            if case .position(let position) = reading.value {
                fixes.append(StoredFix(fix: Fixes.Found(time: reading.moment.wall, position: position), source: sensor))
            }
            // The latest count.
            if fixes.count >= 2 * mostPositions { fixes.removeFirst(mostPositions) }
        }
        return fixes.suffix(mostPositions)
    }

    /// Steps of phones in a time, in the order of their times.
    private static func storedSteps(
        of user: ID, from: Int64, to: Int64, _ source: ReadSource
    ) throws(VaultError) -> [StoredSteps] {
        var steps: [StoredSteps] = []
        try each(of: user, .pedometer, from: from, to: to, source) { reading, _ in
            if case .pedometer(let span) = reading.value { steps.append((span, reading.moment.wall)) }
            if steps.count >= 2 * mostPositions { steps.removeFirst(mostPositions) }
        }
        return steps.suffix(mostPositions)
    }

    /// Heart rates of a time, in the order of their times, one a second, without those that files brought and those that no rule
    /// looks at.
    private static func storedRates(
        of user: ID, _ times: Range<Int64>, _ source: ReadSource
    ) throws(VaultError) -> [StoredRate] {
        var rates: [StoredRate] = []
        try each(of: user, .heartRate, from: times.lowerBound, to: times.upperBound, source) { reading, _ in
            guard let rate = reading.heartRate.map(Int64.init), HeartRateRangeWatch.rates.contains(rate),
                reading.moment.wall >= (rates.last?.time ?? -Moment.limit) + 1000
            else { return }
            rates.append((reading.moment.wall, rate))
        }
        return rates
    }

    /// Readings of one kind and time, in the order of their times, each with its sensor, without those that files brought.
    private static func each(
        of user: ID, _ kind: Reading.Kind, from: Int64, to: Int64, _ source: ReadSource,
        _ body: (_ reading: Reading, _ sensor: String) -> Void
    ) throws(VaultError) {
        let files = "\(OwnGateway.name)/\(OwnGateway.importPrefix)"
        var names: [Int64: String] = [:]
        for stream in try source.store.streams(of: user) { names[stream.number] = "\(stream.gateway)/\(stream.sensor)" }
        let readings = StoredReadings(store: source.store, keys: source.keys)
        _ = try readings.eachOfStreams(of: user, kind, from: from, to: to) { reading, stream in
            let sensor = names[stream] ?? ""
            if !sensor.hasPrefix(files) { body(reading, sensor) }
            return true
        }
    }

    /// Positions that a gateway has recorded come with their blocks, without the places.
    package func stored(_ readings: PersonsReadings) {
        guard watched[readings.user] != nil else { return }
        let own = "\(OwnGateway.name)/"
        let hasPositions = readings.portions.contains { portion in
            !portion.sensor.hasPrefix(own) && portion.readings.contains { $0.kind == .position }
        }
        if hasPositions { loadAgain(readings.user) }
        let files = own + OwnGateway.importPrefix
        let rates = readings.entries.compactMap { entry in
            entry.sensor.hasPrefix(files)
                ? nil : entry.reading?.heartRate.map { (time: entry.bare.wall, rate: Int64($0)) }
        }
        guard !rates.isEmpty, watched[readings.user]?.hold(rates) == false else { return }
        judge(rates.sorted { $0.time < $1.time }, of: readings.user)
    }
}
