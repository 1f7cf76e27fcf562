import Daemon
import Days
import Features
import Fitness
import Readings
import Records
import Storage
import Telemetry

/// Makes the parts of what a person takes along. Belongs to the thread of its store and keys.
struct Export {
    let user: ID
    let store: Store
    let keys: Keys
    let days: Days
    /// The sensors that the operator's settings give to the person.
    let given: [SensorName]
    /// Unix milliseconds.
    private let now: Int64

    init(
        _ user: ID, _ settings: any HouseSettings, store: Store, keys: Keys, now: Int64 = unixMilliseconds()
    ) {
        self.user = user
        self.now = now
        self.store = store
        self.keys = keys
        days = Days(store, keys, Histories(store, keys, zone: settings.timeZone))
        given = settings.people.filter { $0.user == user }.flatMap(\.sensors)
    }

    /// The part that begins here. Files that would be empty are passed over.
    func part(at position: ExportPosition) throws(VaultError) -> ExportPart {
        var position = position
        while position.file.kind == nil {
            let part = try position.file == .days ? daysPart(at: position) : documentPart(at: position)
            if let part { return part }
            // After these come the readings.
            position = ExportPosition(file: position.file.next ?? .heartRate)
        }
        return try readingsPart(at: position, position.file.kind ?? .heartRate)
    }

    // MARK: The README

    /// The text that explains the files, made from each file's explanation.
    static var readme: String {
        let files = ExportFile.order.map { file -> String in
            let columns = file.kind.map { Self.columns($0) } ?? []
            let lines = columns.map { "      \($0.name): \($0.explanation)\n" }
            return "\(file.name)\n    \(file.explanation)\n" + lines.joined()
        }
        return """
            This folder has everything that Vitals keeps of you.

            All files are text (UTF-8), but for the picture. A file that ends with .json holds one JSON object; one that ends with
            .jsonl holds one on each line; one that ends with .csv is a table, whose first line names the columns. A file of which
            there would be nothing is left out.

            Times are written as ISO 8601 has them, in UTC: 2026-11-21T10:00:00.000Z. Days, such as 2026-11-21, are those of the
            calendar where you were.

            \(files.joined(separator: "\n"))
            """
    }

    // MARK: Documents

    private func documentPart(at position: ExportPosition) throws(VaultError) -> ExportPart? {
        guard let (name, text, isBase64) = try content(position.file) else { return nil }
        let bytes = Array(text.utf8)
        let begin = min(max(0, Int(clamping: position.count)), bytes.count)
        var end = min(begin + ExportPart.maximumLength, bytes.count)
        // Between characters.
        while end > begin, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        var next = position
        next.count = Int64(end)
        if end == bytes.count { next = ExportPosition(file: position.file.next ?? .heartRate) }
        return ExportPart(
            file: name, text: String(decoding: bytes[begin..<end], as: UTF8.self), isBase64: isBase64, next: next)
    }

    /// A file's name and what is in it; nil where there is nothing.
    private func content(_ file: ExportFile) throws(VaultError) -> (name: String, text: String, isBase64: Bool)? {
        guard file != .readme else { return (file.name, Self.readme, false) }
        return try document(file).map { Self.content($0, file) }
    }

    private func document(_ file: ExportFile) throws(VaultError) -> JSON? {
        let documents = Documents(store: store, keys: keys)
        switch file {
        case .account: return try account(documents)
        case .profile: return try documents.read("profile", of: user)
        case .consent: return try documents.read("consent", of: user)
        case .devices: return try devices(documents)
        case .sensors: return try sensors(documents)
        case .picture: return try documents.read("picture", of: user)
        case .history: return try documents.read("history", of: user).map(Histories.dated)
        case .friends: return try friends(documents)
        case .thumbs: return try thumbs(documents)
        case .notifications: return try notifications()
        case .deletions: return try deletions()
        case .days, .heartRate, .steps, .temperature, .readme: return nil
        }
    }

