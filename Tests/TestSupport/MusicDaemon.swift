import Foundation

/// The real Music Player Daemon, with a private folder, a socket in it, and an output that nobody hears. It makes a database of its
/// songs only while the machine has nothing else to do (SCHED_IDLE), which may take minutes beside all other tests. So songs are not in
/// its music folder, where it would look for them in the database; the library's are, and its database is written here.
public final class MusicDaemon {
    /// Where it listens.
    public let socket: String
    private let folder: TemporaryFolder
    private var library: [String: MusicFile]
    private let more: String
    private var running: RunningProgram?

    /// It runs, and its queue is empty.
    /// - Parameters:
    ///   - songs: by their files' names.
    ///   - library: the songs that it knows, by folder and name: `rock/one.mp3`.
    ///   - more: further lines of its configuration.
    public init(
        _ songs: [String: MusicFile], others: [String: [UInt8]] = [:], library: [String: MusicFile] = [:],
        configured more: String = ""
    ) throws {
        folder = try TemporaryFolder()
        self.library = library
        self.more = more
        socket = folder.path("socket")
        for (name, bytes) in others.merging(songs.mapValues(\.bytes), uniquingKeysWith: { one, _ in one }) {
            try write(bytes, to: "songs/\(name)")
        }
        for (name, song) in library { try write(song.bytes, to: "music/\(name)") }
        try start()
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        let path = folder.path(name)
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The library as mpd keeps it. With another list of tags than its settings have, mpd would not take it.
    private var database: String {
        let tags = "tag: Artist\ntag: Album\ntag: Title\n"
        var text = "info_begin\nformat: 2\nmpd_version: 0.23.12\nfs_charset: UTF-8\n\(tags)info_end\n"
        let folders = Dictionary(grouping: library) { $0.key.prefix { $0 != "/" } }
        for (folder, songs) in folders.sorted(by: { $0.key < $1.key }) {
            text += "directory: \(folder)\nmtime: 1\nbegin: \(folder)\n"
            for (path, song) in songs.sorted(by: { $0.key < $1.key }) {
                text += "song_begin: \(path.dropFirst(folder.count + 1))\nTime: \(song.seconds).000000\n"
                for (tag, value) in [("Title", song.title), ("Artist", song.artist), ("Album", song.album)] {
                    if let value { text += "\(tag): \(value)\n" }
                }
                text += "mtime: 1\nsong_end\n"
            }
            text += "end: \(folder)\n"
        }
        return text
    }

    deinit { stop() }

    /// Starts it; it can be connected to when this returns.
    public func start() throws {
        let configuration = try folder.write(
            """
            music_directory "\(folder.path("music"))"
            db_file "\(folder.path("database"))"
            bind_to_address "\(socket)"
            zeroconf_enabled "no"
            auto_update "no"
            metadata_to_use "artist,album,title"
            audio_output {
                type "null"
                name "nobody hears it"
            }
            \(more)
            """, to: "mpd.conf")
        try FileManager.default.createDirectory(
            atPath: folder.path("music"), withIntermediateDirectories: true)
        if !library.isEmpty { _ = try folder.write(database, to: "database") }
        let supervisor = try Supervisor()
        let running = try RunningProgram(
            "mpd", ["--no-daemon", "--stderr", configuration], environment: supervisor.environment)
        self.running = running
        // It says so once it listens.
        guard supervisor.message(containing: "READY=1") != nil else {
            throw TestFailure("mpd does not start: \(running.text)")
        }
    }

    /// Starts it with another library.
    public func start(with library: [String: MusicFile]) throws {
        self.library = library
        try start()
    }

    /// Ends it, in order or by SIGKILL.
    public func stop(byForce isForced: Bool = false) {
        guard let running else { return }
        kill(running.pid, isForced ? SIGKILL : SIGTERM)
        _ = running.exitStatus(within: limit)
        self.running = nil
        unlink(socket)
    }

    /// What another client asks, each line a command: `add one.mp3` adds that file of its folder.
    /// - Returns: the lines of the answers, without the one that ends each.
    @discardableResult
    public func ask(_ commands: String...) throws -> [String] { try ask(contentsOf: commands) }

    /// The same of a list of commands.
    @discardableResult
    public func ask(contentsOf commands: [String]) throws -> [String] {
        let descriptor = try connect()
        defer { close(descriptor) }
        return try commands.flatMap { command in
            // What is in no database is named by its whole path.
            let isAdding = command.hasPrefix("add ")
            send(
                (isAdding ? "add \"file://\(folder.path("songs"))/\(command.dropFirst(4))\"" : command) + "\n",
                descriptor)
            return try answer(descriptor)
        }
    }

    private func connect() throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) == 0 }
        }
        guard isConnected, try line(descriptor).hasPrefix("OK MPD") else {
            close(descriptor)
            throw TestFailure("nobody at \(socket)")
        }
        return descriptor
    }

    private func answer(_ descriptor: Int32) throws -> [String] {
        var lines: [String] = []
        while true {
            let line = try line(descriptor)
            if line == "OK" { return lines }
            guard !line.hasPrefix("ACK") else { throw TestFailure(line) }
            lines.append(line)
        }
    }

    private func line(_ descriptor: Int32) throws -> String {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard isReadable(descriptor), read(descriptor, &byte, 1) == 1 else {
                throw TestFailure("mpd says nothing more after \(String(decoding: bytes, as: UTF8.self))")
            }
            guard byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    private func send(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// A song of silence, as MP3 with a tag (ID3v2.4).
public struct MusicFile: Sendable {
    /// The file.
    public let bytes: [UInt8]
    let title: String?
    let artist: String?
    let album: String?
    let seconds: Int

    /// A song that takes about so many seconds.
    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, seconds: Int = 60, picture: [UInt8]? = nil
    ) {
        (self.title, self.artist, self.album, self.seconds) = (title, artist, album, seconds)
        var frames: [UInt8] = []
        for (name, text) in [("TIT2", title), ("TPE1", artist), ("TALB", album)] {
            if let text { frames += Self.frame(name, [3] + Array(text.utf8)) }
        }
        if let picture { frames += Self.frame("APIC", [0] + Array("image/png".utf8) + [0, 3, 0] + picture) }
        // MPEG 1, layer III, 32 kbit/s, 44.1 kHz, mono: 1,152 samples in 104 bytes, all of them silent.
        let silence: [UInt8] = [0xFF, 0xFB, 0x10, 0xC4] + [UInt8](repeating: 0, count: 100)
        let count = seconds * 44_100 / 1152
        bytes =
            Array("ID3".utf8) + [4, 0, 0] + Self.size(frames.count) + frames
            + (0..<count).flatMap { _ in silence }
    }

    private static func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + size(content.count) + [0, 0] + content
    }

    /// Seven bits in each byte.
    private static func size(_ count: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) }
    }
}
