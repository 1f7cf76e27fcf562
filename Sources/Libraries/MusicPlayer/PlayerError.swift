import Telemetry

/// Why Music Player Daemon did not do what it was asked.
public enum PlayerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no song in the queue.
    case emptyPlaylist
    /// Next and previous need a song that is under way.
    case nothingPlays
    /// No song has this id, or there is none at this place.
    case noSuchTrack
    /// No song that was found has this id, or it is no longer in the library.
    case notFound
    /// It has no library.
    case noLibrary
    /// The queue has `MusicLimits.lastPosition` songs, or as many as mpd takes.
    case playlistFull
    /// The song has no picture.
    case noArtwork
    /// The picture is larger than `MusicLimits.artwork`.
    case artworkTooLarge
    /// There is no connection, with the reason.
    case away(String)
    /// It did not answer in time.
    case timeout
    /// The asker's time was over before it was asked, and nothing was changed.
    case late
    /// It asks for a password first, or for another one.
    case notPermitted
    /// It refused, with the number that the protocol has for the reason. Its words may name a file.
    case refused(Int)
    /// It is asked too much at once.
    case busy

    public var description: String {
        switch self {
        case .emptyPlaylist: "Empty Playlist"
        case .nothingPlays: "nothing is being played"
        case .noSuchTrack: "there is no such track in the playlist"
        case .notFound: "there is no track of that id: search again"
        case .noLibrary: "Music Player Daemon has no library: set music_directory in its settings"
        case .playlistFull: "the playlist is full: remove some of its tracks first"
        case .noArtwork: "the track has no artwork"
        case .artworkTooLarge: "the artwork is larger than \(MusicLimits.artwork / 1024) KiB"
        case .away(let reason): "Music Player Daemon cannot be reached: \(reason)"
        case .timeout: "Music Player Daemon does not answer"
        case .late: "Music Player Daemon had much to do, and this was no longer wanted when its turn came"
        case .notPermitted: "Music Player Daemon asks for a password, or for a different one"
        case .refused(let number): "Music Player Daemon refused with its error \(number)"
        case .busy: "Music Player Daemon has much to do"
        }
    }

    /// What the protocol's number for a refusal says (mpd/protocol.h).
    init(_ number: Int) {
        switch number {
        case 4: self = .notPermitted
        case 50: self = .noSuchTrack
        case 51: self = .playlistFull
        default: self = .refused(number)
        }
    }
}
