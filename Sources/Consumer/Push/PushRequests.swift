import Accounts
import Daemon
package import Desk
import Features
import Files
import Fitness
import Records
package import Telemetry
import Vault
import WebPush

// What people ask: `push/…`. What they have said stays when the operator takes `push` out of the settings, and they can still
// see and remove it.

extension PushDelivery {
    var verbs: [Verb] {
        [
            Verb("push/add", .pushAdd, .atOnce { [unowned self] in try add($0) }),
            Verb("push/browser", .pushBrowser, .atOnce { [unowned self] in try addBrowser($0) }),
            Verb("push/confirm", .pushConfirm, .atOnce { [unowned self] in try confirm($0) }),
            Verb("push/key", .pushKey, .atOnce { [unowned self] _ in try key() }),
            Verb("push/list", .pushList, .atOnce { [unowned self] in try list(of: $0.user) }),
            Verb("push/remove", .pushRemove, .atOnce { [unowned self] in try remove($0) }),
            Verb("push/set", .pushSet, .atOnce { [unowned self] in try set($0) }),
            Verb("push/test", .pushTest, .later { [unowned self] request in request.answering { try test(request) } }),
        ]
    }

    /// - Throws: if the operator wants none of it.
    private func settings() throws(ReplyError) -> PushSettings {
        guard let settings = context.settings[PushSetting.self].push else {
            let words = "this home brings notifications nowhere: its operator has to add push: {} to consumer.json5"
            throw ReplyError(.notSupported, words, field: PushSetting.key)
        }
        return settings
    }

    private func add(_ request: PeopleRequest) throws -> JSON {
        let (user, settings) = (try request.user, try settings())
        try requireSettled(user)
        let address = try PushAddress(request.text("address", atMost: PushAddress.maximumLength), settings.apprise)
        return try add(address, request, user) { list in
            guard !list.entries.contains(where: { $0.address == address.text }) else {
                throw ReplyError(.notAllowed, "you have this address already", field: "address")
            }
            return nil
        }
    }

    /// No key of a browser's is longer, in letters.
    static let longestBrowserKey = 128

    private func addBrowser(_ request: PeopleRequest) throws -> JSON {
        let (user, settings) = (try request.user, try settings())
        try settings.requireBrowsers()
        try requireSettled(user)
        let endpoint = try request.text("endpoint", atMost: PushAddress.maximumLength)
        let p256dh = try request.text("p256dh", atMost: Self.longestBrowserKey)
        let auth = try request.text("auth", atMost: Self.longestBrowserKey)
        let subscription: PushSubscription
        do throws(PushSubscription.Refusal) {
            subscription = try PushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
        } catch { throw error.reply }
        let address = try PushAddress(subscription, settings)
        let device = try request.fields["device"].map { _ in try ownDevice(request, of: user) }
        let browser = try hexadecimal(SHA256.digest(Array(endpoint.utf8)))
        return try add(address, request, user, browser: browser, device: device) { list in
            // The same browser says again what its keys are.
            guard let index = list.entries.firstIndex(where: { $0.browser == browser }) else { return nil }
            list.entries[index].address = address.text
            list.entries[index].device = device
            return list.entries[index]
        }
    }

    /// The device on which the browser says that it is signed in: with it, its address goes. The broker does not tell by which
    /// of a person's devices a request came, but it has to be one of theirs. In a home without accounts, people are signed in
    /// under their own id.
    private func ownDevice(_ request: PeopleRequest, of user: ID) throws -> ID {
        let device = try request.id("device")
        guard try device == user || context.store.devices(of: user).contains(device) else {
            throw ReplyError(.notFound, "you have no such device", field: "device")
        }
        return device
    }

    private func key() throws -> JSON {
        try settings().requireBrowsers()
        return ["key": .string(PushSender.publicText(of: try keyForBrowsers()))]
    }

