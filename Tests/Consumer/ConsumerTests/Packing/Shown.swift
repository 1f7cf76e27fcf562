import Custody
import Features
import HouseholdSupport
import Readings
import Records
import Telemetry

@testable import vitals_consumer

extension Parts {
    /// All that anybody is shown of a person: readings of each kind, and the parts of an export.
    func shown(_ user: String = "demo") throws -> [[String]] {
        var shown = try ReadingKind.allCases.map { try printed($0, user: user) }
        try shown.append(exported(user))
        return shown
    }

    private func exported(_ user: String) throws -> [String] {
        let export = Export(Feature.all, ExportSource(try ID(user), settings, store: store, keys: keys))
        var (parts, position): ([String], ExportPosition?) = ([], export.start)
        while let at = position {
            let part = try export.part(at: at)
            parts.append(part.file + part.text)
            position = part.next
        }
        return parts
    }

    /// What the `check` command finds.
    func findings() throws -> Findings {
        try CheckCommand.findings(
            try Store(folder: settings.state, readOnly: true, adding: Feature.all.schema), Keys(settings, .read))
    }
}
