import Daemon
import Reactor
import Telemetry

/// The command line.
let sensorCommand = Command(
    name: "vitals-sensor",
    summary:
        "Emulates Bluetooth LE fitness sensors: a heart-rate strap, a thermometer, a foot pod, a bike, a power meter; and a phone.",
    discussion: """
        It replays a recorded activity, or makes one up, from the moment when somebody first listens to its measurements. \
        It prints \"ready\" when it can be found, and takes commands on standard input; type help.
        """,
    options: [
        .value("settings", "FILE", "a JSON5 file with values for options that are not given, such as { speed: 60 }"),
        .value(
            "profile", "strap|thermometer|foot-pod|bike|power-meter", "what kind of sensor it is", default: "strap"),
        .value("activity", "FILE", "the recording to replay, a CSV file"),
        .flag("synthesise", "makes up a person, as it also does without --activity"),
        .value("seed", "N", "for the made-up person: the same seed, the same person", default: "1"),
        .value("speed", "N", "how many seconds of the activity pass in one", default: "1"),
        .value(
            "rate", "HZ",
            "sends this many heart rates a second, up to 50, while somebody listens: 1, 2, 3 … 65535, 1, each one higher"
        ),
        .value("watts", "N", "what a power meter measures while the recording moves; 200 unless you say so"),
        .value("begin", "TIME", "when the first record is due, in Unix milliseconds, if not when somebody listens"),
        .flag("loop", "begins the recording again when it is over"),
        .flag("once", "ends the program when the recording is over; without --loop and --once it stays, silent"),
        .value("name", "NAME", "the sensor's name; without it, its profile's, such as Vitals HRM"),
        .value("address", "ADDRESS", "its address; further sensors count up from it", default: "C0:FF:EE:00:00:01"),
        .value("sensors", "N", "how many sensors there are, all with the same activity", default: "1"),
        .flag("same-name", "all sensors have the same name; otherwise the names of further ones have a number"),
        .value(
            "encrypted", "vendor|measurements", "what needs pairing: steps and temperature, or all that is measured"),
        .value("commands", "FIFO", "also takes commands from there; it is made if it is missing"),
    ],
    subcommands: [
        Command(
            name: "stand-in", summary: "Stands in for BlueZ: owns org.bluez on a private bus.",
            options: [
                .value("bus", "ADDRESS", "the bus, such as unix:path=/run/vitals/bus"),
                .value("pairing-timeout", "TIME", "how long a pairing waits for the agent", default: "30s"),
                .value("disconnect-delay", "TIME", "how long a Disconnect takes", default: "2s"),
                .flag(
                    "busy", "sends signals in the order of a BlueZ that has much to do"),
                .flag("private-address", "its address changes with each appearance until there is a bond"),
                .flag("known", "the device is there from the start, without discovery"),
                .value("connect-timeout", "TIME", "how long a Connect waits for a sensor out of reach", default: "41s"),
                .value("forget-after", "TIME", "when an unbonded device is forgotten without a link", default: "30s"),
            ],
            examples: [
                Example("vitals-sensor stand-in --bus unix:path=/tmp/bus --activity run-9km.csv --speed 60 --once")
            ]),
        Command(
            name: "adapter", summary: "Runs as a peripheral on a real adapter, through BlueZ.",
            options: [
                .value("adapter", "NAME", "the adapter", default: "hci0"),
                .value("bus", "ADDRESS", "the bus where BlueZ is, if not the system's"),
            ]),
        phoneCommand,
        Command(
            name: "check", summary: "Says whether a recording can be replayed, and starts nothing.",
            arguments: [.required("FILE", "the recording, a CSV file")],
            examples: [Example("vitals-sensor check deploy/activities/run-9km.csv")]),
    ])

