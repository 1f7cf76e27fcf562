import Files
import Records
import Telemetry

/// When a person has posted and commented last, and whose authors were notified: the document "posting". Deleting something does not
/// make room for another one on the same day, and notifies nobody again. Belongs to the thread of its documents.
struct PostTimes {
    static let document = "posting"
    /// Milliseconds.
    private static let day: Int64 = 86_400_000

    enum Kind: String, CaseIterable {
        case posts = "times"
        case comments

        /// How many there may be within 24 hours.
        var most: Int { self == .posts ? Post.mostInDay : 100 }
    }

    let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    /// Notes a post or a comment, within the transaction that keeps it.
    func take(_ kind: Kind, _ now: Int64, of user: ID) throws {
        let document = try documents.read(Self.document, of: user)
        var times: [Int64] = []
        if case .array(let kept)? = document?[kind.rawValue] {
            times = kept.compactMap { if case .integer(let time) = $0 { time } else { nil } }
        }
        // Times that a clock has left in the future do not count.
        times = times.filter { $0 > now - Self.day && $0 <= now }
        guard times.count < kind.most else {
            let wait = ((times.min() ?? now) + Self.day - now + 999) / 1000
            let words =
                kind == .posts
                ? "you have posted \(kind.most) times within 24 hours, and nobody can post more often"
                : "you have written \(kind.most) comments within 24 hours, and nobody can write more"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: Int(wait))
        }
        let kept = JSON.array((times + [now]).map(JSON.integer))
        try write(kept, kind.rawValue, document, of: user)
    }

    /// Notes that a post's author is notified of a comment, within the transaction that keeps it.
    /// - Returns: true if they are, because it is this person's first comment on this post within 24 hours.
    func takeTelling(of post: ID, _ now: Int64, of user: ID) throws(VaultError) -> Bool {
        let document = try documents.read(Self.document, of: user)
        var told: [JSON] = []
        if case .array(let kept)? = document?[Self.told] {
            told = kept.filter { entry in
                guard case .integer(let time)? = entry["time"] else { return false }
                return time > now - Self.day && time <= now
            }
        }
        guard !told.contains(where: { $0["post"] == .string(post.text) }) else { return false }
        told.append(["post": .string(post.text), "time": .integer(now)])
        try write(.array(told), Self.told, document, of: user)
        return true
    }

    /// The posts whose authors were notified lately.
    private static let told = "told"

    private func write(_ value: JSON, _ name: String, _ document: JSON?, of user: ID) throws(VaultError) {
        let members = (Kind.allCases.map(\.rawValue) + [Self.told]).compactMap { other in
            (other == name ? value : document?[other]).map { JSON.Member(other, $0) }
        }
        try documents.write(.object(members), Self.document, of: user)
    }
}
