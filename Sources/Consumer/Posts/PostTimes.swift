import Files
import Records
import Telemetry

/// When a person has posted last: the document "posting". Deleting a post does not make room for another one on the same day. Belongs to
/// the thread of its documents.
struct PostTimes {
    static let document = "posting"
    /// Milliseconds.
    private static let day: Int64 = 86_400_000

    let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    /// Notes a post, within the transaction that keeps it.
    func take(_ now: Int64, of user: ID) throws {
        var times: [Int64] = []
        if case .array(let kept)? = try documents.read(Self.document, of: user)?["times"] {
            times = kept.compactMap { if case .integer(let time) = $0 { time } else { nil } }
        }
        // Times that a clock has left in the future do not count.
        times = times.filter { $0 > now - Self.day && $0 <= now }
        guard times.count < Post.mostInDay else {
            let wait = ((times.min() ?? now) + Self.day - now + 999) / 1000
            let words = "you have posted \(Post.mostInDay) times within 24 hours, and nobody can post more often"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: Int(wait))
        }
        let kept = JSON.array((times + [now]).map(JSON.integer))
        try documents.write(.object([JSON.Member("times", kept)]), Self.document, of: user)
    }
}
