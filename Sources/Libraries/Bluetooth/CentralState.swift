extension Central {
    /// Where BlueZ is.
    public enum Bus: Equatable, Sendable {
        /// The system bus, or what DBUS_SYSTEM_BUS_ADDRESS names.
        case system
        /// A D-Bus address, such as `unix:path=/run/vitals/bus`.
        case address(String)
    }

    /// What the central has, or waits for.
    public enum State: Equatable, Sendable, CustomStringConvertible {
        case waitingForBus(String)
        /// The bus or BlueZ does not let this user in, in the bus's own words. It is asked again, at longer and longer
        /// intervals.
        case notPermitted(String)
        case waitingForBlueZ
        /// BlueZ runs, without a controller.
        case waitingForAdapter
        /// There is a controller, but it is off.
        case adapterOff(String)
        /// The kernel keeps the radio off (see rfkill(8)): by a switch or key of the machine if `isHard`, by
        /// software otherwise. The name is the adapter's, or that of a switch that makes the adapter disappear.
        case adapterBlocked(name: String, isHard: Bool)
        case ready

        public var description: String {
            switch self {
            case .waitingForBus(let why): "waiting for the message bus: \(why)"
            case .notPermitted(let why):
                "not permitted to use BlueZ: \(why) "
                    + "(try: add the user of this program to the group `bluetooth`, and start it again)"
            case .waitingForBlueZ: "waiting for bluetoothd (nobody owns org.bluez on the bus)"
            case .waitingForAdapter: "waiting for a Bluetooth adapter"
            case .adapterOff(let name): "waiting for adapter \(name) to be powered (try: bluetoothctl power on)"
            case .adapterBlocked(let name, isHard: false):
                "waiting for \(name), which rfkill blocks (try: rfkill unblock bluetooth)"
            case .adapterBlocked(let name, isHard: true):
                "waiting for \(name), which a switch or key of this machine blocks (see: rfkill list bluetooth)"
            case .ready: "ready"
            }
        }
    }

    /// What happens, in order.
    public enum Event: Sendable {
        case state(State)
        /// A device of the adapter in use is new, or something about it changed.
        case device(Device)
        /// BlueZ has forgotten it, or another adapter is in use now.
        case deviceRemoved(Device)
        /// The agent refused: the device is not one of ours, or it asks for something that nobody here can give, such
        /// as a passkey.
        case pairingRefused(Device, why: String)
        /// BlueZ did not take our agent: sensors that need a bond cannot pair by themselves. Everything else continues.
        case agentRefused(BluetoothError)
    }

    /// How long a call may take. A BlueZ call may answer after 41 s, or never.
    public struct Limits: Sendable {
        /// BlueZ itself gives a connection up after about 41 s.
        public var connect: Duration = .seconds(45)
        /// A pairing, with the connection that it may need first.
        public var pair: Duration = .seconds(60)
        public var call: Duration = .seconds(10)
        public init() {}
    }
}
