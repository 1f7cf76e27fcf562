import Fitness
import Push

/// What a person shows to others: exactly what they see first.
struct SharedContent: Sendable {
    let text: String
    var picture: AppriseMessage.Picture?
    /// The day that it is about, or the first of its days.
    let day: CalendarDay

    /// No picture is larger, in bytes.
    static let largestPicture = 1 << 20

    init(_ text: String, picture: AppriseMessage.Picture? = nil, day: CalendarDay) {
        (self.text, self.day) = (text, day)
        self.picture = picture.flatMap { $0.bytes.count <= Self.largestPicture ? $0 : nil }
    }
}
