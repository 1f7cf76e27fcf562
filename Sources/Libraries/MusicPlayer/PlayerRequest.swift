import Telemetry

// What can be asked of a player. A request that plays or changes the queue asks first how long it is, because mpd plays an
// empty one without a word. It ends with what is played then. PlayerSearch.swift has the library.

/// What somebody wants of a player.
public enum PlayerRequest: Hashable, Sendable {
    /// What is played now.
    case show
    /// Plays, from where it was paused.
    case play
    /// Pauses; nothing changes if nothing is played.
    case pause
    /// The next song.
    case next
    /// The song before.
    case previous
    /// A song of the queue, by its id.
    case choose(song: UInt32)
    /// A song of the queue, by its place, from 1 on.
    case choosePosition(Int)
    /// A page of the queue that begins at this place, from 1 on.
    case list(from: Int)
    /// A part of the picture of a song, or of the one that is under way.
    case artwork(song: UInt32?, offset: Int)
    /// A page of the library's songs with these words that begins at this place, from 1 on.
    case search(SearchText, from: Int)
    /// Adds a song that was found, by the id that it got then, at the queue's end.
    case add(found: String)
    /// Removes a song of the queue, by its id.
    case remove(song: UInt32)

    /// What takes mpd long, because it searches files or all its library.
    enum Effort: Hashable { case picture, search }

    /// Nil for what it knows at once.
    var effort: Effort? {
        switch self {
        case .artwork: .picture
        case .search: .search
        default: nil
        }
    }
}

/// What a player answers.
public enum PlayerAnswer: Hashable, Sendable {
    /// What is played now.
    case state(PlayerState)
    /// A page of the queue.
    case page(TrackPage)
    /// A part of a picture.
    case artwork(ArtworkPart)
    /// Songs of the library.
    case found(FoundPage)
}

/// Somebody who waits for an answer.
struct Asker: Sendable {
    /// Until when; nil if without a limit.
    let deadline: ContinuousClock.Instant?
    let answer: @Sendable (Result<PlayerAnswer, PlayerError>) -> Void
}

extension Player {
    /// Carries out a request; on the loop.
    func carryOut(_ request: PlayerRequest, for asker: Asker) {
        switch request {
        case .show: look { asker.answer($0.map(PlayerAnswer.state)) }
        case .artwork(let song, let offset): artwork(of: song, offset, for: asker)
        case .search(let text, let first): search(text, from: first, for: asker)
        case .add(let id): add(id, for: asker)
        default:
            exchange("status", reading: .status, for: asker) { [self] result in
                switch result {
                case .failure(let error): asker.answer(.failure(error))
                case .success(let status) where status.length == 0: asker.answer(.failure(.emptyPlaylist))
                case .success(let status): proceed(with: request, from: status, for: asker)
                }
            }
        }
    }

    /// There is something in the queue.
    private func proceed(with request: PlayerRequest, from status: PlayerReply, for asker: Asker) {
        let mode = status.state(with: nil).mode
        switch request {
        case .play: mode == .paused ? command("pause", ["0"], for: asker) : command("play", [], for: asker)
        case .pause: command("pause", ["1"], for: asker)
        case .next, .previous:
            guard mode != .stopped else { return asker.answer(.failure(.nothingPlays)) }
            command(request == .next ? "next" : "previous", [], for: asker)
        case .choose(let song): command("playid", ["\(song)"], for: asker)
        case .choosePosition(let position):
            guard (1...status.length).contains(position) else { return asker.answer(.failure(.noSuchTrack)) }
            command("play", ["\(position - 1)"], for: asker)
        case .list(let first): list(from: first, status, for: asker)
        case .remove(let song): command("deleteid", ["\(song)"], for: asker)
        case .show, .artwork, .search, .add: break
        }
    }

    private func command(_ command: String, _ arguments: [String], for asker: Asker) {
        exchange(command, arguments, for: asker) { [self] result in
            if case .failure(let error) = result { return asker.answer(.failure(error)) }
            look { asker.answer($0.map(PlayerAnswer.state)) }
        }
    }

    private func list(from first: Int, _ status: PlayerReply, for asker: Asker) {
        guard (1...min(status.length, MusicLimits.lastPosition)).contains(first) else {
            return asker.answer(.failure(.noSuchTrack))
        }
        let end = min(first - 1 + MusicLimits.page, status.length, MusicLimits.lastPosition)
        let range = "\(first - 1):\(end)"
        exchange("playlistinfo", [range], reading: .songs(atMost: MusicLimits.page), for: asker) { result in
            asker.answer(
                result.map { reply in
                    .page(
                        TrackPage(length: status.length, version: status.version, tracks: reply.songs.map(\.track)))
                })
        }
    }

    // MARK: Pictures

    private func artwork(of song: UInt32?, _ offset: Int, for asker: Asker) {
        guard (0..<MusicLimits.artwork).contains(offset) else { return asker.answer(.failure(.noArtwork)) }
        let found: (Result<PlayerReply, PlayerError>) -> Void = { [self] result in
            switch result {
            case .failure(let error): asker.answer(.failure(error))
            case .success(let reply):
                guard let song = reply.songs.first else {
                    return asker.answer(.failure(song == nil ? .nothingPlays : .noSuchTrack))
                }
                picture(["readpicture", "albumart"], of: song, offset, for: asker)
            }
        }
        if let song {
            exchange("playlistid", ["\(song)"], reading: .songs(atMost: 1), for: asker, found)
        } else {
            exchange("currentsong", reading: .songs(atMost: 1), for: asker, found)
        }
    }

    /// Asks for a part of a picture by one command after the other: the one in the file, then the one in its folder.
    private func picture(
        _ commands: ArraySlice<String>, of song: PlayerReply.Song, _ offset: Int, for asker: Asker
    ) {
        guard let command = commands.first, song.fitsInCommand else { return asker.answer(.failure(.noArtwork)) }
        exchange(command, [song.file, "\(offset)"], reading: .picture, for: asker) { [self] result in
            switch result {
            case .failure(let error) where !error.isAboutThePicture: asker.answer(.failure(error))
            case .success(let reply) where reply.size != nil:
                asker.answer(Self.part(of: song.track.id, reply, offset).map(PlayerAnswer.artwork))
            default: picture(commands.dropFirst(), of: song, offset, for: asker)
            }
        }
    }

    private static func part(
        of song: UInt32, _ reply: PlayerReply, _ offset: Int
    ) -> Result<ArtworkPart, PlayerError> {
        guard let size = reply.size, size > 0 else { return .failure(.noArtwork) }
        guard size <= MusicLimits.artwork else { return .failure(.artworkTooLarge) }
        guard offset + reply.binary.count <= size, !reply.binary.isEmpty else { return .failure(.noArtwork) }
        return .success(ArtworkPart(song: song, size: size, offset: offset, bytes: reply.binary))
    }
}

extension PlayerError {
    /// Whether mpd has no such picture, or does not know the command.
    fileprivate var isAboutThePicture: Bool {
        switch self {
        case .noSuchTrack, .refused: true
        default: false
        }
    }
}
