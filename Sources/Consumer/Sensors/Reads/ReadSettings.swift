package import Daemon
import Readings

/// `reads` of the settings. Nil: not at all.
package struct ReadSettings: FeatureSettings {
    package static let key = "reads"
    package static let isTakenAtOnce = true

    /// How often steps are read, in milliseconds.
    var stepsEvery: Int64?
    /// How long before midnight they are read once more, in milliseconds.
    var stepsBeforeMidnight: Int64?
}

extension ReadSettings {
    package init(_ settings: Section) throws(SettingsError) {
        let section = try settings.section(Self.key).section("steps")
        stepsEvery = try Self.milliseconds("every", section, .seconds(60)...(.seconds(86_400)), .seconds(3600))
        stepsBeforeMidnight = try Self.milliseconds(
            "before_midnight", section, .seconds(10)...(.seconds(3600)), .seconds(60))
    }

    /// Nil if it is 0.
    private static func milliseconds(
        _ key: String, _ section: Section, _ range: ClosedRange<Duration>, _ usual: Duration
    ) throws(SettingsError) -> Int64? {
        let duration = try section.duration(key, in: .zero...range.upperBound, default: usual)
        guard duration > .zero else { return nil }
        guard range.contains(duration) else {
            throw section.refusal(
                of: key, "at least \(range.lowerBound.components.seconds) s, or 0 for never")
        }
        return Int64(duration / .milliseconds(1))
    }
}
