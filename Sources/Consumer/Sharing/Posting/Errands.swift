import Push
import Telemetry

/// Something that goes to a service.
struct Errand {
    let user: ID
    let share: ID
    let service: ID
    /// As the settings allow it; else why they do not.
    let address: Result<PushAddress, ReplyError>
    let text: String
    let picture: AppriseMessage.Picture?
}

/// What is to be posted, of all people. People take turns, and only one errand of a person is under way at a time: so a service that
/// does not answer holds up its owner first.
struct Errands {
    private var waiting: [Errand] = []
    private var underWay: [Errand] = []

    /// How many people may be waiting for their turn.
    private static let mostWaiting = 32

    /// Whether there is room for what another person shares.
    var hasRoom: Bool { Set(waiting.map(\.user)).count < Self.mostWaiting }

    /// Whether something is being posted for a person, or waits for that.
    func isBusy(with user: ID) -> Bool { (underWay + waiting).contains { $0.user == user } }

    /// Whether a part of a share is being posted, or waits for that.
    func has(_ share: ID) -> Bool { (underWay + waiting).contains { $0.share == share } }

    func isUnderWay(_ errand: Errand) -> Bool { underWay.contains(where: errand.isSame) }

    mutating func add(_ errands: [Errand]) { waiting += errands }

    /// What is posted next, which is then under way; nil if nothing can be.
    mutating func begin() -> Errand? {
        let people = Set(underWay.map(\.user))
        guard let index = waiting.firstIndex(where: { !people.contains($0.user) }) else { return nil }
        let errand = waiting.remove(at: index)
        underWay.append(errand)
        return errand
    }

    /// An errand is over: what else its person shares comes after what everybody else does.
    mutating func end(_ errand: Errand) {
        underWay.removeAll(where: errand.isSame)
        waiting = waiting.filter { $0.user != errand.user } + waiting.filter { $0.user == errand.user }
    }

    /// Nothing that waits goes to a service that its person has removed.
    /// - Returns: what does not go out.
    mutating func removeWaiting(for service: ID) -> [Errand] {
        let removed = waiting.filter { $0.service == service }
        waiting.removeAll { $0.service == service }
        return removed
    }

    mutating func removeAll(of user: ID) {
        waiting.removeAll { $0.user == user }
        underWay.removeAll { $0.user == user }
    }
}

extension Errand {
    fileprivate func isSame(_ other: Errand) -> Bool { share == other.share && service == other.service }
}
