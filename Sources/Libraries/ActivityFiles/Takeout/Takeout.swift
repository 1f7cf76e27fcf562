import Glibc

// What people have of the places where their activities were until now: a file, a folder, or an archive with thousands
// of files. What a file is, is known by its first bytes and never by its name:
//
// - Garmin: an archive with archives with FIT files.
// - Strava: an archive with `activities/*.fit.gz`, `.gpx.gz`, `.tcx.gz`.
// - Google Fit, Polar and others: TCX in archives.
// - Apple Health: an archive with one large document and GPX files that belong to it.
// - Gadgetbridge: a folder with FIT and GPX files, which it exports by itself or has of the watch, and its database,
//   alone, in that folder or in the archive of a full backup.

/// Reads what other programs and services give their users to take away.
public enum Takeout {
    /// A file of a takeout, or a part of one that is too large for one.
    public struct Item: Sendable {
        /// What it is called, for people to find it: its name with folders and archives, without control characters.
        /// Never a path.
        public let name: String
        /// The format: `FIT`, `GPX`, `TCX`, `Apple Health`, `ZIP`, `SQLite`.
        public let format: String
        /// What it holds, or why nothing of it could be read.
        public let result: Result<Recordings, ActivityFileError>
    }

    /// What there was in a takeout.
    public struct Summary: Hashable, Sendable {
        /// How many files there were of each format.
        public var formats: [String: Int] = [:]
        /// Files in no format that is known here: pictures, tables, settings.
        public var otherFiles = 0
        /// Whether `each` said that it is enough.
        public var wasStopped = false

        /// Nothing yet.
        public init() {}
    }

    /// Reads a file, a folder or an archive.
    /// - Parameter each: is called with what each file holds, as soon as it was read, and says whether to go on. Files
    ///   in unknown formats are only counted.
    /// - Throws: where not even the file, the folder or the archive could be opened.
    public static func read(
        _ path: String, limits: Limits = Limits(), each: (Item) -> Bool
    ) throws(ActivityFileError) -> Summary {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .system("open \(kept(path.utf8, 200) ?? "it")", errno) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let number = errno
            close(file)
            throw .system("open it", number)
        }
        let walk = TakeoutWalk(limits, readsDatabases: true)
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            close(file)
            walk.collection(try FolderFiles(path, limits), "", 0, each)
        case S_IFREG:
            var head: [UInt8] = [0, 0, 0, 0]
            if pread(file, &head, 4, 0) == 4, ZipArchive.isZip(head) {
                walk.summary.formats["ZIP", default: 0] += 1
                walk.collection(ArchivedFiles(archive: try ZipArchive(closing: file, limits)), "", 1, each)
            } else {
                let name = path.split(separator: "/").last.map(String.init) ?? path
                walk.file(name, FileSource(closing: file), nil, 0, each)
            }
        default:
            close(file)
            throw ActivityFileError("file", .unreadable, "it is neither a file nor a folder")
        }
        return walk.summary
    }

    /// Reads a file that is in memory: of any format but a database's, also compressed or an archive. A service reads
    /// what strangers send by this, and SQLite is no parser for that.
    /// - Parameter name: what to call it.
    public static func read(
        bytes: [UInt8], name: String, limits: Limits = Limits(), each: (Item) -> Bool
    ) -> Summary {
        let walk = TakeoutWalk(limits, readsDatabases: false)
        walk.file(name, MemorySource(bytes), nil, 0, each)
        return walk.summary
    }
}

/// A walk through a takeout.
private final class TakeoutWalk {
    private let limits: Limits
    private let readsDatabases: Bool
    private var fileCount = 0
    /// Bytes of archives within archives that are in memory now.
    private var heldBytes = 0
    var summary = Takeout.Summary()

    init(_ limits: Limits, readsDatabases: Bool) { (self.limits, self.readsDatabases) = (limits, readsDatabases) }

