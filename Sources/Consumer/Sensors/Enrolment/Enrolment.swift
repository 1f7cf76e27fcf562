import Admission
import Daemon
package import Desk
package import Features
import Readings
import Records
import Storage
import Telemetry
import Vault

// How gateways are enrolled and removed.
//
//     person                 consumer                                        gateway
//     gateways/invite  ──►   draws a code, for an hour
//                            accounts/enrol: the proof that it knows it  ◄──
//                            the broker lets it in, the database has it
//                            its name, its password, our key, our proof  ──►
//
// Vault/EnrolmentCode.swift says what the proofs prove. The broker is told first. Once it has said yes, the database
// has the gateway, and no longer the code: whatever happens in between, the code is good for another try. When a
// gateway is removed, the database comes first; a broker that was not there is brought in line when it comes back.

/// Answers `accounts/enrol` and `gateways/…`. Belongs to the session's thread, and lives as long as the desk that has
/// its verbs.
// Proof of @unchecked: as for `PeopleContext`.
package final class Enrolment: @unchecked Sendable {
    private let context: PeopleContext
    /// Codes whose gateway the broker is about to let in.
    private var underWay: Set<String> = []
    /// How many codes a person gets. It is kept in memory only, so it begins again after a restart.
    private var allowance = Allowance<ID>(perSecond: 1.0 / 3600, burst: 10)
    /// How often a person may choose to see a gateway's live readings: the broker then changes each of their devices.
    private var looks = Allowance<ID>(perSecond: 1.0 / 600, burst: 10)
    private var gateways: EnrolledGateways { EnrolledGateways(store: context.store, keys: context.keys) }
    private var codes: EnrolmentCodes { EnrolmentCodes(store: context.store, keys: context.keys) }
    private var database: Database { context.store.database }

    /// The length of a gateway's name, in bytes.
    static let longestName = 64
    /// How many gateways a person may have.
    static let mostGateways = 32

    package init(_ context: PeopleContext) {
        self.context = context
    }

    /// What people and gateways may ask.
    package var verbs: [Verb] {
        [
            Verb("enrol", .enrol, for: .guests, .later { [self] in enrol($0) }),
            Verb("gateways/invite", .gatewaysInvite, .atOnce { [self] in try invite($0) }),
            Verb("gateways/list", .gatewaysList, .atOnce { [self] in try list($0) }),
            Verb("gateways/rename", .gatewaysRename, .atOnce { [self] in try rename($0) }),
            Verb("gateways/household", .gatewaysHousehold, .later { [self] in setHousehold($0) }),
            Verb("gateways/remove", .gatewaysRemove, .later { [self] in remove($0) }),
        ]
    }

    // MARK: Coming

    private func invite(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let invitation = Invitation(
            owner: user, name: try name(request, isRequired: false),
            isHousehold: try request.optionalBool("household") ?? false)
        guard try gateways.all(of: user).count < Self.mostGateways else {
            throw ReplyError(.notAllowed, "you have \(Self.mostGateways) gateways already: remove one")
        }
        if let seconds = allowance.take(user, now: millisecondsSinceBoot()) {
            throw ReplyError(
                .rateLimited, "you have asked for too many enrolment codes: try again in \(seconds) s",
                retryAfterSeconds: seconds)
        }
        let (code, expires) = try context.store.change(user) { () throws(VaultError) in
            try codes.make(invitation, now: context.now())
        }
        return ["code": .string(code.text), "expires": .integer(expires)]
    }

    /// A gateway that is about to be enrolled.
    private struct Newcomer {
        let code: EnrolmentCode
        let gateway: EnrolledGateway
        let name: String?
        let password: String
    }

    private func enrol(_ request: PeopleRequest) {
        let newcomer: Newcomer
        do { newcomer = try checked(request) } catch { return request.refuse(error) }
        let gateway = newcomer.gateway
        underWay.insert(newcomer.code.id)
        admit(gateway, newcomer.password) { [unowned self] error in
            underWay.remove(newcomer.code.id)
            if let error {
                context.limitedLog.error("not enrolled") { "gateway \(gateway.id) was not enrolled\($0): \(error)" }
                return request.refuse(ReplyError(.busy, "the broker is not ready: try again", retryAfterSeconds: 10))
            }
            request.answering {
                try enter(newcomer)
                request.done(try reply(to: newcomer))
            }
        }
    }

    /// The gateway that asks to be enrolled, if its code is valid and its proof is right.
    private func checked(_ request: PeopleRequest) throws -> Newcomer {
        let wrong = ReplyError(.wrongCredentials, "this code is wrong, or was used", field: "code_id")
        guard let id = EnrolmentCode.id(try request.text("code_id", atMost: 64)) else { throw wrong }
        let (key, proof) = (try bytes("gateway_key", request), try bytes("proof", request))
        do throws(VaultError) { _ = try Ed25519.VerifyingKey(key) } catch {
            throw ReplyError(.invalid, "\"gateway_key\" is not an Ed25519 public key", field: "gateway_key")
        }
        guard EnrolledGateways.canAgree(context.keys.identity, key) else {
            throw ReplyError(.invalid, "\"gateway_key\" is a key that is not secret with anyone", field: "gateway_key")
        }
        guard !underWay.contains(id) else { throw ReplyError(.busy, "this code is being used at this moment") }
        let now = context.now()
        let checked = try database.transaction { () throws(VaultError) in
            try codes.check(id, proof: proof, gatewayKey: key, now: now)
        }
        switch checked {
        case .failure(.wrong): throw wrong
        case .failure(.expired): throw ReplyError(.expired, "this code is more than an hour old", field: "code_id")
        case .failure(.locked):
            throw ReplyError(.locked, "this code was tried too often: get another", field: "code_id")
        case .success(let (code, invitation)):
            let gateway = EnrolledGateway(
                id: try self.id(for: invitation, key), owner: invitation.owner, identity: key,
                isHousehold: invitation.isHousehold, enrolled: now)
            let password = KeyFile.text(of: try RandomBytes.draw(32))
            return Newcomer(code: code, gateway: gateway, name: invitation.name, password: password)
        }
    }

    /// The id that the operator chose, the one that this gateway already has with this owner, or a new one.
    private func id(for invitation: Invitation, _ key: [UInt8]) throws -> ID {
        if let gateway = invitation.gateway { return gateway }
        let known = try gateways.all().first { $0.identity == key && $0.owner == invitation.owner }
        if let known { return known.id }
        while true {
            let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
            let drawn = try ID(String(try RandomBytes.draw(8).map { digits[Int($0 & 31)] }))
            if context.settings.gateways[drawn] == nil, try gateways.gateway(drawn) == nil { return drawn }
        }
    }

    private func enter(_ newcomer: Newcomer) throws {
        let gateway = newcomer.gateway
        let credential = try BrokerCredential(password: newcomer.password).bytes
        let codeKey = try newcomer.code.codeKey()
        let before = try gateways.gateway(gateway.id)
        let isEntered = try context.store.change(naming: try owners(of: gateway)) { () throws(VaultError) in
            // While the broker was busy the owner may have gone, and with them all their codes.
            guard try codes.remove(newcomer.code.id) else { return false }
            try gateways.write(gateway, credential: credential, codeKey: codeKey)
            if let owner = gateway.owner, let name = newcomer.name {
                try gateways.setName(name, of: gateway.id, by: owner)
            }
            return true
        }
        guard isEntered else {
            if try gateways.gateway(gateway.id) == nil { context.rules?.remove(gateway: gateway.id) { _ in } }
            throw ReplyError(.expired, "this code is no longer valid", field: "code_id")
        }
        let owner = gateway.owner.map { " by \($0)" } ?? ""
        context.limitedLog.notice("enrolled\(owner)") { "gateway \(gateway.id) was enrolled\(owner)\($0)" }
        context.changes.gatewaysChanged()
        if let before, before.isHousehold, !gateway.isHousehold || gateway.owner != before.owner {
            // The last one decides what the household's role can do.
            tellBroker(of: gateway.id, [before.owner, gateway.owner])
        }
        // A gateway that was removed and is enrolled again must not be cleared from the broker.
        context.changes.gatewaysEnded()
    }

    /// The person whose a gateway becomes, and the one whose it was under the same id.
    private func owners(of gateway: EnrolledGateway) throws(VaultError) -> Set<ID> {
        Set([gateway.owner, try gateways.gateway(gateway.id)?.owner].compactMap { $0 })
    }

    private func reply(to newcomer: Newcomer) throws -> JSON {
        let consumer = context.keys.identity.publicKey
        let gateway = newcomer.gateway
        let proof = try newcomer.code.replyProof(
            gateway: gateway.id.text, consumerKey: consumer, gatewayKey: gateway.identity)
        return [
            "gateway": .string(gateway.id.text), "password": .string(newcomer.password),
            "consumer": .string(KeyFile.text(of: consumer)), "root": .string(context.topics.root),
            "proof": .string(KeyFile.text(of: proof)),
            // Says which key claim codes are made with, for gateways that know the field: see Vault/ClaimKey.swift.
            "claim_codes": "agreed",
        ]
    }

    private func admit(
        _ gateway: EnrolledGateway, _ password: String, _ completion: @escaping @Sendable (RulesError?) -> Void
    ) {
        guard let rules = context.rules else { return completion(nil) }
        rules.add(
            gateway: gateway.id, owner: gateway.owner, isHousehold: gateway.isHousehold, password: password, completion)
    }

    // MARK: Being there

    private func list(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let names = try gateways.names(by: user)
        let list = try gateways.all(of: user).map { gateway in
            JSON.object(present: [
                "gateway": .string(gateway.id.text), "name": names[gateway.id.text].map(JSON.string),
                "household": .bool(gateway.isHousehold), "enrolled": .integer(gateway.enrolled),
            ])
        }
        return ["gateways": .array(list)]
    }

    private func rename(_ request: PeopleRequest) throws -> JSON {
        let gateway = try own(request)
        let name = try name(request, isRequired: true)
        let user = try request.user
        try context.store.change(user) { () throws(VaultError) in
            try gateways.setName(name, of: gateway.id, by: user)
        }
        return .object(present: ["gateway": .string(gateway.id.text), "name": name.map(JSON.string)])
    }

    /// Sets whether the owner sees what a gateway publishes live, and may ask it.
    private func setHousehold(_ request: PeopleRequest) {
        request.answering {
            let (user, gateway) = (try request.user, try own(request))
            guard let isHousehold = try request.optionalBool("household") else {
                throw ReplyError(.badRequest, "\"household\" is missing", field: "household")
            }
            guard context.rules?.ownersDecide != false else {
                throw ReplyError(
                    .notSupported, "the operator's settings say for everybody who sees live readings here",
                    field: "household")
            }
            let isChange = isHousehold != gateway.isHousehold
            if isHousehold, let seconds = looks.take(user, now: millisecondsSinceBoot()) {
                throw ReplyError(
                    .rateLimited, "you have changed too often what you see: try again in \(seconds) s",
                    retryAfterSeconds: seconds)
            }
            try context.store.attempt(naming: [user]) {
                guard try gateways.setHousehold(isHousehold, of: own(request).id) else {
                    let words = "this gateway was somebody else's: enrol it again with --household, where it is, to see its readings"
                    throw ReplyError(.notAllowed, words, field: "gateway")
                }
            }.get()
            context.limitedLog.notice("household of \(user)") {
                "\(user) \(isHousehold ? "sees" : "does not see") the live readings of gateway \(gateway.id) from now on\($0)"
            }
            // The reply goes first, as in `remove`. When somebody wants to see them, the broker may have something else.
            request.done(["gateway": .string(gateway.id.text), "household": .bool(isHousehold)])
            if isChange || isHousehold { tellBroker(of: gateway.id, [user]) }
        }
    }

    /// Has the broker show people a gateway's live readings, or no longer, as the database says.
    private func tellBroker(of gateway: ID, _ owners: [ID?]) {
        for case let owner? in owners {
            context.rules?.setHousehold(of: gateway, owner: owner) { [context] error in
                guard let error else { return }
                context.limitedLog.error("household of a gateway") {
                    "what the owner of gateway \(gateway) sees is not changed yet\($0): \(error)"
                }
            }
        }
    }

    /// The gateway that a request names, which has to be the asker's.
    private func own(_ request: PeopleRequest) throws -> EnrolledGateway {
        let id = try request.id("gateway")
        guard let gateway = try gateways.gateway(id), gateway.owner == (try request.user) else {
            throw ReplyError(.notFound, "you have no gateway \(id)", field: "gateway")
        }
        return gateway
    }

    /// A name without characters that a terminal would take as commands; nil if none is given.
    private func name(_ request: PeopleRequest, isRequired: Bool) throws -> String? {
        guard let text = try request.optionalText("name", atMost: Self.longestName) else {
            guard !isRequired else { throw ReplyError(.badRequest, "\"name\" is missing", field: "name") }
            return nil
        }
        guard PlainText.isHarmless(text) else {
            throw ReplyError(.invalid, "a name is one line, \(PlainText.refused)", field: "name")
        }
        return text.isEmpty ? nil : text
    }

    private func bytes(_ field: String, _ request: PeopleRequest) throws -> [UInt8] {
        let text = try request.text(field, atMost: 64)
        do throws(VaultError) { return try KeyFile.bytes(of: text) } catch {
            throw ReplyError(.badRequest, "\"\(field)\" has to be 32 bytes in base64", field: field)
        }
    }

    // MARK: Going

    /// Removes a gateway: nothing from it is accepted any more, the broker lets it out, and the claims of its sensors
    /// end.
    private func remove(_ request: PeopleRequest) {
        request.answering {
            let (user, id) = (try request.user, try request.id("gateway"))
            let isTheirs = try gateways.gateway(id)?.owner == user
            var removed: (gateway: EnrolledGateway, sensors: Set<SensorName>)?
            let reply = try context.answered.once(
                request, now: context.now(), with: isTheirs ? try gateways.people(at: id) : []
            ) {
                let gateway = try own(request)
                removed = (gateway, try gateways.remove(gateway))
                return ["gateway": .string(id.text)]
            }
            guard let (gateway, sensors) = removed else { return request.done(reply) }
            context.changes.gatewaysChanged()
            context.doors.bringStreamsInLine(of: sensors)
            let owner = gateway.owner.map { " by \($0)" } ?? ""
            context.limitedLog.notice("removed\(owner)") { "gateway \(gateway.id) was removed\(owner)\($0)" }
            // The reply goes first: the broker disconnects clients whose rights change, and the asker is one of them.
            request.done(reply)
            context.changes.gatewaysEnded()
        }
    }
}
