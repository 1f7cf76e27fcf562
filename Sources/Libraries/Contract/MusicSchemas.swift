import Telemetry

// What gateways tell and are asked about the music in the house.

extension Schemas {
    private static let text = PayloadSchema.text(atMost: MusicLimits.textBytes)

    private static let trackFields: [PayloadSchema.Field] = [
        .always("song", .count.about("its id, as long as it is in the playlist")),
        .always("position", .integer(from: 1)), .known("title", text), .known("artist", text), .known("album", text),
        .known("duration_s", .number),
    ]

    private static let track = PayloadSchema.object("Track", "A track of the playlist.", trackFields)

    static let music = PayloadSchema.object(
        "Music", "What is played in the house; while nothing can be known of it, only that.",
        [
            .always("time", .time), .always("available", .bool),
            .known("state", .word(MusicPayload.State.allCases.map(\.rawValue))), .known("length", .count),
            .known("version", .count.about("changes with the playlist")),
            .known("elapsed_s", .number.about("at that time; it goes on while something is played")),
            .known("track", track),
        ])

    static func request(_ name: MusicRequest) -> (fields: PayloadSchema, reply: PayloadSchema) {
        let song = PayloadSchema.integer(from: 0, through: Int64(UInt32.max))
        let state = reply("MusicReply", to: music)
        switch name {
        case .show: return (request("MusicShow", "Asks what is played.", []), state)
        case .play: return (request("MusicPlay", "Plays, from where it was paused.", []), state)
        case .pause: return (request("MusicPause", "Pauses.", []), state)
        case .next: return (request("MusicNext", "Goes to the next track.", []), state)
        case .previous: return (request("MusicPrevious", "Goes to the track before.", []), state)
        case .choose:
            return (
                request(
                    "MusicChoose", "Plays a track: its song or its position, one of both.",
                    [.known("song", song), .known("position", .integer(from: 1))]), state
            )
        case .list:
            let page = PayloadSchema.object(
                "Playlist", "A part of the playlist.",
                [
                    .always("length", .count), .always("version", .count),
                    .always("tracks", .array(of: track, atMost: Int64(MusicLimits.page))),
                ])
            return (
                request(
                    "MusicList", "Asks for the \(MusicLimits.page) tracks from a position on.",
                    [.known("from", .integer(from: 1, through: Int64(MusicLimits.lastPosition)))]),
                reply("MusicListReply", to: page)
            )
        case .artwork:
            let part = PayloadSchema.object(
                "Artwork", "A part of a track's artwork.",
                [
                    .always("song", .count), .always("size", .integer(from: 1, through: Int64(MusicLimits.artwork))),
                    .always("offset", .count), .always("data", .base64(atMost: MusicLimits.artworkPart)),
                ])
            return (
                request(
                    "MusicArtwork", "Asks for a part of the artwork of a track, or of the one that is under way.",
                    [
                        .known("song", song),
                        .known("offset", .integer(from: 0, through: Int64(MusicLimits.artwork) - 1)),
                    ]),
                reply("ArtworkReply", to: part)
            )
        }
    }
}
