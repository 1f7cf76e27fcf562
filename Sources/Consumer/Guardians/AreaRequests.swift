import Days
import Desk
import Features
import Files
import OwnTracks
import Phones
import Records
import Telemetry
import Whereabouts

// What a guardian wants to be told of: areas, and what else can be watched. A rule belongs to the guardian who has set it up, and says
// where the dependent lives; so it is sealed under the dependent's key, and goes with either of them.

extension Guardians {
    var ruleVerbs: [Verb] {
        [
            Verb("areas/set", .areasSet, .atOnce { [unowned self] in try setArea($0) }),
            Verb("areas/list", .areasList, .atOnce { [unowned self] in try listAreas($0) }),
            Verb("areas/remove", .areasRemove, .atOnce { [unowned self] in try remove($0, field: "area") }),
            Verb("alerts/set", .alertsSet, .atOnce { [unowned self] in try setAlert($0) }),
            Verb("alerts/list", .alertsList, .atOnce { [unowned self] in try listAlerts($0) }),
            Verb("alerts/remove", .alertsRemove, .atOnce { [unowned self] in try remove($0, field: "alert") }),
            Verb("alerts/confirm", .alertsConfirm, own: .defence, .atOnce { [unowned self] in try confirm($0) }),
        ]
    }

    private static let minutes: ClosedRange<Int64> = 1...1440

    // MARK: Setting up

    private func setArea(_ request: PeopleRequest) throws -> JSON {
        let fields = RuleFields(try withRegion(request))
        return try set(request, field: "area") { _ in .area(try WatchRule.Area(fields)) }
    }

    /// The request's fields, with the circle of the phone's own region that it names.
    private func withRegion(_ request: PeopleRequest) throws -> JSON {
        guard let name = try request.optionalText("region", atMost: 1024) else { return request.fields }
        let dependent = try request.fields["area"] == nil ? tie(request).dependent : own(request, "area").dependent
        guard let tie = try ties.tie(of: request.user, to: dependent) else { throw Self.noDependent }
        guard tie.allowed.contains(.location) else { throw Self.notAllowed(.location) }
        guard let region = try PhoneRegions.read(context.documents, of: dependent).region(name) else {
            let words = """
                the dependent's phones have told of no region of this name: see areas/list, and ask them with dependents/locate
                """
            throw ReplyError(.notFound, words, field: "region")
        }
        guard request.fields["circle"] == nil, request.fields["polygon"] == nil else {
            throw ReplyError(.badRequest, "an area is a region of the phone, a circle or a polygon", field: "region")
        }
        var fields = request.fields.with("circle", region.circle)
        if request.fields["name"] == nil { fields = fields.with("name", .string(name)) }
        return fields
    }

    private func setAlert(_ request: PeopleRequest) throws -> JSON {
        let word = try request.optionalText("kind", atMost: 16)
        return try set(request, field: "alert") { before in
            guard let word = word ?? before?.kind.word else {
                let words = "\"kind\" is missing: one of \(WatchRule.Kind.words.joined(separator: ", "))"
                throw ReplyError(.badRequest, words, field: "kind")
            }
            return try WatchRule.Kind(word, RuleFields(request.fields))
        }
    }

    /// Adds a rule, or changes the one that the request names.
    private func set(
        _ request: PeopleRequest, field: String, _ kind: (WatchRule?) throws -> WatchRule.Kind
    ) throws -> JSON {
        let user = try request.user
        var before: WatchRule?
        if request.fields[field] != nil { before = try own(request, field) }
        let dependent = try before?.dependent ?? tie(request).dependent
        let (minutes, isEnabled) = (
            try request.optionalInteger("escalate_min", in: Self.minutes), try request.optionalBool("enabled")
        )
        var rule = WatchRule(
            id: try before?.id ?? drawnID(), dependent: dependent, guardian: user, kind: try kind(before),
            escalateMinutes: minutes, isEnabled: isEnabled ?? true)
        rule.begin = context.now()
        let reply = try once(request, with: [dependent]) { user, _ in
            guard let tie = try ties.tie(of: user, to: dependent) else { throw Self.noDependent }
            guard tie.allowed.contains(rule.sight) else { throw Self.notAllowed(rule.sight) }
            if before == nil { try requireRoom(for: dependent, of: user) }
            try rules.write(rule)
            return rule.json
        }
        ruleChanged(rule.id, of: dependent)
        return reply
    }

    private func requireRoom(for dependent: ID, of guardian: ID) throws {
        guard try rules.count(for: dependent, of: guardian) < WatchRules.most else {
            let words = "you have \(WatchRules.most) areas and alerts for this person already: remove one"
            throw ReplyError(.notAllowed, words)
        }
        guard try rules.count(for: dependent) < WatchRules.mostOfDependent else {
            let words =
                "all guardians of this person have \(WatchRules.mostOfDependent) areas and alerts already: one of you has to remove one"
            throw ReplyError(.notAllowed, words)
        }
    }

