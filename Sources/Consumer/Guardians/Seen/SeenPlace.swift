import Contract
import Features
import Files
import Records
import Storage
import Telemetry
import Whereabouts

/// The last place and motion of a person, limited to what a program may show. Of themselves, people see everything that is known.
struct SeenPlace {
    var sights: Set<Sight> = [.location, .motion]
    /// What was before is not shown, in Unix milliseconds.
    var since: Int64 = -Moment.limit
    /// Areas that have a name.
    var areas: [NamedArea] = []

    /// What of it changes only with what is measured. What is not known is left out.
    func members(_ one: Watched, now: Int64) -> [JSON.Member] {
        var members: [JSON.Member] = []
        if let fix = fix(one) {
            members.append(JSON.Member("position", Watched.json(fix)))
            let place = Fix(time: fix.time, place: fix.place, accuracyMetres: fix.position.accuracyMetres)
            if let name = NamedArea.name(at: place, among: areas) { members.append(JSON.Member("area", .string(name))) }
        }
        guard sights.contains(.motion) else { return members }
        if let current = one.motion.current(now: now) {
            members.append(JSON.Member("state", .string(current.state.rawValue)))
            members.append(JSON.Member("since", .integer(current.since)))
        }
        return members + [JSON.Member("exercise_min", .integer(Int64(one.motion.exerciseMinutes)))]
    }

    /// How many seconds ago it was; nil if no position is known.
    func age(_ one: Watched, now: Int64) -> Int64? { fix(one).map { max(0, now - $0.time) / 1000 } }

    private func fix(_ one: Watched) -> Fixes.Found? {
        guard sights.contains(.location), let fix = one.fixes.last, fix.time >= since else { return nil }
        return fix
    }

    /// The areas of a person: those that guardians watch, and the regions of the person's own phones.
    /// - Parameter guardian: whose areas they are; nil for those of all.
    static func areas(
        of user: ID, by guardian: ID? = nil, _ documents: Documents
    ) throws(VaultError) -> [NamedArea] {
        let rules = try WatchRules(store: documents.store, keys: documents.keys).rules(for: user)
        let watched = rules.filter { guardian == nil || $0.guardian == guardian }.compactMap(\.area)
            .map { NamedArea($0.name, $0.shape) }
        let regions = try PhoneRegions.read(documents, of: user).all.compactMap { region -> NamedArea? in
            let shape = try? AreaShape(middle: region.middle, radiusMetres: region.radiusMetres)
            return shape.map { NamedArea(region.name, $0) }
        }
        return watched + regions
    }
}

/// Whether a person wants their own place on their topic: the document "own-place".
struct OwnPlaceChoice {
    static let document = "own-place"

    static func isPublished(_ documents: Documents, of user: ID) throws(VaultError) -> Bool {
        try documents.read(Self.document, of: user)?["published"] == true
    }

    static func keep(_ isPublished: Bool, _ documents: Documents, of user: ID) throws(VaultError) {
        guard isPublished else { return try documents.remove(Self.document, of: user) }
        try documents.write(["published": true], Self.document, of: user)
    }

    /// Those who want it.
    static func everybody(_ documents: Documents) throws(VaultError) -> [ID] {
        try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(document)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }
}

extension UserTopic {
    /// Where the person was last, if they want it there.
    static let place = UserTopic.published("place")
}

// MARK: What they say

private enum PlaceFields {
    static let place: [PayloadSchema.Field] = [
        .known(
            "position",
            .object(
                "SeenPosition", "Where somebody was last.",
                [
                    .always("time", .time.about("of the fix")), .always("lat", .number.about("degrees north")),
                    .always("lon", .number.about("degrees east")), .known("accuracy_m", .number),
                    .known("altitude_m", .number),
                ])),
        .known("area", .text.about("what the smallest area around it is called")),
        .known("state", .word(MotionJudge.State.allCases.map(\.rawValue))),
        .known("since", .time.about("since when they move so")),
        .known("exercise_min", .count.about("minutes of exercise today")),
    ]
}

extension FeatureTopic {
    static let place = FeatureTopic(
        "place", isRetained: true, isTakenBackByFeature: true,
        .object(
            "OwnPlace", "Where the person was last and how they move, if they want it on a topic.", PlaceFields.place))
}

extension RequestContract {
    static let placeGet = RequestContract(
        "Shows where the person was last and how they move, or a dependent as far as they let it be seen.",
        asks: [
            .known(
                "dependent", .id.orNull.about("null for oneself; whom the person's programs show if it is left out"))
        ],
        answers: .record(
            [
                .known("dependent", .id.about("whose place it is; left out for oneself")), .known("name", .text),
            ] + PlaceFields.place + [
                .known("age_s", .count.about("how old the position is")),
                .known("recorded", .bool.about("whether the person's own position is recorded: `consent/set`")),
                .known("published", .bool.about("whether the person's own place is on the topic `place`")),
                .known(
                    "not_shown",
                    .array(of: .word(["location", "motion"])).about("what the dependent does not show")),
            ]))

    static let placePublish = RequestContract(
        "Says whether the person's own place is on the topic `place`, which all of their programs can read.",
        asks: [.always("published", .bool)], answers: .record([.always("published", .bool)]))
}
