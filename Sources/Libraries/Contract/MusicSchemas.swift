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

    private static let found = PayloadSchema.text(matching: "^[0-9a-z]{10}$").about("the id that music/add takes")

    private static let foundTrack = PayloadSchema.object(
        "FoundTrack", "A track of the library.",
        [
            .always("found", found), .known("title", text), .known("artist", text), .known("album", text),
            .known("duration_s", .number),
        ])

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
        case .search: return search
        case .add:
            return (request("MusicAdd", "Adds a found track to the playlist's end.", [.always("found", found)]), state)
        case .remove:
            return (request("MusicRemove", "Removes a track from the playlist.", [.always("song", song)]), state)
        }
    }

    private static var search: (fields: PayloadSchema, reply: PayloadSchema) {
        let page = PayloadSchema.object(
            "FoundTracks", "Tracks of the library.",
            [
                .always("tracks", .array(of: foundTrack, atMost: Int64(MusicLimits.page))),
                .always("more", .bool.about("whether a search from a later place finds more")),
            ])
        return (
            request(
                "MusicSearch",
                "Asks for the \(MusicLimits.page) tracks of the library from a place on that have all words of the text in their tags.",
                [
                    .always("text", .text(atMost: MusicLimits.searchBytes)),
                    .known("from", .integer(from: 1, through: Int64(MusicLimits.lastPosition))),
                ]),
            reply("MusicSearchReply", to: page)
        )
    }
}
