// The program: some emulated sensors, the form in which clients reach them, and commands line by line.
//
// All of it lives on one event loop. `main` waits for signals; anything else that ends the program (the end of a
// replay, the bus, `quit`) reaches it through `Signals.fail`.

import DBus
import Daemon
import Glibc
import Reactor

/// The running program. Belongs to its loop.
// Proof of @unchecked: made and touched on the loop's thread only; other threads reach it through `loop.perform`.
final class Sensor: @unchecked Sendable {
    /// Thrown to `main` when everything was done as asked.
    struct Done: Error {}

    private let loop: EventLoop
    private let connection: Connection
    private let peripherals: [Peripheral]
    private let form: any Form
    private let endsWithActivities: Bool
    private let print: (String) -> Void
    private let onDone: (any Error) -> Void
    private var running: Int
    private var isEnding = false
    private var readers: [LineReader] = []

    /// - Parameters:
    ///   - endsWithActivities: whether sensors go when their activities are over, and the program with the last of them;
    ///     otherwise they stay, and are silent.
    ///   - print: takes the lines for standard output.
    ///   - onDone: is called once when the program should end: with `Done`, or with what went wrong.
    init(
        _ peripherals: [Peripheral], as form: any Form, on connection: Connection, endsWithActivities: Bool,
        print: @escaping (String) -> Void, onDone: @escaping (any Error) -> Void
    ) {
        self.peripherals = peripherals
        self.form = form
        self.connection = connection
        self.endsWithActivities = endsWithActivities
        self.print = print
        self.onDone = onDone
        loop = connection.loop
        running = peripherals.count
        for peripheral in peripherals {
            peripheral.onEnd = { [unowned self, unowned peripheral] in ended(peripheral) }
        }
        connection.onDisconnected = {
            onDone(Failure(.unavailable, "the bus has gone away", hint: "start it, and this program again"))
        }
    }

    /// Makes the sensors reachable, and says so.
    func begin() {
        form.begin { [unowned self] result in
            switch result {
            case .success: print("ready")
            case .failure(let error):
                onDone(Failure(.unavailable, "\(error)", hint: "is another Bluetooth service there?"))
            }
        }
    }

    /// Ends links and advertising, then calls back: once the bus has passed on all that was said, or at a limit.
    func end(completion: @escaping () -> Void) {
        guard !isEnding else { return completion() }
        isEnding = true
        for peripheral in peripherals { peripheral.stop() }
        form.end()
        connection.callBus("GetId", []) { _ in completion() }
    }

    private func ended(_ peripheral: Peripheral) {
        running -= 1
        print("replayed \(peripheral.heartRateCount) heart rates")
        guard endsWithActivities else { return }
        form.retire(peripheral)
        if running == 0 { connection.callBus("GetId", []) { [unowned self] _ in onDone(Done()) } }
    }

    // MARK: Commands

    /// Follows the lines that come from a descriptor, from now on.
    func takeCommands(from descriptor: Int32) {
        readers.append(LineReader(descriptor, on: loop) { [unowned self] in follow(line: $0) })
    }

    /// Follows a line of commands, and prints `ok` or `error: …`.
    func follow(line: String) {
        do throws(InstructionError) {
            var line = line.trimmed
            guard !line.isEmpty else { return }
            var chosen = peripherals
            if line.hasPrefix("#") {
                let end = line.firstIndex(of: " ") ?? line.endIndex
                guard let number = Int(line.dropFirst().prefix(upTo: end)), (1...peripherals.count).contains(number)
                else { throw InstructionError("expected: #1 to #\(peripherals.count)") }
                chosen = [peripherals[number - 1]]
                line = String(line[end...]).trimmed
            }
            let instruction = try Instruction(line)
            for text in try follow(instruction, for: chosen) { print(text) }
            print("ok")
        } catch {
            print("error: \(error)")
        }
    }

    private func follow(_ instruction: Instruction, for chosen: [Peripheral]) throws(InstructionError) -> [String] {
        switch instruction {
        case .help: return Instruction.words.split(separator: "\n").map(String.init)
        case .status: return chosen.map(status)
        case .quit:
            onDone(Done())
            return []
        default: break
        }
        for peripheral in instruction.isAboutAll ? Array(chosen.prefix(1)) : chosen {
            switch instruction {
            case .silent(let isOn): peripheral.isSilent = isOn
            case .malformed(let bytes): peripheral.malformed = bytes
            case .steps(let steps): peripheral.set(steps: steps)
            case .temperature(let value): peripheral.set(temperature: value)
            case .battery(let level): peripheral.set(battery: level)
            case .heartRate(let beatsPerMinute): peripheral.measure(beatsPerMinute: beatsPerMinute)
            default: try form.follow(instruction, for: peripheral)
            }
        }
        return []
    }

    private func status(_ peripheral: Peripheral) -> String {
        "\(peripheral.name) \(peripheral.address): \(form.state(of: peripheral)), \(peripheral.listened.count) listened to, "
            + "\(peripheral.heartRateCount) heart rates, last \(peripheral.beatsPerMinute) bpm, "
            + "\(peripheral.steps) steps, battery \(peripheral.battery) %"
            + (peripheral.energyResetCount > 0 ? ", energy resets: \(peripheral.energyResetCount)" : "")
    }
}
