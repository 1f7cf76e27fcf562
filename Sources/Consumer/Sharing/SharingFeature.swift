package import Features
import Files
import Fitness
import Telemetry

extension Feature {
    /// What people post to services of their own: a workout, what a time came to, a goal.
    package static let sharing = Feature(
        name: "sharing",
        documents: [
            FeatureDocument(name: SharingServices.document, exported: .shown(in: "sharing.json")),
            FeatureDocument(name: ShareRecords.document, exported: .shown(in: "sharing.json")),
        ],
        exports: [
            .document(
                "sharing.json",
                """
                The services to which you can post, and what became of what you shared lately. Of each address, only its scheme and \
                its server are here: the rest may hold passwords and tokens, with which somebody who finds a copy could write in your name. \
                You have them where you made them. What a service said when it did not take something is left out, too: that may have a part \
                of its address in it.
                """
            ) { source throws(VaultError) in
                let services = try SharingServices(source.documents, of: source.user).entries
                let records = try ShareRecords(source.documents, of: source.user).records
                guard !services.isEmpty || !records.isEmpty else { return nil }
                return [
                    "services": .array(
                        services.map { $0.shown.dated("created") { iso8601(unixMilliseconds: $0) } }),
                    "shares": .array(
                        records.map { record in
                            [
                                "time": .string(iso8601(unixMilliseconds: record.time)),
                                "what": .string(record.subject), "results": record.results(isUnderWay: false, hasProblems: false),
                            ]
                        }),
                ]
            }
        ],
        service: { Sharing($0) }, settings: SharingSetting.self)
}
