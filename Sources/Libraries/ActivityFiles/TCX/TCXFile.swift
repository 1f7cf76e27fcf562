import Fitness
import XMLDocuments

/// Files of Garmin's TrainingCenterDatabase, version 2, with ActivityExtension, version 2: Speed, RunCadence, Watts,
/// Steps.
///
/// Each activity has laps, and these have tracks of points. Where a lap has several tracks, there are pauses between
/// them. Distance and energy of a lap are obligatory in the schema, so an energy of 0 stands for what is not known, and so
/// does a distance of 0 if no lap has another one. Totals are the laps' sums, where each lap says something.
public enum TCXFile {
    /// What a document holds.
    /// - Throws: where nothing at all could be read. What breaks off later is in the result's `damage`.
    public static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(ActivityFileError) -> Recordings {
        try read(ByteStream(MemorySource(bytes), atMost: limits.streamBytes), limits)
    }

    static func read(_ stream: ByteStream, _ limits: Limits) throws(ActivityFileError) -> Recordings {
        let reader = TCXReader(limits)
        let damage = fault { () throws(ActivityFileError) in try XMLStream.read("TCX", stream, limits, reader) }
        return try reader.finished().checked("TCX", damage, nothing: "there is no activity in it")
    }
}

private final class TCXReader: XMLReader {
    private enum Name: Int {
        case root = 1
        case activity, lap, track, point, time, latitude, longitude, altitude, distance, heartRate, value
        case cadence, speed, runCadence, watts, lapTime, calories, steps, notes, creator, name, unit, id, ownSport,
            multisport
    }

    static let names: [StaticString] = [
        "TrainingCenterDatabase", "Activity", "Lap", "Track", "Trackpoint", "Time", "LatitudeDegrees",
        "LongitudeDegrees", "AltitudeMeters", "DistanceMeters", "HeartRateBpm", "Value", "Cadence", "Speed",
        "RunCadence", "Watts", "TotalTimeSeconds", "Calories", "Steps", "Notes", "Creator", "Name", "UnitId",
        "Id", "VitalsSport", "MultiSportSession",
    ]

    private let limits: Limits
    private var result = Recordings()
    private var pointCount = 0
    /// Of all activities.
    private var lapCount = 0
    private var withoutTime = 0
    /// Points with a time that is not one.
    private var unreadable = 0
    private var hasTime = false
    private var tooMany = 0

    // The activity, lap, track and point that are open, by the depth of their elements; 0 for none.
    private var multisportDepth = 0
    private var activityDepth = 0
    private var lapDepth = 0
    private var trackDepth = 0
    private var pointDepth = 0
    private var creatorDepth = 0
    private var heartRateDepth = 0

    /// How many activities came before those of the open multisport session.
    private var countBefore = 0
    private var sport: Sport = .other("generic")
    private var name: String?
    private var id: Int64?
    private var device = Device()
    private var laps: [Lap] = []
    private var track = TrackBuilder()
    private var tracksOfLap = 0
    private var point = Sample(time: 0)
    private var time: Int64?
    private var north: Double?
    private var east: Double?

    init(_ limits: Limits) { self.limits = limits }

    func begin(_ number: Int, depth: Int, _ attributes: XMLAttributes) throws(ActivityFileError) -> Bool {
        let name = Name(rawValue: number)
        guard depth > 1 else {
            guard name == .root else {
                throw ActivityFileError("TCX", .unknownFormat, "the root is no `TrainingCenterDatabase`")
            }
            return false
        }
        switch name {
        case .multisport where activityDepth == 0 && multisportDepth == 0:
            (multisportDepth, countBefore) = (depth, result.activities.count)
        case .activity where activityDepth == 0:
            activityDepth = depth
            beginActivity(attributes)
        case .lap where activityDepth > 0 && lapDepth == 0:
            lapDepth = depth
            try beginLap(attributes)
        case .track where lapDepth > 0 && trackDepth == 0:
            trackDepth = depth
            // The first track of a lap goes on where the lap before ended.
            if tracksOfLap > 0 { track.endPart() } else { track.join() }
            tracksOfLap += 1
        case .point where trackDepth > 0 && pointDepth == 0:
            pointDepth = depth
            point = Sample(time: 0)
            (time, north, east) = (nil, nil, nil)
            hasTime = false
        case .heartRate where pointDepth > 0: heartRateDepth = depth
        case .creator where activityDepth > 0: creatorDepth = depth
        case nil, .root, .multisport, .activity, .lap, .track, .point, .heartRate, .creator: return false
        default: return activityDepth > 0
        }
        return false
    }

