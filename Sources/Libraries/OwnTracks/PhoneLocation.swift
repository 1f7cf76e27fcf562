public import Fitness
public import Telemetry

/// Where a phone is, or was: `{"_type":"location",…}`.
///
/// Phones publish locations when their owner has moved, when asked, and at times that their mode sets. After hours
/// without a connection all of them come at once, in order, and some come twice. A field that is nil was not there: the
/// apps leave out what they do not know, what their settings do not include (`extendedData`), and some versions what is
/// zero. Names and addresses of wireless networks (`SSID`, `BSSID`) and photographs (`image`) are not read.
public struct PhoneLocation: Hashable, Sendable {
    /// Why the app published it, by the letter of `t`.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        /// Sent in the background every now and then, to say that the phone is there. Its time is the present, not the
        /// time at which the place was found.
        case ping = "p"
        /// A circular region was entered or left.
        case region = "c"
        /// The same for the region that follows the phone (iOS).
        case followingRegion = "C"
        /// A region of a beacon was entered or left (iOS).
        case beacon = "b"
        /// The same, by another letter that the Android app knows.
        case beaconRegion = "e"
        /// A command asked for it.
        case command = "r"
        /// The person asked the app to send it.
        case byHand = "u"
        /// Time had passed in the mode `move` (iOS).
        case timer = "t"
        /// The phone's own record of places that are visited often (iOS).
        case visit = "v"
        /// The phone moved after it had been still (Android; the booklet does not have it).
        case motion = "m"
        /// Any letter that is not known here.
        case other = ""
    }

    /// Whether the phone is on mains, by the number of `bs`.
    public enum BatteryState: Int64, Hashable, Sendable, CaseIterable {
        case unplugged = 1
        case charging
        case full
    }

    /// How the phone reached the network when it wrote the message, by the letter of `conn`.
    public enum Connection: String, Hashable, Sendable, CaseIterable {
        case wireless = "w"
        case mobile = "m"
        case offline = "o"
    }

    /// What the person does, as the phone's motion sensors see it (iOS). Several may hold at once.
    public enum Motion: String, Hashable, Sendable, CaseIterable {
        case stationary, walking, running, automotive, cycling, unknown
    }

    /// Degrees (WGS 84): `lat`, `lon`.
    public var place: Place
    /// When the place was found (`tst`), in Unix milliseconds; for a ping, when it was sent.
    public var time: Int64
    /// When the message was written (`created_at`), in Unix milliseconds; iOS says so only where it differs from
    /// `time`.
    public var written: Int64?
    /// The radius around `place` in which the phone is likely to be, in metres (`acc`): nil for zero, by which phones
    /// say that they have none.
    public var accuracyMetres: Double?
    /// Metres above sea level (`alt`). Some Android phones always say 0.
    public var altitudeMetres: Double?
    /// How far the altitude may be off, in metres (`vac`); nil for zero.
    public var verticalAccuracyMetres: Double?
    /// Kilometres an hour (`vel`), as the apps write it. Some Android phones always say 0.
    public var kilometresPerHour: Double?
    /// The course over ground in degrees, clockwise from north (`cog`), from 0 to less than 360.
    public var courseDegrees: Double?
    /// The pressure of the air in kilopascals (`p`; iOS).
    public var kilopascals: Double?
    /// Percent of the battery's charge that is left (`batt`).
    public var batteryPercent: Double?
    /// Whether the phone is on mains (`bs`); nil if the phone does not know.
    public var batteryState: BatteryState?
    /// How the phone reached the network (`conn`).
    public var connection: Connection?
    /// The mode of the app (`m`).
    public var monitoring: Monitoring?
    /// Why it was published (`t`); nil is an automatic update.
    public var trigger: Trigger?
    /// What the person does (`motionactivities`; iOS).
    public var motions: Set<Motion> = []
    /// The names of the regions in which the phone is (`inregions`), as somebody typed them.
    public var regions: [String] = []
    /// The ids of those regions (`inrids`).
    public var regionIDs: [String] = []
    /// The radius of the region that was entered or left, in metres (`rad`; iOS).
    public var regionRadiusMetres: Double?
    /// The letters by which the apps show whose phone it is (`tid`), two of them.
    public var trackerID: String?
    /// The name of a place of interest, as somebody typed it (`poi`; iOS).
    public var placeOfInterest: String?
    /// What somebody typed to mark all locations of a time (`tag`; iOS).
    public var tag: String?
    /// The topic on which it would have been published (`topic`); only where the app uses HTTP.
    public var topic: String?
    /// What the message is told apart by (`_id`; Android).
    public var id: String?

    /// A location with nothing but the place and the time, in Unix milliseconds.
    public init(place: Place, time: Int64) {
        self.place = place
        self.time = time
    }

    /// Metres a second, from `kilometresPerHour`.
    public var metresPerSecond: Double? { kilometresPerHour.map { $0 / 3.6 } }
}

extension PhoneLocation {
    private static let mostRegions = 256
    private static let longestText = 1024
    private static let mostMotions = 16
    /// Half of the Earth's circumference: nothing is farther away.
    static let farthestMetres: Double = 20_100_000

