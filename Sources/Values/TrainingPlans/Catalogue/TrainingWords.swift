/// A name as people read it, in each language.
public struct TrainingWords: Hashable, Sendable {
    /// In English.
    public let english: String
    /// In German.
    public let german: String

    /// A name in both languages.
    public init(_ english: String, _ german: String) { (self.english, self.german) = (english, german) }
}
