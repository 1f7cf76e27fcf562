import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Reactor
import Readings
import Records
import Telemetry

// Somebody brings along what other devices and services have recorded.
//
// A file comes in parts (`imports/file`), is read on the thread of exports within limits, and stored piece by piece. It is
// in memory only: if the service is killed, it is sent again, and what is stored already is recognised. What is too
// large for one file comes as records (`imports/records`): `vitals workout import` reads large takeouts itself, and sends
// their workouts as files and their heart rates and steps of all day as records.

/// Answers `imports/…`. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class Imports: FeatureService, PeopleObserver, @unchecked Sendable {
    enum State {
        case coming(Upload, UploadPace)
        /// Being read: so many bytes.
        case reading(Int)
        case storing(ImportJob)
        case done(Result<JSON, any Error>)
    }

    struct Waiting {
        let request: PeopleRequest
        let until: UInt64
    }

    struct Import {
        var state: State
        var waiting: [Waiting] = []
        /// When something was last heard or done, in milliseconds since boot.
        var time: UInt64
        /// Tells it from another one of the same person.
        let number: UInt64
        /// Whether a few records came instead of a file.
        var isRecords = false

        var isDone: Bool {
            if case .done = state { true } else { false }
        }
    }

    /// Milliseconds of a clock that never runs backwards, for waits.
    var clock: () -> UInt64 = millisecondsSinceBoot
    let context: PeopleContext
    let readers: FeatureReaders
    private let rows: WorkoutRows
    private let deletions: Deletions
    private let files: WorkoutFiles
    var imports: [ID: Import] = [:]
    private var loop: EventLoop?
    private var count: UInt64 = 0
    /// Each source that is told from others is a stream.
    private var sources = Allowance<ID>(perSecond: 1.0 / 600, burst: 64)

    /// A result that nobody asks for is dropped after so many milliseconds.
    private static let memory: UInt64 = 600_000
    /// How many files are read and stored at the same time.
    private static let mostAtOnce = 4
    /// Of how many people records are stored at once, beside files.
    private static let mostRecordsAtOnce = 64
    /// Requests that wait for one result.
    private static let mostWaiting = 4

    init(_ parts: FeatureParts) {
        (context, readers, deletions) = (parts.context, parts.readers, parts.deletions)
        rows = WorkoutRows(parts.context.store, parts.context.keys)
        files = WorkoutFiles(parts)
        parts.context.changes.add(self)
    }

    package func forgotten(_ user: ID) {
        files.forget(user)
        guard let one = imports.removeValue(forKey: user) else { return }
        if case .storing(let job) = one.state { job.isCancelled = true }
        answer(one.waiting, .failure(ReplyError(.busy, "all that is yours is being deleted")))
    }

    func start(_ loop: EventLoop) {
        self.loop = loop
        tick()
    }

    var verbs: [Verb] {
        let parts = Allowance<ID>(perSecond: 50, burst: 500)
        return [
            Verb(
                "imports/file", .importsFile, maximumLength: Upload.longestRequest, bulk: parts,
                .later { [unowned self] request in request.answering { try take(request) } }),
            Verb(
                "imports/records", .importsRecords, maximumLength: Upload.longestRequest, bulk: parts,
                .later { [unowned self] request in request.answering { try takeRecords(request) } }),
            Verb(
                "imports/result", .importsResult,
                .later { [unowned self] request in request.answering { try result(request) } }),
            files.verb,
            Verb("imports/list", .importsList, .atOnce { [unowned self] in try list(of: $0.user) }),
        ]
    }

    private func tick() {
        let now = clock()
        files.tidy(now)
        for (user, one) in imports {
            for waiting in one.waiting where waiting.until <= now { waiting.request.done(progress(of: user)) }
            imports[user]?.waiting.removeAll { $0.until <= now }
            switch one.state {
            case .coming(_, let pace) where pace.isOver(now):
                imports[user] = nil
                answer(one.waiting, .failure(ReplyError(.timeout, "the rest of the file did not come: send it again")))
            case .done where one.time + Self.memory <= now: imports[user] = nil
            default: break
            }
        }
        _ = loop?.after(.seconds(1)) { [unowned self] in tick() }
    }

    // MARK: Files

    private func take(_ request: PeopleRequest) throws {
        let (user, part) = (try request.user, try Upload.Part(request))
        let now = clock()
        var (upload, pace) = (Upload(name: part.name, size: part.size, keepsBoth: part.keepsBoth), UploadPace(size: part.size, now: now))
        switch imports[user]?.state {
        case .reading?, .storing?:
            throw ReplyError(.busy, "your last file is being stored: wait for its result", retryAfterSeconds: 2)
        case .coming(let known, let itsPace)? where part.offset > 0: (upload, pace) = (known, itsPace)
        case .done(.failure(let error as ReplyError))? where part.offset > 0 && error == Self.displacement:
            throw error
        case nil where part.offset > 0, .done? where part.offset > 0:
            throw ReplyError(.invalid, "the file has to be sent again from byte 0", field: "offset")
        default: break
        }
        // What has come counts, not what is announced.
        let isLast = part.offset + part.data.count == part.size
        let known = upload
        try upload.add(part)
        let busy = ReplyError(.busy, "others are sending files: try again", retryAfterSeconds: 1)
        guard !isLast || atOnce < Self.mostAtOnce else {
            // The whole file is there, and waits for us.
            if upload.isWhole, known.count > 0 {
                pace.waited(now)
                imports[user]?.state = .coming(known, pace)
            }
            throw busy
        }
        // What the person began before makes room, too.
        var own = 0
        if case .coming(let begun, _)? = imports[user]?.state { own = begun.count }
        guard makeRoom(for: upload.count - own, of: user, now) else { throw busy }
        if upload.count > known.count { pace.came(upload.count, now: now) }
        if known.count == 0 { begin(.coming(upload, pace), of: user) }
        imports[user]?.state = .coming(upload, pace)
        guard upload.isWhole else { return request.done(["received": .integer(Int64(upload.count))]) }
        read(upload, of: user)
        try wait(request, user)
    }

    /// The answer to people whose file was dropped to make room.
    private static let displacement = ReplyError(
        .timeout, "the file came too slowly while others waited for room, and was dropped: send it again from byte 0",
        field: "offset")

    /// Drops the slowest files of other people if a part does not fit otherwise.
    /// - Returns: whether there is room.
    private func makeRoom(for count: Int, of user: ID, _ now: UInt64) -> Bool {
        var slow: [(user: ID, slowness: UInt64, count: Int)] = []
        for (other, one) in imports where other != user {
            guard case .coming(let upload, let pace) = one.state, let slowness = pace.slowness(now) else { continue }
            slow.append((other, slowness, upload.count))
        }
        // Nobody's file is dropped in vain.
        let left = bytes - slow.reduce(0) { $0 + $1.count }
        guard left + count <= Upload.mostBytes else { return false }
        slow.sort { $0.slowness < $1.slowness }
        while bytes + count > Upload.mostBytes, let slowest = slow.popLast(), let one = imports[slowest.user] {
            end(slowest.user, one.number, .failure(Self.displacement))
        }
        return true
    }

    /// Begins something in place of what there was.
    private func begin(_ state: State, of user: ID) {
        count += 1
        let old = imports.updateValue(
            Import(state: state, time: clock(), number: count), forKey: user)
        answer(old?.waiting ?? [], .failure(ReplyError(.invalid, "another file was begun in the meantime")))
    }

    private func answer(_ waiting: [Waiting], _ result: Result<JSON, any Error>) {
        for one in waiting { one.request.finish(result) }
    }

    /// How many files are being read or stored.
    private var atOnce: Int {
        imports.values.count { one in
            switch one.state {
            case .reading, .storing: !one.isRecords
            case .coming, .done: false
            }
        }
    }

    /// The bytes of files that are coming or being read, and of readings that are not stored yet.
    var bytes: Int {
        imports.values.reduce(0) { sum, one in
            switch one.state {
            case .coming(let upload, _): sum + upload.count
            case .reading(let size): sum + size
            case .storing(let job): sum + job.left * MemoryLayout<Reading>.stride
            case .done: sum
            }
        }
    }

    private func read(_ upload: Upload, of user: ID) {
        imports[user]?.state = .reading(upload.size)
        let number = imports[user]?.number
        let (zone, now) = (context.settings.timeZone, context.now())
        readers.background.read { source -> Result<ParsedFile, any Error> in
            // What is wrong with a file is no error of ours.
            Result {
                let history = try Histories(source.store, source.keys, zone: zone).history(of: user)
                let documents = Documents(store: source.store, keys: source.keys)
                let locates = try RecordedKinds(documents).recordsLocation(of: user)
                return try ParsedFile(upload, history, locates: locates, now: now)
            }
        } completion: { [unowned self] result in
            // Everything of the person may have been deleted in the meantime.
            guard let number, imports[user]?.number == number else { return }
            switch result.flatMap({ $0 }) {
            case .success(let file): store(file, of: user)
            case .failure(let error): end(user, number, .failure(error))
            }
        }
    }

    private func store(_ file: ParsedFile, of user: ID) {
        guard let number = imports[user]?.number else { return }
        let mayAdd = { [unowned self] in sources.take(user, now: clock()) == nil }
        let job = ImportJob(file, of: user, context, rows, deletions, mayAdd: mayAdd) { [unowned self] result in
            end(user, number, result)
        }
        imports[user]?.state = .storing(job)
        imports[user]?.time = clock()
        job.goOn()
    }

    private func end(_ user: ID, _ number: UInt64, _ result: Result<JSON, any Error>) {
        guard let one = imports[user], one.number == number else { return }
        imports[user]?.state = .done(result)
        imports[user]?.waiting = []
        imports[user]?.time = clock()
        answer(one.waiting, result)
    }

    // MARK: Records

    private func takeRecords(_ request: PeopleRequest) throws {
        let user = try request.user
        switch imports[user]?.state {
        case .reading?, .storing?:
            throw ReplyError(.busy, "your last file is being stored: wait for its result", retryAfterSeconds: 2)
        case .coming?:
            throw ReplyError(.busy, "a file of yours is coming: send the rest of it first", retryAfterSeconds: 2)
        case .done?, nil: break
        }
        var file = ParsedFile()
        file.records = [try RecordsRequest(request, now: context.now()).records]
        guard imports.values.count(where: { $0.isRecords && !$0.isDone }) < Self.mostRecordsAtOnce else {
            throw ReplyError(.busy, "others are sending records: try again", retryAfterSeconds: 1)
        }
        begin(.reading(0), of: user)
        imports[user]?.isRecords = true
        store(file, of: user)
        try wait(request, user)
    }

    // MARK: Results

    private func result(_ request: PeopleRequest) throws { try wait(request, request.user) }

    /// Answers when the result is there, or shortly before the asker stops waiting.
    private func wait(_ request: PeopleRequest, _ user: ID) throws {
        guard let one = imports[user] else {
            throw ReplyError(.notFound, "nothing is being imported: send the file again")
        }
        if case .done(let result) = one.state { return request.finish(result) }
        guard one.waiting.count < Self.mostWaiting else { return request.done(progress(of: user)) }
        let limit = UInt64(max(0, request.limit / .milliseconds(1) - 2000))
        imports[user]?.waiting.append(Waiting(request: request, until: clock() + limit))
    }

    private func progress(of user: ID) -> JSON {
        switch imports[user]?.state {
        case .coming(let upload, _)?: ["state": "coming", "received": .integer(Int64(upload.count))]
        case .reading?: ["state": "reading"]
        case .storing(let job)?: job.progress
        case .done?, nil: ["state": "done"]
        }
    }

    private func list(of user: ID) throws -> JSON {
        ImportSources.json(try ImportSources(documents: context.documents).all(of: user))
    }
}
