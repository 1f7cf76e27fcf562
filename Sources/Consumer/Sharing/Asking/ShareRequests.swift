import Daemon
import Desk
import Exercise
import Features
import Files
import Insight
import Push
import Records
import Synchronization
import Telemetry

// What people ask: `share/…`. What they have said stays when the operator takes `sharing` out of the settings, and they can still see
// and remove it.

extension Sharing {
    var verbs: [Verb] {
        [
            Verb("share/services", .shareServices, .atOnce { [unowned self] in try services(of: $0.user) }),
            Verb("share/add", .shareAdd, .atOnce { [unowned self] in try add($0) }),
            Verb("share/remove", .shareRemove, .atOnce { [unowned self] in try remove($0) }),
            Verb(
                "share/preview", .sharePreview,
                .later { [unowned self] request in request.answering { try preview(request) } }),
            Verb(
                "share/picture", .sharePicture, bulk: Allowance(perSecond: 2, burst: 60),
                .atOnce { [unowned self] in try picture($0) }),
            Verb(
                "share/post", .sharePost,
                .later { [unowned self] request in request.answering { try post(request) } }),
            Verb("share/cancel", .shareCancel, .atOnce { [unowned self] in try cancel($0) }),
            Verb("share/list", .shareList, .atOnce { [unowned self] in try list(of: $0.user) }),
        ]
    }

    private func services(of user: ID) throws -> JSON {
        let services = try SharingServices(context.documents, of: user)
        return [
            "services": .array(services.entries.map(\.shown)),
            "available": .bool(context.settings[SharingSetting.self].apprise != nil),
        ]
    }

    private func add(_ request: PeopleRequest) throws -> JSON {
        let (user, settings) = (try request.user, try context.settings[SharingSetting.self].required())
        let address = try PushAddress(request.text("address", atMost: PushAddress.maximumLength), settings)
        let label = try request.addressLabel()
        if let seconds = additions.take(user, now: millisecondsSinceBoot()) {
            let words = "you have added too many services: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        let now = context.now()
        return try context.answered.once(request, now: now) {
            var services = try SharingServices(context.documents, of: user)
            guard !services.entries.contains(where: { $0.address == address.text }) else {
                throw ReplyError(.notAllowed, "you have this service already", field: "address")
            }
            guard services.entries.count < SharingServices.limit else {
                throw ReplyError(.notAllowed, "you have \(SharingServices.limit) services already: remove one")
            }
            let service = SharingService(
                id: try drawnID(), address: address.text, masked: address.masked, label: label, created: now)
            services.entries.append(service)
            try services.keep(context.documents, of: user)
            return service.shown
        }
    }

    private func remove(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("service"))
        let reply = try context.answered.once(request, now: context.now()) {
            var services = try SharingServices(context.documents, of: user)
            guard services.entries.contains(where: { $0.id == id }) else { throw Self.unknownService }
            services.entries.removeAll { $0.id == id }
            try services.keep(context.documents, of: user)
            return ["service": .string(id.text)]
        }
        removed(id)
        return reply
    }

    private static let unknownService = ReplyError(.notFound, "you have no such service", field: "service")

    // MARK: Looking

    private func preview(_ request: PeopleRequest) throws {
        let (user, subject) = (try request.user, try SharedSubject(request))
        let withPicture = try request.optionalBool("picture") ?? true
        if let seconds = looks.take(user, now: millisecondsSinceBoot()) {
            let words = "you have looked too often: try again in \(seconds) s"
            throw ReplyError(.rateLimited, words, retryAfterSeconds: seconds)
        }
        let words = SharedFigures(
            language: try context.notifications.language(of: user), units: try context.notifications.units(of: user))
        let (zone, now) = (context.settings.timeZone, context.now())
        let found = Mutex<SharedContent?>(nil)
        var reading = request
        reading.answer = { [weak self] outcome in
            guard let self, case .ok = outcome, let content = found.withLock({ $0 }) else {
                return request.answer(outcome)
            }
            request.answering { try self.offer(content, subject, to: request) }
        }
        readers.statistics.answer(reading) { source in
            let reader = SharedReader(source: source, user: user, zone: zone, now: now, words: words)
            let content = try reader.content(of: subject, withPicture: withPicture)
            found.withLock { $0 = content }
            return .null
        }
    }

