package import Daemon
import Readings

/// What the settings say about workouts.
package struct WorkoutSettings: FeatureSettings {
    package static let key = "workouts"
    package static let isTakenAtOnce = true

    /// A workout in which nothing was measured for so long is ended, in milliseconds.
    package let endAfter: Int64

    package init(_ settings: Section) throws(SettingsError) {
        let section = try settings.section(Self.key)
        let time = try section.duration(
            "end_after", in: .seconds(60) ... .seconds(86_400), default: .seconds(7200))
        endAfter = Int64(time / .milliseconds(1))
    }
}
