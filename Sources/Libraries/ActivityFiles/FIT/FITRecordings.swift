import Fitness

// What the messages of FIT mean. Those of one file are collected until it ends, since a session, which says what was
// done and when, comes after its records.

/// Makes recordings of messages.
final class FITRecordings: FITReader {
    private let limits: Limits
    private var result = Recordings()
    private var part: FITPart
    /// The file before in the chain: this one may belong to it.
    private var before: FITPart?
    private var sampleCount = 0
    private var outOfTime = 0
    private var strays = 0
    private var tooMany = 0
    /// Different reasons for which something was left out; a chain may have a million files.
    private static let mostOmissions = 20
    /// Sessions of one file: a triathlon has five.
    static let mostSessions = 100

    init(_ limits: Limits) {
        self.limits = limits
        part = FITPart()
    }

    /// Everything that came.
    func finished() -> Recordings {
        endPart()
        if let before { add(before) }
        before = nil
        if outOfTime > 0 { result.omissions.append("\(outOfTime) records without a time") }
        if strays > 0 { result.omissions.append("\(strays) records with a time outside of the activity") }
        if tooMany > 0 { result.omissions.append("\(tooMany) activities after the first \(limits.activities)") }
        return result
    }

    func begin(at offset: Int) { endPart() }

    private func endPart() {
        let ended = part
        part = FITPart()
        // The strap's clock goes on.
        (part.strapAnchor, part.strapTick) = (ended.strapAnchor, ended.strapTick)
        if ended.goesOn, before != nil {
            before?.append(ended)
        } else {
            if let before { add(before) }
            before = ended
        }
    }

    private func add(_ ended: FITPart) {
        if ended.type == FITFileType.course, !ended.samples.isEmpty {
            omit(FITFileType.name(FITFileType.course) + ", which is no recording")
        } else if !ended.samples.isEmpty || !ended.sessions.isEmpty {
            let room = max(0, limits.activities - result.activities.count)
            tooMany += max(0, max(1, ended.sessions.count(where: { !$0.isTransition })) - room)
            if room > 0 {
                let (recordings, strays) = ended.activities()
                result.activities += recordings.prefix(room)
                self.strays += strays
                let transitions = ended.sessions.count(where: \.isTransition)
                if transitions > 0 { omit("\(transitions) transitions between activities") }
            }
        } else if let type = ended.type, type != FITFileType.activity, !FITFileType.monitoring.contains(type) {
            omit(FITFileType.name(type) + ", which is no recording")
        }
    }

    private func omit(_ what: String) {
        guard result.omissions.count < Self.mostOmissions, !result.omissions.contains(what) else { return }
        result.omissions.append(what)
    }

    func take(_ message: FITMessage) throws(ActivityFileError) {
        switch message.number {
        case FITMessageNumber.record: try takeRecord(message)
        case FITMessageNumber.monitoring: try takeMonitoring(message)
        case FITMessageNumber.monitoringInfo: part.lastSeconds = message.seconds ?? part.lastSeconds
        case FITMessageNumber.heartRate: try takeHeartRates(message)
        case FITMessageNumber.event: try takeEvent(message)
        case FITMessageNumber.lap: try takeLap(message)
        case FITMessageNumber.session: try takeSession(message)
        case FITMessageNumber.length: try takeLength(message)
        case FITMessageNumber.activity: part.sessionCount = message.integer(1) ?? part.sessionCount
        case FITMessageNumber.fileID:
            part.type = message.integer(0) ?? part.type
            part.hasFileID = true
            part.begun = FITTime.unixMilliseconds(message.integer(4)) ?? part.begun
            part.take(FITDeviceFields(message, nameField: 8, limits))
        case FITMessageNumber.deviceInfo:
            // The device itself has the index 0; others are its sensors.
            guard message.integer(0) ?? 0 == 0 else { return }
            part.take(FITDeviceFields(message, nameField: 27, limits))
        case FITMessageNumber.sport:
            part.sport = Sport(fit: message.integer(0), name: message.text(3, atMost: limits.characters)) ?? part.sport
        case FITMessageNumber.workout: part.name = message.text(8, atMost: limits.characters) ?? part.name
        default: break
        }
    }

    private func count(_ message: FITMessage) throws(ActivityFileError) {
        sampleCount += 1
        guard sampleCount <= limits.samples else {
            throw ActivityFileError(
                "FIT", .tooMuch, at: .byte(message.offset), "more than \(limits.samples) records")
        }
    }

