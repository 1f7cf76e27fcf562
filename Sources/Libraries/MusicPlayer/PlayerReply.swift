import Telemetry

// What lines of an answer say. A line whose number cannot be is left out as if it were not there: a tag is whatever
// somebody typed into a file. Only what the command was asked for is kept.

/// The lines of one answer, within limits.
struct PlayerReply {
    /// What is wrong with an answer that no Music Player Daemon gives.
    struct Fault: Error { let words: String }

    /// What an answer is read for.
    enum Purpose {
        /// Whether the command was carried out.
        case nothing
        /// Whether anything has changed.
        case changes
        /// What the player does.
        case status
        /// Songs, at most so many.
        case songs(atMost: Int)
        /// Songs of the library, at most so many.
        case found(atMost: Int)
        /// A part of a picture.
        case picture

        /// The lines that are kept. All others only count.
        fileprivate var names: Set<String> {
            switch self {
            case .nothing: []
            case .changes: ["changed"]
            case .status: ["state", "playlistlength", "playlist", "songid", "elapsed"]
            case .songs: ["file", "Id", "Pos", "Title", "Name", "Artist", "Album", "duration", "Time"]
            case .found: ["file", "Title", "Name", "Artist", "Album", "duration", "Time"]
            case .picture: ["size", "binary"]
            }
        }

        /// Each song is a record; any other answer is one.
        fileprivate var mostRecords: Int {
            switch self {
            case .songs(let most), .found(let most): most
            default: 1
            }
        }
    }

    /// More than a page of songs needs, each with tags that somebody repeated.
    static let mostLines = 4096
    /// More than a page of songs needs, each with a path of 4,096 bytes.
    static let mostBytes = 256 * 1024
    /// How many bytes of a picture one answer has at most.
    static let mostBinary = MusicLimits.artworkPart

    private let purpose: Purpose
    private let names: Set<String>
    /// Of each name the first value that is not empty.
    private var records: [[String: String]] = []
    private(set) var binary: [UInt8] = []
    /// How many bytes of a picture are still to come, its final newline included.
    private(set) var binaryLeft = 0
    private var lines = 0
    private var bytes = 0

    /// An answer of which nothing has come.
    init(for purpose: Purpose) {
        self.purpose = purpose
        names = purpose.names
    }

    /// Takes the next line.
    mutating func take(_ name: String, _ value: String) throws(Fault) {
        lines += 1
        bytes += name.utf8.count + value.utf8.count
        guard lines <= Self.mostLines, bytes <= Self.mostBytes else {
            throw Fault(words: "an answer that does not end: this is not mpd")
        }
        guard names.contains(name) else { return }
        // With one record more than are wanted, it is known that whatever follows is not.
        if records.isEmpty || name == "file", records.count <= purpose.mostRecords { records.append([:]) }
        guard records.count <= purpose.mostRecords else { return }
        if !value.isEmpty, records[records.count - 1][name] == nil {
            records[records.count - 1][name] =
                name == "file" ? value : harmless(value, atMost: MusicLimits.textBytes)
        }
        guard name == "binary" else { return }
        guard binary.isEmpty, let count = Int(value), (0...Self.mostBinary).contains(count) else {
            throw Fault(words: "a picture's part that is too large: this is not mpd")
        }
        binaryLeft = count + 1
    }

    /// Takes bytes of a picture, of which at most `binaryLeft` may come.
    mutating func take(_ bytes: [UInt8]) throws(Fault) {
        binary += bytes
        binaryLeft -= bytes.count
        guard binaryLeft == 0 else { return }
        guard binary.removeLast() == UInt8(ascii: "\n") else {
            throw Fault(words: "a picture's part of a different length: this is not mpd")
        }
    }

    subscript(name: String) -> String? { records.first?[name] }

    private func whole(_ name: String) -> UInt32? { self[name].flatMap { UInt32($0) } }

    /// The state, from the lines of `status`; what is known of the song that is under way comes from `song`.
    func state(with song: Song?) -> PlayerState {
        let mode: PlayerState.Mode =
            switch self["state"] {
            case "play": .playing
            case "pause": .paused
            default: .stopped
            }
        var state = PlayerState(mode, length: length, version: version)
        // Between the two answers the song may have changed; then mpd says so at once, and both are asked again.
        if let song, song.track.id == whole("songid") { state.track = song.track }
        if mode != .stopped { state.elapsedSeconds = Self.seconds(self["elapsed"]) }
        return state
    }

    /// How many songs the queue has, from the lines of `status`.
    var length: Int { Int(whole("playlistlength") ?? 0) }

    /// The queue's version, from the lines of `status`.
    var version: UInt32 { whole("playlist") ?? 0 }

    /// A song, and where it is; the latter stays here.
    struct Song {
        var track: Track
        let file: String

        var fitsInCommand: Bool { PlayerReply.fitsInCommand(file) }
    }

    /// libmpdclient's buffer has 4,096 bytes for a command. These two characters are quoted in it.
    static func fitsInCommand(_ file: String) -> Bool {
        file.utf8.reduce(0) { $0 + ([UInt8(ascii: "\""), UInt8(ascii: "\\")].contains($1) ? 2 : 1) } <= 4000
    }

    /// The songs of `playlistinfo` or `currentsong`.
    var songs: [Song] { records.prefix(purpose.mostRecords).compactMap(Self.song) }

    private static func song(_ record: [String: String]) -> Song? {
        guard let file = record["file"], let id = record["Id"].flatMap({ UInt32($0) }),
            let place = record["Pos"].flatMap({ UInt32($0) })
        else { return nil }
        return Song(track: Track(id: id, position: Int(place) + 1, tags: tags(record)), file: file)
    }

    /// The songs of `search` that `addid` can take: a library has neither URLs nor paths from the root.
    var found: [(file: String, tags: Tags)] {
        records.prefix(purpose.mostRecords).compactMap { record in
            guard let file = record["file"], !file.hasPrefix("/"), !file.contains("://"), Self.fitsInCommand(file)
            else { return nil }
            return (file, Self.tags(record))
        }
    }

    /// Whether there were more songs than were asked for.
    var hasMore: Bool { records.count > purpose.mostRecords }

    private static func tags(_ record: [String: String]) -> Tags {
        Tags(
            title: record["Title"] ?? record["Name"], artist: record["Artist"], album: record["Album"],
            durationSeconds: seconds(record["duration"] ?? record["Time"]))
    }

    /// The picture's size, from the lines of `readpicture` or `albumart`; nil where there is no picture.
    var size: Int? { whole("size").map(Int.init) }

    /// Seconds, to the thousandth, of less than four months.
    private static func seconds(_ text: String?) -> Double? {
        guard let text, let seconds = Double(text), (0..<10_000_000).contains(seconds) else { return nil }
        return (seconds * 1000).rounded() / 1000
    }
}