    /// What somebody would share is made: they see it.
    private func offer(_ content: SharedContent, _ subject: SharedSubject, to request: PeopleRequest) throws {
        let (user, now) = (try request.user, context.now())
        guard !context.doors.isBeingForgotten(user) else { throw Self.over }
        let preview = SharePreview(
            id: try drawnID(), user: user, subject: subject.name, text: content.text,
            link: context.settings[ShareSettings.self].link(day: content.day, subject: subject.name),
            picture: content.picture, expires: now + SharePreview.lifetime)
        guard previews.add(preview, now: now) else {
            throw ReplyError(
                .busy, "too many people are about to share something: try again soon", retryAfterSeconds: 60)
        }
        _ = context.session.loop.after(.milliseconds(SharePreview.lifetime)) { [weak self] in
            self?.previews.remove(preview.id)
        }
        let services = try SharingServices(context.documents, of: user).entries.map { service -> JSON in
            ["service": .string(service.id.text), "label": .string(service.name), "address": .string(service.masked)]
        }
        request.done(
            .object(present: [
                "share": .string(preview.id.text), "expires": .integer(preview.expires),
                "text": .string(preview.text), "link": preview.link.map(JSON.string),
                "picture": preview.picture.map { Self.part(of: $0, from: 0, atMost: Self.firstPart) },
                "facebook": preview.link.map { .string(ShareLinks.facebook($0)) },
                "x": .string(ShareLinks.x(preview.text, preview.link)), "to": .array(services),
            ]))
    }

    /// How many bytes of a picture go with a preview: there is more in the reply.
    static let firstPart = 24_000

    private static func part(
        of picture: AppriseMessage.Picture, from offset: Int, atMost most: Int = FilePart.longest
    ) -> JSON {
        let part = FilePart(of: picture.bytes, from: offset, atMost: most)
        return .object(present: [
            "type": .string(picture.type.rawValue), "length": .integer(Int64(picture.bytes.count)), "data": part.data,
            "next": part.next.map { .integer(Int64($0)) },
        ])
    }

    private func picture(_ request: PeopleRequest) throws -> JSON {
        guard let picture = try ownPreview(request).picture else {
            throw ReplyError(.notFound, "there is no picture", field: "share")
        }
        let most = Int64(SharedContent.largestPicture)
        let offset = Int(try request.optionalInteger("offset", in: 0...most) ?? 0)
        guard offset < picture.bytes.count else {
            throw ReplyError(.invalid, "\"offset\" is beyond the picture's end", field: "offset")
        }
        return Self.part(of: picture, from: offset)
    }

    private func cancel(_ request: PeopleRequest) throws -> JSON {
        let preview = try ownPreview(request)
        previews.remove(preview.id)
        return ["share": .string(preview.id.text)]
    }

    /// The preview that a request names, which has to be the asker's.
    private func ownPreview(_ request: PeopleRequest) throws -> SharePreview {
        let (user, id) = (try request.user, try request.id("share"))
        guard let preview = previews.preview(id, of: user, now: context.now()) else { throw Self.over }
        return preview
    }

    private static let over = ReplyError(
        .notFound, "there is no such preview, or its ten minutes are over: look again", field: "share")

    // MARK: Posting

    /// No text is longer, in characters and in bytes.
    static let longestText = (characters: 2000, bytes: 8000)

