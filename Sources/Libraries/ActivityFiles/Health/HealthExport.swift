import XMLDocuments

// What an iPhone's Health app writes as "Export All Health Data": one document with all records, oldest kinds first,
// then all workouts. It may have gigabytes; what is in memory is a batch of records, and the workouts, whose places lie
// in files of their own (`workout-routes/*.gpx`), to which they refer by name.

/// A workout and the names of the files with its places.
struct HealthWorkout {
    var activity: Recording
    /// As the document has them: `/workout-routes/route_2024-05-01_9.41am.gpx`.
    var routes: [String]
}

/// What an export's document holds.
enum HealthExport {
    /// The root of its document.
    static let root = "HealthData"
    /// How far into the document its type, which is cut out, may reach.
    static let longestHead = 1 << 16

    /// Reads the document.
    /// - Parameter batch: is called with heart rates and steps, some thousands at once, and says whether to go on.
    /// - Returns: the workouts that were read, and what is wrong.
    static func read(
        _ stream: ByteStream, _ limits: Limits, _ batch: (Recordings) -> Bool
    ) -> (workouts: [HealthWorkout], damage: ActivityFileError?) {
        withoutActuallyEscaping(batch) { batch in
            let reader = HealthReader(limits, batch)
            let damage = fault { () throws(ActivityFileError) in
                let head = try stream.peek(longestHead)
                stream.drop(head.count)
                // Control characters in names of devices are no XML, and come with some versions.
                let begin = XMLBeginning.withoutDocumentType(head).map { byte in
                    byte < 0x20 && ![0x0A, 0x0D, 0x09].contains(byte) ? 0x20 : byte
                }
                try XMLStream.read("Apple Health", stream, limits, reader, prologue: begin, repairing: true)
            }
            reader.flush()
            return (reader.workouts, reader.wasStopped ? nil : damage)
        }
    }
}

private final class HealthReader: XMLReader {
    private enum Name: Int {
        case root = 1
        case record, workout, event, reference, statistics, metadata
    }

    static let names: [StaticString] = [
        "HealthData", "Record", "Workout", "WorkoutEvent", "FileReference", "WorkoutStatistics", "MetadataEntry",
    ]

    private let limits: Limits
    private let batch: (Recordings) -> Bool
    private(set) var workouts: [HealthWorkout] = []
    private(set) var wasStopped = false
    private var waiting = Recordings()
    private var workout: HealthWorkout?
    private var workoutDepth = 0
    private var stopped: Int64?
    /// Events of all workouts.
    private var eventCount = 0
    /// Routes of all workouts; nearly each has one.
    private var routeCount = 0
    private var unreadable = 0
    // Nearly all records in a row have the same source.
    private var sourceBytes: [UInt8] = []
    private var source: String?

    init(_ limits: Limits, _ batch: @escaping (Recordings) -> Bool) {
        self.limits = limits
        self.batch = batch
    }

    func begin(_ number: Int, depth: Int, _ attributes: XMLAttributes) throws(ActivityFileError) -> Bool {
        let name = Name(rawValue: number)
        guard depth > 1 else {
            guard name == .root else {
                throw ActivityFileError("Apple Health", .unknownFormat, "the root is no `HealthData`")
            }
            return false
        }
        switch name {
        // Those within a correlation are there a second time.
        case .record where depth == 2: try record(attributes)
        case .workout where depth == 2: try beginWorkout(attributes, depth)
        case .event where workoutDepth > 0: event(attributes)
        case .statistics where workoutDepth > 0: statistics(attributes)
        case .metadata where workoutDepth > 0 && depth == workoutDepth + 1: metadata(attributes)
        case .reference where workoutDepth > 0:
            // A path has at most so many characters, and is not a path to us: see `Takeout`.
            if let path = attributes.text("path", atMost: 300), routeCount < limits.activities.times(2) {
                routeCount += 1
                workout?.routes.append(path)
            }
        default: break
        }
        return false
    }

