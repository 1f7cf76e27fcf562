import Days
import Features
import Files
import Records
import Telemetry
import Workouts

/// How a person is spoken to, by their profile.
struct Listener {
    let words: SpokenWords
    let language: SpokenLanguage

    /// Nil if the person wants to hear nothing, or has no profile.
    init?(_ documents: Documents, _ user: ID) throws(VaultError) {
        guard let kept = try documents.read("profile", of: user), let profile = Profile(kept: kept), profile.voice
        else { return nil }
        language = SpokenLanguage(rawValue: Language.of(locale: profile.locale ?? "").tag) ?? .english
        words = SpokenWords(language, profile.units)
    }
}
