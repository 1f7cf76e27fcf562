/// Times of day as people write them: `08:05`.
enum WallClock {
    /// - Parameter minute: of the day, from 0 to 1439.
    static func text(_ minute: Int) -> String {
        let (hours, minutes) = (minute / 60, minute % 60)
        return (hours < 10 ? "0" : "") + "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)"
    }

    /// The minute of the day that a text says; nil if it says none.
    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }
}