    /// All files of a folder or an archive.
    /// - Parameters:
    ///   - prefix: what stands before their names.
    ///   - depth: archives and gzip files around them.
    func collection(_ files: some FileCollection, _ prefix: String, _ depth: Int, _ each: (Takeout.Item) -> Bool) {
        // Places of an Apple export's workouts come with the workouts, which may be read later.
        var routes: [Int] = []
        let taken = TakenNames()
        for index in 0..<files.entryCount {
            // Where the archive's files have grown too much, the one that did has said so.
            guard !summary.wasStopped, files.budget?.isUsedUp != true else { return }
            guard let file = files.file(index) else { continue }
            if file.name.contains("workout-routes/") {
                routes.append(index)
                continue
            }
            guard count(file.name, each) else { return }
            open(file, prefix, files, taken, depth, each)
        }
        for index in routes {
            guard !summary.wasStopped, files.budget?.isUsedUp != true else { return }
            guard let file = files.file(index), !taken.names.contains(file.bytes) else { continue }
            guard count(file.name, each) else { return }
            open(file, prefix, files, taken, depth, each)
        }
    }

    private func count(_ name: String, _ each: (Takeout.Item) -> Bool) -> Bool {
        fileCount += 1
        guard fileCount > limits.files else { return true }
        let error = ActivityFileError("archive", .tooMuch, "more than \(limits.files) files")
        tell(name, "ZIP", .failure(error), each)
        summary.wasStopped = true
        return false
    }

    private func open(
        _ file: CollectedFile, _ prefix: String, _ files: some FileCollection, _ taken: TakenNames, _ depth: Int,
        _ each: (Takeout.Item) -> Bool
    ) {
        do throws(ActivityFileError) {
            let source = try file.open()
            self.file(
                prefix + file.name, source, Surroundings(files: files, name: file.name, taken: taken), depth, each)
        } catch {
            tell(prefix + file.name, error.format, .failure(error), each)
        }
    }

    /// One file.
    /// - Parameter isUnpacked: whether it comes out of a gzip file, which holds neither another nor an archive.
    func file(
        _ name: String, _ source: any ByteSource, _ around: Surroundings?, _ depth: Int, isUnpacked: Bool = false,
        _ each: (Takeout.Item) -> Bool
    ) {
        var format = "file"
        do throws(ActivityFileError) {
            let stream = ByteStream(source, atMost: limits.streamBytes)
            let head = try stream.peek(4096)
            if GunzipSource.isGzip(head) {
                format = "gzip"
                try deeper(depth)
                guard !isUnpacked else {
                    throw ActivityFileError(format, .unsupported, "a gzip file within a gzip file")
                }
                let unpacked = try GunzipSource(stream, limits, around?.files.budget)
                file(name, unpacked, around, depth + 1, isUnpacked: true, each)
            } else if ZipArchive.isZip(head) {
                format = "ZIP"
                summary.formats[format, default: 0] += 1
                try deeper(depth)
                guard !isUnpacked else {
                    throw ActivityFileError(format, .unsupported, "an archive within a gzip file")
                }
                let block = try MemoryBlock(stream, atMost: limits.innerArchiveBytes - heldBytes)
                heldBytes += block.count
                defer { heldBytes -= block.count }
                let archive = try ZipArchive(block, limits, around?.files.budget)
                collection(ArchivedFiles(archive: archive), name + "/", depth + 1, each)
            } else if FITDecoder.isFIT(head) {
                format = "FIT"
                summary.formats[format, default: 0] += 1
                let bytes = try stream.all(atMost: limits.fileBytes)
                tell(name, format, .success(try FITFile.read(bytes, limits: limits)), each)
            } else if head.starts(with: "SQLite format 3\0".utf8) {
                format = "SQLite"
                summary.formats[format, default: 0] += 1
                try database(name, stream, each)
            } else if let begin = XMLBeginning.utf8(ofUTF16: head), XMLBeginning.root(begin) != nil {
                let bytes = try stream.all(atMost: limits.fileBytes)
                guard let document = XMLBeginning.utf8(ofUTF16: bytes) else { return }
                file(name, MemorySource(document), around, depth, isUnpacked: isUnpacked, each)
            } else {
                switch XMLBeginning.root(head) {
                case "gpx":
                    format = "GPX"
                    summary.formats[format, default: 0] += 1
                    tell(name, format, .success(try GPXFile.read(stream, limits)), each)
                case "TrainingCenterDatabase":
                    format = "TCX"
                    summary.formats[format, default: 0] += 1
                    tell(name, format, .success(try TCXFile.read(stream, limits)), each)
                case HealthExport.root:
                    format = "Apple Health"
                    summary.formats[format, default: 0] += 1
                    health(name, stream, around, each)
                default: summary.otherFiles += 1
                }
            }
        } catch {
            tell(name, format, .failure(error), each)
        }
    }