    private func takeRecord(_ message: FITMessage) throws(ActivityFileError) {
        guard let time = message.time else {
            outOfTime += 1
            return
        }
        try count(message)
        var sample = Sample(time: time)
        if let north = message.integer(0), let east = message.integer(1), north.magnitude <= 1 << 30,
            east.magnitude <= 1 << 31
        {
            // 2^31 of them are 180 degrees.
            let degrees = 180.0 / 2_147_483_648.0
            sample.place = Place(latitude: Double(north) * degrees, longitude: Double(east) * degrees)
        }
        sample.altitude = message.value(78, scale: 5, offset: 500) ?? message.value(2, scale: 5, offset: 500)
        let compressed = compressedSpeedAndDistance(message)
        sample.distance = message.amount(5, scale: 100) ?? compressed?.metres
        sample.speed = message.amount(73, scale: 1000) ?? message.amount(6, scale: 1000) ?? compressed?.metresPerSecond
        if let cadence = message.amount(4) { sample.cadence = cadence + (message.amount(53, scale: 128) ?? 0) }
        sample.temperature = message.value(13)
        sample.heartRate = whole(message.value(3))
        sample.power = watts(message.amount(7))
        sample.steps = message.steps.map { UInt32($0) }
        part.append(sample)
    }

    /// Of the field `compressed_speed_distance`: twelve bits of hundredths of a metre a second, and twelve of sixteenths of a
    /// metre, which go round.
    private func compressedSpeedAndDistance(_ message: FITMessage) -> (metresPerSecond: Double, metres: Double)? {
        let bytes = message.rawBytes(8)
        guard bytes.count == 3, bytes.contains(where: { $0 != 0xFF }) else { return nil }
        let (one, two, three) = (Int64(bytes[0]), Int64(bytes[1]), Int64(bytes[2]))
        let told = two >> 4 | three << 4
        let whole = part.sixteenths.map { $0 + (told - $0) & 0xFFF } ?? told
        part.sixteenths = whole
        return (Double(one | (two & 0x0F) << 8) / 100, Double(whole) / 16)
    }

    // MARK: All-day monitoring

    private func takeMonitoring(_ message: FITMessage) throws(ActivityFileError) {
        if let seconds = message.seconds {
            part.lastSeconds = seconds
        } else if let low = message.integer(26), let last = part.lastSeconds {
            // `timestamp_16`: the lower half of a time after the last one.
            part.lastSeconds = last + (low - last) & 0xFFFF
        }
        guard let time = FITTime.unixMilliseconds(part.lastSeconds) else {
            outOfTime += 1
            return
        }
        if let bpm = whole(message.value(27)) {
            try count(message)
            result.heartRates.append(HeartRateRecord(time: time, beatsPerMinute: bpm, source: part.device.product))
        }
        // Either a field of its own, or the lower five bits of one that has the intensity besides.
        let type = message.integer(5) ?? message.integer(24).map { $0 & 0x1F }
        let sport = Sport(fitActivityType: type)
        // The profile calls these cycles; on foot they are steps (sub-field `steps`).
        if let sport, sport.isOnFoot, let steps = message.integer(3) ?? message.integer(9), steps >= 0 {
            try count(message)
            result.steps.append(
                StepRecord(time: time, steps: Int(steps), span: .counter, sport: sport, source: part.device.product))
        }
    }

    // MARK: Heart rates that a strap kept

    /// Beats that a strap kept while it had no connection, under water. `event_timestamp` is the strap's clock, and the
    /// first message says what it shows at which time.
    private func takeHeartRates(_ message: FITMessage) throws(ActivityFileError) {
        var ticks: [Int64] = []
        if let field = message.definition.field(9) {
            for index in 0..<field.size / field.type.size {
                if let tick = message.integer(field, at: index) { ticks.append(tick) }
            }
        }
        if let seconds = message.seconds, let first = ticks.first, let time = FITTime.unixMilliseconds(seconds) {
            part.strapAnchor = (first, Double(time) + (message.amount(0, scale: 32_768) ?? 0) * 1000)
        }
        if ticks.isEmpty, var last = part.strapTick {
            // Twelve bits each, the lower ones first: two in three bytes.
            let packed = message.rawBytes(10)
            for at in stride(from: 0, to: packed.count / 3 * 3, by: 3) {
                let (one, two, three) = (Int64(packed[at]), Int64(packed[at + 1]), Int64(packed[at + 2]))
                for low in [one | (two & 0x0F) << 8, two >> 4 | three << 4] {
                    last += (low - last) & 0xFFF
                    ticks.append(last)
                }
            }
        }
        part.strapTick = ticks.last ?? part.strapTick
        guard let anchor = part.strapAnchor else { return }
        for (tick, bpm) in zip(ticks, message.integers(6)) {
            guard let bpm = whole(bpm.map { Double($0) }) else { continue }
            try count(message)
            let time = Int64((anchor.time + Double(tick - anchor.tick) * 1000 / 1024).rounded())
            part.strapRates.append((time, bpm))
        }
    }

    // MARK: Sessions, laps, events

