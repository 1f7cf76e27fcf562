import Daemon
import Positioning
import Reactor
import Telemetry

// A satellite receiver beside the gateway, through gpsd, as one of the gateway's sensors: its fixes are recorded as
// positions, sealed like all readings, and the household hears only that it is there. It is claimed like any sensor.

/// A receiver, from its settings. Belongs to the loop that it is given; `start` and `stop` may be called from any thread.
// Proof of @unchecked: constants, and what only the loop touches.
final class SatelliteReceiver: @unchecked Sendable {
    /// A fix is at most this much older than its arrival, in milliseconds, and at most a second newer. Otherwise one of the
    /// two clocks is wrong.
    static let oldest: Int64 = 4000
    /// What it is called.
    static let name = "gpsd"
    private static let newest: Int64 = -1000

    private let settings: ReceiverSettings
    private let loop: EventLoop
    private let announcer: Announcer
    private let limitedLog: LimitedLog
    private let keep: (Reading) -> Void
    private var client: Receiver?
    private var hasFix = false
    /// The second of the fix that was kept last.
    private var second: Int64?
    private var isClockTold = false

    /// - Parameter keep: records a reading. Called on the loop.
    init(
        _ settings: ReceiverSettings, on loop: EventLoop, telling announcer: Announcer, logging limitedLog: LimitedLog,
        keep: @escaping (Reading) -> Void
    ) {
        self.settings = settings
        self.loop = loop
        self.announcer = announcer
        self.limitedLog = limitedLog
        self.keep = keep
    }

    func start() {
        announcer.publish(SensorInfoPayload(name: Self.name, capabilities: ["location"]), about: settings.id)
        announcer.announce(.offline, of: settings.id)
        loop.perform { [self] in
            let client = Receiver(settings.address, on: loop) { [weak self] event in self?.take(event, at: .now()) }
            self.client = client
            client.start()
        }
    }

    func stop() {
        loop.perform { [self] in client?.stop() }
        announcer.announce(.offline, of: settings.id)
    }

    // MARK: On the loop

    func take(_ event: ReceiverEvent, at now: Moment) {
        switch event {
        case .connected(let version): tell("gpsd \(version) at \(settings.address)")
        case .fix(let fix): take(fix, at: now)
        case .noFix: lose("the receiver does not know where it is")
        case .satellites: break
        case .disconnected(let reason):
            lose(reason)
            limitedLog.warning("receiver \(reason)") { [settings] in
                "sensor \(settings.id): gpsd at \(settings.address): \(reason)\($0)"
            }
        }
    }

    private func take(_ fix: ReceiverFix, at now: Moment) {
        if !hasFix {
            hasFix = true
            tell("the receiver knows where it is")
            announcer.announce(.online, of: settings.id)
            announcer.tell(.connected, about: settings.id, "Position Found")
        }
        // A receiver may tell its place ten times a second.
        let second = fix.time / 1000
        guard second != self.second,
            let position = Position(
                latitude: fix.place.latitude, longitude: fix.place.longitude,
                altitudeMetres: fix.hasAltitude ? fix.altitudeMetres : nil, accuracyMetres: fix.accuracyMetres,
                source: .receiver)
        else { return }
        self.second = second
        keep(Reading(at: moment(of: fix, at: now), .position(position)))
    }

    /// When the receiver was there, by the gateway's clocks. Readings of one boot are corrected together when the wall clock
    /// is set, so one with another clock's time would be moved, although it is right; and it would look as if the clock
    /// had been set. If the clocks disagree, the fix counts as one of this moment.
    private func moment(of fix: ReceiverFix, at now: Moment) -> Moment {
        let age = now.wall - fix.time
        guard (Self.newest...Self.oldest).contains(age), Int64(now.monotonic) >= age else {
            if !isClockTold {
                log.warning(
                    "sensor \(settings.id): its time and this machine's clock differ by \(age.magnitude / 1000) s: positions have the latter"
                )
            }
            isClockTold = true
            return now
        }
        isClockTold = false
        return Moment(wall: fix.time, monotonic: UInt64(Int64(now.monotonic) - age))
    }

    private func lose(_ reason: String) {
        guard hasFix else { return }
        hasFix = false
        announcer.announce(.offline, of: settings.id)
        announcer.tell(.disconnected, about: settings.id, reason)
    }

    private func tell(_ words: String) {
        limitedLog.notice("receiver \(words)") { [settings] in "sensor \(settings.id): \(words)\($0)" }
    }
}
