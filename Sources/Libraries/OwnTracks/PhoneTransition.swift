public import Fitness
public import Telemetry

/// A phone entered or left a region that its owner has set up in the app: `{"_type":"transition",…}`, on the topic
/// `…/event`.
public struct PhoneTransition: Hashable, Sendable {
    /// What happened.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        case enter, leave
    }

    /// By what the phone noticed, by the letter of `t`.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        /// The system watches the region.
        case region = "c"
        /// A beacon is near, or no longer (iOS).
        case beacon = "b"
        /// The app compared a location with the region (Android).
        case location = "l"
        /// Any letter that is not known here.
        case other = ""
    }

    /// What happened.
    public var event: Event
    /// When it happened (`tst`), in Unix milliseconds.
    public var time: Int64
    /// When the region was set up (`wtst`), in Unix milliseconds: on Android the region's key.
    public var regionMade: Int64?
    /// The region's name, as somebody typed it (`desc`).
    public var region: String?
    /// The region's id (`rid`; apps since 2021).
    public var regionID: String?
    /// Where the phone was; nil if it did not say, such as at a beacon.
    public var place: Place?
    /// How far `place` may be off, in metres (`acc`); nil for zero.
    public var accuracyMetres: Double?
    /// By what the phone noticed.
    public var trigger: Trigger?
    /// The letters by which the apps show whose phone it is (`tid`).
    public var trackerID: String?

    /// A transition with nothing but what happened and when, in Unix milliseconds.
    public init(_ event: Event, time: Int64) {
        self.event = event
        self.time = time
    }
}

extension PhoneTransition {
    private static let longestText = 1024

    init(_ object: JSON) throws(OwnTracksError) {
        let fields = try Fields(object, "read a transition")
        let word = try fields.require("event", try fields.text("event", atMost: Self.longestText))
        guard let event = Event(rawValue: word) else {
            throw fields.error(.outOfRange, "event", "is neither enter nor leave")
        }
        self.init(event, time: try fields.require("tst", try fields.time("tst")))
        regionMade = try fields.time("wtst")
        region = try fields.text("desc", atMost: Self.longestText)
        regionID = try fields.text("rid", atMost: Self.longestText)
        place = try fields.place()
        accuracyMetres = try fields.number("acc", in: 0...PhoneLocation.farthestMetres).flatMap { $0 == 0 ? nil : $0 }
        trigger = try fields.text("t", atMost: Self.longestText).map { Trigger(rawValue: $0) ?? .other }
        trackerID = try fields.text("tid", atMost: Self.longestText)
    }

    /// The message as the app writes it; what is nil is left out.
    public var json: JSON {
        var members = Members(of: .transition)
        members.add("event", text: event.rawValue)
        members.add("tst", time: time)
        members.add("wtst", time: regionMade)
        members.add("desc", text: region)
        members.add("rid", text: regionID)
        members.add("lat", number: place?.latitude)
        members.add("lon", number: place?.longitude)
        members.add("acc", number: accuracyMetres)
        members.add("t", text: trigger?.rawValue)
        members.add("tid", text: trackerID)
        return members.json
    }

    /// The message as it is published.
    public var bytes: [UInt8] { json.bytes }
}