    /// Adds an address, unless the list has one to which `known` leads.
    /// - Parameter known: the entry that is the same already; what it changes of the list is kept.
    private func add(
        _ address: PushAddress, _ request: PeopleRequest, _ user: ID, browser: String? = nil, device: ID? = nil,
        known: (inout PushList) throws -> PushEntry?
    ) throws -> JSON {
        let (label, kinds) = (try request.addressLabel(), try kinds(request))
        if let seconds = additions.take(user, now: millisecondsSinceBoot()) {
            let words = "you have added too many addresses: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        let now = context.now()
        return try context.answered.once(request, now: now) {
            var list = try PushList(context.documents, of: user)
            if let entry = try known(&list) {
                try list.keep(context.documents, of: user)
                return entry.shown()
            }
            guard list.entries.count < PushList.limit else {
                throw ReplyError(.notAllowed, "you have \(PushList.limit) addresses already: remove one")
            }
            let entry = PushEntry(
                id: try drawnID(), address: address.text, masked: address.masked, label: label, kinds: kinds,
                created: now, browser: browser, device: device)
            // Somebody else may have done it, with a device that was stolen: the person's other addresses hear of it.
            let words = try context.notifications.language(of: user)(.pushAdded, ["address": entry.masked])
            try context.notifications.add(Notification(kind: .pushAdded, time: now, text: words), to: user)
            list.entries.append(entry)
            try list.keep(context.documents, of: user)
            return entry.shown()
        }
    }

    private func kinds(_ request: PeopleRequest) throws(ReplyError) -> [String]? {
        let known = Set(context.features.flatMap(\.notifications).map(\.name))
        guard let kinds = try request.optionalTexts("kinds", atMost: known.count) else { return nil }
        guard !kinds.isEmpty, known.isSuperset(of: kinds) else {
            let words = "\"kinds\" has to name some of \(known.sorted().joined(separator: ", "))"
            throw ReplyError(.invalid, words, field: "kinds")
        }
        return Set(kinds).sorted()
    }

    func list(of user: ID) throws -> JSON {
        let (list, counts) = (try PushList(context.documents, of: user), try queue.counts(of: user))
        let entries = list.entries.map { entry in
            let (result, waiting) = (results[entry.id], counts[entry.id.text] ?? 0)
            return entry.shown(with: [
                "waiting": .integer(waiting), "sent": result?.sent.map(JSON.integer),
                "failed": result?.failed.map(JSON.integer), "problem": result?.problem.map(JSON.string),
            ])
        }
        return ["addresses": .array(entries), "details": .bool(list.hasDetails)]
    }

    private func confirm(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try own(request).id)
        try requireSettled(user)
        var confirmed: PushEntry?
        try context.store.change(user) { () throws(VaultError) in
            var list = try PushList(context.documents, of: user)
            guard let index = list.entries.firstIndex(where: { $0.id == id }) else { return }
            list.entries[index].isEnabled = true
            try list.keep(context.documents, of: user)
            confirmed = list.entries[index]
        }
        guard let confirmed else { throw Self.unknown }
        return confirmed.shown()
    }

    private func remove(_ request: PeopleRequest) throws -> JSON {
        try context.answered.once(request, now: context.now()) {
            let id = try own(request).id
            try remove(id, of: request.user)
            return ["push": .string(id.text)]
        }
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        guard let hasDetails = try request.optionalBool("details") else {
            throw ReplyError(.badRequest, "\"details\" is missing", field: "details")
        }
        try context.store.change(user) { () throws(VaultError) in
            var list = try PushList(context.documents, of: user)
            guard list.hasDetails != hasDetails else { return }
            list.hasDetails = hasDetails
            try list.keep(context.documents, of: user)
        }
        return ["details": .bool(hasDetails)]
    }

    private func test(_ request: PeopleRequest) throws {
        let (user, settings, entry) = (try request.user, try settings(), try own(request))
        let address = try PushAddress(kept: entry.address, settings)
        if let seconds = trials.take(user, now: millisecondsSinceBoot()) {
            let words = "you have tried too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        let text = try context.notifications.language(of: user)(.pushTest)
        let message = PushMessage(address: address, id: try drawnID().text, text: text, isAlert: false)
        let isTaken = enqueue(message, to: entry.id, of: user) { outcome in
            request.answering {
                if let error = outcome.reply(settings) { throw error }
                request.done(["push": .string(entry.id.text), "sent": true])
            }
        }
        guard isTaken else {
            throw ReplyError(.busy, "too many addresses are being tried: try again soon", retryAfterSeconds: 30)
        }
    }

    /// The address that a request names, which has to be the asker's.
    private func own(_ request: PeopleRequest) throws -> PushEntry {
        let id = try request.id("push")
        guard let entry = try PushList(context.documents, of: request.user).entries.first(where: { $0.id == id })
        else { throw Self.unknown }
        return entry
    }

    private static let unknown = ReplyError(.notFound, "You have no such address", field: "push")
}

extension PeopleRequest {
    /// No label of an address is longer, in characters.
    private static let longestLabel = 64

    /// What a person calls an address; nil if they do not say.
    package func addressLabel() throws(ReplyError) -> String? {
        guard let text = try optionalText("label", atMost: 4 * Self.longestLabel), !text.isEmpty else { return nil }
        guard text.count <= Self.longestLabel, ProfileRules.isName(text) else {
            let words = "a label has at most \(Self.longestLabel) characters on one line"
            throw ReplyError(.invalid, words, field: "label")
        }
        return text
    }
}

extension PushSubscription.Refusal {
    /// Nothing of what was sent is in it.
    fileprivate var reply: ReplyError {
        switch self {
        case .endpoint(let words): ReplyError(.invalid, words, field: "endpoint")
        case .publicKey: ReplyError(.invalid, "this is no point on P-256 in base64url", field: "p256dh")
        case .secret: ReplyError(.invalid, "this is not 16 bytes in base64url", field: "auth")
        }
    }
}

extension PushOutcome {
    /// What the person is told of a message that was not sent; nil if it was.
    fileprivate func reply(_ settings: PushSettings) -> ReplyError? {
        switch self {
        case .sent: nil
        case .notTaken, .isPrivate, .failed: ReplyError(.refused, words)
        case .notUnderstood: ReplyError(.invalid, words, field: "address")
        case .tookTooLong, .cancelled: ReplyError(.timeout, words)
        case .noApprise: ReplyError(.notSupported, words, field: PushSetting.key)
        case .gone: ReplyError(.notFound, words, field: "push")
        }
    }
}
