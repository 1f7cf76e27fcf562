import Fitness

// What the messages of FIT mean. Those of one file are collected until it ends, since a session, which says what was
// done and when, comes after its records.

/// Makes recordings of messages.
final class FITRecordings: FITReader {
    private let limits: Limits
    private var result = Recordings()
    private var part: FITPart
    private var sampleCount = 0
    private var outOfTime = 0

    init(_ limits: Limits) {
        self.limits = limits
        part = FITPart()
    }

    /// Everything that came.
    func finished() -> Recordings {
        endPart()
        if outOfTime > 0 { result.omissions.append("\(outOfTime) records without a time") }
        outOfTime = 0
        return result
    }

    func begin(at offset: Int) { endPart() }

    private func endPart() {
        let ended = part
        part = FITPart()
        if ended.type == FITFileType.course, !ended.samples.isEmpty {
            result.omissions.append("a course: nobody recorded it")
        } else if !ended.samples.isEmpty || !ended.sessions.isEmpty {
            let room = limits.activities - result.activities.count
            result.activities += ended.activities().prefix(max(0, room))
        } else if let type = ended.type, type != FITFileType.activity, !FITFileType.monitoring.contains(type) {
            result.omissions.append("\(FITFileType.name(type)): nobody recorded it")
        }
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
        case FITMessageNumber.fileID:
            part.type = message.integer(0) ?? part.type
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
        if let north = message.integer(0), let east = message.integer(1), north.magnitude <= 1 << 30 {
            // 2^31 of them are 180 degrees.
            let degrees = 180.0 / 2_147_483_648.0
            sample.place = Place(latitude: Double(north) * degrees, longitude: Double(east) * degrees)
        }
        sample.altitude = message.value(78, scale: 5, offset: 500) ?? message.value(2, scale: 5, offset: 500)
        sample.distance = message.value(5, scale: 100)
        sample.speed = message.value(73, scale: 1000) ?? message.value(6, scale: 1000)
        if let cadence = message.value(4) { sample.cadence = cadence + (message.value(53, scale: 128) ?? 0) }
        sample.temperature = message.value(13)
        sample.heartRate = Self.whole(message.value(3))
        sample.power = Self.whole(message.value(7))
        sample.steps = message.steps.map { UInt32($0) }
        part.append(sample)
    }

    /// A number that a field of the profile has as an integer, and a developer's field perhaps not.
    private static func whole(_ value: Double?) -> UInt16? {
        guard let value, value >= 0, value < 65_535 else { return nil }
        return UInt16(value.rounded())
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
        if let bpm = message.integer(27), bpm > 0 {
            try count(message)
            result.heartRates.append(
                HeartRateRecord(time: time, beatsPerMinute: UInt16(clamping: bpm), source: part.device.product))
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
            part.strapAnchor = (first, Double(time) + (message.value(0, scale: 32_768) ?? 0) * 1000)
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
            guard let bpm, bpm > 0 else { continue }
            try count(message)
            let time = Int64((anchor.time + Double(tick - anchor.tick) * 1000 / 1024).rounded())
            part.strapRates.append((time, UInt16(clamping: bpm)))
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
        part.sessions.append(
            FITSession(
                start: span.start, end: span.end, sport: sport, totals: totals(message, isOnFoot: sport.isOnFoot)))
        try limitParts(part.sessions.count, message, "sessions")
    }

    private func limitParts(_ count: Int, _ message: FITMessage, _ what: String) throws(ActivityFileError) {
        guard count <= limits.parts else {
            throw ActivityFileError(
                "FIT", .tooMuch, at: .byte(message.offset), "more than \(limits.parts) \(what)")
        }
    }

    /// From a session's or a lap's start to its end.
    private func span(_ message: FITMessage) -> (start: Int64, end: Int64)? {
        let elapsed = message.integer(7).map { max(0, $0) }
        let beyond = message.beyondSecond
        if let start = FITTime.unixMilliseconds(message.integer(2)).map({ $0 + beyond }) {
            let told = FITTime.unixMilliseconds(message.seconds) ?? start
            return (start, max(start, elapsed.map { start + $0 } ?? told))
        }
        guard let end = FITTime.unixMilliseconds(message.seconds) else { return nil }
        return (end - (elapsed ?? 0), end)
    }

    /// The totals of a session or a lap: the numbers of these fields are the same.
    /// - Parameter isOnFoot: nil where that is not known yet.
    private func totals(_ message: FITMessage, isOnFoot: Bool?) -> Totals {
        let isLap = message.number == FITMessageNumber.lap
        var ascent = message.value(isLap ? 21 : 22)
        if let whole = ascent { ascent = whole + (message.value(isLap ? 156 : 199, scale: 100) ?? 0) }
        var steps = message.steps.map { Int($0) }
        if steps == nil, isOnFoot == true { steps = strides(message, fraction: 94).map { Int($0 * 2) } }
        return Totals(
            distanceMetres: message.value(9, scale: 100),
            durationMilliseconds: message.integer(8).flatMap { $0 < 0 ? nil : $0 },
            energyKilocalories: message.value(11), ascentMetres: ascent, steps: steps)
    }

    private func strides(_ message: FITMessage, fraction: UInt8) -> Double? {
        message.integer(10).flatMap { $0 < 0 ? nil : $0 }.map {
            Double($0) + (message.value(fraction, scale: 128) ?? 0)
        }
    }
}

/// What a message says of the device.
struct FITDeviceFields {
    var device = Device()

