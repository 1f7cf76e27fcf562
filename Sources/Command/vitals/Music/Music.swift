import Daemon
import Files
import FoundationEssentials
import Telemetry

/// `vitals music`: what Music Player Daemon plays, through a gateway of the household.
struct Music {
    let call: Call
    let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: What is asked

    func show() throws -> ExitCode { try change(.show) }

    /// Asks for something whose answer is what is played then.
    func change(_ request: MusicRequest, _ fields: [(String, JSON?)] = []) throws -> ExitCode {
        try visit { asking in try tell(asking(request, fields)) }
        return .ok
    }

    func choose() throws -> ExitCode {
        let position = try arguments.integer("POSITION", in: 1...Int(Int32.max))
        return try change(.choose, [("position", .integer(Int64(position)))])
    }

    func list() throws -> ExitCode {
        try visit { asking in
            let current = try payload(MusicPayload.self, asking(.show, [])).track?.song
            var tracks: [TrackPayload]?
            // Somebody may change the playlist between two pages; then it is listed from its beginning.
            for _ in 0..<Self.mostTries where tracks == nil { tracks = try playlist(asking) }
            guard let tracks else {
                throw Failure(.temporary, "the playlist changes while it is listed", hint: "try again")
            }
            try Output.write(
                call.isJSON ? tracks.map { $0.json.line }.joined() : Self.text(of: tracks, current: current))
        }
        return .ok
    }

    private static let mostTries = 3

    /// The playlist; nil if it changes between two pages.
    private func playlist(_ asking: Asking) throws -> [TrackPayload]? {
        var tracks: [TrackPayload] = []
        var version: Int?
        for first in stride(from: 1, through: MusicLimits.lastPosition, by: MusicLimits.page) {
            let data = try asking(.list, [("from", .integer(Int64(first)))])
            guard let latest = data.whole("version"), let length = data.whole("length") else { throw Self.unreadable }
            guard latest == version ?? latest else { return nil }
            version = latest
            tracks += try data.list("tracks").map { try payload(TrackPayload.self, $0) }
            guard length >= first + MusicLimits.page else { break }
        }
        return tracks
    }

    func artwork() throws -> ExitCode {
        let path = try arguments.string("FILE")
        let position = try arguments.optionalInteger("position", in: 1...MusicLimits.lastPosition)
        try visit { asking in
            var song: JSON?
            if let position { song = try self.song(at: position, asking) }
            var picture: [UInt8] = []
            var size: Int?
            while picture.count < size ?? 1 {
                let part = try asking(.artwork, [("song", song), ("offset", .integer(Int64(picture.count)))])
                guard let whole = part.whole("size"), whole <= MusicLimits.artwork,
                    part.whole("offset") == picture.count, case .string(let text)? = part["data"],
                    let bytes = Data(base64Encoded: text), !bytes.isEmpty, picture.count + bytes.count <= whole
                else { throw Self.unreadable }
                // The track may end in the meantime, and somebody may change its file: the picture should be one.
                guard whole == size ?? whole, part["song"] == song ?? part["song"] else {
                    throw Failure(.temporary, "the artwork changes while it is read", hint: "try again")
                }
                (size, song) = (whole, part["song"])
                picture += bytes
            }
            do throws(VaultError) { try SmallFile.replace(path, with: picture) } catch {
                throw Failure(.inputOutput, "\(path) cannot be written: \(error.said)")
            }
            let told = JSON.object(present: [
                "file": .string(path), "bytes": .integer(Int64(picture.count)), "song": song,
            ])
            try Output.write(call.isJSON ? told.line : "\(path): \(counted(picture.count, "byte"))\n")
        }
        return .ok
    }

    /// The id of a track of the playlist.
    func song(at position: Int, _ asking: Asking) throws -> JSON? {
        let page = try asking(.list, [("from", .integer(Int64(position)))])
        guard let first = page.list("tracks").first, first.whole("position") == position else {
            throw Failure(.notFound, "there is no track \(position) in the playlist")
        }
        return first["song"]
    }

