package import Daemon
import ProgramSettings
import Readings

/// `meals`: which ideas there are.
///
/// ```
/// meals: { ideas: "/etc/vitals/ideas.json" },   // in place of those that the package installs
/// ```
package struct MealsSetting: FeatureSettings {
    package static let key = "meals"
    package static let isTakenAtOnce = true
    /// What the package installs.
    static let installed = "meals/ideas.json"
    let ideas: MealIdeas

    package init(_ settings: Section) throws(SettingsError) {
        let section = try settings.section(Self.key)
        let path = try section.dataPath("ideas", installed: Self.installed)
        ideas = try section.refusingFaults(of: "ideas") { () throws(DataFault) in
            if let path { try MealIdeas(file: path) } else { MealIdeas() }
        }
    }
}
