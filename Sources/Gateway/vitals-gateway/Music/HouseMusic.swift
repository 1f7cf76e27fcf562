import Daemon
import MQTT
import MusicPlayer
import Reactor
import Telemetry

// What Music Player Daemon plays in the house, told to the household, whoever has changed it: people here, another
// client, or mpd itself at the end of a song. The topic is published when something changes, and not each second while
// a song goes on: from "time" and "elapsed_s" everybody can count.

/// The music of the house, from its settings. Belongs to the loop that it is given; `start`, `stop` and `ask` may be
/// called from any thread.
// Proof of @unchecked: constants, and what only the loop touches.
final class HouseMusic: @unchecked Sendable {
    /// The topic changes at most four times a second.
    private static let shortestPause = Duration.milliseconds(250)
    /// How far a song may be from where it was expected, in seconds, before somebody has wound it.
    private static let slack = 1.5

    private let settings: MusicSettings
    private let loop: EventLoop
    private let announcer: Announcer
    private let limitedLog: LimitedLog
    private var player: Player?
    /// What the topic says; nil at first.
    private var told: MusicPayload?
    /// What it says next, and the timer that waits until it may.
    private var next: MusicPayload?
    private var pause: EventLoop.Timer?

    init(_ settings: MusicSettings, on loop: EventLoop, telling announcer: Announcer, logging limitedLog: LimitedLog) {
        self.settings = settings
        self.loop = loop
        self.announcer = announcer
        self.limitedLog = limitedLog
    }

    func start() {
        loop.perform { [self] in
            tell(MusicPayload(unavailableAt: unixMilliseconds()))
            let player = Player(
                settings.player, on: loop, password: { [unowned self] () throws(PlayerError) in try password() }
            ) { [weak self] in self?.take($0) }
            self.player = player
            player.start()
        }
    }

    func stop() {
        loop.perform { [self] in
            player?.stop()
            pause?.cancel()
            (player, next, pause) = (nil, nil, nil)
            announcer.publish(MusicPayload(unavailableAt: unixMilliseconds()))
        }
    }

    /// Asks Music Player Daemon; the answer comes on the loop.
    func ask(
        _ request: PlayerRequest, _ answer: @escaping @Sendable (Result<PlayerAnswer, PlayerError>) -> Void
    ) {
        loop.perform { [self] in
            guard let player else { return answer(.failure(.away("the gateway stops"))) }
            player.ask(request, answer)
        }
    }

    // MARK: On the loop

    private func password() throws(PlayerError) -> String? {
        do throws(MQTTError) { return try settings.password() } catch {
            limitedLog.error("music password") { "music: \(error)\($0)" }
            // People who ask need not know where it is.
            throw .away("its password cannot be read")
        }
    }

    private func take(_ event: PlayerEvent) {
        switch event {
        case .connected(let version):
            limitedLog.notice("music") { [settings] in
                "music: Music Player Daemon \(version) at \(settings.player)\($0)"
            }
        case .state(let state): tell(MusicPayload(state, at: unixMilliseconds()))
        case .disconnected(let reason):
            tell(MusicPayload(unavailableAt: unixMilliseconds()))
            limitedLog.warning("music \(reason)") { [settings] in
                "music: Music Player Daemon at \(settings.player): \(reason)\($0)"
            }
        }
    }

    private func tell(_ payload: MusicPayload) {
        if let last = next ?? told, payload.follows(from: last, within: Self.slack) { return }
        guard pause == nil else {
            next = payload
            return
        }
        told = payload
        announcer.publish(payload)
        pause = loop.after(Self.shortestPause) { [weak self] in
            guard let self else { return }
            pause = nil
            if let next {
                self.next = nil
                tell(next)
            }
        }
    }
}

extension MusicPayload {
    /// What a player says at a time, in Unix milliseconds.
    init(_ state: PlayerState, at time: Int64) {
        self.init(
            time: time, state: state.mode.rawValue, length: state.length, version: Int(state.version),
            elapsedSeconds: state.elapsedSeconds, track: state.track.map(TrackPayload.init))
    }

    /// Whether nothing has changed since, but that the song has gone on.
    fileprivate func follows(from earlier: MusicPayload, within slack: Double) -> Bool {
        var expected = earlier
        expected.time = time
        expected.elapsedSeconds = elapsedSeconds
        guard expected == self else { return false }
        guard let elapsedSeconds, let then = earlier.elapsedSeconds else {
            return elapsedSeconds == earlier.elapsedSeconds
        }
        let passed = state == PlayerState.Mode.playing.rawValue ? Double(time - earlier.time) / 1000 : 0
        return abs(elapsedSeconds - then - passed) <= slack
    }
}

extension TrackPayload {
    init(_ track: Track) {
        self.init(
            song: Int(track.id), position: track.position, title: track.title, artist: track.artist,
            album: track.album, durationSeconds: track.durationSeconds)
    }
}

extension Announcer {
    fileprivate func publish(_ music: MusicPayload) { retained.publish(music.bytes, to: topics[gateway, .music]) }
}
