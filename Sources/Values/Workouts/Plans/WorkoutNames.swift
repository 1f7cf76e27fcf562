import Fitness

/// What people may call activities, plans and gear.
public enum WorkoutNames {
    /// How long a name may be, in bytes of UTF-8.
    public static let longestBytes = 64

    /// Whether a text is a name: on one line, not blank, without control characters, and at most 64 bytes long.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count <= longestBytes && ProfileRules.isName(text) && text.contains { !$0.isWhitespace }
    }

    /// Whether two names are the same to people, who may type them in upper or lower case.
    public static func areSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }
}
