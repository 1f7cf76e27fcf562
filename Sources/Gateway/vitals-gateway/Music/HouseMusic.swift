import Daemon
import MQTT
import MusicPlayer
import Reactor
import Telemetry

// What Music Player Daemon plays in the house, told to the household, whoever has changed it: people here, another
// client, or mpd itself at the end of a song. The topic is published when something changes, and not each second while
// a song goes on: from "time" and "elapsed_s" everybody can count.

/// The music of the house, from its settings, with a thread of its own: a heart rate does not wait for what a music
/// player says. `start` and `stop` belong to the owner; `ask` may be called from any thread.
// Proof of @unchecked: constants, what only the loop touches, and what only the owner touches.
final class HouseMusic: @unchecked Sendable {
    /// The topic changes at most four times a second.
    private static let shortestPause = Duration.milliseconds(250)

    private let settings: MusicSettings
    private let loop = EventLoop(name: "music")
    private let announcer: Announcer
    private let limitedLog: LimitedLog
    private var isStarted = false
    private var player: Player?
    /// What the topic says; nil at first.
    private var told: MusicPayload?
    /// What it says as soon as it may.
    private var untold: MusicPayload?
    /// Until it may.
    private var pause: EventLoop.Timer?

    init(_ settings: MusicSettings, telling announcer: Announcer, logging limitedLog: LimitedLog) {
        self.settings = settings
        self.announcer = announcer
        self.limitedLog = limitedLog
    }

    func start() {
        isStarted = true
        loop.start()
        loop.perform { [self] in
            tell(MusicPayload(unavailableAt: unixMilliseconds()))
            let player = Player(
                settings.player, on: loop,
                password: { [weak self] () throws(PlayerError) in try self?.password() }
            ) { [weak self] in self?.heard($0) }
            self.player = player
            player.start()
        }
    }

    /// The topic says at last that nothing is known, and whoever asks is refused.
    func stop() {
        guard isStarted else { return }
        loop.sync { [self] in
            player?.stop()
            pause?.cancel()
            (player, untold, pause) = (nil, nil, nil)
            announcer.publish(MusicPayload(unavailableAt: unixMilliseconds()))
        }
    }

    /// Ends the thread, once nobody can ask any more.
    func end() { loop.stop() }

    /// Asks Music Player Daemon; the answer comes on the loop.
    /// - Parameter deadline: after it nothing is changed any more.
    func ask(
        _ request: PlayerRequest, by deadline: ContinuousClock.Instant,
        _ answer: @escaping @Sendable (Result<PlayerAnswer, PlayerError>) -> Void
    ) {
        loop.perform { [self] in
            guard let player else { return answer(.failure(.away("the gateway stops"))) }
            player.ask(request, by: deadline, answer)
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

    private func heard(_ event: PlayerEvent) {
        // After `stop`, which leaves the player's own end to the loop, the topic must not change any more.
        guard player != nil else { return }
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
        if let last = untold ?? told, payload.follows(from: last) { return }
        guard pause == nil else {
            untold = payload
            return
        }
        told = payload
        announcer.publish(payload)
        pause = loop.after(Self.shortestPause) { [weak self] in
            guard let self else { return }
            pause = nil
            if let untold {
                self.untold = nil
                tell(untold)
            }
        }
    }
}

extension MusicPayload {
    /// How far a song may be from where it was expected, in seconds, before that is told: somebody has wound it, or set
    /// the clock by which all who hear of it count.
    private static let slack = 0.5

    /// What a player says at a time, in Unix milliseconds.
    init(_ state: PlayerState, at time: Int64) {
        self.init(
            time: time, state: State(state.mode), length: state.length, version: Int(state.version),
            elapsedSeconds: state.elapsedSeconds, track: state.track.map(TrackPayload.init))
    }

    /// Whether nothing has changed since, but that the song has gone on.
    func follows(from earlier: MusicPayload) -> Bool {
        var expected = earlier
        expected.time = time
        expected.elapsedSeconds = elapsedSeconds
        guard expected == self else { return false }
        guard let elapsedSeconds, let then = earlier.elapsedSeconds else {
            return elapsedSeconds == earlier.elapsedSeconds
        }
        let passed = state == .playing ? Double(time - earlier.time) / 1000 : 0
        return abs(elapsedSeconds - then - passed) <= Self.slack
    }
}

extension MusicPayload.State {
    fileprivate init(_ mode: PlayerState.Mode) {
        switch mode {
        case .playing: self = .playing
        case .paused: self = .paused
        case .stopped: self = .stopped
        }
    }
}

extension TrackPayload {
    init(_ track: Track) {
        self.init(
            song: Int(track.id), position: track.position, title: track.title, artist: track.artist,
            album: track.album, durationSeconds: track.durationSeconds)
    }
}

extension FoundTrackPayload {
    init(_ track: FoundTrack) {
        self.init(
            found: track.id, title: track.title, artist: track.artist, album: track.album,
            durationSeconds: track.durationSeconds)
    }
}

extension Announcer {
    fileprivate func publish(_ music: MusicPayload) { retained.publish(music.bytes, to: topics[gateway, .music]) }

    /// The settings have no music: what the broker has kept from before would say for ever what was played then.
    func clearMusic() { retained.publish([], to: topics[gateway, .music]) }
}
