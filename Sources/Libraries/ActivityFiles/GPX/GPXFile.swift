import Fitness
import XMLDocuments

/// Files of GPX 1.1 (topografix.com/GPX/1/1) and 1.0: tracks.
///
/// Heart rate, cadence, temperature and speed are those of Garmin's TrackPointExtension, versions 1 and 2, and of
/// ClueTrust's GPXData; power is Garmin's PowerExtension, or `power` as most programs write it. Elements are known by
/// their names, whatever the namespace.
///
/// Each track with times is an activity. Where a segment ends and another begins, there is a pause. GPX has neither
/// laps nor totals; and points without a place or a time do not exist in a recorded track.
public enum GPXFile {
    /// What a document holds.
    /// - Throws: where nothing at all could be read. What breaks off later is in the result's `damage`.
    public static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(ActivityFileError) -> Recordings {
        try read(ByteStream(MemorySource(bytes), atMost: limits.streamBytes), limits)
    }

    static func read(_ stream: ByteStream, _ limits: Limits) throws(ActivityFileError) -> Recordings {
        let reader = GPXReader(limits)
        let damage = fault { () throws(ActivityFileError) in try XMLStream.read("GPX", stream, limits, reader) }
        return try reader.finished().checked("GPX", damage, nothing: "there is no track in it")
    }
}

private final class GPXReader: XMLReader {
    private enum Name: Int {
        case gpx = 1
        case track, segment, point, time, elevation, name, type, heartRate, cadence, cadenceOfClueTrust
        case airTemperature, temperature, speed, power, powerInWatts, distance, heartRateInWords
    }

    static let names: [StaticString] = [
        "gpx", "trk", "trkseg", "trkpt", "time", "ele", "name", "type", "hr", "cad", "cadence", "atemp", "temp",
        "speed", "power", "PowerInWatts", "distance", "heartrate",
    ]

    private let limits: Limits
    private var result = Recordings()
    private var creator: String?
    private var track = TrackBuilder()
    private var trackDepth = 0
    private var trackName: String?
    private var trackType: String?
    private var pointDepth = 0
    private var point = Sample(time: 0)
    private var time: Int64?
    private var pointCount = 0
    private var withoutTime = 0
    /// Points with a time that is not one.
    private var unreadable = 0
    private var hasTime = false
    private var withoutPlace = 0
    private var tooMany = 0

    init(_ limits: Limits) { self.limits = limits }

    func begin(_ name: Int, depth: Int, _ attributes: XMLAttributes) throws(ActivityFileError) -> Bool {
        let name = Name(rawValue: name)
        guard depth > 1 else {
            guard name == .gpx else { throw ActivityFileError("GPX", .unknownFormat, "the root is no `gpx`") }
            creator = attributes.text("creator", atMost: limits.characters)
            return false
        }
        switch name {
        case .track where trackDepth == 0:
            trackDepth = depth
            track = TrackBuilder()
            (trackName, trackType) = (nil, nil)
        case .segment where trackDepth > 0: track.endPart()
        case .point where trackDepth > 0 && pointDepth == 0:
            pointDepth = depth
            point = Sample(time: 0)
            (time, hasTime) = (nil, false)
            if let north = attributes["lat"].flatMap(decimal), let east = attributes["lon"].flatMap(decimal),
                north.magnitude <= 90, east.magnitude <= 180
            {
                point.place = Place(latitude: north, longitude: east)
            }
        case .name, .type: return trackDepth > 0 && depth == trackDepth + 1
        case .none, .gpx, .track, .segment, .point: return false
        default: return pointDepth > 0
        }
        return false
    }

    func end(_ name: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(ActivityFileError) {
        guard let name = Name(rawValue: name) else { return }
        switch name {
        case .point where depth == pointDepth: try endPoint()
        case .track where depth == trackDepth: endTrack()
        case .name where depth == trackDepth + 1 && trackDepth > 0: trackName = kept(text, limits.characters)
        case .type where depth == trackDepth + 1 && trackDepth > 0: trackType = kept(text, limits.characters)
        case .time where pointDepth > 0: (time, hasTime) = (unixTime(text) ?? time, true)
        case .elevation where pointDepth > 0: point.altitude = decimal(text)?.measured
        case .heartRate where pointDepth > 0, .heartRateInWords where pointDepth > 0: point.heartRate = whole(decimal(text))
        case .cadence where pointDepth > 0, .cadenceOfClueTrust where pointDepth > 0:
            point.cadence = decimal(text)?.amount
        case .airTemperature where pointDepth > 0, .temperature where pointDepth > 0:
            point.temperature = decimal(text)?.measured
        case .speed where pointDepth > 0: point.speed = decimal(text)?.amount
        case .distance where pointDepth > 0: point.distance = decimal(text)?.amount
        case .power where pointDepth > 0, .powerInWatts where pointDepth > 0: point.power = watts(decimal(text))
        default: break
        }
    }

    private func endPoint() throws(ActivityFileError) {
        pointDepth = 0
        guard point.place != nil else {
            withoutPlace += 1
            return
        }
        guard let time else {
            if hasTime { unreadable += 1 } else { withoutTime += 1 }
            return
        }
        pointCount += 1
        guard pointCount <= limits.samples else {
            throw ActivityFileError("GPX", .tooMuch, "more than \(limits.samples) points")
        }
        point.time = time
        track.append(point)
        guard track.pauses.count <= limits.parts else {
            throw ActivityFileError("GPX", .tooMuch, "more than \(limits.parts) segments")
        }
    }

    private func endTrack() {
        trackDepth = 0
        track.finish()
        guard let first = track.samples.first, let last = track.samples.last else { return }
        guard result.activities.count < limits.activities else {
            tooMany += 1
            return
        }
        let product = creator == GPXFile.ownCreator ? nil : creator
        result.activities.append(
            Recording(
                sport: trackType.map { Sport(word: $0) } ?? .other("generic"), name: trackName, start: first.time,
                end: last.time, pauses: track.pauses, samples: track.samples,
                device: product.map { Device(product: $0) }))
        track = TrackBuilder()
    }

    /// Everything that came.
    func finished() -> Recordings {
        if trackDepth > 0 { endTrack() }
        if withoutTime > 0 { result.omissions.append("\(withoutTime) points without a time") }
        if unreadable > 0 { result.omissions.append("\(unreadable) points with a time that cannot be read") }
        if withoutPlace > 0 { result.omissions.append("\(withoutPlace) points without a place") }
        if tooMany > 0 { result.omissions.append("\(tooMany) tracks after the first \(limits.activities)") }
        return result
    }
}
