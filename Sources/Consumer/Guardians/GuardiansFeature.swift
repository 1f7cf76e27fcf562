import Accounts
import Days
package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// Guardians, and the people whom they watch over.
    package static let guardians = Feature(
        name: "guardians", schema: WatchRules.schema, sealedTables: [WatchRules.table, AlertRows.table],
        tables: [
            PersonalTable(
                name: "watch_rules", column: "guardian", erasure: .always, exported: .shown(in: "watch-rules.json"))
        ],
        documents: [
            FeatureDocument(name: PhoneRegions.document, exported: .shown(in: "watch-rules.json")),
            FeatureDocument(name: VerificationCode.document, exported: .shown(in: "guardians.json")),
            FeatureDocument(name: GuardianList.document, exported: .shown(in: "guardians.json")),
            FeatureDocument(name: Looks.document, exported: .shown(in: "guardians.json")),
            FeatureDocument(name: OwnPlaceChoice.document, exported: .shown(in: "place.json")),
            FeatureDocument(name: DependentList.document, makesToday: true, exported: .shown(in: "dependents.json")),
        ],
        exports: [
            .document(
                "guardians.json",
                """
                Your guardians, what each may see of you, and on which days they have looked at where you were or were shown it. Of your \
                verification code there is only when you set it and whom it is for: it is kept as a password is.
                """
            ) { source throws(VaultError) in try guardians(source) },
            .document("dependents.json", "The people whose guardian you are.") { source throws(VaultError) in
                let list = try GuardianTies(source.documents).dependents(of: source.user)
                return list.all.isEmpty ? nil : list.json
            },
            .document("place.json", "Whether your own place is on the topic `place`, for your programs.") {
                source throws(VaultError) in try source.documents.read(OwnPlaceChoice.document, of: source.user)
            },
            .document(
                "watch-rules.json",
                "What your guardians watch of you, what you watch as a guardian, and the regions that your phones have told of."
            ) { source throws(VaultError) in
                let rules = WatchRules(store: source.store, keys: source.keys)
                let (of, by) = (try rules.rules(for: source.user), try rules.rules(of: source.user))
                let regions = try PhoneRegions.read(source.documents, of: source.user)
                guard !of.isEmpty || !by.isEmpty || !regions.all.isEmpty else { return nil }
                return .object([
                    JSON.Member("of_you", .array(of.map { $0.json.with("guardian", .string($0.guardian.text)) })),
                    JSON.Member("by_you", .array(by.map(\.json))),
                    JSON.Member("regions", regions.json["regions"] ?? .null),
                ])
            },
            .document("alerts.json", "Of what your guardians were told, and who has confirmed it.") {
                source throws(VaultError) in
                let alerts = try AlertRows(store: source.store, keys: source.keys).alerts(of: source.user)
                return alerts.isEmpty ? nil : ["alerts": .array(alerts.map(\.exported))]
            },
        ],
        touched: { person throws(VaultError) in try GuardianTies(person.documents).touched(byForgetting: person.user) },
        erasing: { person, _ throws(VaultError) in try GuardianTies(person.documents).forget(person.user) },
        service: { parts in
            // Without accounts nobody has a number to be found by.
            guard let accounts = parts.earlier(AccountsService.self)?.accounts else { return nil }
            return Guardians(parts, accounts)
        },
        topics: FeatureTopic.sights + [.place],
        notifications: GuardianTies.kinds)

    private static func guardians(_ source: ExportSource) throws(VaultError) -> JSON? {
        let (code, ties) = (
            try VerificationCode.read(source.documents, of: source.user), GuardianTies(source.documents)
        )
        let (list, looks) = (try ties.guardians(of: source.user), try Looks.read(source.documents, of: source.user))
        guard code != nil || !list.ties.isEmpty || !list.blocked.isEmpty else { return nil }
        let guardians = list.ties.map { tie -> JSON in
            .object(
                [
                    JSON.Member("guardian", .string(tie.guardian.text)),
                    JSON.Member("since", .string(iso8601(unixMilliseconds: tie.since))),
                ] + tie.consents + [JSON.Member("looked", looks.json(of: tie.guardian))])
        }
        return .object(present: [
            "code_set": code.map { .string(iso8601(unixMilliseconds: $0.set)) },
            "code_for": code?.guardian.map { .string($0.text) }, "guardians": .array(guardians),
            "blocked": list.blocked.isEmpty ? nil : .array(list.blocked.map { .string($0.text) }),
        ])
    }
}
