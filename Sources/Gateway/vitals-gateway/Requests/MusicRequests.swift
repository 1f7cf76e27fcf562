// Requests about the music in the house. Music Player Daemon carries them out for everybody whom the broker lets ask, which
// is the household.

import Daemon
import FoundationEssentials
import MQTT
import MusicPlayer
import Telemetry

/// Answers requests about music.
struct MusicRequests {
    private static let usualLimit = Duration.seconds(10)
    private static let longestLimit = Duration.seconds(60)

    /// Nil where the settings have none.
    let music: HouseMusic?

    /// Receives a request; on the gateway's loop.
    func receive(_ message: Message, _ topic: RequestTopic, named name: String, on desk: RequestDesk) {
        desk.receive(message, topic, usual: Self.usualLimit, longest: Self.longestLimit) { task in
            do throws(ReplyError) {
                guard let request = MusicRequest(requestName: name) else {
                    throw ReplyError(.badRequest, "there is no request \"\(name.prefix(64))\"", field: "topic")
                }
                guard let music else {
                    throw ReplyError(.notFound, "this gateway has no music: its settings have no \"music\"")
                }
                music.ask(try PlayerRequest(request, task.request.fields), by: task.deadline) { result in
                    task.answer(Self.outcome(of: result))
                }
            } catch {
                task.refuse(error)
            }
        }
    }

    private static func outcome(of result: Result<PlayerAnswer, PlayerError>) -> Reply.Outcome {
        switch result {
        case .failure(let error): .error(ReplyError(error))
        case .success(.state(let state)): .ok(MusicPayload(state, at: unixMilliseconds()).json)
        case .success(.page(let page)):
            .ok([
                "length": .integer(Int64(page.length)), "version": .integer(Int64(page.version)),
                "tracks": .array(page.tracks.map { TrackPayload($0).json }),
            ])
        case .success(.found(let page)):
            .ok(["tracks": .array(page.tracks.map { FoundTrackPayload($0).json }), "more": .bool(page.hasMore)])
        case .success(.artwork(let part)):
            .ok([
                "song": .integer(Int64(part.song)), "size": .integer(Int64(part.size)),
                "offset": .integer(Int64(part.offset)), "data": .string(Data(part.bytes).base64EncodedString()),
            ])
        }
    }
}

extension PlayerRequest {
    /// The request that a name and some fields are.
    fileprivate init(_ request: MusicRequest, _ fields: JSON) throws(ReplyError) {
        switch request {
        case .show: self = .show
        case .play: self = .play
        case .pause: self = .pause
        case .next: self = .next
        case .previous: self = .previous
        case .list: self = .list(from: try Self.number("from", 1...Int64(MusicLimits.lastPosition), fields) ?? 1)
        case .artwork:
            let song = try Self.number("song", 0...Int64(UInt32.max), fields)
            let offset = try Self.number("offset", 0...Int64(MusicLimits.artwork - 1), fields) ?? 0
            self = .artwork(song: song.map { UInt32($0) }, offset: offset)
        case .search:
            guard case .string(let text)? = fields["text"], let words = SearchText(text) else {
                let limits = "1 to \(MusicLimits.searchWords) words, at most \(MusicLimits.searchBytes) bytes"
                let expected = "search for \(limits), without control characters"
                throw ReplyError(.badRequest, expected, field: "text")
            }
            self = .search(words, from: try Self.number("from", 1...Int64(MusicLimits.lastPosition), fields) ?? 1)
        case .add:
            guard case .string(let found)? = fields["found"] else {
                throw ReplyError(.badRequest, "which track? Its \"found\", as a search says it", field: "found")
            }
            self = .add(found: found)
        case .remove:
            guard let song = try Self.number("song", 0...Int64(UInt32.max), fields) else {
                throw ReplyError(.badRequest, "which track? Its \"song\", as the list says it", field: "song")
            }
            self = .remove(song: UInt32(song))
        case .choose:
            let song = try Self.number("song", 0...Int64(UInt32.max), fields)
            let position = try Self.number("position", 1...Int64(Int32.max), fields)
            switch (song, position) {
            case (let song?, nil): self = .choose(song: UInt32(song))
            case (nil, let position?): self = .choosePosition(position)
            default: throw ReplyError(.badRequest, "which track? Its \"song\" or its \"position\"", field: "song")
            }
        }
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int64>, _ fields: JSON
    ) throws(ReplyError) -> Int? {
        switch fields[name] {
        case nil: return nil
        case .integer(let number) where range.contains(number): return Int(number)
        default:
            let words = "a whole number from \(range.lowerBound) to \(range.upperBound) is expected"
            throw ReplyError(.badRequest, words, field: name)
        }
    }
}

extension ReplyError {
    /// What is replied if Music Player Daemon does not do what it was asked.
    fileprivate init(_ error: PlayerError) {
        let words = "\(error)"
        switch error {
        case .emptyPlaylist, .noSuchTrack, .notFound, .noArtwork: self.init(.notFound, words)
        case .nothingPlays, .playlistFull, .noLibrary, .artworkTooLarge, .notPermitted, .refused:
            self.init(.refused, words)
        case .away: self.init(.notReady, words, retryAfterSeconds: 5)
        case .timeout: self.init(.timeout, words, retryAfterSeconds: 5)
        case .late: self.init(.timeout, words, retryAfterSeconds: 1)
        case .busy: self.init(.busy, words, retryAfterSeconds: 1)
        }
    }
}