    private static func notAllowed(_ sight: Sight) -> ReplyError {
        let words =
            "the dependent has to allow it first, with: vitals guardians allow NAME --\(sight.rawValue.replacing("_", with: "-")) on"
        return ReplyError(.notAllowed, words, field: sight.rawValue)
    }

    private static let noDependent = ReplyError(.notFound, "you watch over nobody with this id", field: "dependent")

    /// The asker's rule that a request names.
    private func own(_ request: PeopleRequest, _ field: String) throws -> WatchRule {
        let rule = try rules.rule(request.id(field))
        guard let rule, rule.guardian == (try request.user), (rule.area != nil) == (field == "area") else {
            throw ReplyError(.notFound, "you have set up nothing with this id", field: field)
        }
        return rule
    }

    private func remove(_ request: PeopleRequest, field: String) throws -> JSON {
        let (user, rule) = (try request.user, try rules.rule(request.id(field)))
        // Gone if this request has removed it before.
        let found = rule?.guardian == user ? rule : nil
        let reply = try once(request, with: Set([found?.dependent].compactMap { $0 })) { _, _ in
            try rules.remove(own(request, field).id)
            return [:]
        }
        if let found { ruleChanged(found.id, of: found.dependent) }
        return reply
    }

    // MARK: Looking

    /// The dependents whom a request is about: the one that it names, or all.
    private func dependents(_ request: PeopleRequest) throws -> [(dependent: ID, tie: GuardianTie)] {
        guard request.fields["dependent"] == nil || request.fields["dependent"] == .null else {
            return [try tie(request)]
        }
        let user = try request.user
        return try ties.dependents(of: user).all.compactMap { dependent in
            try ties.tie(of: user, to: dependent).map { (dependent, $0) }
        }
    }

    private func listAreas(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        var (areas, regions): ([JSON], [JSON]) = ([], [])
        for (dependent, tie) in try dependents(request) {
            areas += try rules.rules(for: dependent, of: user).filter { $0.area != nil }.map(\.json)
            guard tie.allowed.contains(.location) else { continue }
            regions += try PhoneRegions.read(context.documents, of: dependent).json(of: dependent)
        }
        return ["areas": .array(areas), "regions": .array(regions)]
    }

    private func listAlerts(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let language = try context.notifications.language(of: user)
        var (mine, told): ([JSON], [Alert]) = ([], [])
        for (dependent, _) in try dependents(request) {
            mine += try rules.rules(for: dependent, of: user).filter { $0.area == nil }.map(\.json)
            told += try alerts.alerts(of: dependent).filter { $0.told.contains(user) }
        }
        told.sort { ($0.time, $0.id.text) > ($1.time, $1.id.text) }
        let shown = try told.prefix(AlertRows.most).map { try json($0, for: user, language) }
        return ["rules": .array(mine), "alerts": .array(shown)]
    }

    /// Those of a dependent's alerts that a guardian was told of, and that nobody has confirmed.
    func openAlerts(of dependent: ID, for guardian: ID) throws(VaultError) -> [JSON] {
        let open = try alerts.alerts(of: dependent).filter { $0.confirmed == nil && $0.told.contains(guardian) }
        let language = try context.notifications.language(of: guardian)
        var shown: [JSON] = []
        for alert in open.prefix(AlertRows.mostOpen) { shown.append(try json(alert, for: guardian, language)) }
        return shown
    }

    /// An alert as a guardian sees it who was told of it. What another guardian has set up is not theirs to see.
    private func json(_ alert: Alert, for guardian: ID, _ language: Language) throws(VaultError) -> JSON {
        var confirmed: JSON?
        if let (by, time) = alert.confirmed {
            let name = try context.notifications.name(of: by)
            confirmed = .object(present: [
                "by": .string(by.text), "name": name.map(JSON.string), "own": .bool(by == guardian),
                "time": .integer(time),
            ])
        }
        let isOwn = alert.told.first == guardian
        return .object(present: [
            "alert": .string(alert.id.text), "dependent": .string(alert.dependent.text),
            "kind": .string(alert.kind.name), "time": .integer(alert.time),
            "text": .string(try words(alert, language, context.notifications.name(of: alert.dependent))),
            "rule": isOwn ? alert.rule.map { .string($0.text) } : nil, "told": .integer(Int64(alert.told.count)),
            "escalate_min": alert.pause.map { .integer($0 / 60_000) },
            "next": alert.confirmed == nil ? alert.next.map(JSON.integer) : nil, "confirmed": confirmed,
        ])
    }

    /// A guardian has seen an alert: nobody else is told of it.
    private func confirm(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("alert")
        let unknown = ReplyError(.notFound, "you were told of no alert with this id", field: "alert")
        guard let found = try alerts.alert(id) else { throw unknown }
        return try once(request, with: [found.dependent]) { user, now in
            guard var alert = try alerts.alert(id), alert.told.contains(user),
                try ties.tie(of: user, to: alert.dependent) != nil
            else { throw unknown }
            if alert.confirmed == nil { alert.confirmed = (user, now) }
            try alerts.change(alert, next: nil)
            return [:]
        }
    }
}
