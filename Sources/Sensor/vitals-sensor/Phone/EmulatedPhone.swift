import Daemon
import MQTT
import OwnTracks

/// A phone that publishes where it is, until its recording is over. Belongs to its session's thread.
// Proof of @unchecked: made before the session starts, and touched on its thread only.
final class EmulatedPhone: @unchecked Sendable {
    /// The recording is over, and the program was to end then.
    struct Done: Error {}

    private let settings: PhoneSettings
    private let session: Session
    private let print: (String) -> Void
    private let onDone: (any Error) -> Void
    private var replay: Replay?
    /// When the last position was published, in seconds of the recording.
    private var latest: Double?
    private var isOver = false
    /// What the broker has not acknowledged, in order, by its number.
    private var waiting: [(number: Int, payload: [UInt8], isUnderWay: Bool)] = []
    private var count = 0
    private var acknowledged = 0

    /// What the altitude of a satellite receiver in the open is off by, in metres.
    private static let verticalAccuracy = 8.0

    /// - Parameters:
    ///   - print: takes the lines for standard output.
    ///   - onDone: is called when the program should end: with `Done`, or with what went wrong.
    init(
        _ settings: PhoneSettings, _ session: Session, print: @escaping (String) -> Void,
        onDone: @escaping (any Error) -> Void
    ) {
        (self.settings, self.session, self.print, self.onDone) = (settings, session, print, onDone)
    }

    /// The session has entered another state.
    func changed(_ state: State) {
        switch state {
        case .connected:
            begin()
            publish()
        case .waiting(let reason, _):
            let sentence = "cannot \(reason.attempted): \(reason.reason)"
            guard [.refused, .tls, .invalid].contains(reason.kind) else { return print("\(sentence); trying again") }
            onDone(Failure(reason.kind == .refused ? .refused : .unavailable, sentence, hint: reason.hint))
        case .connecting, .stopped: break
        }
    }

    /// Begins the recording when the broker is there for the first time.
    private func begin() {
        guard replay == nil else { return }
        print("ready")
        let replay = Replay(
            settings.activity, speed: settings.speed, beginning: settings.beginning, on: session.loop
        ) { [unowned self] record in
            play(record)
        } finish: { [unowned self] in
            isOver = true
            endIfDone()
        }
        self.replay = replay
        replay.begin()
    }

    private func play(_ record: Record) {
        guard let location = location(record), record.elapsed >= (latest ?? -.infinity) + settings.interval else {
            return
        }
        latest = record.elapsed
        do throws(OwnTracksError) {
            let payload = try settings.secret.map { (secret) throws(OwnTracksError) in try secret.seal(location.bytes) }
            waiting.append((count, payload ?? location.bytes, false))
            count += 1
            publish()
        } catch {
            onDone(Failure(.internalError, "\(error)"))
        }
    }

    /// What the app would say of a record; nil if nobody knows where it was.
    private func location(_ record: Record) -> PhoneLocation? {
        guard let place = record.place else { return nil }
        // A receiver knows when its fix was, however late the message leaves.
        let due = settings.beginning.map { $0 + Int64(record.elapsed * 1000 / settings.speed) }
        let now = due ?? unixMilliseconds()
        // The apps write whole seconds. Where several of the recording's pass in one, they would all be the same.
        var location = PhoneLocation(place: place, time: settings.speed > 1 ? now : now / 1000 * 1000)
        // A recording does not say how accurate its places are.
        location.altitudeMetres = record.altitude
        location.verticalAccuracyMetres = record.altitude == nil ? nil : Self.verticalAccuracy
        location.kilometresPerHour = record.metresPerSecond.map { ($0 * 3.6).rounded() }
        location.trigger = .timer
        location.monitoring = .move
        location.connection = .mobile
        location.trackerID = settings.trackerID
        return location
    }

    private func publish() {
        for index in waiting.indices where !waiting[index].isUnderWay {
            let number = waiting[index].number
            let isTaken = session.publish(waiting[index].payload, to: settings.topic, qos: .atLeastOnce) {
                [unowned self] error in
                ended(number, error)
            }
            guard isTaken else { return }
            waiting[index].isUnderWay = true
        }
    }

    /// The broker has acknowledged a message, or the connection has ended before.
    private func ended(_ number: Int, _ error: MQTTError?) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        guard error == nil else {
            waiting[index].isUnderWay = false
            return
        }
        waiting.remove(at: index)
        acknowledged += 1
        publish()
        endIfDone()
    }

    private func endIfDone() {
        guard isOver, waiting.isEmpty else { return }
        print("published \(acknowledged) positions")
        if settings.isOnce { onDone(Done()) }
    }
}
