import Daemon

/// The commands about the music in the house.
enum MusicCommands {
    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        guard arguments.command.first == command.name else { return nil }
        let music = Music(try call.about(nil, arguments), arguments)
        return switch arguments.command.last {
        case "play": try music.change(.play)
        case "pause": try music.change(.pause)
        case "next": try music.change(.next)
        case "previous": try music.change(.previous)
        case "choose": try music.choose()
        case "list": try music.list()
        case "artwork": try music.artwork()
        case "search": try music.search()
        case "add": try music.add()
        case "remove": try music.remove()
        case "auto": try music.automatic()
        default: try music.show()
        }
    }

    static let command = Command(
        name: "music", summary: "Shows what is played in the house, and changes it.",
        discussion: """
            A gateway whose settings have music asks Music Player Daemon. With nothing in its playlist, the answer is \
            "Empty Playlist": search its library and add tracks, or fill the playlist with any of its clients, such as mpc.
            """,
        examples: [
            Example("vitals music"), Example("vitals music play"), Example("vitals music choose 3"),
            Example("vitals music search ada"), Example("vitals music artwork cover.jpg"),
        ],
        subcommands: [
            Command(name: "play", summary: "Plays, from where it was paused."),
            Command(name: "pause", summary: "Pauses."),
            Command(name: "next", summary: "Goes to the next track."),
            Command(name: "previous", summary: "Goes to the track before."),
            Command(
                name: "choose", summary: "Plays a track of the playlist.",
                arguments: [.required("POSITION", "its place in the playlist, from 1 on, as the list shows it")],
                examples: [Example("vitals music choose 3")]),
            Command(
                name: "list", summary: "Lists the playlist: position, title, artist, album and length.",
                discussion: "Up to its thousandth track. A star marks the one that is under way.",
                examples: [Example("vitals music list"), Example("vitals music list --json")]),
            Command(
                name: "search", summary: "Lists tracks of the library: id, title, artist, album and length.",
                discussion: """
                    Each of the words has to be in the title, the artist, the album or some other tag of a track. Add a track by its id.
                    """,
                options: [.value("from", "N", "from this place among those found on (default: 1)")],
                arguments: [.required("TEXT", "the first word"), .repeated("WORDS", "further words")],
                examples: [Example("vitals music search ada one"), Example("vitals music search ada --json")]),
            Command(
                name: "add", summary: "Adds tracks of the library to the end of the playlist.",
                arguments: [.required("ID", "as the search shows it"), .repeated("IDS", "further ones")],
                examples: [Example("vitals music add k3v9x0q2mw")]),
            Command(
                name: "remove", summary: "Removes tracks from the playlist.",
                arguments: [
                    .required("POSITION", "its place in the playlist, from 1 on, as the list shows it"),
                    .repeated("POSITIONS", "further ones"),
                ],
                examples: [Example("vitals music remove 3"), Example("vitals music remove 3 5")]),
            Command(
                name: "artwork", summary: "Saves the artwork of a track.",
                options: [.value("position", "N", "of this track of the playlist (default: the one under way)")],
                arguments: [.required("FILE", "where to")], examples: [Example("vitals music artwork cover.jpg")]),
            Command(
                name: "auto", summary: "Has your workouts start and pause the music, or no longer.",
                discussion:
                    "Without a word, it shows which it is. You have to be signed in, and of the gateway's household.",
                arguments: [.optional("SWITCH", "on or off", values: ["on", "off"])],
                examples: [Example("vitals music auto on"), Example("vitals music auto on --gateway attic")]),
        ], runsAlone: true)
}
