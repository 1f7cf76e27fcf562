/// The topics of one phone: the app publishes beneath its `pubTopicBase`, and listens there for commands.
public enum PhoneTopic: String, Hashable, Sendable, CaseIterable {
    /// Locations, and the will: the base itself.
    case location = ""
    /// Transitions.
    case event
    /// Steps (iOS).
    case step
    /// Beacons that are near (iOS).
    case beacon
    /// The app's settings, when they were asked for (iOS).
    case dump
    /// What the phone allows the app to do.
    case status
    /// A region that was made or changed.
    case waypoint
    /// All regions.
    case waypoints
    /// Commands to the phone.
    case command = "cmd"
    /// A card: the name and the picture that the apps of others show.
    case card = "info"

    /// The topic beneath a base.
    public func text(under base: String) -> String { self == .location ? base : "\(base)/\(rawValue)" }

    /// What a topic is beneath a base; nil if it is none of the phone's.
    public init?(_ topic: String, under base: String) {
        guard topic.utf8.starts(with: base.utf8) else { return nil }
        let rest = topic.utf8.dropFirst(base.utf8.count)
        guard !rest.isEmpty else {
            self = .location
            return
        }
        guard rest.first == UInt8(ascii: "/"), rest.count > 1 else { return nil }
        self.init(rawValue: String(Substring(rest.dropFirst())))
    }

    /// What the app makes of a `pubTopicBase`: `%u` stands for the user name, and `%d` for the device.
    public static func base(_ template: String, user: String, device: String) -> String {
        var base = ""
        var rest = template[...]
        while let percent = rest.firstIndex(of: "%") {
            base += rest[..<percent]
            rest = rest[percent...]
            if rest.hasPrefix("%u") {
                base += user
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("%d") {
                base += device
                rest = rest.dropFirst(2)
            } else {
                base += "%"
                rest = rest.dropFirst()
            }
        }
        return base + rest
    }
}
