import Records
import Telemetry

/// A question whether somebody would like to train together. It is in the documents of both, under the same id.
struct PartnerAsk: Equatable {
    let id: ID
    let offer: ID
    /// In the asker's document whose offer it is, in the other one who asks.
    let other: ID
    let activity: String
    var text: String?
    /// Unix milliseconds.
    let time: Int64
}

/// Somebody with whom a person trains. It is in the documents of both, under the same id.
struct Partner: Equatable {
    let id: ID
    let other: ID
    let activity: String
    /// Unix milliseconds.
    let since: Int64
}

/// What a person has to do with training partners, besides their offers: the document "partners". However full, it stays below the
/// 64 KiB of a document.
struct PartnerList: Equatable {
    static let document = "partners"
    /// Questions of the person that nobody has answered yet.
    static let mostAsks = 10
    /// And questions of others.
    static let mostAsked = 25
    static let mostPartners = 50
    /// Offers that are remembered because their owners have declined.
    static let mostDeclined = 50
    /// No contact is longer, in characters and in bytes.
    static let longestContact = (characters: 100, bytes: 400)

    /// What partners see of how to reach the person: what they have typed for this.
    var contact: String?
    var asks: [PartnerAsk] = []
    var asked: [PartnerAsk] = []
    var partners: [Partner] = []
    /// Offers whose owners have declined: these are not asked again.
    private(set) var declined: [ID] = []

    mutating func decline(_ offer: ID) {
        declined.removeAll { $0 == offer }
        declined.append(offer)
        if declined.count > Self.mostDeclined { declined.removeFirst(declined.count - Self.mostDeclined) }
    }
}

// MARK: The document

extension PartnerList {
    init(kept json: JSON?) {
        func entries(_ name: String) -> [JSON] { if case .array(let entries)? = json?[name] { entries } else { [] } }
        if case .string(let text)? = json?["contact"] { contact = text }
        asks = entries("asks").compactMap(PartnerAsk.init)
        asked = entries("asked").compactMap(PartnerAsk.init)
        partners = entries("partners").compactMap(Partner.init)
        declined = entries("declined").compactMap(ID.init(kept:))
    }

    var json: JSON {
        .object(present: [
            "contact": contact.map(JSON.string), "asks": .array(asks.map(\.kept)), "asked": .array(asked.map(\.kept)),
            "partners": .array(partners.map(\.kept)),
            "declined": declined.isEmpty ? nil : .array(declined.map { .string($0.text) }),
        ])
    }
}

extension PartnerAsk {
    fileprivate init?(_ json: JSON) {
        guard let id = json["ask"].flatMap(ID.init(kept:)), let offer = json["offer"].flatMap(ID.init(kept:)),
            let other = json["person"].flatMap(ID.init(kept:)), case .string(let activity)? = json["activity"],
            case .integer(let time)? = json["time"]
        else { return nil }
        self.init(id: id, offer: offer, other: other, activity: activity, time: time)
        if case .string(let text)? = json["text"] { self.text = text }
    }

    /// As both see it: without a name.
    var json: JSON {
        .object(present: [
            "ask": .string(id.text), "offer": .string(offer.text), "activity": .string(activity),
            "text": text.map(JSON.string), "time": .integer(time),
        ])
    }

    fileprivate var kept: JSON {
        guard case .object(let members) = json else { return json }
        return .object(members + [JSON.Member("person", .string(other.text))])
    }
}

extension Partner {
    fileprivate init?(_ json: JSON) {
        guard let id = json["partner"].flatMap(ID.init(kept:)), let other = json["person"].flatMap(ID.init(kept:)),
            case .string(let activity)? = json["activity"], case .integer(let since)? = json["since"]
        else { return nil }
        self.init(id: id, other: other, activity: activity, since: since)
    }

    fileprivate var kept: JSON {
        [
            "partner": .string(id.text), "person": .string(other.text), "activity": .string(activity),
            "since": .integer(since),
        ]
    }
}