    private func deeper(_ depth: Int) throws(ActivityFileError) {
        guard depth < limits.nesting else {
            throw ActivityFileError("archive", .tooMuch, "more than \(limits.nesting) archives within each other")
        }
    }

    private func tell(
        _ name: String, _ format: String, _ result: Result<Recordings, ActivityFileError>,
        _ each: (Takeout.Item) -> Bool
    ) {
        guard !summary.wasStopped else { return }
        // People see the end of a long name, in which names differ.
        let label = kept(name.suffix(400).utf8, 400) ?? "a file without a name"
        if !each(Takeout.Item(name: label, format: format, result: result)) { summary.wasStopped = true }
    }

    // MARK: Gadgetbridge

    private func database(
        _ name: String, _ stream: ByteStream, _ each: (Takeout.Item) -> Bool
    ) throws(ActivityFileError) {
        guard readsDatabases else {
            throw ActivityFileError(
                "SQLite", .unsupported, "a database; `vitals workout import` reads Gadgetbridge's")
        }
        let block = try MemoryBlock(stream, atMost: limits.innerArchiveBytes - heldBytes)
        heldBytes += block.count
        defer { heldBytes -= block.count }
        let format = GadgetbridgeDatabase.format
        try GadgetbridgeDatabase.read(block.changeableBytes, limits) { batch in
            tell(name, format, .success(batch), each)
            return !summary.wasStopped
        }
    }

    // MARK: Apple Health

    private func health(
        _ name: String, _ stream: ByteStream, _ around: Surroundings?, _ each: (Takeout.Item) -> Bool
    ) {
        let (workouts, damage) = HealthExport.read(stream, limits) { batch in
            tell(name, "Apple Health", .success(batch), each)
            return !summary.wasStopped
        }
        for workout in workouts {
            guard !summary.wasStopped else { return }
            var recordings = Recordings(activities: [workout.activity])
            add(workout.routes, around, to: &recordings)
            tell(name, "Apple Health", .success(recordings), each)
        }
        guard let damage, !summary.wasStopped else { return }
        tell(name, "Apple Health", .failure(damage), each)
    }

    /// Adds the places of routes to a workout. Where several devices recorded the same way, the first of their routes
    /// counts: together they would jump from one to the other, and the way would be several times as long.
    private func add(_ routes: [String], _ around: Surroundings?, to recordings: inout Recordings) {
        var (missing, overlapping, spans) = (0, 0, [Range<Int64>]())
        for route in routes {
            let room = limits.samples - recordings.activities[0].samples.count
            guard let told = read(route, around), case let samples = told.activities.flatMap(\.samples),
                samples.count <= room
            else {
                missing += 1
                continue
            }
            let times = samples.map(\.time)
            let span = (times.min() ?? 0)..<(times.max() ?? 0)
            guard !spans.contains(where: { $0.overlaps(span) }) else {
                overlapping += 1
                continue
            }
            spans.append(span)
            recordings.activities[0].samples += samples
            recordings.damage = recordings.damage ?? told.damage
        }
        if !routes.isEmpty {
            recordings.activities[0].samples = recordings.activities[0].samples.stablySorted(by: \.time)
        }
        if missing > 0 { recordings.omissions.append("\(missing) routes that are not there, or cannot be read") }
        if overlapping > 0 { recordings.omissions.append("\(overlapping) routes that overlap another one in time") }
    }

    /// What a route has; nil where it cannot be read.
    private func read(_ route: String, _ around: Surroundings?) -> Recordings? {
        // The name is looked up among those of the same archive or folder, beside the document.
        guard let around else { return nil }
        let folder = around.name.lastIndex(of: "/").map { String(around.name[...$0]) } ?? ""
        let name = folder + route.drop { $0 == "/" }
        // A route belongs to one workout.
        guard let file = around.files.file(named: name), around.taken.names.insert(file.bytes).inserted else {
            return nil
        }
        do throws(ActivityFileError) {
            return try GPXFile.read(ByteStream(try file.open(), atMost: limits.streamBytes), limits)
        } catch { return nil }
    }
}

/// The names of files that were read with another.
private final class TakenNames {
    var names: Set<[UInt8]> = []
}

/// What a file lies among.
private struct Surroundings {
    let files: any FileCollection
    /// Its name there.
    let name: String
    let taken: TakenNames
}