    private func takeEvent(_ message: FITMessage) throws(ActivityFileError) {
        // Event 0 is the timer.
        guard message.integer(0) == 0, let time = message.time else { return }
        switch message.integer(1) {
        case 0: part.timer.append((time, true))
        case 1, 4, 8, 9: part.timer.append((time, false))
        default: return
        }
        try limitParts(part.timer.count / 2, message, "pauses")
    }

    private func takeLap(_ message: FITMessage) throws(ActivityFileError) {
        guard let span = span(message) else { return }
        part.laps.append(Lap(start: span.start, end: span.end, totals: totals(message, isOnFoot: nil)))
        part.lapStrides.append(strides(message, fraction: 82))
        try limitParts(part.laps.count, message, "laps")
    }

    private func takeSession(_ message: FITMessage) throws(ActivityFileError) {
        guard let span = span(message) else {
            outOfTime += 1
            return
        }
        let sport =
            Sport(fit: message.integer(5), name: message.text(110, atMost: limits.characters)) ?? part.sport
            ?? .other("generic")
        var totals = totals(message, isOnFoot: sport.isOnFoot)
        (totals.meanHeartRate, totals.highestHeartRate) = (whole(message.value(16)), whole(message.value(17)))
        let (metres, lengths) = (message.amount(44, scale: 100), message.integer(33).map { Int($0) })
        if totals.distanceMetres == nil, let pool = Pool(metres: metres, lengths: lengths), let lengths = pool.lengths {
            totals.distanceMetres = pool.metres * Double(lengths)
        }
        part.sessions.append(
            FITSession(
                start: span.start, end: span.end, written: FITTime.unixMilliseconds(message.seconds), sport: sport,
                totals: totals,
                isTransition: message.integer(5) == FITSession.transition, poolMetres: metres, lengths: lengths,
                isInPool: message.integer(6) == FITSession.inPool, index: message.integer(254)))
        // Each of them is given the pauses that lie within it.
        guard part.sessions.count <= Self.mostSessions else {
            throw ActivityFileError(
                "FIT", .tooMuch, at: .byte(message.offset), "more than \(Self.mostSessions) sessions")
        }
    }

    /// A length of a pool; one that was not swum is a rest.
    private func takeLength(_ message: FITMessage) throws(ActivityFileError) {
        guard message.integer(12) != 0, let start = FITTime.unixMilliseconds(message.integer(2) ?? message.seconds)
        else { return }
        part.lengths.append(start)
        try limitParts(part.lengths.count, message, "lengths")
    }

    private func limitParts(_ count: Int, _ message: FITMessage, _ what: String) throws(ActivityFileError) {
        guard count <= limits.parts else {
            throw ActivityFileError(
                "FIT", .tooMuch, at: .byte(message.offset), "more than \(limits.parts) \(what)")
        }
    }

    /// From a session's or a lap's start to its end.
    private func span(_ message: FITMessage) -> (start: Int64, end: Int64)? {
        let (elapsed, timer) = (milliseconds(message, 7), milliseconds(message, 8) ?? 0)
        let beyond = message.beyondSecond
        if let start = FITTime.unixMilliseconds(message.integer(2)).map({ $0 + beyond }) {
            let told = (FITTime.unixMilliseconds(message.seconds) ?? start) - start
            return (start, start + max(0, elapsed ?? told, timer))
        }
        guard let end = FITTime.unixMilliseconds(message.seconds) else { return nil }
        return (end - max(elapsed ?? 0, timer), end)
    }

    /// The totals of a session or a lap: the numbers of these fields are the same.
    /// - Parameter isOnFoot: nil where that is not known yet.
    private func totals(_ message: FITMessage, isOnFoot: Bool?) -> Totals {
        let isLap = message.number == FITMessageNumber.lap
        let fraction = message.amount(isLap ? 156 : 199, scale: 100) ?? 0
        let ascent = message.amount(isLap ? 21 : 22).map { $0 + fraction }
        var steps = message.steps.map { Int($0) }
        if steps == nil, isOnFoot == true { steps = strides(message, fraction: 94).map { Int($0 * 2) } }
        return Totals(
            distanceMetres: message.amount(9, scale: 100),
            durationMilliseconds: milliseconds(message, 8),
            energyKilocalories: message.amount(11), ascentMetres: ascent, steps: steps)
    }

    /// A time that a session or a lap took: the profile has milliseconds, and developers' fields have seconds.
    private func milliseconds(_ message: FITMessage, _ field: UInt8) -> Int64? {
        message.amount(field, scale: 1000).map { Int64(($0 * 1000).rounded()) }
    }

    private func strides(_ message: FITMessage, fraction: UInt8) -> Double? {
        message.amount(10).map { $0 + (message.amount(fraction, scale: 128) ?? 0) }
    }
}
