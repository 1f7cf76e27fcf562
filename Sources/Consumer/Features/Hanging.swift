package import Contract
package import Records
package import Storage
package import Telemetry

/// What hangs on an account. Somebody may have signed up with another person's address: the address's owner looks at
/// this before they keep it.
package struct Hanging: Equatable {
    package var friends = 0
    /// Invitations that are not answered yet, by them or by others.
    package var invitations = 0
    package var groups = 0
    /// In how many of these they compete, so that the others see figures of theirs.
    package var competing = 0
    package var posts = 0
    /// What they offer to train together with others.
    package var offers = 0
    package var partners = 0
    /// What others may be shown.
    package var consent: [String] = []
    package var devices = 0
    package var gateways: [String] = []
    package var sensors: [String] = []
    /// Profile, picture and so on.
    package var documents: [String] = []
    /// How many readings there are of each kind.
    package var readings: [ReadingKind: Int64] = [:]
    /// The times of the first and the last reading, Unix milliseconds, to the hour.
    package var span: ClosedRange<Int64>?

    /// Whether there is nothing except devices, which a reset ends in any case.
    package var isNothing: Bool {
        var other = self
        other.devices = 0
        return other == Hanging()
    }

    /// What `json` has: what the account does not have is left out.
    package static let schema = PayloadSchema.object(
        "Hanging", "What belongs to an account.",
        [
            .known("friends", .count), .known("invitations", .count), .known("groups", .count),
            .known("competing", .count.about("in how many groups")), .known("posts", .count), .known("offers", .count),
            .known("partners", .count), .known("consent", .array(of: .text)),
            .known("devices", .count), .known("gateways", .array(of: .id)), .known("sensors", .array(of: .text)),
            .known("documents", .array(of: .text)),
        ] + ReadingKind.allCases.map { .known($0.rawValue, .count) } + [
            .known("from", .time.about("of the first reading, to the hour")),
            .known("to", .time.about("of the last reading, to the hour")),
        ])

    package var json: JSON {
        var members: [(String, JSON?)] = [
            ("friends", Self.number(friends)), ("invitations", Self.number(invitations)), ("groups", Self.number(groups)),
            ("competing", Self.number(competing)), ("posts", Self.number(posts)), ("offers", Self.number(offers)),
            ("partners", Self.number(partners)), ("consent", Self.list(consent)), ("devices", Self.number(devices)),
            ("gateways", Self.list(gateways)), ("sensors", Self.list(sensors)), ("documents", Self.list(documents)),
        ]
        for kind in ReadingKind.allCases { members.append((kind.rawValue, readings[kind].map(JSON.integer))) }
        members += [("from", span.map { .integer($0.lowerBound) }), ("to", span.map { .integer($0.upperBound) })]
        return .object(members.compactMap { name, value in value.map { JSON.Member(name, $0) } })
    }

    private static func number(_ count: Int) -> JSON? { count == 0 ? nil : .integer(Int64(count)) }
    private static func list(_ names: [String]) -> JSON? { names.isEmpty ? nil : .array(names.map(JSON.string)) }
}

/// Adds what of a feature hangs on a person's account.
package typealias HangingPart = @Sendable (inout Hanging, ExportSource) throws(VaultError) -> Void

extension [Feature] {
    /// What hangs on a person's account.
    /// - Parameter source: for that person.
    package func hanging(_ source: ExportSource) throws(VaultError) -> Hanging {
        var hanging = Hanging()
        for feature in self { try feature.hanging?(&hanging, source) }
        let told = Set(documents.filter(\.hangsByItself).map(\.name))
        let names = try source.store.documents(of: source.user)
        hanging.documents = names.filter { !told.contains($0) }
        for kind in ReadingKind.allCases {
            if let count = try source.store.readings(of: source.user)[kind], count > 0 {
                hanging.readings[kind] = count
            }
        }
        hanging.span = try source.store.span(of: source.user)
        return hanging
    }
}

extension Store {
    /// The times of the first and the last reading in a person's blocks, Unix milliseconds, to the hour; nil if
    /// there are none.
    fileprivate func span(of user: ID) throws(VaultError) -> ClosedRange<Int64>? {
        var span: ClosedRange<Int64>?
        for stream in try streams(of: user) {
            // Asked for one by one, each is found in the index.
            let first = try hour("min", of: stream)
            let last = try hour("max", of: stream)
            guard let first, let last else { continue }
            let (low, high) = (min(first, span?.lowerBound ?? first), max(last, span?.upperBound ?? last))
            span = low...high
        }
        return span.map { $0.lowerBound * 3_600_000...($0.upperBound + 1) * 3_600_000 }
    }

    private func hour(_ function: String, of stream: StoredStream) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT \(function)(first_hour) FROM blocks WHERE stream = ?", [.integer(stream.number)],
            row: Row.intIfPresent) ?? nil
    }
}
