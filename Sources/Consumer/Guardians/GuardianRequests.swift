import Daemon
import Desk
import Features
import Files
import Records
import Telemetry

// What a dependent asks about their guardians.

extension Guardians {
    private static let unknown = ReplyError(.notFound, "you have no guardian with this id", field: "guardian")

    func listGuardians(of user: ID) throws -> JSON {
        let list = try ties.guardians(of: user)
        let looks = try Looks.read(context.documents, of: user)
        var entries = try ties.ties(of: user).map { tie in try entry(tie, looks) }
        for guardian in list.blocked {
            entries.append(["guardian": .string(guardian.text), "blocked": true])
        }
        let code = try VerificationCode.read(context.documents, of: user)
        return .object(present: code?.shown ?? [:]).with("guardians", .array(entries))
    }

    private func entry(_ tie: GuardianTie, _ looks: Looks) throws(VaultError) -> JSON {
        let name = try context.notifications.name(of: tie.guardian)
        return .object(
            [JSON.Member("guardian", .string(tie.guardian.text))]
                + (name.map { [JSON.Member("name", .string($0))] } ?? [])
                + [JSON.Member("since", .integer(tie.since))] + tie.consents
                + [JSON.Member("looked", looks.json(of: tie.guardian))])
    }

    /// What a guardian may see from now on. What they may no longer see is taken back before the reply leaves.
    func allow(_ request: PeopleRequest) throws -> JSON {
        let guardian = try request.id("guardian")
        var said: [Sight: Bool] = [:]
        for sight in Sight.allCases { said[sight] = try request.optionalBool(sight.rawValue) }
        guard !said.isEmpty else {
            let names = Sight.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw ReplyError(.badRequest, "say what: \(names), each true or false", field: Sight.location.rawValue)
        }
        let reply = try once(request, with: [guardian]) { user, now in
            guard let before = try ties.tie(of: guardian, to: user) else { throw Self.unknown }
            try ties.change(guardiansOf: user) { list in list.allow(said, guardian) }
            guard let tie = try ties.tie(of: guardian, to: user) else { throw Self.unknown }
            for var rule in try rules.rules(for: user)
            where rule.guardian == guardian && tie.allowed.contains(rule.sight) && !before.allowed.contains(rule.sight)
            {
                // What happened without consent is not told.
                rule.begin = now
                try rules.write(rule)
            }
            if tie.allowed != before.allowed {
                let seen = Sight.allCases.filter(tie.allowed.contains)
                try tell(guardian, .dependentConsent, .dependentConsent, of: user, now: now) { language, name in
                    let sights =
                        seen.isEmpty ? language(.nothing) : seen.map { language($0.phrase) }.joined(separator: ", ")
                    return ["name": name, "sights": sights]
                }
            }
            return try entry(tie, Looks.read(context.documents, of: user))
        }
        tiesChanged(of: try request.user, with: guardian)
        return reply
    }

    func removeGuardian(_ request: PeopleRequest) throws -> JSON {
        let guardian = try request.id("guardian")
        let reply = try once(request, with: [guardian]) { user, now in
            guard try ties.guardians(of: user).tie(guardian) != nil else { throw Self.unknown }
            try end(guardian, of: user, now: now)
            return [:]
        }
        tiesChanged(of: try request.user, with: guardian)
        return reply
    }

    func block(_ request: PeopleRequest) throws -> JSON {
        let named = try request.id("guardian")
        let sender = try context.notifications.sender(of: named, to: request.user)
        let guardian = sender ?? named
        let reply = try once(request, with: [guardian]) { user, now in
            let list = try ties.guardians(of: user)
            // Only somebody who is or was a guardian: nobody learns who else is here.
            guard list.tie(guardian) != nil || sender != nil, !list.blocked.contains(guardian) else {
                throw Self.unknown
            }
            guard list.blocked.count < GuardianList.mostBlocked else {
                let words = "you have blocked \(GuardianList.mostBlocked) already: unblock somebody (guardians/unblock)"
                throw ReplyError(.notAllowed, words)
            }
            if list.tie(guardian) != nil { try end(guardian, of: user, now: now) }
            try ties.change(guardiansOf: user) { list in list.blocked.append(guardian) }
            return ["guardian": .string(guardian.text), "blocked": true]
        }
        tiesChanged(of: try request.user, with: guardian)
        return reply
    }

    func unblock(_ request: PeopleRequest) throws -> JSON {
        let guardian = try request.id("guardian")
        return try once(request, with: []) { user, _ in
            guard try ties.guardians(of: user).blocked.contains(guardian) else { throw Self.unknown }
            try ties.change(guardiansOf: user) { list in list.blocked.removeAll { $0 == guardian } }
            return [:]
        }
    }

    /// The dependent needs help: all guardians are told at once, whatever they may see.
    func help(_ request: PeopleRequest) throws -> JSON {
        let words = try request.optionalText("text", atMost: 800)
        guard words.map({ $0.count <= Self.longestHelp }) ?? true else {
            throw ReplyError(.invalid, "\"text\" has at most \(Self.longestHelp) characters", field: "text")
        }
        let user = try request.user
        let guardians = try ties.ties(of: user).map(\.guardian)
        guard !guardians.isEmpty else {
            throw ReplyError(.notFound, "you have no guardian: call somebody else, or the number for emergencies")
        }
        if let seconds = helps.take(user, now: clock()) {
            let words = "your guardians have been told: again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        let occasion = try drawnID().text
        return try once(request, with: Set(guardians)) { user, now in
            ["told": .integer(Int64(try callForHelp(user, words?.isEmpty == true ? nil : words, occasion, now: now)))]
        }
    }

    /// Characters.
    private static let longestHelp = 200

    /// A dependent ends it, within a transaction.
    private func end(_ guardian: ID, of user: ID, now: Int64) throws(VaultError) {
        try ties.end(guardian, of: user)
        try rules.removeAll(of: guardian, for: user)
        if try context.keys.version(of: guardian) != nil {
            try tell(guardian, .dependentEnded, .dependentEnded, of: user, now: now)
        }
    }
}
