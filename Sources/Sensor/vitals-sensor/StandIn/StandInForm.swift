import DBus

extension StandIn: Form {
    func begin(completion: @escaping (Result<Void, DBusError>) -> Void) { serve(completion: completion) }

    func end() { leave() }

    func retire(_ peripheral: Peripheral) { device(of: peripheral)?.fallAsleep() }

    func follow(_ instruction: Instruction, for peripheral: Peripheral) throws(InstructionError) {
        guard let device = device(of: peripheral) else { throw InstructionError("no such device") }
        switch instruction {
        case .drop(let seconds): device.drop(for: .seconds(seconds))
        case .refuse(let isOn): peripheral.isRefusing = isOn
        case .forgetBond: peripheral.hasBond = false
        case .hang(let isOn): faults.isHanging = isOn
        case .power(let isOn): adapter.setPowered(isOn)
        case .unplug(let seconds): adapter.unplug(for: seconds.map { .seconds($0) })
        case .plug: adapter.plug()
        case .restart(let seconds): restart(after: .seconds(seconds))
        case .crash(let seconds): crash(after: .seconds(seconds))
        case .vanish: device.vanish()
        case .appear: device.reappear()
        case .fail(let method, let name): faults.fail(method, with: BlueZError.error(name, "Failed on command"))
        default: throw InstructionError("not for the stand-in")
        }
    }

    func state(of peripheral: Peripheral) -> String {
        guard let device = device(of: peripheral) else { return "unknown" }
        if !isServing { return "no BlueZ" }
        if adapter.isPulled { return "no adapter" }
        if device.isResolved { return device.isPaired ? "connected, bonded" : "connected" }
        if device.isConnected { return "connecting" }
        if !adapter.isPowered { return "adapter off" }
        return device.isAdvertising ? "advertising" : "out of reach"
    }

    private func device(of peripheral: Peripheral) -> Device? {
        adapter.devices.last { $0.peripheral === peripheral && !$0.isGhost }
    }
}
