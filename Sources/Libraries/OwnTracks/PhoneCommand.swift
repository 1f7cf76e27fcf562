public import Telemetry

/// What the app can be asked to do, on the topic `…/cmd`. It obeys only where its settings allow that (`cmd`, and
/// `allowRemoteLocation` on iOS), and when it next runs: after minutes or hours. It opens a sealed command, too.
public enum PhoneCommand: Hashable, Sendable {
    /// Publish where the phone is.
    case reportLocation
    /// Publish what the pedometer has counted in a time, in Unix milliseconds (iOS); without one, today so far.
    case reportSteps(ClosedRange<Int64>?)
    /// Publish all regions that its owner has set up.
    case reportRegions

    /// The message as the app reads it.
    public var json: JSON {
        var members = Members(of: .command)
        switch self {
        case .reportLocation: members.add("action", text: "reportLocation")
        case .reportSteps(let time):
            members.add("action", text: "reportSteps")
            members.add("from", time: time?.lowerBound)
            members.add("to", time: time?.upperBound)
        case .reportRegions: members.add("action", text: "waypoints")
        }
        return members.json
    }

    /// The message as it is published.
    public var bytes: [UInt8] { json.bytes }
}
