import Telemetry

// The library is searched by words, and a song is added by an id that the search gave it. Ids are drawn at random and
// remembered here with the songs' files. So nobody learns a path from an id, and only what mpd has listed can be added: no
// other file, no URL. Sealed paths would tell how long a path is, and last for ever. Numbers would mean other songs after a
// restart.

/// What somebody searches the library for: words. A song is found if each word is in one of its tags, in any case.
public struct SearchText: Hashable, Sendable {
    let words: [String]

    /// Nil for a text without a word, beyond the limits, or with a control character: a line's end would begin another
    /// command.
    public init?(_ text: String) {
        guard text.utf8.count <= MusicLimits.searchBytes, !text.unicodeScalars.contains(where: \.isHarmful) else {
            return nil
        }
        words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard (1...MusicLimits.searchWords).contains(words.count) else { return nil }
    }

    /// As mpd expects it since version 0.21: `((any contains "ada") AND (any contains "one"))`. No path is searched.
    var filter: String {
        let filters = words.map { word in
            let quoted = word.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "(any contains \"\(quoted)\")"
        }
        return filters.count == 1 ? filters[0] : "(\(filters.joined(separator: " AND ")))"
    }
}

/// The songs that were found last, by their ids, up to a limit. A song that is found again keeps its id.
struct FoundSongs {
    /// With paths of at most 4,000 bytes, these are 4 MB.
    static let most = 1000

    /// Those that were found last are at the end.
    private var songs: [(id: String, file: String)] = []

    /// The ids of songs that were just found.
    mutating func ids(of files: [String]) -> [String] {
        var known = Dictionary(songs.map { ($0.file, $0.id) }) { first, _ in first }
        let ids = files.map { file in
            let id = known[file] ?? Self.newID()
            known[file] = id
            return id
        }
        let found = Set(files)
        songs.removeAll { found.contains($0.file) }
        songs += found.compactMap { file in known[file].map { (id: $0, file: file) } }
        songs.removeFirst(max(0, songs.count - Self.most))
        return ids
    }

    /// Where the song of an id is; nil if it is not remembered.
    func file(of id: String) -> String? { songs.last { $0.id == id }?.file }

    /// Ten digits and letters.
    private static func newID() -> String {
        let (least, end): (UInt64, UInt64) = (101_559_956_668_416, 3_656_158_440_062_976)
        return String(UInt64.random(in: least..<end), radix: 36)
    }
}

extension Player {
    func search(_ text: SearchText, from first: Int, for asker: Asker) {
        guard (1...MusicLimits.lastPosition).contains(first) else { return asker.answer(.failure(.noSuchTrack)) }
        // One more than a page, which says whether there are more.
        let window = "\(first - 1):\(first + MusicLimits.page)"
        exchange(
            "search", [text.filter, "window", window], reading: .found(atMost: MusicLimits.page), for: asker
        ) { [self] result in
            switch result {
            case .failure(.noSuchTrack): asker.answer(.failure(.noLibrary))
            case .failure(let error): asker.answer(.failure(error))
            case .success(let reply):
                let ids = foundSongs.ids(of: reply.found.map(\.file))
                let tracks = zip(ids, reply.found).map { FoundTrack(id: $0, tags: $1.tags) }
                let hasMore = reply.hasMore && first + MusicLimits.page <= MusicLimits.lastPosition
                asker.answer(.success(.found(FoundPage(tracks: tracks, hasMore: hasMore))))
            }
        }
    }

    func add(_ id: String, for asker: Asker) {
        guard let file = foundSongs.file(of: id) else { return asker.answer(.failure(.notFound)) }
        exchange("status", reading: .status, for: asker) { [self] result in
            switch result {
            case .failure(let error): asker.answer(.failure(error))
            case .success(let status) where status.length >= MusicLimits.lastPosition:
                asker.answer(.failure(.playlistFull))
            case .success:
                // At once: what others ask to add counts the songs after this one.
                exchange("addid", [file], for: asker, first: true) { [self] result in
                    switch result {
                    case .failure(.noSuchTrack): asker.answer(.failure(.notFound))
                    case .failure(let error): asker.answer(.failure(error))
                    case .success: look { asker.answer($0.map(PlayerAnswer.state)) }
                    }
                }
            }
        }
    }
}
