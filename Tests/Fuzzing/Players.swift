import Telemetry

@testable import MusicPlayer

/// Answers of Music Player Daemon, read for each purpose: what is kept of them has limits.
func fuzzPlayers(_ bytes: [UInt8]) {
    let purposes: [PlayerReply.Purpose] = [
        .nothing, .changes, .status, .songs(atMost: 1), .songs(atMost: MusicLimits.page), .picture,
        .found(atMost: MusicLimits.page),
    ]
    for purpose in purposes {
        var reply = PlayerReply(for: purpose)
        do throws(PlayerReply.Fault) { try read(bytes, into: &reply) } catch { continue }
        let state = reply.state(with: reply.songs.first)
        hold(state.elapsedSeconds ?? 0 >= 0 && state.length >= 0, "nothing is below zero")
        hold(reply.binary.count <= PlayerReply.mostBinary + 1, "a part of a picture has a limit")
        hold(reply.songs.count <= MusicLimits.page, "a page has a limit")
        hold(reply.found.count <= MusicLimits.page, "a page of what is found has a limit")
        for (file, tags) in reply.found {
            hold(!file.hasPrefix("/") && !file.contains("://") && file.utf8.count <= 4000, "a song is of a library")
            hold(tags.durationSeconds ?? 0 >= 0, "a song has no length below zero")
            holdTexts(tags.title, tags.artist, tags.album)
        }
        for track in reply.songs.map(\.track) {
            hold(track.position > 0 && track.durationSeconds ?? 0 >= 0, "a track has a place and no length below zero")
            holdTexts(track.title, track.artist, track.album)
        }
    }
}

private func holdTexts(_ texts: String?...) {
    for text in texts.compactMap({ $0 }) {
        hold(text.utf8.count <= MusicLimits.textBytes, "a text has a limit")
        hold(!text.unicodeScalars.contains(where: \.isHarmful), "a text does no harm")
    }
}

/// As libmpdclient takes an answer apart.
private func read(_ bytes: [UInt8], into reply: inout PlayerReply) throws(PlayerReply.Fault) {
    var rest = bytes[...]
    while !rest.isEmpty {
        if reply.binaryLeft > 0 {
            let part = Array(rest.prefix(reply.binaryLeft))
            rest = rest.dropFirst(part.count)
            try reply.take(part)
        } else {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            try reply.take(
                String(decoding: name, as: UTF8.self), String(decoding: line.dropFirst(name.count + 2), as: UTF8.self))
        }
    }
}
