package import Daemon
import Desk
import Features
import Files
import Readings
import Telemetry
import TrainingPlans

/// `training`: the exercises that plans are made of.
///
/// ```
/// training: { exercises: "/etc/vitals/exercises.json" },
/// ```
package struct TrainingSettings: FeatureSettings {
    package static let key = "training"
    package static let isTakenAtOnce = true
    /// Where the package vitals-consumer installs them.
    private static let usual = "/usr/share/vitals/exercises.json"

    /// Nil if there is none: then nobody is offered a plan.
    private let catalogue: ExerciseCatalogue?

    package init(_ settings: Section) throws(SettingsError) {
        let section = try settings.section(Self.key)
        let named = try section.path("exercises", default: nil)
        let file = named ?? Self.usual
        let bytes: [UInt8]?
        do throws(VaultError) { bytes = try SmallFile.read(file, atMost: ExerciseCatalogue.longestFile) } catch {
            throw section.refusal(of: "exercises", "\(file) cannot be read: \(error.said)")
        }
        guard let bytes else {
            guard named == nil else {
                throw section.refusal(
                    of: "exercises", "there is no file \(file)",
                    hint: "leave the key out for the exercises of the package vitals-consumer")
            }
            catalogue = nil
            return
        }
        do throws(CatalogueProblem) { catalogue = try ExerciseCatalogue(bytes) } catch {
            throw section.refusal(
                of: "exercises", "\(file), \(error)", hint: "deploy/training/README.md says what such a file looks like")
        }
    }

    /// - Throws: if the operator has to do something first.
    func required() throws(ReplyError) -> ExerciseCatalogue {
        guard let catalogue else {
            throw ReplyError(
                .notReady,
                """
                there are no exercises here yet: the operator has to install the file \(Self.usual), or to name another one in the \
                consumer's settings, with training: { exercises: "/path/exercises.json" }
                """)
        }
        return catalogue
    }
}
