extension Sport {
    private static let words: [String: Sport] = {
        var words: [String: Sport] = [:]
        // Strava's exports have numbers: 1 is a ride, 9 a run, 10 a walk.
        for word in [
            "running", "run", "trail running", "treadmill running", "track running", "street running", "jogging", "9",
        ] { words[word] = .running }
        for word in ["walking", "walk", "casual walking", "speed walking", "10"] { words[word] = .walking }
        for word in [
            "cycling", "biking", "ride", "bike", "bicycle", "bicycling", "road biking", "mountain biking",
            "gravel cycling", "indoor cycling", "virtual ride", "1",
        ] { words[word] = .cycling }
        return words
    }()

    /// The sport that a word of some program means: `Biking`, `trail_running`.
    init(word: String) {
        let spaced = String(word.map { $0 == "_" ? " " : $0 })
        if let known = Self.words[spaced.lowercased()] {
            self = known
        } else {
            // A word of a list has underscores; what a person wrote stays as it is.
            self = .other(word.allSatisfy { $0.isLowercase || $0 == "_" } ? spaced : word)
        }
    }
}
