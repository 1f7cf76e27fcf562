import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import TrainingPlans

// What people ask about plans and the exercises that they are made of.

/// Answers `training/get`, `set`, `offer`, `exercises` and `exercise`. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class PlanQuestions: @unchecked Sendable {
    private let context: PeopleContext
    private let readers: FeatureReaders

    /// How many exercises a reply lists.
    static let page = 50
    /// How long a text may be that names are searched for, in bytes.
    static let longestText = 100
    /// For how many days back the sets of each muscle count, in milliseconds.
    private static let week: Int64 = 7 * 86_400_000

    init(_ parts: FeatureParts) { (context, readers) = (parts.context, parts.readers) }

    var verbs: [Verb] {
        [
            Verb("training/get", .trainingGet, .atOnce { [self] in try get($0.user) }),
            Verb("training/set", .trainingSet, .atOnce { [self] in try set($0) }),
            readers.questions.verb("training/offer", .trainingOffer) { [self] in try offer($0) },
            Verb("training/exercises", .trainingExercises, .atOnce { [self] in try exercises($0) }),
            Verb("training/exercise", .trainingExercise, .atOnce { [self] in try exercise($0) }),
        ]
    }

    private var catalogue: ExerciseCatalogue {
        get throws(ReplyError) { try context.settings[TrainingSettings.self].required() }
    }

    // MARK: What is at hand

    private func get(_ user: ID) throws -> JSON {
        let (catalogue, preferences) = (try catalogue, try TrainingPreferences(context.documents, of: user))
        let known = Set(catalogue.exercises.map(\.equipment))
        return [
            "equipment": .array(preferences.equipment.map(JSON.string)),
            "level": .string(preferences.level ?? TrainingLevel.beginner.rawValue),
            "known_equipment": .array(Equipment.allCases.filter(known.contains).map { .string($0.rawValue) }),
            "muscles": .array(Muscle.allCases.map { .string($0.rawValue) }),
            "exercises": .integer(Int64(catalogue.exercises.count)),
        ]
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let equipment = try request.optionalWords("equipment", Equipment.self)
        let level = try request.optionalWord("level", TrainingLevel.self)
        try context.store.change(user) { () throws(VaultError) in
            let before = try TrainingPreferences(context.documents, of: user)
            var preferences = before
            if let equipment { preferences.equipment = equipment.map(\.rawValue) }
            if let level { preferences.level = level.rawValue }
            if preferences != before { try preferences.keep(context.documents, of: user) }
        }
        return try get(user)
    }

    // MARK: Offers

    private func offer(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, catalogue, now) = (try request.user, try catalogue, context.now())
        let zone = context.settings.timeZone
        let minutes = Int64(PlanRequest.minutes.lowerBound)...Int64(PlanRequest.minutes.upperBound)
        let seed = try request.optionalInteger("seed", in: 0...Int64(UInt32.max)).map(UInt32.init)
        var asked = PlanOffers.Asked(seed: seed ?? .random(in: 0...UInt32.max))
        asked.kind = try request.optionalWord("kind", TrainingKind.self)
        if let wanted = try request.optionalInteger("minutes", in: minutes) { asked.minutes = Int(wanted) }
        asked.isRandom = try request.optionalBool("random") ?? false
        let equipment = try request.optionalWords("equipment", Equipment.self)
        asked.muscles = try request.optionalWords("muscles", Muscle.self, atMost: PlanRequest.mostFavoured)
        return { [asked] source in
            let documents = Documents(store: source.store, keys: source.keys)
            let preferences = try TrainingPreferences(documents, of: user)
            var asked = asked
            asked.level = preferences.level.flatMap(TrainingLevel.init) ?? .beginner
            asked.equipment = Set(equipment ?? preferences.equipment.compactMap(Equipment.init))
            asked.week = try Self.week(of: user, documents, until: now)
            let history = try Histories(source.store, source.keys, zone: zone).history(of: user)
            let person = history.person(on: history.localDays.day(of: now))
            return try Self.offers(asked, person, catalogue, try documents.language(of: user))
        }
    }

    /// How many sets each muscle had in the last seven days.
    private static func week(
        of user: ID, _ documents: Documents, until now: Int64
    ) throws(VaultError) -> [Muscle: Int] {
        let (first, last) = (TrainingRows.day(now - week), TrainingRows.day(now))
        let records = try TrainingRows(documents).records(of: user, on: first...last).filter { $0.started > now - week }
        var sets: [Muscle: Int] = [:]
        for work in records.flatMap(\.muscles) {
            if let muscle = Muscle(rawValue: work.muscle) { sets[muscle, default: 0] += work.sets }
        }
        return sets
    }

    private static func offers(
        _ asked: PlanOffers.Asked, _ person: Person, _ catalogue: ExerciseCatalogue, _ language: Language
    ) throws(ReplyError) -> JSON {
        let offers: PlanOffers
        do throws(PlanProblem) { offers = try PlanOffers(asked, for: person, catalogue) } catch {
            throw ReplyError(.invalid, "\(error)", field: "minutes")
        }
        return [
            "seed": .integer(Int64(asked.seed)),
            "offers": .array(
                offers.plans.map { $0.json(title: language($0.title), kilocalories: $0.kilocalories(person)) }),
            "notes": .array(offers.notes.map { .string(language($0.words)) }),
        ]
    }

    // MARK: The catalogue

    private func exercises(_ request: PeopleRequest) throws -> JSON {
        _ = try request.user
        let found = try catalogue.exercises(
            muscle: request.optionalWord("muscle", Muscle.self),
            equipment: request.optionalWord("equipment", Equipment.self),
            level: request.optionalWord("level", TrainingLevel.self),
            text: request.optionalText("text", atMost: Self.longestText))
        var rest = found[...]
        if let after = try request.optionalText("after", atMost: 64) {
            guard let index = found.firstIndex(where: { $0.id == after }) else {
                throw ReplyError(
                    .invalid, "\"after\" is no exercise of this list: take \"next\" of the part before", field: "after")
            }
            rest = found[(index + 1)...]
        }
        let page = rest.prefix(Self.page)
        return .object(present: [
            "exercises": .array(page.map { .object($0.members) }),
            "next": page.count < rest.count ? page.last.map { .string($0.id) } : nil,
        ])
    }

    private func exercise(_ request: PeopleRequest) throws -> JSON {
        _ = try request.user
        guard let exercise = try catalogue[request.text("exercise", atMost: 64)] else {
            throw ReplyError(.notFound, "there is no such exercise", field: "exercise")
        }
        let instructions = JSON.array(exercise.instructions.map(JSON.string))
        return .object(exercise.members + [JSON.Member("instructions", instructions)])
    }
}

extension TrainingExercise {
    /// What a list has of it.
    fileprivate var members: [JSON.Member] {
        [
            JSON.Member("exercise", .string(id)), JSON.Member("name", .string(name)),
            JSON.Member("category", .string(category.rawValue)), JSON.Member("level", .string(level.rawValue)),
            JSON.Member("equipment", .string(equipment.rawValue)),
            JSON.Member("primary", .array(primary.map { .string($0.rawValue) })),
            JSON.Member("secondary", .array(secondary.map { .string($0.rawValue) })),
        ]
    }
}

extension Documents {
    /// The language of a person's profile.
    fileprivate func language(of user: ID) throws(VaultError) -> Language {
        let profile = try read("profile", of: user).flatMap { Profile(kept: $0) }
        return Language.of(locale: profile?.locale ?? "")
    }
}
