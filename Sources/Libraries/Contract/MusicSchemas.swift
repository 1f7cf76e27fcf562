import Telemetry

// What gateways tell and are asked about the music in the house.

extension Schemas {
    private static let trackFields: [PayloadSchema.Field] = [
        .always("song", .count.about("its id, as long as it is in the playlist")),
        .always("position", .integer(from: 1)), .known("title", .text(atMost: 256)),
        .known("artist", .text(atMost: 256)), .known("album", .text(atMost: 256)), .known("duration_s", .number),
    ]

    private static let track = PayloadSchema.object("Track", "A track of the playlist.", trackFields)

    static let music = PayloadSchema.object(
        "Music", "What is played in the house; while nothing can be known of it, only that.",
        [
            .always("time", .time), .always("available", .bool),
            .known("state", .word(["playing", "paused", "stopped"])), .known("length", .count),
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
                    .always("tracks", .array(of: track, atMost: 50)),
                ])
            return (
                request(
                    "MusicList", "Asks for the 50 tracks from a position on.",
                    [.known("from", .integer(from: 1, through: 1000))]), reply("MusicListReply", to: page)
            )
        case .artwork:
            let part = PayloadSchema.object(
                "Artwork", "A part of a track's artwork.",
                [
                    .always("song", .count), .always("size", .integer(from: 1, through: 1_048_576)),
                    .always("offset", .count), .always("data", .base64(atMost: 16_384)),
                ])
            return (
                request(
                    "MusicArtwork", "Asks for a part of the artwork of a track, or of the one that is under way.",
                    [.known("song", song), .known("offset", .integer(from: 0, through: 1_048_575))]),
                reply("ArtworkReply", to: part)
            )
        }
    }
}
