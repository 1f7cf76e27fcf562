import Telemetry

// OwnTracks is an app for iOS and Android that tells an MQTT broker where its phone is. What is read and written here
// is what its booklet documents (JSON, owntracks.org/booklet/tech/json; Encryption, …/features/encrypt; Configuration
// file, …/features/remoteconfig), and what the apps' own sources do where the booklet is silent: Android 2.6, iOS of
// August 2026.
//
// Messages come from anybody who may publish on a person's topic, and what they say is a person's place. So each has a
// limit of length, depth and fields before it is looked at; each object has a name once; each field is of the type and
// within the range that it can have, or the message is refused with the field's name and nothing that it held. What a
// phone says by a number below zero, "I do not know", is nil. Fields and types that nobody knows are ignored, because
// new versions of the apps bring new ones.
//
// Times are Unix milliseconds, as in the rest of this house. The apps write seconds.

/// What one message of the app says.
public enum PhoneReport: Hashable, Sendable {
    /// Where the phone is.
    case location(PhoneLocation)
    /// The phone entered or left a region that its owner has set up in the app.
    case transition(PhoneTransition)
    /// How many steps the phone's pedometer has counted.
    case steps(PhoneSteps)
    /// Circular regions that the phone's owner has set up in the app: one that was made or changed, or all of them.
    case regions([PhoneRegion], areAll: Bool)
    /// Any of the others, sealed with the secret that a person's phone and its reader share.
    case sealed(SealedReport)
    /// A message of which nothing is kept: the app's will, its settings and so on.
    case other(Kind)
    /// A message of a type that is not in the booklet, or not yet.
    case unknown
    /// No bytes at all: what was retained on the topic is removed. It says nothing about the phone.
    case nothing

    /// The types of messages in the booklet, as `_type` spells them.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A beacon that is near (iOS).
        case beacon
        /// A name and a picture of a person, which the apps show.
        case card
        /// A command to the app.
        case command = "cmd"
        /// The app's settings, as answer to the command `dump`, or in a file.
        case configuration
        /// What the app's developers ask for (iOS).
        case dump
        /// Any other message, sealed.
        case encrypted
        /// Where the phone is.
        case location
        /// The will: the broker lost the phone.
        case will = "lwt"
        /// The app asks for something, such as a tour (iOS).
        case request
        /// What the phone allows the app to do.
        case status
        /// What the pedometer counted (iOS).
        case steps
        /// A region was entered or left.
        case transition
        /// One region.
        case waypoint
        /// All regions.
        case waypoints
    }

    /// No message may be longer: 64 KiB. A photograph that somebody adds to a place of interest (iOS) may be.
    public static let maximumLength = JSON.maximumLength

    /// What a payload says.
    /// - Throws: `.tooLong`, `.malformed` where it is not JSON, nested more than 16 deep or has a name twice, and what
    ///   is wrong with a field of a location, a transition, the steps, a region or a sealed message. Fields of others are
    ///   not looked at.
    public init(payload: [UInt8]) throws(OwnTracksError) {
        guard !payload.isEmpty else {
            self = .nothing
            return
        }
        let object = try Self.read(payload)
        let attempted = "read a message of OwnTracks"
        let fields = try Fields(object, attempted)
        let type = try fields.require("_type", try fields.text("_type", atMost: Self.maximumLength))
        switch Kind(rawValue: type) {
        case .location: self = .location(try PhoneLocation(object))
        case .transition: self = .transition(try PhoneTransition(object))
        case .steps: self = .steps(try PhoneSteps(object))
        case .waypoint: self = .regions(try PhoneRegion(object).map { [$0] } ?? [], areAll: false)
        case .waypoints: self = .regions(try PhoneRegion.all(object), areAll: true)
        case .encrypted: self = .sealed(try SealedReport(object))
        case let kind?: self = .other(kind)
        case nil: self = .unknown
        }
    }

    private static func read(_ payload: [UInt8]) throws(OwnTracksError) -> JSON {
        let attempted = "read a message of OwnTracks"
        guard payload.count <= maximumLength else {
            throw OwnTracksError(attempted, .tooLong, "more than \(maximumLength) bytes")
        }
        do {
            return try StrictJSON.value(payload)
        } catch {
            switch error {
            case .notUTF8, .notJSON: throw OwnTracksError(attempted, .malformed, "not JSON")
            case .duplicateName: throw OwnTracksError(attempted, .malformed, "two fields of one name")
            case .tooDeep:
                throw OwnTracksError(attempted, .malformed, "nested more than \(JSON.maximumDepth) deep")
            }
        }
    }
}