    /// A file's name and what is in it.
    private static func content(_ document: JSON, _ file: ExportFile) -> (name: String, text: String, isBase64: Bool) {
        guard file == .picture else {
            return (file.name, String(decoding: document.bytes, as: UTF8.self) + "\n", false)
        }
        var text = ""
        if case .string(let picture) = document["picture"] ?? document { text = picture }
        // By its first bytes, as base64 spells them.
        let kinds = [("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("UklGR", "webp")]
        let kind = kinds.first { text.hasPrefix($0.0) }?.1
        return (kind.map { "picture.\($0)" } ?? "picture", text, true)
    }

    private func account(_ documents: Documents) throws(VaultError) -> JSON {
        let contact = try documents.read("contact", of: user)
        let row = try AccountRows(store: store, keys: keys).account(of: user)
        let providers = try store.database.query(
            "SELECT DISTINCT provider FROM subjects WHERE person = ? ORDER BY provider", [.text(user.text)],
            row: Row.text
        )
        return .object(present: [
            "user": .string(user.text), "email": contact?["email"], "phone": contact?["phone"],
            "providers": providers.isEmpty ? nil : .array(providers.map { .string($0) }),
            "created": row.map { .string(iso8601(unixMilliseconds: $0.created)) },
            "verified": row?.verified.map { .string(iso8601(unixMilliseconds: $0)) },
        ])
    }

    private func devices(_ documents: Documents) throws(VaultError) -> JSON? {
        let rows = try store.database.query(
            "SELECT device, created_ms, secret_version, name FROM devices WHERE person = ? ORDER BY created_ms, device",
            [.text(user.text)]
        ) { row throws(VaultError) in
            (
                id: try row.text("device"), created: try row.int("created_ms"), version: try row.int("secret_version"),
                name: try row.blob("name")
            )
        }
        var devices: [JSON] = []
        for row in rows {
            let label = Documents.label(ofDevice: row.id)
            let name = try documents.opened(row.name, label, of: user, version: row.version)
            devices.append(
                .object(present: [
                    "device": .string(row.id), "name": name, "created": .string(iso8601(unixMilliseconds: row.created)),
                ]))
        }
        return devices.isEmpty ? nil : ["devices": .array(devices)]
    }

    private func sensors(_ documents: Documents) throws(VaultError) -> JSON? {
        let claimed = try store.database.query(
            "SELECT gateway, sensor, claimed_ms FROM claims WHERE person = ? ORDER BY gateway, sensor",
            [.text(user.text)]
        ) { row throws(VaultError) -> JSON in
            .object(present: [
                "gateway": .string(try row.text("gateway")), "sensor": .string(try row.text("sensor")),
                "claimed": .string(iso8601(unixMilliseconds: try row.int("claimed_ms"))),
            ])
        }
        let given = given.map { sensor -> JSON in
            ["gateway": .string(sensor.gateway.text), "sensor": .string(sensor.sensor.text)]
        }
        let names = try documents.read("gateway-names", of: user)
        guard !claimed.isEmpty || !given.isEmpty || names != nil else { return nil }
        return .object(present: ["sensors": .array(given + claimed), "gateway_names": names])
    }

    // MARK: Others

    /// The export, too, does not tell whether an invited address belongs to somebody, nor shows what must not be seen
    /// yet.
    private func friends(_ documents: Documents) throws(VaultError) -> JSON? {
        let notifications = Notifications(store, keys)
        var entries: [JSON] = []
        let lists = FriendLists(documents)
        for tie in try lists.shown(to: user, now: now) {
            let other = tie.state == .invited ? nil : tie.user
            let name = try other.flatMap { other throws(VaultError) in try notifications.name(of: other) }
            entries.append(
                .object(present: [
                    "friend": .string(tie.id.text), "name": name.map(JSON.string),
                    "state": .string(tie.state.rawValue), "to": tie.to.map(JSON.string),
                    "since": .string(iso8601(unixMilliseconds: tie.since)), "muted": .bool(tie.isMuted),
                ]))
        }
        // The people who have invited the person, by the invitation: whether another one would be told, and when.
        let inviters = try lists.inviters(of: user).all.map { inviter -> JSON in
            [
                "invitation": .string(inviter.invitation.text), "told": .integer(Int64(inviter.count)),
                "held_back_until": .string(iso8601(unixMilliseconds: inviter.next)),
            ]
        }
        guard !entries.isEmpty || !inviters.isEmpty else { return nil }
        return .object(present: [
            "friends": .array(entries), "inviters": inviters.isEmpty ? nil : .array(inviters),
        ])
    }

    private func thumbs(_ documents: Documents) throws(VaultError) -> JSON? {
        guard let document = try documents.read("thumbs", of: user), case .object(let given)? = document["given"] else {
            return nil
        }
        let ties = try FriendLists(documents).shown(to: user, now: now)
        let counts = given.map { member -> JSON in
            // Nobody is named whose friendship has ended.
            let tie = ties.first { $0.state == .friend && $0.user?.text == member.name }
            return .object(present: ["friend": tie.map { .string($0.id.text) }, "given": member.value])
        }
        return .object(present: ["day": document["day"], "thumbs": .array(counts)])
    }

    private func deletions() throws(VaultError) -> JSON? {
        guard let ranges = try Deletions(store, keys).read(user)?.ranges, !ranges.isEmpty else { return nil }
        let dated = ranges.ranges.map { range -> JSON in
            [
                "from": .string(iso8601(unixMilliseconds: range.lowerBound)),
                "to": .string(iso8601(unixMilliseconds: range.upperBound)),
            ]
        }
        return ["deleted": .array(dated)]
    }

    private func notifications() throws(VaultError) -> JSON? {
        let all = try Notifications(store, keys).list(
            of: user, withConfirmed: true, limit: Notifications.mostKept
        ).notifications
        return all.isEmpty
            ? nil : ["notifications": .array(all.map { $0.json.dated("time") { iso8601(unixMilliseconds: $0) } })]
    }

    // MARK: Days

    /// How many days a part looks at: heart rates are opened for each.
    private static let daysInPart: Int64 = 31

    /// The totals of some days. Nil where there are no more.
    private func daysPart(at position: ExportPosition) throws(VaultError) -> ExportPart? {
        guard let span = try span() else { return nil }
        var first = max(position.time, span.lowerBound)
        var part = ExportPart(file: position.file.name)
        while first <= span.upperBound, part.text.isEmpty {
            let last = min(first + Self.daysInPart - 1, span.upperBound)
            let days = CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
            for totals in try self.days.totals(of: user, in: days) {
                part.text += String(decoding: totals.json.bytes, as: UTF8.self) + "\n"
            }
            first = last + 1
        }
        guard !part.text.isEmpty else { return nil }
        part.next =
            first <= span.upperBound
            ? ExportPosition(file: position.file, time: first)
            : position.file.next.map { ExportPosition(file: $0) }
        return part
    }

    /// From the first day with anything kept to the last; one more at both ends, because heart rates are kept by UTC.
    private func span() throws(VaultError) -> ClosedRange<Int64>? {
        try store.database.first(
            """
            SELECT min(low) AS first_day, max(high) AS last_day FROM (
                SELECT min(day) AS low, max(day) AS high FROM days WHERE person = ?1 UNION ALL
                SELECT min(day), max(day) FROM heart_rate_days WHERE person = ?1 UNION ALL
                SELECT min(hour) / 24, max(hour) / 24 FROM heart_rate_hours WHERE person = ?1) AS kept
            """, [.text(user.text)]
        ) { row throws(VaultError) in
            guard let first = try row.intIfPresent("first_day"), let last = try row.intIfPresent("last_day") else {
                return nil
            }
            return first - 1...last + 1
        } ?? nil
    }

    // MARK: Readings

    private func readingsPart(at position: ExportPosition, _ kind: ReadingKind) throws(VaultError) -> ExportPart {
        var part = ExportPart(file: position.file.name)
        if position.time == -Moment.limit, position.count == 0 { part.text = Self.header(kind) + "\n" }
        var next = position
        /// Readings of the first instant that came in the part before.
        var skipped: Int64 = 0
        var isFull = false
        let unreadable = try StoredReadings(store: store, keys: keys).each(
            of: user, kind.kind, from: position.time, to: Moment.limit
        ) { reading in
            let time = reading.moment.wall
            if time == position.time, skipped < position.count {
                skipped += 1
                return true
            }
            let line = Self.line(reading) + "\n"
            guard part.text.utf8.count + line.utf8.count <= ExportPart.maximumLength else {
                isFull = true
                return false
            }
            part.text += line
            next.count = time == next.time ? next.count + 1 : 1
            next.time = time
            return true
        }
        part.isDamaged = unreadable > 0
        part.next = isFull ? next : position.file.next.map { ExportPosition(file: $0) }
        return part
    }

    static func header(_ kind: ReadingKind) -> String { columns(kind).map(\.name).joined(separator: ",") }

    /// The columns of a CSV file, and what stands in each.
    static func columns(_ kind: ReadingKind) -> [(name: String, explanation: String)] {
        let times = [
            ("time", "when it was measured"), ("unix_ms", "the same in milliseconds since 1970-01-01T00:00:00Z"),
        ]
        let own: [(String, String)] =
            switch kind {
            case .heartRate:
                [
                    ("bpm", "beats per minute"), ("contact", "whether the sensor felt the skin"),
                    ("rr_ms", "the times between beats in milliseconds, with a space between two"),
                    ("energy_kj", "what the sensor says you have spent, in kilojoules"),
                ]
            case .steps:
                [("steps", "the counter"), ("derived", "whether it was worked out from the cadence")]
            case .temperature: [("celsius", "degrees Celsius"), ("site", "where it was measured")]
            }
        return times + own
    }

    /// A line of a CSV file: the fields that `readings` prints, in the header's order.
    static func line(_ reading: Reading) -> String {
        let json = decoded { () throws(MalformedValue) in try JSON(payload: reading.published) } ?? [:]
        func field(_ name: String) -> String {
            switch json[name] {
            case nil, .null?: ""
            case .string(let text)?: text
            case .array(let values)?: values.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
            case let value?: String(decoding: value.bytes, as: UTF8.self)
            }
        }
        let kind: ReadingKind =
            switch reading.value {
            case .heartRate: .heartRate
            case .steps: .steps
            case .temperature: .temperature
            }
        let time = reading.moment.wall
        let fields = columns(kind).dropFirst(2).map { field($0.name) }
        return ([iso8601(unixMilliseconds: time), "\(time)"] + fields).joined(separator: ",")
    }
}