    private func beginActivity(_ attributes: XMLAttributes) {
        sport = attributes.text("Sport", atMost: limits.characters).map { Sport(word: $0) } ?? .other("generic")
        if sport == .other("Other") { sport = .other("generic") }
        (name, id, device, laps) = (nil, nil, Device(), [])
        track = TrackBuilder()
    }

    private func beginLap(_ attributes: XMLAttributes) throws(ActivityFileError) {
        tracksOfLap = 0
        lapCount += 1
        guard laps.count < limits.parts, lapCount <= limits.parts.times(10) else {
            throw ActivityFileError("TCX", .tooMuch, "more than \(limits.parts) laps")
        }
        let start = attributes["StartTime"].flatMap(unixTime) ?? track.samples.last?.time ?? id
        guard let start else { return }
        laps.append(Lap(start: start, end: start))
    }

    func end(_ number: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(ActivityFileError) {
        guard let name = Name(rawValue: number) else { return }
        if name == .multisport, depth == multisportDepth { return endMultisport() }
        guard activityDepth > 0 else { return }
        if pointDepth > 0 {
            try endInPoint(name, depth, text)
        } else if creatorDepth > 0 {
            endInCreator(name, depth, text)
        } else if lapDepth > 0 {
            endInLap(name, depth, text)
        } else {
            switch name {
            case .activity where depth == activityDepth: endActivity()
            case .notes where depth == activityDepth + 1: self.name = kept(text, limits.characters)
            case .id where depth == activityDepth + 1: id = unixTime(text)
            case .ownSport: if let word = kept(text, limits.characters) { sport = Sport(word: word) }
            default: break
            }
        }
    }

    private func endInPoint(
        _ name: Name, _ depth: Int, _ text: UnsafeBufferPointer<UInt8>
    ) throws(ActivityFileError) {
        switch name {
        case .point where depth == pointDepth: try endPoint()
        case .time: (time, hasTime) = (unixTime(text) ?? time, true)
        case .latitude: north = decimal(text)
        case .longitude: east = decimal(text)
        case .altitude: point.altitude = decimal(text)?.measured
        case .distance: point.distance = decimal(text)?.amount
        case .value where heartRateDepth > 0: point.heartRate = whole(decimal(text))
        case .heartRate: heartRateDepth = 0
        case .cadence, .runCadence: point.cadence = decimal(text)?.amount
        case .speed: point.speed = decimal(text)?.amount
        case .watts: point.power = watts(decimal(text))
        default: break
        }
    }

    private func endInLap(_ name: Name, _ depth: Int, _ text: UnsafeBufferPointer<UInt8>) {
        switch name {
        case .lap where depth == lapDepth: lapDepth = 0
        case .track where depth == trackDepth: trackDepth = 0
        default: break
        }
        guard let index = laps.indices.last else { return }
        switch name {
        case .lapTime where depth == lapDepth + 1:
            laps[index].totals.durationMilliseconds = decimal(text)?.amount.map { Int64(($0 * 1000).rounded()) }
        case .distance where depth == lapDepth + 1:
            laps[index].totals.distanceMetres = decimal(text)?.amount
        case .calories where depth == lapDepth + 1:
            laps[index].totals.energyKilocalories = decimal(text)?.amount.flatMap { $0 > 0 ? $0 : nil }
        case .steps: laps[index].totals.steps = decimal(text)?.amount.map { Int($0.rounded()) }
        default: break
        }
    }

    private func endInCreator(_ name: Name, _ depth: Int, _ text: UnsafeBufferPointer<UInt8>) {
        switch name {
        case .creator where depth == creatorDepth:
            creatorDepth = 0
            TCXCreator.split(&device)
        case .name: device.product = kept(text, limits.characters)
        // 0 is written where there is none.
        case .unit: device.serial = kept(text, limits.characters).flatMap { $0 == "0" ? nil : $0 }
        default: break
        }
    }

    private func endPoint() throws(ActivityFileError) {
        pointDepth = 0
        heartRateDepth = 0
        guard let time else {
            if hasTime { unreadable += 1 } else { withoutTime += 1 }
            return
        }
        pointCount += 1
        guard pointCount <= limits.samples else {
            throw ActivityFileError("TCX", .tooMuch, "more than \(limits.samples) points")
        }
        if let north, let east, north.magnitude <= 90, east.magnitude <= 180 {
            point.place = Place(latitude: north, longitude: east)
        }
        point.time = time
        track.append(point)
        guard track.pauses.count <= limits.parts else {
            throw ActivityFileError("TCX", .tooMuch, "more than \(limits.parts) tracks")
        }
    }

    private func endActivity() {
        (activityDepth, lapDepth, trackDepth, creatorDepth) = (0, 0, 0, 0)
        track.finish()
        laps = laps.stablySorted(by: \.start)
        let samples = track.samples
        // The time that is its name counts where it has no laps.
        let starts = [laps.first?.start ?? id, samples.first?.time]
        guard !laps.isEmpty || !samples.isEmpty, let start = starts.compactMap({ $0 }).min() else { return }
        guard result.activities.count < limits.activities else {
            tooMany += 1
            return
        }
        var end = max(start, samples.last?.time ?? start)
        if let last = laps.last { end = max(end, last.start + (last.totals.durationMilliseconds ?? 0)) }
        // In a lap of rest, nobody moves; where no lap has a way, nothing measured it.
        let isMeasured = laps.contains { $0.totals.distanceMetres ?? 0 > 0 }
        for index in laps.indices {
            if !isMeasured { laps[index].totals.distanceMetres = nil }
            let next = index + 1 < laps.count ? laps[index + 1].start : end
            laps[index].end = max(laps[index].start, next)
        }
        let totals = totals
        result.activities.append(
            Recording(
                sport: sport, name: name, start: start, end: end,
                pauses: Pause.fitting(track.pauses, start...end, active: totals.durationMilliseconds, samples),
                laps: laps.count > 1 ? laps : [], samples: samples, totals: totals,
                device: device.isEmpty ? nil : device))
        track = TrackBuilder()
        laps = []
    }

    private func endMultisport() {
        multisportDepth = 0
        let sessions = Array(result.activities[countBefore...]).asSessions()
        result.activities.replaceSubrange(countBefore..., with: sessions)
    }

    private var totals: Totals {
        func sum<Value: AdditiveArithmetic>(_ part: (Totals) -> Value?) -> Value? {
            laps.isEmpty
                ? nil
                : laps.reduce(.some(.zero)) { sum, lap in
                    guard let sum, let value = part(lap.totals) else { return nil }
                    return sum + value
                }
        }
        return Totals(
            distanceMetres: sum(\.distanceMetres), durationMilliseconds: sum(\.durationMilliseconds),
            energyKilocalories: sum(\.energyKilocalories), steps: sum(\.steps))
    }

    /// Everything that came.
    func finished() -> Recordings {
        if activityDepth > 0 { endActivity() }
        if multisportDepth > 0 { endMultisport() }
        if withoutTime > 0 { result.omissions.append("\(withoutTime) points without a time") }
        if unreadable > 0 { result.omissions.append("\(unreadable) points with a time that cannot be read") }
        if tooMany > 0 { result.omissions.append("\(tooMany) activities after the first \(limits.activities)") }
        return result
    }
}

/// A device in TCX has one name: the maker's and the product's.
enum TCXCreator {
    /// Takes the maker off the name where it is one that is known.
    static func split(_ device: inout Device) {
        guard let name = device.product, let word = name.split(separator: " ").first else { return }
        let rest = name.dropFirst(word.count).drop { $0 == " " }
        guard let maker = makers[word.lowercased()], !rest.isEmpty else { return }
        device.manufacturer = maker
        device.product = String(rest)
    }

    /// FIT's word for each maker that names of devices begin with.
    private static let makers = [
        "garmin": "garmin", "suunto": "suunto", "polar": "polar_electro", "coros": "coros", "wahoo": "wahoo_fitness",
        "tomtom": "tomtom", "bryton": "bryton", "hammerhead": "hammerhead",
    ]
    private static let words = Dictionary(makers.map { ($0.value, $0.key) }) { first, _ in first }

    /// The name of a device.
    static func name(_ device: Device) -> String? {
        guard let product = device.product else { return device.manufacturer }
        guard let word = device.manufacturer.flatMap({ words[$0] }) else { return product }
        return "\(word.prefix(1).uppercased())\(word.dropFirst()) \(product)"
    }
}
