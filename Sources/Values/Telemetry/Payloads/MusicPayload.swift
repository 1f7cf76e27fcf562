/// `music`, retained, and the reply to most requests about it: what is played in the house.
/// `{"time":…,"available":true,"state":"playing","length":12,"version":7,"elapsed_s":12.3,"track":{…}}`; with
/// `{"time":…,"available":false}`, Music Player Daemon cannot be reached.
public struct MusicPayload: Payload {
    /// Whether there is sound.
    public enum State: String, Decodable, Hashable, Sendable, CaseIterable {
        /// A track is played.
        case playing
        /// A track was paused, and goes on where it was.
        case paused
        /// No track is under way.
        case stopped
    }

    /// When this was so, Unix milliseconds: `elapsedSeconds` goes on from here while something is played.
    public var time: Int64
    /// Whether Music Player Daemon can be reached.
    public var available: Bool
    /// Whether there is sound; nil while it cannot be reached, like all that follows.
    public var state: State?
    /// How many tracks are in the playlist.
    public var length: Int?
    /// It changes with each change of the playlist.
    public var version: Int?
    /// How far the track is, in seconds.
    public var elapsedSeconds: Double?
    /// The track that is under way.
    public var track: TrackPayload?

    /// What is known while Music Player Daemon cannot be reached.
    public init(unavailableAt time: Int64) {
        self.time = time
        available = false
    }

    /// What is played at a time, in Unix milliseconds.
    public init(
        time: Int64, state: State, length: Int, version: Int, elapsedSeconds: Double?, track: TrackPayload?
    ) {
        self.time = time
        available = true
        self.state = state
        self.length = length
        self.version = version
        self.elapsedSeconds = elapsedSeconds
        self.track = track
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time), "available": .bool(available), "state": state.map { .string($0.rawValue) },
            "length": length.map { .integer(Int64($0)) }, "version": version.map { .integer(Int64($0)) },
            "elapsed_s": elapsedSeconds.map(JSON.number), "track": track?.json,
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case time, available, state, length, version, track
        case elapsedSeconds = "elapsed_s"
    }
}

/// A track of the playlist: `{"song":3,"position":1,"title":…,"artist":…,"album":…,"duration_s":245.1}`. No file is named.
public struct TrackPayload: Payload {
    /// Its id, as long as it is in the playlist.
    public var song: Int
    /// Its place in the playlist, from 1 on.
    public var position: Int
    /// Its title, or a station's name.
    public var title: String?
    /// The artist who plays it.
    public var artist: String?
    /// The album that it is from.
    public var album: String?
    /// How long it takes, in seconds; nil for a station.
    public var durationSeconds: Double?

    /// A track from its parts.
    public init(
        song: Int, position: Int, title: String?, artist: String?, album: String?, durationSeconds: Double?
    ) {
        self.song = song
        self.position = position
        self.title = title
        self.artist = artist
        self.album = album
        self.durationSeconds = durationSeconds
    }

    public var json: JSON {
        .object(present: [
            "song": .integer(Int64(song)), "position": .integer(Int64(position)), "title": title.map(JSON.string),
            "artist": artist.map(JSON.string), "album": album.map(JSON.string),
            "duration_s": durationSeconds.map(JSON.number),
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case song, position, title, artist, album
        case durationSeconds = "duration_s"
    }
}

/// A track of the library that was found: `{"found":"k3v9x0q2mw","title":…,"artist":…,"album":…,"duration_s":245.1}`. No file is
/// named.
public struct FoundTrackPayload: Payload {
    /// Its id, which adds it to the playlist.
    public var found: String
    /// Its title.
    public var title: String?
    /// The artist who plays it.
    public var artist: String?
    /// The album that it is from.
    public var album: String?
    /// How long it takes, in seconds.
    public var durationSeconds: Double?

    /// A track from its parts.
    public init(found: String, title: String?, artist: String?, album: String?, durationSeconds: Double?) {
        self.found = found
        self.title = title
        self.artist = artist
        self.album = album
        self.durationSeconds = durationSeconds
    }

    public var json: JSON {
        .object(present: [
            "found": .string(found), "title": title.map(JSON.string), "artist": artist.map(JSON.string),
            "album": album.map(JSON.string), "duration_s": durationSeconds.map(JSON.number),
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case found, title, artist, album
        case durationSeconds = "duration_s"
    }
}
