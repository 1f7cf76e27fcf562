// What lines of an answer say. A line whose number cannot be is left out as if it were not there: a tag is whatever
// somebody typed into a file.

/// The lines of one answer, within limits.
struct PlayerReply {
    /// What is wrong with an answer that no Music Player Daemon gives.
    struct Fault: Error { let words: String }

    /// Lines that something here reads; all others only count.
    private static let known: Set<String> = [
        "state", "playlistlength", "playlist", "song", "songid", "elapsed", "file", "Id", "Pos", "Title", "Name",
        "Artist", "Album", "duration", "Time", "size", "binary", "changed",
    ]
    /// More than a page of songs needs, each with tags that somebody repeated.
    static let mostLines = 4096
    /// A path has at most 4,096 bytes, and a line no more.
    private static let longestTag = 256

    private(set) var pairs: [(name: String, value: String)] = []
    private(set) var binary: [UInt8] = []
    /// How many bytes of a picture are still to come, its final newline included.
    private(set) var binaryLeft = 0
    private var lines = 0

    /// Takes the next line.
    mutating func take(_ name: String, _ value: String) throws(Fault) {
        lines += 1
        guard lines <= Self.mostLines else { throw Fault(words: "an answer that does not end: this is not mpd") }
        guard Self.known.contains(name) else { return }
        pairs.append((name, name == "file" ? value : harmless(value, atMost: Self.longestTag)))
        guard name == "binary" else { return }
        guard binary.isEmpty, let count = Int(value), (0...ArtworkPart.most).contains(count) else {
            throw Fault(words: "a picture's part that is too large: this is not mpd")
        }
        binaryLeft = count + 1
    }

    /// Takes bytes of a picture, of which at most `binaryLeft` may come.
    mutating func take(_ bytes: [UInt8]) {
        binary += bytes
        binaryLeft -= bytes.count
        if binaryLeft == 0 { binary.removeLast() }
    }

    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    private func whole(_ name: String) -> UInt32? { self[name].flatMap { UInt32($0) } }

    /// The state, from the lines of `status`; what is known of the song that is under way comes from `song`.
    func state(with song: Song?) -> PlayerState {
        let mode: PlayerState.Mode =
            switch self["state"] {
            case "play": .playing
            case "pause": .paused
            default: .stopped
            }
        var state = PlayerState(mode, length: length, version: whole("playlist") ?? 0)
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

        /// libmpdclient's buffer has 4,096 bytes for a command, in which these two characters are quoted.
        var fitsInCommand: Bool {
            file.utf8.reduce(0) { $0 + ([UInt8(ascii: "\""), UInt8(ascii: "\\")].contains($1) ? 2 : 1) } <= 4000
        }
    }

    /// The songs of `playlistinfo` or `currentsong`, at most a page of them.
    var songs: [Song] {
        var songs: [Song] = []
        var begin: Int?
        for (index, pair) in pairs.enumerated() where pair.name == "file" {
            if let begin { songs.append(contentsOf: Self.song(pairs[begin..<index])) }
            begin = index
        }
        if let begin { songs.append(contentsOf: Self.song(pairs[begin...])) }
        return Array(songs.prefix(TrackPage.most))
    }

    private static func song(_ pairs: ArraySlice<(name: String, value: String)>) -> [Song] {
        func first(_ name: String) -> String? {
            pairs.first { $0.name == name && !$0.value.isEmpty }?.value
        }
        guard let file = pairs.first?.value, let id = first("Id").flatMap({ UInt32($0) }),
            let place = first("Pos").flatMap({ UInt32($0) })
        else { return [] }
        let track = Track(
            id: id, position: Int(place) + 1, title: first("Title") ?? first("Name"), artist: first("Artist"),
            album: first("Album"), durationSeconds: seconds(first("duration") ?? first("Time")))
        return [Song(track: track, file: file)]
    }

    /// The picture's size, from the lines of `readpicture` or `albumart`; nil where there is no picture.
    var size: Int? { whole("size").map(Int.init) }

    /// Seconds, to the thousandth, of less than four months.
    private static func seconds(_ text: String?) -> Double? {
        guard let text, let seconds = Double(text), (0..<10_000_000).contains(seconds) else { return nil }
        return (seconds * 1000).rounded() / 1000
    }
}