    private func post(_ request: PeopleRequest) throws {
        let (user, id) = (try request.user, try request.id("share"))
        // It was posted before, and the reply was lost: what became of it is told, and nothing is posted again.
        if try ShareRecords(context.documents, of: user)[id] == nil { try begin(ownPreview(request), request) }
        let limit = max(.seconds(1), request.limit - .seconds(2))
        wait(for: id, number: try drawnID(), atMost: limit) { [weak self] in
            guard let self else { return }
            request.answering {
                guard let record = try ShareRecords(self.context.documents, of: user)[id] else { throw Self.over }
                request.done(["results": record.results(isUnderWay: self.isUnderWay(id))])
            }
        }
    }

    private func begin(_ preview: SharePreview, _ request: PeopleRequest) throws {
        let settings = try context.settings[SharingSetting.self].required()
        let (user, services) = (preview.user, try chosen(request))
        let text = try text(request) ?? preview.text
        guard !isBusy(with: user) else {
            throw ReplyError(.busy, "what you shared before is still going out: try again soon", retryAfterSeconds: 10)
        }
        guard hasRoom else {
            throw ReplyError(.busy, "many people are sharing something: try again soon", retryAfterSeconds: 30)
        }
        if let seconds = posted.take(user, now: millisecondsSinceBoot()) {
            throw ReplyError(.rateLimited, Self.tooOften, retryAfterSeconds: seconds)
        }
        let record = ShareRecord(
            id: preview.id, time: context.now(), subject: preview.subject,
            entries: services.map { ShareRecord.Entry(service: $0.id, label: $0.name) })
        try context.store.attempt(naming: [user]) {
            var records = try ShareRecords(context.documents, of: user)
            guard records.add(record) else {
                throw ReplyError(.rateLimited, Self.tooOften, retryAfterSeconds: 3600)
            }
            try records.keep(context.documents, of: user)
        }.get()
        previews.remove(preview.id)
        let whole = [text, preview.link].compactMap { $0 }.joined(separator: "\n")
        post(
            services.map { service in
                Errand(
                    user: user, share: preview.id, service: service.id,
                    address: Result { () throws(ReplyError) in try PushAddress(service.address, settings) },
                    text: whole, picture: preview.picture)
            })
    }

    private static let tooOften = "you have shared \(ShareRecords.most) times within a day: try again later"

    /// The services that a request names, which have to be the asker's.
    private func chosen(_ request: PeopleRequest) throws -> [SharingService] {
        let own = try SharingServices(context.documents, of: request.user).entries
        guard !own.isEmpty else {
            let words = "you have no service to post to yet: add one with vitals share add"
            throw ReplyError(.notAllowed, words, field: "to")
        }
        let names = try request.optionalTexts("to", atMost: SharingServices.limit) ?? []
        guard !names.isEmpty, Set(names).count == names.count else {
            throw ReplyError(.badRequest, "\"to\" has to name one or more of your services, each once", field: "to")
        }
        return try names.map { name in
            guard let service = own.first(where: { $0.id.text == name }) else {
                throw ReplyError(.notFound, "you have no such service", field: "to")
            }
            return service
        }
    }

    private func text(_ request: PeopleRequest) throws(ReplyError) -> String? {
        guard let text = try request.optionalText("text", atMost: Self.longestText.bytes) else { return nil }
        guard !text.allSatisfy(\.isWhitespace), PlainText.isText(text, atMost: Self.longestText) else {
            let words = """
                a text has 1 to \(Self.longestText.characters) characters; lines may end in it, and nothing else controls how \
                it is shown
                """
            throw ReplyError(.invalid, words, field: "text")
        }
        return text
    }

    private func list(of user: ID) throws -> JSON {
        let records = try ShareRecords(context.documents, of: user).records
        return [
            "shares": .array(
                records.reversed().map { record in
                    [
                        "share": .string(record.id.text), "time": .integer(record.time),
                        "what": .string(record.subject), "results": record.results(isUnderWay: isUnderWay(record.id)),
                    ]
                })
        ]
    }
}
