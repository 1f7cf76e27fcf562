import Push
import Telemetry

/// Something that a person was shown, and has not posted yet.
struct SharePreview: Sendable {
    let id: ID
    let user: ID
    /// What is shared, in a word.
    let subject: String
    let text: String
    let link: String?
    let picture: AppriseMessage.Picture?
    /// Unix milliseconds.
    let expires: Int64

    /// For how long it can be posted, in milliseconds.
    static let lifetime: Int64 = 600_000

    /// Bytes of its picture.
    fileprivate var size: Int { picture?.bytes.count ?? 0 }
}

/// What people were shown and have not posted yet: in memory only. After a restart they look again.
struct SharePreviews {
    /// How many of a person's there are at once; the oldest go first.
    static let mostOfPerson = 3
    /// How many bytes the pictures of all people have at once.
    static let largest = 8 << 20

    /// The latest one last.
    private var previews: [SharePreview] = []

    /// - Returns: whether there was room. Only those make some who have more than the person would have: so nobody takes the room of
    ///   others by looking at much.
    mutating func add(_ preview: SharePreview, now: Int64) -> Bool {
        removeExpired(now: now)
        let own = previews.filter { $0.user == preview.user }
        for old in own.dropLast(Self.mostOfPerson - 1) { remove(old.id) }
        var (kept, sizes) = (previews, [ID: Int]())
        for one in previews { sizes[one.user, default: 0] += one.size }
        let wanted = sizes[preview.user, default: 0] + preview.size
        while sizes.values.reduce(preview.size, +) > Self.largest {
            guard let most = sizes.max(by: { $0.value < $1.value }), most.value > wanted,
                let oldest = kept.first(where: { $0.user == most.key && $0.size > 0 })
            else { return false }
            kept.removeAll { $0.id == oldest.id }
            sizes[most.key] = most.value - oldest.size
        }
        previews = kept + [preview]
        return true
    }

    /// A person's; nil if there is none, or its time is over.
    func preview(_ id: ID, of user: ID, now: Int64) -> SharePreview? {
        previews.first {
            $0.id == id && $0.user == user && now < $0.expires && now >= $0.expires - SharePreview.lifetime
        }
    }

    mutating func remove(_ id: ID) { previews.removeAll { $0.id == id } }

    mutating func removeAll(of user: ID) { previews.removeAll { $0.user == user } }

    mutating func removeExpired(now: Int64) { previews.removeAll { $0.expires <= now } }
}
