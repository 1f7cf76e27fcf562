import Features
import Files
import Records
import Telemetry

// What a person has shared is written down before it goes out, and again before and after each service gets it. So after a kill it is
// known what was not sent, and of what nobody knows: that is never sent again, and its person is told to look there.

/// What became of something that somebody has shared, service by service.
struct ShareRecord: Equatable, Sendable {
    enum State: String, Sendable {
        /// It has not begun.
        case waiting
        /// It is going out now; or it was when the consumer was stopped.
        case going
        case sent
        case failed
        /// It may be there or not.
        case unknown
    }

    struct Entry: Equatable, Sendable {
        let service: ID
        /// What the person called it then.
        let label: String
        var state = State.waiting
        /// In words for the person; nil if there is none.
        var problem: String?
        /// Whether there was a picture that did not go along.
        var isWithoutPicture = false
    }

    /// That of the preview.
    let id: ID
    /// Unix milliseconds.
    let time: Int64
    /// What was shared, in a word.
    let subject: String
    var entries: [Entry]

    /// What the person is told of it.
    /// - Parameters:
    ///   - isUnderWay: whether this run of the consumer is posting it.
    ///   - hasProblems: whether a problem is told in words. A service may have said a part of its address in them.
    func results(isUnderWay: Bool, hasProblems: Bool = true) -> JSON {
        .array(entries.map { $0.result(isUnderWay: isUnderWay, hasProblem: hasProblems) })
    }
}

extension ShareRecord.Entry {
    private static let unknown = "the consumer was stopped while it went out: look there before you share it again"
    private static let unsent = "the consumer was stopped before it went out: it was not sent"

    fileprivate func result(isUnderWay: Bool, hasProblem: Bool) -> JSON {
        var (told, words) = (state, problem)
        switch state {
        case .going where !isUnderWay: (told, words) = (.unknown, Self.unknown)
        case .waiting where !isUnderWay: (told, words) = (.failed, Self.unsent)
        default: break
        }
        return .object(present: [
            "service": .string(service.text), "label": .string(label), "sent": .bool(told == .sent),
            "state": .string(told.rawValue), "problem": hasProblem ? words.map(JSON.string) : nil,
            "picture": isWithoutPicture ? false : nil,
        ])
    }
}

/// What a person has shared lately: a document of each person. Belongs to the thread of its store and keys.
struct ShareRecords {
    static let document = "shares"
    /// How much a person may share within a day, and how much is kept; what is older than a day goes when there is more.
    static let most = 20
    static let day: Int64 = 86_400_000

    /// The latest one last.
    var records: [ShareRecord] = []

    init(_ documents: Documents, of user: ID) throws(VaultError) {
        guard case .array(let kept)? = try documents.read(Self.document, of: user)?["shares"] else { return }
        records = kept.compactMap(ShareRecord.init)
    }

    subscript(id: ID) -> ShareRecord? { records.first { $0.id == id } }

    /// Adds something that is about to go out.
    /// - Returns: whether that is allowed today.
    mutating func add(_ record: ShareRecord) -> Bool {
        guard records.count(where: { abs(record.time - $0.time) < Self.day }) < Self.most else { return false }
        records.append(record)
        records.removeFirst(max(0, records.count - Self.most))
        return true
    }

    /// Changes what became of something at a service; nothing if that is no longer kept.
    mutating func change(_ id: ID, at service: ID, _ body: (inout ShareRecord.Entry) -> Void) {
        guard let index = records.firstIndex(where: { $0.id == id }),
            let entry = records[index].entries.firstIndex(where: { $0.service == service })
        else { return }
        body(&records[index].entries[entry])
    }

    /// Keeps the list in place of the one before, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.write(["shares": .array(records.map(\.json))], Self.document, of: user)
    }
}

// MARK: As it is sealed

extension ShareRecord {
    fileprivate init?(_ json: JSON) {
        guard let id = json["share"].flatMap({ ID(kept: $0) }),
            case .integer(let time)? = json["time"], case .string(let subject)? = json["what"],
            case .array(let entries)? = json["services"]
        else { return nil }
        self.init(id: id, time: time, subject: subject, entries: entries.compactMap(Entry.init))
    }

    fileprivate var json: JSON {
        [
            "share": .string(id.text), "time": .integer(time), "what": .string(subject),
            "services": .array(entries.map(\.json)),
        ]
    }
}

extension ShareRecord.Entry {
    fileprivate init?(_ json: JSON) {
        guard let service = json["service"].flatMap({ ID(kept: $0) }),
            case .string(let label)? = json["label"], case .string(let name)? = json["state"],
            let state = ShareRecord.State(rawValue: name)
        else { return nil }
        var problem: String?
        if case .string(let text)? = json["problem"] { problem = text }
        self.init(
            service: service, label: label, state: state, problem: problem, isWithoutPicture: json["picture"] == false)
    }

    fileprivate var json: JSON {
        .object(present: [
            "service": .string(service.text), "label": .string(label), "state": .string(state.rawValue),
            "problem": problem.map(JSON.string), "picture": isWithoutPicture ? false : nil,
        ])
    }
}
