import Fitness

/// What people may call activities, plans and gear.
public enum WorkoutNames {
    /// How long a name may be, in bytes of UTF-8.
    public static let longestBytes = 64

    /// Whether a text can become a name: on one line, without control characters, at most 64 bytes long, and something can be seen.
    public static func isName(_ text: String) -> Bool { isKept(text) && ProfileRules.isName(text) }

    /// Whether what is kept is a name, maybe from an earlier version, which also took what nobody can see.
    static func isKept(_ text: String) -> Bool {
        text.utf8.count <= longestBytes && ProfileRules.isKeptName(text) && text.contains { !$0.isWhitespace }
    }

    /// Whether two names are the same to people, who may type them in upper or lower case.
    public static func areSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }
}
