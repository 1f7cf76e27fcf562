import Daemon
import Foundation
import Records
import Storage
import Telemetry
import TestSupport

@testable import Custody
@testable import Features
@testable import Readings
@testable import vitals_consumer

extension Parts {
    var packer: HourPacker { HourPacker(store: store, keys: keys, deletions: ingest.totals.deletions) }

    /// Packs every hour before this one, whatever is newest.
    func pack(
        before hour: Int64 = .max, mark: Int64 = .max, settled: Int64 = .max, forgetting user: ID? = nil
    ) throws {
        var pass = PackingPass(packer, before: hour, mark: mark, settled: settled) { $0 == user }
        while try pass.goOn(until: 0) {}
    }

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

    func findings() throws -> CheckCommand.Findings {
        try CheckCommand.findings(try Store(folder: settings.state, readOnly: true), Keys(settings, .read))
    }

    func rows(_ condition: String) throws -> Int {
        Int(try store.database.first("SELECT count(*) FROM blocks WHERE \(condition)", row: Row.int) ?? -1)
    }
}

/// An hour of `start`.
let firstHour = start / 3_600_000
