import Telemetry

/// What a dependent may let a guardian see.
enum Sights {
    /// As options of commands name it, and as requests do.
    static let all = [
        (option: "location", field: "location"), (option: "motion", field: "motion"),
        (option: "steps", field: "steps"),
        (option: "heart-rate", field: "heart_rate"),
    ]

    /// What is allowed between two people, in words.
    static func words(_ tie: JSON) -> String {
        let seen = all.filter { tie[$0.field] == true }.map(\.option)
        return seen.isEmpty ? "nothing" : seen.joined(separator: ", ")
    }

    /// Since when a person has a verification code, and whom it is for; nil if they have none.
    static func code(_ list: JSON) -> String? {
        guard let day = list.time("code_set")?.prefix(10) else { return nil }
        return "set on \(day)" + (list.text("code_for").map { ", for \($0) alone" } ?? "")
    }

    /// The latest days on which a guardian has looked where their dependent is; nil if there is none.
    static func looked(_ guardian: JSON) -> String? {
        let days = guardian.list("looked").compactMap { $0.text("day") }
        return days.isEmpty ? nil : days.prefix(3).joined(separator: " ") + (days.count > 3 ? " …" : "")
    }
}
