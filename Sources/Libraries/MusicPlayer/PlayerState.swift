/// What Music Player Daemon plays at one moment.
///
/// Nothing here names a file: the path of a song says how the house arranges its music, and who lives there.
public struct PlayerState: Hashable, Sendable {
    /// Whether there is sound.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// A song is played.
        case playing
        /// A song was paused, and goes on where it was.
        case paused
        /// No song is under way.
        case stopped
    }

    /// Whether there is sound.
    public var mode: Mode
    /// How many songs are in the queue.
    public var length: Int
    /// The queue's version: it changes with every change of the queue.
    public var version: UInt32
    /// The song that is under way, or comes next; nil where there is none.
    public var track: Track?
    /// How far the song is, in seconds; nil while nothing is under way.
    public var elapsedSeconds: Double?

    /// A state from its parts.
    public init(
        _ mode: Mode, length: Int, version: UInt32, track: Track? = nil, elapsedSeconds: Double? = nil
    ) {
        self.mode = mode
        self.length = length
        self.version = version
        self.track = track
        self.elapsedSeconds = elapsedSeconds
    }
}

/// A song in the queue, as far as others may know it.
public struct Track: Hashable, Sendable {
    /// The song's id: it stays the same while the song is in the queue, wherever it moves.
    public var id: UInt32
    /// Its place in the queue, from 1 on.
    public var position: Int
    /// Its title, or the name of the station; nil where the file does not say.
    public var title: String?
    /// The artist who plays it.
    public var artist: String?
    /// The album that it is from.
    public var album: String?
    /// How long it takes, in seconds; nil for a station.
    public var durationSeconds: Double?

    /// A song from its parts.
    public init(
        id: UInt32, position: Int, title: String? = nil, artist: String? = nil, album: String? = nil,
        durationSeconds: Double? = nil
    ) {
        self.id = id
        self.position = position
        self.title = title
        self.artist = artist
        self.album = album
        self.durationSeconds = durationSeconds
    }
}

/// A part of the queue.
public struct TrackPage: Hashable, Sendable {
    /// How many songs the queue has.
    public var length: Int
    /// The queue's version at that time.
    public var version: UInt32
    /// At most `MusicLimits.page` songs, in the queue's order.
    public var tracks: [Track]

    /// A page from its parts.
    public init(length: Int, version: UInt32, tracks: [Track]) {
        self.length = length
        self.version = version
        self.tracks = tracks
    }
}

/// What a song's file says of it.
struct Tags: Hashable {
    let title: String?
    let artist: String?
    let album: String?
    let durationSeconds: Double?
}

extension Track {
    init(id: UInt32, position: Int, tags: Tags) {
        self.init(
            id: id, position: position, title: tags.title, artist: tags.artist, album: tags.album,
            durationSeconds: tags.durationSeconds)
    }
}

/// A song of the library, with what others may know of it.
public struct FoundTrack: Hashable, Sendable {
    /// Its id. It can be added to the queue by this while it is among the songs that were found last.
    public let id: String
    /// Its title; nil where the file does not say.
    public let title: String?
    /// The artist who plays it.
    public let artist: String?
    /// The album that it is from.
    public let album: String?
    /// How long it takes, in seconds.
    public let durationSeconds: Double?

    init(id: String, tags: Tags) {
        (self.id, title, artist, album) = (id, tags.title, tags.artist, tags.album)
        durationSeconds = tags.durationSeconds
    }
}

/// Songs of the library that were found.
public struct FoundPage: Hashable, Sendable {
    /// At most `MusicLimits.page` songs.
    public let tracks: [FoundTrack]
    /// Whether another page follows.
    public let hasMore: Bool
}

/// A part of a song's picture.
public struct ArtworkPart: Hashable, Sendable {
    /// The song that it belongs to.
    public var song: UInt32
    /// The whole picture's size in bytes.
    public var size: Int
    /// Where the part begins.
    public var offset: Int
    /// At most `MusicLimits.artworkPart` bytes, and at least one.
    public var bytes: [UInt8]

    /// A part from its parts.
    public init(song: UInt32, size: Int, offset: Int, bytes: [UInt8]) {
        self.song = song
        self.size = size
        self.offset = offset
        self.bytes = bytes
    }
}