    init(_ object: JSON) throws(OwnTracksError) {
        let fields = try Fields(object, "read a location")
        let place = try fields.require("lat", try fields.place())
        self.init(place: place, time: try fields.require("tst", try fields.time("tst")))
        written = try fields.time("created_at")
        trigger = try fields.text("t", atMost: Self.longestText).map { Trigger(rawValue: $0) ?? .other }
        try readMeasurements(fields)
        readOthers(fields)
        readPhone(fields)
    }

    /// What the place is kept with.
    private mutating func readMeasurements(_ fields: Fields) throws(OwnTracksError) {
        // A phone's accuracy below zero would say that the place itself is not valid (Core Location,
        // horizontalAccuracy), so that is refused. The others are below zero where the phone does not know them.
        accuracyMetres = try fields.number("acc", in: 0...Self.farthestMetres).flatMap { $0 == 0 ? nil : $0 }
        altitudeMetres = try fields.number("alt", in: -12_000...100_000)
        verticalAccuracyMetres = try fields.numberIfKnown("vac", upTo: 100_000).flatMap { $0 == 0 ? nil : $0 }
    }

    // What follows is not kept with the place. A phone or a program that writes something else there has been at the place
    // nevertheless: such a field is as if it were not there.

    private mutating func readOthers(_ fields: Fields) {
        kilometresPerHour = try? fields.numberIfKnown("vel", upTo: 4000)
        courseDegrees = (try? fields.numberIfKnown("cog", upTo: 360)).map { $0 == 360 ? 0 : $0 }
        kilopascals = try? fields.number("p", in: 0...200)
        regions = (try? fields.texts("inregions", atMost: Self.mostRegions, ofAtMost: Self.longestText)) ?? []
        regionIDs = (try? fields.texts("inrids", atMost: Self.mostRegions, ofAtMost: Self.longestText)) ?? []
        regionRadiusMetres = try? fields.numberIfKnown("rad", upTo: Self.farthestMetres)
        trackerID = try? fields.text("tid", atMost: Self.longestText)
        placeOfInterest = try? fields.text("poi", atMost: Self.longestText)
        tag = try? fields.text("tag", atMost: Self.longestText)
        topic = try? fields.text("topic", atMost: Topics.maximumLength)
        id = try? fields.text("_id", atMost: Self.longestText)
    }

    private mutating func readPhone(_ fields: Fields) {
        batteryPercent = try? fields.numberIfKnown("batt", upTo: 100)
        batteryState = (try? fields.whole("bs", in: 0...3)).flatMap(BatteryState.init)
        connection = (try? fields.text("conn", atMost: Self.longestText)).flatMap(Connection.init)
        monitoring = (try? fields.whole("m", in: -1...2)).flatMap(Monitoring.init)
        let motions =
            (try? fields.texts("motionactivities", atMost: Self.mostMotions, ofAtMost: Self.longestText)) ?? []
        self.motions = Set(motions.map { Motion(rawValue: $0) ?? .unknown })
    }

    /// The message as the app writes it; what is nil or empty is left out.
    public var json: JSON {
        var members = Members(of: .location)
        members.add("lat", number: place.latitude)
        members.add("lon", number: place.longitude)
        members.add("tst", time: time)
        members.add("created_at", time: written)
        members.add("acc", number: accuracyMetres)
        members.add("alt", number: altitudeMetres)
        members.add("vac", number: verticalAccuracyMetres)
        members.add("vel", number: kilometresPerHour)
        members.add("cog", number: courseDegrees)
        members.add("p", number: kilopascals)
        members.add("batt", number: batteryPercent)
        members.add("bs", whole: batteryState?.rawValue)
        members.add("conn", text: connection?.rawValue)
        members.add("m", whole: monitoring?.rawValue)
        members.add("t", text: trigger?.rawValue)
        members.add("motionactivities", texts: motions.map(\.rawValue).sorted())
        members.add("inregions", texts: regions)
        members.add("inrids", texts: regionIDs)
        members.add("rad", number: regionRadiusMetres)
        members.add("tid", text: trackerID)
        members.add("poi", text: placeOfInterest)
        members.add("tag", text: tag)
        members.add("topic", text: topic)
        members.add("_id", text: id)
        return members.json
    }

    /// The message as it is published.
    public var bytes: [UInt8] { json.bytes }
}

/// How eagerly the app publishes where the phone is.
public enum Monitoring: Int64, Hashable, Sendable, CaseIterable {
    /// Only by hand; not even regions are told.
    case quiet = -1
    /// By hand, and when a region is entered or left.
    case manual
    /// When the phone has moved by some 500 m, at most every five minutes.
    case significant
    /// All the time, at the intervals that are set. It costs as much of the battery as a navigation app.
    case move
}

extension Fields {
    /// A place from `lat` and `lon`; nil if both are absent.
    func place() throws(OwnTracksError) -> Place? {
        let latitude = try number("lat", in: -90...90)
        let longitude = try number("lon", in: -180...180)
        guard latitude != nil || longitude != nil else { return nil }
        return Place(latitude: try require("lat", latitude), longitude: try require("lon", longitude))
    }
}
