package import Days
package import Desk
package import Features
import Fitness
import Readings
import Records
import Storage
import Telemetry

// What people say about themselves: profile, picture and what they agree to show to others. Each is a document of the
// person's.

/// Profiles, pictures and consents of all people. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Profiles: @unchecked Sendable {
    private let context: PeopleContext
    private let days: Days

    package init(_ context: PeopleContext, _ days: Days) {
        self.context = context
        self.days = days
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb("profile/get", .profileGet, .atOnce { [self] in try get($0.user) }),
            Verb("profile/set", .profileSet, .atOnce { [self] in try set($0) }),
            Verb("profile/cancel", .profileCancel, .atOnce { [self] in try cancel($0.user) }),
            Verb("consent/get", .consentGet, .atOnce { [self] in try consent(of: $0.user) }),
            Verb("consent/set", .consentSet, .atOnce { [self] in try setConsent($0) }),
            Verb("picture/get", .pictureGet, .atOnce { [self] in try picture(of: $0.user) }),
            Verb(
                "picture/set", .pictureSet, maximumLength: Picture.maximumRequestLength,
                .atOnce { [self] in try setPicture($0) }),
            Verb("picture/remove", .pictureRemove, .atOnce { [self] in try removePicture(of: $0.user) }),
        ]
    }

    // MARK: Profile

    private func profile(of user: ID) throws(VaultError) -> Profile? {
        try context.documents.read("profile", of: user).flatMap { Profile(kept: $0) }
    }

    private func get(_ user: ID) throws -> JSON {
        guard let profile = try profile(of: user) else { return ["profile": .null] }
        return .object(try members(profile, user))
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let profile = try Profile(request.fields, old: try profile(of: user), now: context.now())
        let sensors: Set<SensorName>
        do {
            sensors = try context.store.change(user) { () throws(VaultError) in
                try days.take(profile, of: user, now: context.now())
                try context.documents.write(profile.json, "profile", of: user)
                let claims = Claims(store: context.store)
                try claims.setKinds(RecordedKinds(context.documents), of: user)
                return try claims.sensors(of: user)
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        if !sensors.isEmpty { context.doors.bringStreamsInLine(of: sensors) }
        context.changes.changedAtOnce([user])
        return .object(try [JSON.Member("message", "Data Saved Successfully")] + members(profile, user))
    }

    private func cancel(_ user: ID) throws -> JSON {
        let isThere = try profile(of: user) != nil
        return ["message": isThere ? "Changes Discarded" : "Enter Details to Proceed"]
    }

    private func members(_ profile: Profile, _ user: ID) throws(VaultError) -> [JSON.Member] {
        let zone = profile.timeZone.flatMap { ZoneRules($0) }
        let today = zone?.day(at: context.now()) ?? CalendarDay(localSeconds: context.now() / 1000)
        let person = try days.histories.history(of: user).person(on: today)
        let (zones, ofBicycle) = (person.zones(), person.zones(for: .bicycle))
        return [JSON.Member("profile", profile.json)] + profile.bodyMass(on: today)
            + (zones.map { [JSON.Member("zones", $0.json)] } ?? [])
            + (ofBicycle.map { $0 == zones ? [] : [JSON.Member("bicycle_zones", $0.json)] } ?? [])
    }

    // MARK: Consent

    private func consent(of user: ID) throws -> JSON {
        let applying = try Consents(context.documents).applying(to: user, context.settings[HomeAssistantSettings.self])
        return .object(Consents.names.map { JSON.Member($0, .bool(applying[$0] ?? false)) })
    }

    private func setConsent(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let consents = Consents(context.documents)
        var given: [String: Bool] = [:]
        for name in Consents.names { given[name] = try request.optionalBool(name) }
        let sensors = try context.store.change(user) { [given] () throws(VaultError) in
            let said = try consents.said(by: user).merging(given) { $1 }
            try consents.keep(said, of: user, now: context.now())
            let claims = Claims(store: context.store)
            try claims.setKinds(RecordedKinds(context.documents), of: user)
            return given[RecordedKinds.recordLocation] == nil ? [] : try claims.sensors(of: user)
        }
        // The streams are brought in line before the reply leaves: from then on nothing else is recorded.
        if !sensors.isEmpty { context.doors.bringStreamsInLine(of: sensors) }
        context.changes.changedAtOnce([user])
        return try consent(of: user)
    }

    // MARK: Picture

    private func picture(of user: ID) throws -> JSON {
        guard let picture = try context.documents.read("picture", of: user) else {
            throw ReplyError(.notFound, "There is no picture")
        }
        return picture
    }

    private func setPicture(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let picture = try Picture(request.fields)
        try context.store.change(user) { () throws(VaultError) in
            try context.documents.write(picture.json, "picture", of: user)
        }
        return picture.description
    }

    private func removePicture(of user: ID) throws -> JSON {
        try context.store.change(user) { () throws(VaultError) in
            try context.documents.remove("picture", of: user)
        }
        return [:]
    }
}
