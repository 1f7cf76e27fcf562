// What people ask of a sensor, and what its parts need from it.

import Bluetooth
import Daemon
import Reactor
import Telemetry

extension Sensor {
    /// Connects to it from now on.
    func resume() {
        guard isPaused else { return }
        remember { $0.isPaused = false }
        link = .idle
        backoff.reset()
        centralChanged(to: central.state)
        details.publish()
    }

    /// Stops connecting to it.
    func pause(completion: @escaping () -> Void) {
        remember { $0.isPaused = true }
        end(.paused, because: "disconnected by request", completion: completion)
        details.publish()
    }

    /// It is being forgotten: until `remain` or its end it does nothing, and must not be asked for anything.
    func leave(completion: @escaping () -> Void) {
        end(.leaving, because: "forgotten by request", completion: completion)
    }

    /// It stays after all: if BlueZ has forgotten its device, so does this, and the device has to be found again.
    func remain(forgotten: Bool) {
        if forgotten {
            remember { $0.device = nil }
            (others, isRefusalTold) = ([], false)
        }
        link = entry.isPaused ? .paused : .idle
        centralChanged(to: central.state)
        details.publish()
    }

    private func end(_ newLink: Link, because reason: String, completion: @escaping () -> Void) {
        let linked = device
        reset(newLink, because: reason)
        waiters.finish(ReplyError(.sensorOffline, "it was \(reason)"))
        guard let linked else { return completion() }
        hangUp(linked, completion: completion)
    }

    func rename(_ name: String?) {
        remember { $0.name = name }
        details.publish()
    }

    func remember(_ change: (inout SensorMemory.Entry) -> Void) {
        change(&entry)
        register.save(entry)
    }

    /// Calls back once: with nil when it is connected, or at the deadline with what prevents that.
    func whenAvailable(within limit: Duration, _ completion: @escaping (ReplyError?) -> Void) {
        guard !isAvailable else { return completion(nil) }
        waiters.add(within: limit, on: central.loop) { [weak self] in
            let why = self?.lastTrouble ?? "it was forgotten"
            return ReplyError(.timeout, "not connected in time: \(why)", retryAfterSeconds: 5)
        } completion: {
            completion($0)
        }
    }

    // MARK: What its parts ask for

    /// What people call it.
    var displayName: String {
        let names = [entry.name, device?.name, entry.device?.name, settings.name]
        // A sensor says of itself what it likes.
        let shown = names.lazy.compactMap { $0 }.map(PlainText.shown)
        return shown.first { $0.unicodeScalars.contains(where: \.isVisible) } ?? settings.id.text
    }

    func characteristic(_ uuid: String) -> Characteristic? { characteristics.first { $0.uuid == uuid } }

    /// Something does not work, but everything else goes on without it.
    func note(_ error: BluetoothError) {
        limitedLog.notice("noted \(settings.id)") { "sensor \(settings.id): \(error)\($0)" }
    }

    func publish(_ info: SensorInfoPayload) { announcer.publish(info, about: settings.id) }

    /// Keeps what was read; the completion is told, on another thread, whether it is on the disk.
    func keep(_ reading: Reading, flushed completion: @escaping @Sendable (Bool) -> Void) {
        owner.keep(reading, of: self, flushed: completion)
    }

    func failed(toRead what: String, _ error: ReplyError) {
        announcer.tell(.readFailed, about: settings.id, "\(what): \(error.message)")
    }
}
