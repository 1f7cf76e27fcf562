import Fitness

/// What a message says of the device.
struct FITDeviceFields {
    var device = Device()

    init(_ message: FITMessage, nameField: UInt8, _ limits: Limits) {
        let isInfo = message.number == FITMessageNumber.deviceInfo
        if let number = message.integer(isInfo ? 2 : 1) {
            // A maker without a number, such as we are, has a name as a text, or nothing.
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
    /// By what it says it took; its start where it says nothing.
    var end: Int64
    /// The time of its message: when it was written, most often at its end.
    var written: Int64?
    var sport: Sport
    var totals: Totals
    /// Whether it is the change from one sport to the next, which is not an activity.
    var isTransition = false
    /// How long its pool is, in metres.
    var poolMetres: Double?
    /// How many lengths of it.
    var lengths: Int?
    /// Whether it was swum in a pool.
    var isInPool = false
    /// Its place among the sessions of an activity, from 0, as the file says it.
    var index: Int64?

    /// The number of a transition among FIT's sports, and of swimming in a pool among its sub-sports.
    static let (transition, inPool): (Int64, Int64) = (3, 17)

    /// Whether it says how long it took, and that can be.
    var hasLength: Bool { end > start && end - start <= Self.longest }

    /// No activity lasts longer, in milliseconds: two days.
    static let longest: Int64 = 2 * 86_400_000
}

/// One file of a chain, until it ends.
struct FITPart {
    var type: Int64?
    /// Whether it says what it is.
    var hasFileID = false
    var device = Device()
    var sport: Sport?
    var name: String?
    private(set) var samples: [Sample] = []
    private var isInOrder = true
    var timer: [(time: Int64, isRunning: Bool)] = []
    var laps: [Lap] = []
    var lapStrides: [Double?] = []
    var sessions: [FITSession] = []
    /// When lengths of a pool began that were swum.
    var lengths: [Int64] = []
    /// When the file says that it was begun.
    var begun: Int64?
    /// How many sessions the file says that its activity has.
    var sessionCount: Int64?
    var lastSeconds: Int64?
    var strapAnchor: (tick: Int64, time: Double)?
    var strapTick: Int64?
    var strapRates: [(time: Int64, bpm: UInt16)] = []
    /// Of `compressed_speed_distance`: the last distance, in sixteenths of a metre. The field has its lower twelve bits.
    var sixteenths: Int64?

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

    /// Whether this file of a chain only goes on with the one before, as with what a strap kept: it does not say what it is,
    /// and nothing in it is an activity.
    var goesOn: Bool { !hasFileID && sessions.isEmpty && samples.isEmpty }

    /// Takes what a strap kept from a file that goes on with this one.
    mutating func append(_ other: FITPart) {
        strapRates += other.strapRates
        timer += other.timer
    }

    /// One activity for each session, and how many records have a time that is not theirs.
    func activities() -> (recordings: [Recording], strays: Int) {
        var samples = samples
        if !isInOrder { samples = samples.stablySorted(by: \.time) }
        fillHeartRates(&samples)
        var sessions = sessions.stablySorted(by: \.start)
        if sessions.isEmpty, let first = samples.first, let last = samples.last {
            // The device stopped before it wrote what it did.
            sessions = [
                FITSession(
                    start: min(first.time, timer.first?.time ?? first.time), end: last.time,
                    sport: sport ?? .other("generic"), totals: Totals())
            ]
            // It says nothing, so its records say how long it took.
            if sessions[0].end - sessions[0].start > Self.longestGap { sessions[0].end = sessions[0].start }
        }
        let pauses = pauses
        var (recordings, strays): ([Recording], Int) = ([], 0)
        for (index, session) in sessions.enumerated() {
            let from = index == 0 ? Int64.min : session.start
            let to = index + 1 < sessions.count ? sessions[index + 1].start : Int64.max
            let first = samples.firstIndex(atOrAfter: from)
            let beyond = to == .max ? samples.count : samples.firstIndex(atOrAfter: to)
            let slice = samples[first..<max(first, beyond)]
            guard !session.isTransition else { continue }
            let own = Self.samples(of: session, slice)
            strays += slice.count - own.count
            recordings.append(activity(session, from, to, own, pauses))
        }
        return (parts(recordings), strays)
    }

    /// Which parts of one activity they are, if there are several; or one that was taken out of several, as this library writes it.
    private func parts(_ recordings: [Recording]) -> [Recording] {
        guard recordings.count == 1, sessions.count == 1, let count = sessionCount, let index = sessions[0].index,
            let begun,
            (2...FITRecordings.mostSessions).contains(Int(clamping: count)), (0..<count).contains(index)
        else { return recordings.asSessions() }
        var recording = recordings[0]
        recording.session = Session(number: Int(index) + 1, of: Int(count), begun: begun)
        return [recording]
    }

    private func activity(
        _ session: FITSession, _ from: Int64, _ to: Int64, _ own: [Sample], _ pauses: [Pause]
    ) -> Recording {
        let (start, end) = Self.span(of: session, own)
        var laps: [Lap] = []
        for (lap, strides) in zip(self.laps, lapStrides) where lap.start >= from && lap.start < to {
            var lap = lap
            if lap.totals.steps == nil, session.sport.isOnFoot { lap.totals.steps = strides.map { Int($0 * 2) } }
            laps.append(lap)
        }
        // Each pause belongs to one session, however many of them there are, and however long they say they were.
        let told = pauses.filter { $0.start >= max(start, from) && $0.start < to && $0.end <= end }
        let pauses = Pause.fitting(told, start...end, active: session.totals.durationMilliseconds, own)
        return Recording(
            sport: session.sport, name: name, start: start, end: end,
            pauses: pauses, laps: laps.count > 1 ? laps.stablySorted(by: \.start) : [], samples: own,
            totals: session.totals, device: device.isEmpty ? nil : device, pool: pool(of: session, from, to))
    }

    /// The pool of a session. If that does not say how many lengths there were, they are counted; if it does not say how long the
    /// pool is, it follows from them.
    private func pool(of session: FITSession, _ from: Int64, _ to: Int64) -> Pool? {
        let counted = lengths.count { $0 >= from && $0 < to }
        let lengths = session.lengths ?? (counted > 0 ? counted : nil)
        var metres = session.poolMetres
        if metres == nil, session.isInPool, let lengths, lengths > 0 {
            metres = session.totals.distanceMetres.map { $0 / Double(lengths) }
        }
        return Pool(metres: metres, lengths: lengths)
    }

    /// A device whose clock jumps gives records times of other days. Records more than a minute before a session, or after
    /// it, do not belong to it. Where a session does not say how long it took, the largest group of records without a gap
    /// of six hours belongs to it.
    private static func samples(of session: FITSession, _ samples: ArraySlice<Sample>) -> [Sample] {
        let minute: Int64 = 60_000
        if session.hasLength {
            // What it took may leave out its pauses; what it was written at is its end then.
            let written = session.written.flatMap { $0 - session.start <= FITSession.longest ? $0 : nil } ?? session.end
            let times = session.start - minute...max(session.end, written) + minute
            let own = samples.filter { times.contains($0.time) }
            // If most of it was at another time, what the session says of that is wrong.
            if own.count * 2 >= samples.count { return own }
        }
        let begins = samples.indices.filter { index in
            index == samples.startIndex || samples[index].time - samples[index - 1].time > Self.longestGap
        }
        let groups = zip(begins, begins.dropFirst() + [samples.endIndex]).map { samples[$0..<$1] }
        // Of two as large, the first.
        return Array(groups.reversed().max { $0.count < $1.count } ?? [])
    }

    /// In milliseconds.
    private static let longestGap: Int64 = 6 * 3_600_000

    private static func span(of session: FITSession, _ own: [Sample]) -> (start: Int64, end: Int64) {
        guard let first = own.first?.time, let last = own.last?.time else {
            return (session.start, session.hasLength ? session.end : session.start + Self.timer(session))
        }
        let isWithin = first >= session.start - 60_000 && last - session.start <= FITSession.longest
        guard !session.hasLength || !isWithin else { return (min(session.start, first), max(session.end, last)) }
        // Its start is right if what was recorded begins soon after it.
        let start = (0...longestGap).contains(first - session.start) ? session.start : first
        return (start, max(last, start + timer(session)))
    }

    /// How long a session was active, if that can be.
    private static func timer(_ session: FITSession) -> Int64 {
        let told = session.totals.durationMilliseconds ?? 0
        return told <= FITSession.longest ? told : 0
    }

    /// From each stop of the timer to the start after it. There are two stops where a session ends, too.
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
