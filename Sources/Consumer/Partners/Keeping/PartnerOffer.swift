import Records
import Telemetry

/// What somebody would like to do together with others, and where: what all others may find, without a name.
struct PartnerOffer: Equatable, Sendable {
    /// How many a person may have.
    static let most = 5
    /// How long it can be found, unless it is offered again, in milliseconds.
    static let lifetime: Int64 = 90 * 86_400_000
    /// No text is longer, in characters and in bytes.
    static let longestArea = (characters: 64, bytes: 256)
    static let longestText = (characters: 200, bytes: 800)
    /// Of an activity, in bytes.
    static let longestActivity = 256
    /// Seconds for a kilometre.
    static let paces: ClosedRange<Int64> = 60...3600

    let id: ID
    let activity: String
    /// What the person calls it: no position, as far as one can tell.
    let area: String
    /// Seconds for a kilometre, the fastest and the slowest.
    var pace: ClosedRange<Int64>?
    var text: String?
    /// When it was made first, in Unix milliseconds.
    let since: Int64
    /// Until when it can be found.
    var expires: Int64

    /// A text as it is compared: without regard to case and to how much space there is.
    static func compared(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether a text can be an area: it has letters, and nothing that looks like a position.
    static func isArea(_ text: String) -> Bool {
        let written = WrittenPosition(in: text)
        return PlainText.isLine(text, atMost: longestArea) && text.contains(where: \.isLetter)
            && !written.hasFractionOrDegrees && !written.isThere
    }

    /// Whether it is of this activity, in an area whose name has these words, and of a pace that the other one has, too. An offer that
    /// names no pace is of any.
    func isMeant(activity: String?, area: String?, pace: ClosedRange<Int64>? = nil) -> Bool {
        guard activity.map({ Self.compared($0) == Self.compared(self.activity) }) ?? true else { return false }
        guard area.map({ Self.compared(self.area).contains(Self.compared($0)) }) ?? true else { return false }
        guard let pace, let own = self.pace else { return true }
        return pace.overlaps(own)
    }
}

// MARK: As JSON

extension PartnerOffer {
    /// As others find it.
    var json: JSON {
        .object(present: [
            "offer": .string(id.text), "activity": .string(activity), "area": .string(area),
            "pace": pace.map {
                ["from_s_per_km": .integer($0.lowerBound), "to_s_per_km": .integer($0.upperBound)]
            },
            "text": text.map(JSON.string), "since": .integer(since),
        ])
    }

    /// As its owner sees it, and as it is kept.
    var own: JSON {
        guard case .object(let members) = json else { return json }
        return .object(members + [JSON.Member("expires", .integer(expires))])
    }

    init?(kept json: JSON) {
        guard let id = json["offer"].flatMap(ID.init(kept:)), case .string(let activity)? = json["activity"],
            case .string(let area)? = json["area"], case .integer(let since)? = json["since"],
            case .integer(let expires)? = json["expires"]
        else { return nil }
        self.init(id: id, activity: activity, area: area, since: since, expires: expires)
        if case .string(let text)? = json["text"] { self.text = text }
        if case .integer(let from)? = json["pace"]?["from_s_per_km"],
            case .integer(let to)? = json["pace"]?["to_s_per_km"], from <= to
        {
            pace = from...to
        }
    }
}
