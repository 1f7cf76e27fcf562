// What can be asked of a player. Each request begins with a look at the queue, because mpd plays an empty one without a
// word, and ends with what is played then.

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
}

/// What a player answers.
public enum PlayerAnswer: Hashable, Sendable {
    /// What is played now.
    case state(PlayerState)
    /// A page of the queue.
    case page(TrackPage)
    /// A part of a picture.
    case artwork(ArtworkPart)
}

extension Player {
    typealias Answer = @Sendable (Result<PlayerAnswer, PlayerError>) -> Void

    /// Carries out a request; on the loop.
    func carryOut(_ request: PlayerRequest, _ answer: @escaping Answer) {
        switch request {
        case .show: look { answer($0.map(PlayerAnswer.state)) }
        case .artwork(let song, let offset): artwork(of: song, offset, answer)
        default:
            exchange("status") { [self] result in
                switch result {
                case .failure(let error): answer(.failure(error))
                case .success(let status) where status.length == 0: answer(.failure(.emptyPlaylist))
                case .success(let status): carryOut(request, status, answer)
                }
            }
        }
    }

    private func carryOut(_ request: PlayerRequest, _ status: PlayerReply, _ answer: @escaping Answer) {
        let mode = status.state(with: nil).mode
        switch request {
        case .play: mode == .paused ? command("pause", ["0"], answer) : command("play", [], answer)
        case .pause: command("pause", ["1"], answer)
        case .next, .previous:
            guard mode != .stopped else { return answer(.failure(.nothingPlays)) }
            command(request == .next ? "next" : "previous", [], answer)
        case .choose(let song): command("playid", ["\(song)"], answer)
        case .choosePosition(let position):
            guard (1...status.length).contains(position) else { return answer(.failure(.noSuchTrack)) }
            command("play", ["\(position - 1)"], answer)
        case .list(let first): list(from: first, status, answer)
        case .show, .artwork: break
        }
    }

    private func command(_ command: String, _ arguments: [String], _ answer: @escaping Answer) {
        exchange(command, arguments) { [self] result in
            if case .failure(let error) = result { return answer(.failure(error)) }
            look { answer($0.map(PlayerAnswer.state)) }
        }
    }

    private func list(from first: Int, _ status: PlayerReply, _ answer: @escaping Answer) {
        guard (1...min(status.length, TrackPage.lastPosition)).contains(first) else {
            return answer(.failure(.noSuchTrack))
        }
        let end = min(first - 1 + TrackPage.most, status.length, TrackPage.lastPosition)
        exchange("playlistinfo", ["\(first - 1):\(end)"]) { result in
            answer(
                result.map { reply in
                    .page(
                        TrackPage(length: status.length, version: status.version, tracks: reply.songs.map(\.track)))
                })
        }
    }

    // MARK: Pictures

    private func artwork(of song: UInt32?, _ offset: Int, _ answer: @escaping Answer) {
        guard (0..<ArtworkPart.largest).contains(offset) else { return answer(.failure(.noArtwork)) }
        let taken: (Result<PlayerReply, PlayerError>) -> Void = { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(let reply):
                guard let song = reply.songs.first else {
                    return answer(.failure(song == nil ? .nothingPlays : .noSuchTrack))
                }
                picture(["readpicture", "albumart"], of: song, offset, answer)
            }
        }
        if let song { exchange("playlistid", ["\(song)"], taken) } else { exchange("currentsong", [], taken) }
    }

    /// Asks for a part of a picture by one command after the other: the one in the file, then the one in its folder.
    private func picture(
        _ commands: ArraySlice<String>, of song: PlayerReply.Song, _ offset: Int, _ answer: @escaping Answer
    ) {
        guard let command = commands.first, song.fitsInCommand else { return answer(.failure(.noArtwork)) }
        exchange(command, [song.file, "\(offset)"]) { [self] result in
            switch result {
            case .failure(let error) where !error.isAboutThePicture: answer(.failure(error))
            case .success(let reply) where reply.size != nil:
                answer(Self.part(of: song.track.id, reply, offset).map(PlayerAnswer.artwork))
            default: picture(commands.dropFirst(), of: song, offset, answer)
            }
        }
    }

    private static func part(
        of song: UInt32, _ reply: PlayerReply, _ offset: Int
    ) -> Result<ArtworkPart, PlayerError> {
        guard let size = reply.size, size > 0 else { return .failure(.noArtwork) }
        guard size <= ArtworkPart.largest else { return .failure(.artworkTooLarge) }
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
