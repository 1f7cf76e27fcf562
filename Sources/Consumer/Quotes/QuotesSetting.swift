package import Daemon
import ProgramSettings
import Readings

/// `quotes`: which there are.
///
/// ```
/// quotes: { files: ["/etc/vitals/quotes.json"] },   // besides those that the package installs
/// ```
package struct QuotesSetting: FeatureSettings {
    package static let key = "quotes"
    package static let isTakenAtOnce = true
    /// What the package installs.
    static let installed = "quotes.json"
    let catalogue: QuoteCatalogue

    package init(_ settings: Section) throws(SettingsError) {
        let section = try settings.section(Self.key)
        let first = try section.dataPath("catalogue", installed: Self.installed)
        let files = try section.paths("files")
        let known = try section.refusingFaults(of: "catalogue") { () throws(DataFault) in
            try QuoteCatalogue(files: first.map { [$0] } ?? [])
        }
        catalogue =
            files.isEmpty
            ? known
            : try section.refusingFaults(of: "files") { () throws(DataFault) in
                try QuoteCatalogue(files: (first.map { [$0] } ?? []) + files)
            }
    }
}
