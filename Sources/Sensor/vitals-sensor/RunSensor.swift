import DBus
import Daemon
import Glibc
import Reactor

/// Runs the program until a signal, the end of the replay or the end of the bus.
func runSensor(_ arguments: Arguments) throws -> ExitCode {
    let settings = try SensorSettings(arguments)
    let make = try formMaker(arguments)
    let fifo = try settings.commands.map(CommandPipe.init)
    defer { withExtendedLifetime(fifo) {} }
    Signals.block()
    // In the background, reading the terminal would stop the program; with this it is an error, and reading ends.
    signal(SIGTTIN, SIG_IGN)
    let loop = EventLoop(name: "sensor")
    let connection = Connection(on: loop)
    let address = try arguments.optionalString("bus").map { Connection.Address.address($0) } ?? .system
    loop.start()
    let started: Result<Sensor, DBusError> = loop.sync {
        Result { () throws(DBusError) in
            try connection.open(address)
            let peripherals = settings.peripherals(on: loop)
            let sensor = Sensor(
                peripherals, as: make(connection, peripherals), on: connection,
                endsWithActivities: settings.isOnce, print: printLine,
                onDone: { Signals.fail($0) })
            sensor.begin()
            return sensor
        }
    }
    let sensor: Sensor
    do { sensor = try started.get() } catch {
        loop.stop()
        throw Failure(.unavailable, "\(error)", hint: "is there a bus at \(address)?")
    }
    // The sensor outlives the loop's thread, whose callbacks refer to it.
    defer { withExtendedLifetime(sensor) { loop.stop() } }
    loop.perform {
        sensor.takeCommands(from: 0)
        if let fifo { sensor.takeCommands(from: fifo.descriptor) }
    }
    defer { end(sensor, on: loop, connection) }
    do { _ = try Signals.wait() } catch is Sensor.Done {}
    return .ok
}

private typealias FormMaker = @Sendable (Connection, [Peripheral]) -> any Form

private func formMaker(_ arguments: Arguments) throws -> FormMaker {
    if arguments.command == ["adapter"] {
        guard try arguments.integer("sensors", in: 1...64) == 1 else {
            throw arguments.refusal(of: "sensors", "an adapter is one sensor; only the stand-in can have several")
        }
        let adapter = try arguments.string("adapter")
        return { connection, peripherals in RealAdapter(adapter, of: peripherals[0], on: connection) }
    }
    guard let bus = try arguments.optionalString("bus") else {
        throw arguments.missing("bus", "a stand-in never takes BlueZ's place on the system bus")
    }
    var world = StandInSettings()
    world.bus = .address(bus)
    world.isKnown = try arguments.flag("known")
    world.connectTimeout = try arguments.duration("connect-timeout", in: .milliseconds(1) ... .seconds(3600))
    world.isBusy = try arguments.flag("busy")
    world.disconnectDelay = try arguments.duration("disconnect-delay", in: .milliseconds(1) ... .seconds(3600))
    world.pairingTimeout = try arguments.duration("pairing-timeout", in: .milliseconds(1) ... .seconds(3600))
    world.forgetAfter = try arguments.duration("forget-after", in: .milliseconds(1) ... .seconds(86_400))
    return { [world] connection, peripherals in StandIn(on: connection, peripherals, world) }
}

private func end(_ sensor: Sensor, on loop: EventLoop, _ connection: Connection) {
    let ended = Answer<Void>()
    loop.perform { sensor.end { ended.set(()) } }
    _ = ended.wait(atMost: .seconds(2))
    loop.sync { connection.close() }
}

/// One line on standard output, in one write: a program that waits for it reads it at once, and nothing stays in a
/// buffer.
func printLine(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    var start = 0
    while start < bytes.count {
        let count = bytes[start...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return }
        start += max(0, count)
    }
}

/// A named pipe for commands. It is open for writing, too, so it does not end when a writer closes it.
final class CommandPipe: Sendable {
    let descriptor: Int32
    private let path: String
    /// Whether it was made here, and has to be removed when the program ends.
    private let isOwn: Bool

    init(_ path: String) throws {
        self.path = path
        isOwn = mkfifo(path, 0o600) == 0
        if !isOwn, errno != EEXIST {
            throw Failure(.inputOutput, "cannot make the pipe \(path): \(String(cString: strerror(errno)))")
        }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.inputOutput, "cannot open the pipe \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
        if isOwn { unlink(path) }
    }
}