    func end(_ number: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(ActivityFileError) {
        guard depth == workoutDepth, workoutDepth > 0, let workout else { return }
        workoutDepth = 0
        workouts.append(workout)
        self.workout = nil
    }

    // MARK: Records

    private func record(_ attributes: XMLAttributes) throws(ActivityFileError) {
        guard let type = attributes["type"] else { return }
        let isHeartRate = type.elementsEqual("HKQuantityTypeIdentifierHeartRate".utf8)
        guard isHeartRate || type.elementsEqual("HKQuantityTypeIdentifierStepCount".utf8) else { return }
        guard let start = attributes["startDate"].flatMap(unixTime), let value = attributes["value"].flatMap(decimal)
        else {
            unreadable += 1
            return
        }
        if isHeartRate {
            guard let bpm = whole(value) else { return }
            waiting.heartRates.append(
                HeartRateRecord(time: start, beatsPerMinute: bpm, source: source(attributes)))
        } else {
            guard let value = value.amount else { return }
            let end = attributes["endDate"].flatMap(unixTime) ?? start
            waiting.steps.append(
                StepRecord(
                    time: max(start, end), steps: Int(value.rounded()), span: .since(start),
                    source: source(attributes)))
        }
        guard waiting.heartRates.count + waiting.steps.count >= 8192 else { return }
        flush()
        if wasStopped { throw ActivityFileError("Apple Health", .unreadable, "stopped") }
    }

    /// Hands over what waits.
    func flush() {
        if unreadable > 0 { waiting.omissions.append("\(unreadable) records without a time or a number") }
        unreadable = 0
        guard !waiting.isEmpty || !waiting.omissions.isEmpty, !wasStopped else { return }
        if !batch(waiting) { wasStopped = true }
        waiting = Recordings()
    }

    private func source(_ attributes: XMLAttributes) -> String? {
        guard let bytes = attributes["sourceName"] else { return nil }
        if !sourceBytes.elementsEqual(bytes) {
            sourceBytes = Array(bytes)
            source = attributes.text("sourceName", atMost: limits.characters)
        }
        return source
    }

    // MARK: Workouts

    private func beginWorkout(_ attributes: XMLAttributes, _ depth: Int) throws(ActivityFileError) {
        guard let start = attributes["startDate"].flatMap(unixTime) else {
            unreadable += 1
            return
        }
        guard workouts.count < limits.activities else {
            throw ActivityFileError("Apple Health", .tooMuch, "more than \(limits.activities) workouts")
        }
        let end = max(start, attributes["endDate"].flatMap(unixTime) ?? start)
        let type = attributes.text("workoutActivityType", atMost: limits.characters) ?? ""
        var activity = Recording(sport: Self.sport(type), start: start, end: end)
        activity.totals.durationMilliseconds = quantity(attributes, "duration", "durationUnit").flatMap {
            Self.milliseconds($0.value, $0.unit)
        }
        activity.totals.distanceMetres = quantity(attributes, "totalDistance", "totalDistanceUnit").flatMap(Self.metres)
        activity.totals.energyKilocalories = quantity(attributes, "totalEnergyBurned", "totalEnergyBurnedUnit")
            .flatMap(Self.kilocalories)
        // "The total active energy burned during the workout" (HKWorkout.totalEnergyBurned).
        activity.totals.isEnergyBeyondRest = activity.totals.energyKilocalories != nil
        activity.device = device(attributes)
        workout = HealthWorkout(activity: activity, routes: [])
        workoutDepth = depth
        stopped = nil
    }

    private func event(_ attributes: XMLAttributes) {
        guard let type = attributes.text("type", atMost: 100), let time = attributes["date"].flatMap(unixTime),
            let activity = workout?.activity, activity.pauses.count + activity.laps.count < limits.parts,
            eventCount < limits.parts.times(10)
        else { return }
        eventCount += 1
        switch type {
        case "HKWorkoutEventTypePause", "HKWorkoutEventTypeMotionPaused": stopped = stopped ?? time
        case "HKWorkoutEventTypeResume", "HKWorkoutEventTypeMotionResumed":
            if let start = stopped, time > start, start >= activity.pauses.last?.end ?? .min {
                workout?.activity.pauses.append(Pause(start: start, end: time))
            }
            stopped = nil
        case "HKWorkoutEventTypeLap":
            let length = quantity(attributes, "duration", "durationUnit").flatMap {
                Self.milliseconds($0.value, $0.unit)
            }
            guard let duration = length, time >= activity.laps.last?.start ?? .min else { return }
            workout?.activity.laps.append(
                Lap(start: time, end: time + duration, totals: Totals(durationMilliseconds: duration)))
        default: break
        }
    }

    private func statistics(_ attributes: XMLAttributes) {
        guard let type = attributes.text("type", atMost: 100), let sum = quantity(attributes, "sum", "unit") else {
            return
        }
        switch type {
        case _ where type.hasPrefix("HKQuantityTypeIdentifierDistance"):
            workout?.activity.totals.distanceMetres = Self.metres(sum.value, sum.unit)
        case "HKQuantityTypeIdentifierActiveEnergyBurned":
            workout?.activity.totals.energyKilocalories = Self.kilocalories(sum.value, sum.unit)
            workout?.activity.totals.isEnergyBeyondRest = Self.kilocalories(sum.value, sum.unit) != nil
        case "HKQuantityTypeIdentifierStepCount":
            workout?.activity.totals.steps = sum.value.amount.map { Int($0.rounded()) }
        default: break
        }
    }

    private func metadata(_ attributes: XMLAttributes) {
        // "1234 cm"
        guard attributes.text("key", atMost: 100) == "HKElevationAscended",
            let words = attributes.text("value", atMost: 100)?.split(separator: " "), words.count == 2,
            let value = Double(words[0])
        else { return }
        workout?.activity.totals.ascentMetres = Self.metres(value, String(words[1]))
    }

    /// `<<HKDevice: 0x…>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.1>`
    private func device(_ attributes: XMLAttributes) -> Device? {
        var device = Device()
        let text = attributes.text("device", atMost: 1000) ?? ""
        func part(_ key: String) -> String? {
            guard let begin = text.ranges(of: ", \(key):").first?.upperBound else { return nil }
            let rest = text[begin...]
            // A value may have commas; the next key follows a comma and a space, and ends with a colon.
            var end = rest.endIndex
            for comma in rest.ranges(of: ", ") {
                let word = rest[comma.upperBound...].prefix { $0.isLetter }
                if rest[word.endIndex...].first == ":" {
                    end = comma.lowerBound
                    break
                }
            }
            let value = rest[..<end].prefix { $0 != ">" }
            return value.isEmpty ? nil : String(value)
        }
        device.manufacturer = part("manufacturer")
        device.product = part("hardware") ?? part("model") ?? attributes.text("sourceName", atMost: limits.characters)
        return device.isEmpty ? nil : device
    }

    private func quantity(
        _ attributes: XMLAttributes, _ value: StaticString, _ unit: StaticString
    ) -> (value: Double, unit: String)? {
        guard let number = attributes[value].flatMap(decimal)?.amount else { return nil }
        return (number, attributes.text(unit, atMost: 20) ?? "")
    }

    private static func metres(_ value: Double, _ unit: String) -> Double? {
        let sizes: [String: Double] = ["km": 1000, "m": 1, "cm": 0.01, "mi": 1609.344, "yd": 0.9144, "ft": 0.3048]
        return sizes[unit].flatMap { (value * $0).amount }
    }

    private static func kilocalories(_ value: Double, _ unit: String) -> Double? {
        let sizes: [String: Double] = ["kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184]
        return sizes[unit].flatMap { (value * $0).amount }
    }

    private static func milliseconds(_ value: Double, _ unit: String) -> Int64? {
        let seconds: [String: Double] = ["min": 60, "s": 1, "sec": 1, "hr": 3600, "h": 3600, "ms": 0.001]
        return seconds[unit].flatMap { (value * $0).amount }.map { Int64(($0 * 1000).rounded()) }
    }

    /// `HKWorkoutActivityTypeCrossTraining` is cross training.
    private static func sport(_ type: String) -> Sport {
        let prefix = "HKWorkoutActivityType"
        guard type.hasPrefix(prefix) else { return .other(type.isEmpty ? "generic" : type) }
        var words = ""
        for character in type.dropFirst(prefix.count) {
            if character.isUppercase, !words.isEmpty { words += " " }
            words += character.lowercased()
        }
        return Sport(word: words.isEmpty ? "generic" : words)
    }
}
