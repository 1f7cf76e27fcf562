// When nothing is heard of any sensor, it may be the adapter: some stop hearing, or hang, and only switching them off
// and on helps. So if sensors are missing, none is there, and nothing at all was heard for a while, the gateway goes
// through these stages:
//
//     listening to everything ──► discovery again ──► the adapter off and on ──► a report, and from the beginning, slower
//
// Listening comes first, because a known sensor is connected to without a discovery, and then no other device is heard.
// An adapter is left alone if any program has a link on it, or if it hears anything. In a house where nothing
// else advertises, a strap in a drawer looks the same: hence the waits, which grow to two hours.

import Bluetooth
import Daemon
import Reactor

/// Watches over the adapter. Belongs to the central's loop.
// Proof of @unchecked: made before the loop starts, and touched on it only; other threads reach it through `perform`.
final class Recovery: @unchecked Sendable {
    private enum Stage {
        case listening, discovery, power, report
    }

    private static let longest = Duration.seconds(7200)
    /// Between off and on.
    private static let pause = Duration.seconds(1)

    private let register: SensorRegister
    private let central: Central
    private let first: Duration
    private let mayCyclePower: Bool
    private var wait: Duration
    private var stage = Stage.listening
    /// Held while listening for any device.
    private var token: Discovery.Token?
    private var hasHeard = false
    private var timer: EventLoop.Timer?
    private lazy var power = Retry(
        on: central.loop, Backoff(first: Recovery.pause, limit: .seconds(60))
    ) { [weak self] in self?.switchOnNow() }
    private var cycles = 0

    /// - Parameters:
    ///   - first: how long nothing may be heard of any sensor at first.
    ///   - mayCyclePower: whether it may switch the adapter off and on.
    init(of register: SensorRegister, after first: Duration, mayCyclePower: Bool) {
        self.register = register
        self.first = first
        self.mayCyclePower = mayCyclePower
        central = register.central
        wait = first
    }

    func start() { look(after: first) }

    func stop() {
        timer?.cancel()
        power.cancel()
    }

    /// A device was heard, or is connected.
    func heard() {
        hasHeard = true
        stopListening()
    }

    private func stopListening() {
        token?.end()
        token = nil
    }

    /// Switches the adapter on again if it was switched off here, by this run or the one before.
    func centralChanged(to state: Central.State) {
        hasHeard = false
        guard register.isAdapterCycled else { return }
        switch state {
        case .adapterOff: power.later()
        case .ready:
            register.isAdapterCycled = false
            power.reset()
        default: break
        }
    }

    private func look(after pause: Duration) {
        timer = central.loop.after(pause) { [weak self] in self?.look() }
    }

    private func look() {
        defer { look(after: wait) }
        guard !register.isAdapterCycled else { return }
        let isConcerned =
            central.state == .ready && register.all.contains(where: \.isMissing)
            && !central.devices.contains(where: \.isConnected)
        guard isConcerned, !hasHeard else {
            (hasHeard, stage, wait, cycles) = (false, .listening, first, 0)
            return stopListening()
        }
        let name = central.adapter?.name ?? "the adapter"
        switch stage {
        case .listening:
            token = central.discover()
            stage = .discovery
        case .discovery:
            say("nothing heard for \(wait): \(name) starts its discovery again")
            central.restartDiscovery()
            stage = mayCyclePower ? .power : .report
        case .power:
            cycles += 1
            say("still nothing heard: \(name) is switched off and on")
            switchOff()
            stage = .report
        case .report:
            let tried =
                cycles == 0 ? "" : " after it was switched off and on \(cycles == 1 ? "once" : "\(cycles) times")"
            say(
                "\(name) hears nothing\(tried): are the sensors worn and charged? Does the adapter work (dmesg, another USB port)?"
            )
            stage = .listening
            wait = min(wait * 2, max(Self.longest, first))
        }
    }

    /// Before the adapter goes off, the disk says that it has to be switched on again: this program may be killed in
    /// between.
    private func switchOff() {
        register.isAdapterCycled = true
        register.whenWritten { [self] in
            central.loop.perform { [self] in switchOffNow() }
        }
    }

    private func switchOffNow() {
        central.setPowered(false) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            register.limitedLog.warning("switching off") { "\(error)\($0)" }
            // It may still go off: an adapter that hangs needs some time.
            if error.isTimeout { power.later() } else { register.isAdapterCycled = false }
        }
    }

    private func switchOnNow() {
        central.setPowered(true) { [weak self] result in
            guard let self, register.isAdapterCycled else { return }
            if case .failure(let error) = result { register.limitedLog.warning("switching on") { "\(error)\($0)" } }
            switch (result, central.state) {
            case (.success, .ready): register.isAdapterCycled = false
            case (.failure, .ready), (.failure, .adapterOff): power.later()
            default: break  // If it is blocked or gone, its next state leads back here.
            }
        }
    }

    private func say(_ words: String) {
        log.warning("Bluetooth: \(words)", event: .bluetoothTrouble)
        register.announcer.tell(.bluetooth, words)
    }
}