    /// Has the asker's workouts start and pause the music; without a word, shows whether they do.
    func automatic() throws -> ExitCode {
        let wanted = try arguments.optionalString("SWITCH").map { $0 == "on" }
        let data = try Office.visit(call) { office in
            guard let wanted else { return try office.ask("music/get") }
            let gateway = call.gateway.map { JSON.string($0.text) }
            return try office.ask("music/set", [("workouts", .bool(wanted)), ("gateway", gateway)])
        }
        let place = data.text("gateway").map { " of \($0)" } ?? ""
        let words = data["workouts"] == true ? "start and pause the music\(place)" : "leave the music as it is"
        try Output.write(call.isJSON ? data.line : "Your workouts \(words)\n")
        return .ok
    }

    // MARK: Asking

    typealias Asking = (MusicRequest, [(String, JSON?)]) throws -> JSON

    /// Connects, finds the gateway, does the work, and says goodbye.
    func visit(_ body: (Asking) throws -> Void) throws {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let filters = Household.filters(call, gateway: [.status], sensor: [])
        let gateway = try Household(try broker.gather(filters), call.topics).theGateway(call).id
        try body { request, fields in
            try broker.data(Inquiry(request, fields), of: gateway, within: call.timeout)
        }
    }

    static let unreadable = Failure(
        .protocolError, "the gateway's reply cannot be read", hint: "are the gateway and vitals of the same version?")

    func payload<Value: Payload>(_ type: Value.Type, _ data: JSON) throws -> Value {
        do throws(MalformedValue) { return try Value(payload: data.bytes) } catch { throw Self.unreadable }
    }

    // MARK: Telling

    func tell(_ data: JSON) throws {
        guard !call.isJSON else {
            try Output.write(data.line)
            return
        }
        try Output.write(Self.text(of: try payload(MusicPayload.self, data), at: unixMilliseconds()))
    }

    /// Lines such as `Playing   One`, for a time in Unix milliseconds.
    private static func text(of music: MusicPayload, at now: Int64) -> String {
        guard music.available else { return "Music Player Daemon cannot be reached\n" }
        guard let length = music.length, length > 0 else { return "Empty Playlist\n" }
        let state =
            switch music.state {
            case .playing: "Playing"
            case .paused: "Paused"
            case .stopped, nil: "Stopped"
            }
        guard let track = music.track else { return "\(state), \(counted(length, "track"))\n" }
        var lines = [(state, track.title ?? "(no title)")]
        if let artist = track.artist { lines.append(("Artist", artist)) }
        if let album = track.album { lines.append(("Album", album)) }
        lines.append(("Track", "\(track.position) of \(length)"))
        if var elapsed = music.elapsedSeconds {
            if music.state == .playing { elapsed += max(0, (Double(now) - Double(music.time)) / 1000) }
            if let duration = track.durationSeconds { elapsed = min(elapsed, duration) }
            let whole = track.durationSeconds.map { " of \(time($0))" } ?? ""
            lines.append(("Time", time(elapsed) + whole))
        }
        return lines.map { $0.0.padded(to: 10) + escaped($0.1) + "\n" }.joined()
    }

    private static func text(of tracks: [TrackPayload], current: Int?) -> String {
        table(
            ["", "TRACK", "TITLE", "ARTIST", "ALBUM", "TIME"],
            tracks.map { track in
                [
                    track.song == current ? "*" : "", "\(track.position)", escaped(track.title ?? "(no title)"),
                    escaped(track.artist ?? ""), escaped(track.album ?? ""), track.durationSeconds.map(time) ?? "",
                ]
            })
    }

    /// `4:05`, `1:04:05`
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e7))
        let (minutes, rest) = (whole / 60 % 60, whole % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return whole >= 3600 ? "\(whole / 3600):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }
}
