package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// People who look for others to train with.
    package static let partners = Feature(
        name: "partners", schema: OfferRows.schema, sealedTables: [OfferRows.table],
        documents: [
            FeatureDocument(name: PartnerList.document, hangsByItself: true, exported: .shown(in: "partners.json"))
        ],
        exports: [
            .document(
                "partners.json",
                """
                What you have offered to do together with others, what you have asked and were asked, your training partners, and what you \
                show them as a contact, and the offers whose owners did not want to train with you.
                """
            ) { source throws(VaultError) in try exported(source) }
        ],
        touched: { person throws(VaultError) in try PartnerBook(person.documents).others(of: person.user) },
        erasing: { person, _ throws(VaultError) in try PartnerBook(person.documents).forget(person.user) },
        hanging: { hanging, source throws(VaultError) in
            let book = PartnerBook(source.documents)
            hanging.offers = try book.offers.offers(of: source.user, now: source.now).count
            hanging.partners = try book.partners(of: source.user, book.list(of: source.user)).count
        },
        service: { Partners($0) }, notifications: Notification.Kind.partners)

    private static func exported(_ source: ExportSource) throws(VaultError) -> JSON? {
        let (book, notifications) = (PartnerBook(source.documents), Notifications(source.store, source.keys))
        let list = try book.list(of: source.user)
        func dated(_ json: JSON, _ names: String...) -> JSON {
            names.reduce(json) { json, name in json.dated(name) { iso8601(unixMilliseconds: $0) } }
        }
        let offers = try book.offers.offers(of: source.user, now: source.now)
        guard !offers.isEmpty || list != PartnerList() else { return nil }
        var partners: [JSON] = []
        for partner in try book.partners(of: source.user, list) {
            partners.append(
                .object(present: [
                    "partner": .string(partner.id.text),
                    "name": try notifications.name(of: partner.other).map(JSON.string),
                    "activity": .string(partner.activity),
                    "since": .string(iso8601(unixMilliseconds: partner.since)),
                ]))
        }
        return .object(present: [
            "offers": .array(offers.map { dated($0.own, "since", "expires") }),
            "asks": .array(list.asks.map { dated($0.json, "time") }),
            "asked": .array(list.asked.map { dated($0.json, "time") }), "partners": .array(partners),
            "contact": list.contact.map(JSON.string),
            "declined": list.declined.isEmpty ? nil : .array(list.declined.map { .string($0.text) }),
        ])
    }
}
