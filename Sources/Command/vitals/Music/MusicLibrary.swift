import Daemon
import Telemetry

/// The library: finding tracks in it, and which of them are in the playlist.
extension Music {
    func search() throws -> ExitCode {
        let words = try [arguments.string("TEXT")] + arguments.strings("WORDS")
        let first = try arguments.optionalInteger("from", in: 1...MusicLimits.lastPosition) ?? 1
        try visit { asking in
            let fields: [(String, JSON?)] = [
                ("text", .string(words.joined(separator: " "))), ("from", .integer(Int64(first))),
            ]
            let data = try asking(.search, fields)
            let tracks = try data.list("tracks").map { try payload(FoundTrackPayload.self, $0) }
            let hint = data["more"] == true ? "There are more: --from \(first + MusicLimits.page)\n" : ""
            try Output.write(call.isJSON ? tracks.map { $0.json.line }.joined() : Self.text(of: tracks) + hint)
        }
        return .ok
    }

    private static func text(of tracks: [FoundTrackPayload]) -> String {
        guard !tracks.isEmpty else { return "No track found\n" }
        return table(
            ["ID", "TITLE", "ARTIST", "ALBUM", "TIME"],
            tracks.map { track in
                [
                    escaped(track.found), escaped(track.title ?? "(no title)"), escaped(track.artist ?? ""),
                    escaped(track.album ?? ""), track.durationSeconds.map(time) ?? "",
                ]
            })
    }

    func add() throws -> ExitCode {
        let ids = try [arguments.string("ID")] + arguments.strings("IDS")
        try visit { asking in
            try change(.add, "found", ids.map(JSON.string), "Tracks added to playlist", asking)
        }
        return .ok
    }

    func remove() throws -> ExitCode {
        var positions = [try arguments.integer("POSITION", in: 1...MusicLimits.lastPosition)]
        for text in try arguments.strings("POSITIONS") {
            guard let position = Int(text), (1...MusicLimits.lastPosition).contains(position) else {
                throw arguments.refusal(
                    of: "POSITIONS", "expected an integer from 1 to \(MusicLimits.lastPosition), found \(text)")
            }
            if !positions.contains(position) { positions.append(position) }
        }
        try visit { asking in
            // Looked up before the first is removed, because that changes the places of others.
            let songs = try positions.compactMap { try song(at: $0, asking) }
            try change(.remove, "song", songs, "Tracks removed from playlist", asking)
        }
        return .ok
    }

    /// Asks for each of several values, and says what was done; if one of them is refused, of how many it was.
    private func change(
        _ request: MusicRequest, _ field: String, _ values: [JSON], _ done: String, _ asking: Asking
    ) throws {
        var latest = JSON.null
        for (index, value) in values.enumerated() {
            do { latest = try asking(request, [(field, value)]) } catch {
                if index > 0, !call.isJSON { try Output.write("\(done): \(index) of \(values.count)\n") }
                throw error
            }
        }
        try Output.write(call.isJSON ? latest.line : "\(done)\n")
    }
}
