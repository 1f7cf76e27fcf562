import Telemetry

/// Where zones of heart rate begin, and what that follows from, in words.
enum ZonesText {
    /// `from 94, 113, 131, 150 and 169 bpm, by age (maximum 187 bpm)`; nil without zones.
    static func words(_ zones: JSON?) -> String? {
        guard let zones else { return nil }
        let bounds = zones.list("bounds").compactMap { bound -> String? in
            if case .integer(let rate) = bound { "\(rate)" } else { nil }
        }
        guard let last = bounds.last, bounds.count > 1 else { return nil }
        return "from \(bounds.dropLast().joined(separator: ", ")) and \(last) bpm"
            + (origin(zones).map { ", \($0)" } ?? "")
    }

    private static func origin(_ zones: JSON) -> String? {
        func rate(_ name: String) -> String {
            zones.double("\(name)_heart_rate").map { "\(decimal($0, 0)) bpm" } ?? "-"
        }
        return switch zones.text("by") {
        case "age": "by age (maximum \(rate("max")))"
        case "maximum": "by your own maximum (\(rate("max")))"
        case "reserve": "by reserve (\(rate("resting")) to \(rate("max")))"
        case "threshold": "by threshold (\(rate("threshold")))"
        case "limits": "by your own limits"
        default: nil
        }
    }

    /// `zone 2 (113 to 130 bpm)`: the zone that somebody has chosen for a workout; nil if they chose none.
    static func target(_ target: JSON?) -> String? {
        guard let target, let zone = target.whole("zone") else { return nil }
        guard let from = target.whole("from") else { return "zone \(zone)" }
        return "zone \(zone) (" + (target.whole("to").map { "\(from) to \($0 - 1) bpm" } ?? "from \(from) bpm") + ")"
    }
}