    init(_ message: FITMessage, nameField: UInt8, _ limits: Limits) {
        let isInfo = message.number == FITMessageNumber.deviceInfo
        if let number = message.integer(isInfo ? 2 : 1) {
            // Whoever has no number, as we have none, tells a name as a text, or nothing.
            device.manufacturer =
                number == Int64(FITManufacturer.development)
                ? message.text(19, atMost: limits.characters) : FITManufacturer.name(number)
        }
        device.product =
            message.text(nameField, atMost: limits.characters) ?? message.integer(isInfo ? 4 : 2).map { "\($0)" }
        device.serial = message.integer(3).map { "\($0)" }
    }
}

/// A session, without what lies within it.
struct FITSession {
    var start: Int64
    var end: Int64
    var sport: Sport
    var totals: Totals
}

/// One file of a chain, until it ends.
struct FITPart {
    var type: Int64?
    var device = Device()
    var sport: Sport?
    var name: String?
    private(set) var samples: [Sample] = []
    private var isInOrder = true
    var timer: [(time: Int64, isRunning: Bool)] = []
    var laps: [Lap] = []
    var lapStrides: [Double?] = []
    var sessions: [FITSession] = []
    var lastSeconds: Int64?
    var strapAnchor: (tick: Int64, time: Double)?
    var strapTick: Int64?
    var strapRates: [(time: Int64, bpm: UInt16)] = []

    mutating func append(_ sample: Sample) {
        if let last = samples.last, last.time > sample.time { isInOrder = false }
        samples.append(sample)
    }

    /// What a later message says counts: `device_info` knows the product's name, `file_id` its number.
    mutating func take(_ told: FITDeviceFields) {
        device.manufacturer = told.device.manufacturer ?? device.manufacturer
        if let product = told.device.product, device.product == nil || UInt16(product) == nil {
            device.product = product
        }
        device.serial = told.device.serial ?? device.serial
    }

    /// One activity for each session.
    func activities() -> [Activity] {
        var samples = samples
        if !isInOrder { samples = samples.stablySorted(by: \.time) }
        fillHeartRates(&samples)
        var sessions = sessions.stablySorted(by: \.start)
        if sessions.isEmpty, let first = samples.first, let last = samples.last {
            // The device did not come to write what it did.
            sessions = [
                FITSession(
                    start: min(first.time, timer.first?.time ?? first.time), end: last.time,
                    sport: sport ?? .other("generic"), totals: Totals())
            ]
        }
        let pauses = pauses
        return sessions.indices.map { index in
            // What lies before the first session, or after its end, belongs to the nearest one before it.
            let from = index == 0 ? Int64.min : sessions[index].start
            let to = index + 1 < sessions.count ? sessions[index + 1].start : Int64.max
            return activity(sessions[index], from, to, samples, pauses)
        }
    }

    private func activity(
        _ session: FITSession, _ from: Int64, _ to: Int64, _ samples: [Sample], _ pauses: [Pause]
    ) -> Activity {
        let first = samples.firstIndex(atOrAfter: from)
        let beyond = to == .max ? samples.count : samples.firstIndex(atOrAfter: to)
        let own = Array(samples[first..<max(first, beyond)])
        let start = min(session.start, own.first?.time ?? session.start)
        let end = max(session.end, own.last?.time ?? session.end)
        var laps: [Lap] = []
        for (lap, strides) in zip(self.laps, lapStrides) where lap.start >= from && lap.start < to {
            var lap = lap
            if lap.totals.steps == nil, session.sport.isOnFoot { lap.totals.steps = strides.map { Int($0 * 2) } }
            laps.append(lap)
        }
        return Activity(
            sport: session.sport, name: name, start: start, end: end,
            pauses: pauses.filter { $0.start >= start && $0.end <= end }, laps: laps.count > 1 ? laps : [],
            samples: own, totals: session.totals, device: device.isEmpty ? nil : device)
    }

    /// From each stop of the timer to the start after it. Two stops are told where a session ends, too.
    private var pauses: [Pause] {
        var pauses: [Pause] = []
        var stopped: Int64?
        for event in timer {
            if !event.isRunning {
                stopped = stopped ?? event.time
            } else if let start = stopped {
                stopped = nil
                if event.time > start, start >= pauses.last?.end ?? .min {
                    pauses.append(Pause(start: start, end: event.time))
                }
            }
        }
        return pauses
    }

    /// Gives samples without a heart rate the mean of what the strap kept since the sample before.
    private func fillHeartRates(_ samples: inout [Sample]) {
        guard !strapRates.isEmpty else { return }
        let rates = strapRates.stablySorted(by: \.time)
        var next = 0
        for index in samples.indices {
            var (sum, count) = (0, 0)
            while next < rates.count, rates[next].time <= samples[index].time {
                // Of what came before the first sample, only the last second says something about it.
                if index > 0 || samples[index].time - rates[next].time < 1000 {
                    sum += Int(rates[next].bpm)
                    count += 1
                }
                next += 1
            }
            if samples[index].heartRate == nil, count > 0 {
                samples[index].heartRate = UInt16(clamping: (sum + count / 2) / count)
            }
        }
    }
}