/// What the command line tells both forms.
struct SensorSettings: Sendable {
    var activity: any Activity
    var speed: Double
    /// Unix milliseconds.
    var beginning: Int64?
    var isOnce: Bool
    var name: String
    var address: [UInt8]
    var count: Int
    var commands: String?
    var profile: Profile
    /// Heart rates a second, instead of the activity's.
    var rate: Double?
    /// What a power meter measures.
    var watts: Int16
    var isSameName: Bool
    /// Only the stand-in can choose the address under which it advertises.
    var isPrivate = false

    init(_ arguments: Arguments) throws {
        speed = try arguments.double("speed", in: 0.01...100_000)
        beginning = try arguments.optionalInteger("begin", in: 0...253_402_300_799_999).map(Int64.init)
        isOnce = try arguments.flag("once")
        let isRepeated = try arguments.flag("loop")
        let file = try arguments.optionalString("activity")
        if isOnce, isRepeated { throw arguments.refusal(of: "once", "excludes --loop") }
        if isOnce, file == nil { throw arguments.refusal(of: "once", "needs --activity; a made-up person never ends") }
        if file != nil, try arguments.flag("synthesise") {
            throw arguments.refusal(of: "synthesise", "excludes --activity")
        }
        if let file {
            activity = try RecordedActivity(file: file, isRepeated: isRepeated)
        } else {
            activity = SynthesisedActivity(seed: UInt64(try arguments.integer("seed", in: 0...Int.max)))
        }
        profile = try Self.profile(arguments)
        name = try arguments.optionalString("name") ?? profile.name
        let nameLimit = 29
        guard (1...nameLimit).contains(name.utf8.count) else {
            throw arguments.refusal(
                of: "name", "expected 1 to \(nameLimit) bytes, which is what an advertisement holds")
        }
        count = try arguments.integer("sensors", in: 1...64)
        let text = try arguments.string("address")
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        address = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, address.count == 6 else {
            throw arguments.refusal(
                of: "address", "expected six pairs of hexadecimal digits with colons, found \(text)")
        }
        commands = try arguments.optionalString("commands")
        isSameName = try arguments.flag("same-name")
        if arguments.command == ["stand-in"] { isPrivate = try arguments.flag("private-address") }
        rate = try arguments.optionalDouble("rate", in: 0.1...50)
        let power = try arguments.optionalInteger("watts", in: 0...3000)
        watts = power.map { Int16($0) } ?? Peripheral.usualWatts
        if power != nil, profile.characteristic(GATT.cyclingPowerMeasurement) == nil {
            throw arguments.refusal(of: "watts", "is for power, which a \(profile.word) does not measure")
        }
        if rate != nil, profile.characteristic(GATT.heartRateMeasurement) == nil {
            throw arguments.refusal(of: "rate", "is for heart rates, which a \(profile.word) does not measure")
        }
    }

    private static func profile(_ arguments: Arguments) throws -> Profile {
        let word = try arguments.string("profile")
        guard let profile = Profile.all.first(where: { $0.word == word }) else {
            let words = Profile.all.map(\.word).joined(separator: ", ")
            throw arguments.refusal(of: "profile", "expected one of \(words), found \(word)")
        }
        guard let word = try arguments.optionalString("encrypted") else { return profile }
        guard let part = EncryptedPart(rawValue: word) else {
            let words = EncryptedPart.allCases.map(\.rawValue).joined(separator: " or ")
            throw arguments.refusal(of: "encrypted", "expected \(words), found \(word)")
        }
        return profile.encrypting(part)
    }

    /// The sensors: the first has the name and address as they are, the others a number and the next addresses.
    func peripherals(on loop: EventLoop) -> [Peripheral] {
        (0..<count).map { index in
            let first = address.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Peripheral(
                name: index == 0 || isSameName ? name : "\(name) \(index + 1)",
                address: addressText(first + UInt64(index)), isPrivate: isPrivate, profile: profile,
                activity: activity, speed: speed, beginning: beginning, rate: rate, watts: watts, on: loop)
        }
    }
}
