// Which device a sensor is.
//
// The settings name it by its address, or by the name that it gives itself. A name is no proof: another strap of the
// same make may have it, and anybody can advertise it. So once a sensor whose address stays the same was connected (a
// public one, a static random one, or the identity behind a bond), that address is remembered, and no other device is
// taken for it until `vitals forget`. A device whose address changes every quarter of an hour can only be recognised by
// its name until it is bonded.

import Bluetooth
import Daemon
import Telemetry

extension Sensor {
    /// What is remembered, unless the settings have changed to mean another device since.
    static func checked(_ entry: SensorMemory.Entry, _ settings: SensorSettings) -> SensorMemory.Entry {
        guard let device = entry.device else { return entry }
        var entry = entry
        if let address = settings.address, address != device.address { entry.device = nil }
        // The device may give itself a name that differs from the one it advertises.
        if let name = settings.name, name != device.soughtAs { entry.device = nil }
        return entry
    }

    /// For people: what is looked for.
    var identification: String {
        entry.device.map { "\($0.name) (\($0.address))" } ?? settings.name.map { "a device named \($0)" }
            ?? settings.address ?? ""
    }

    /// Whether it is this device, or is taken to be this device now.
    func has(_ device: Device) -> Bool {
        device.path == self.device?.path || device.address == entry.device?.address
    }

    /// Whether the settings mean this device, and no other is known yet.
    func means(_ device: Device) -> Bool { entry.device == nil && self.device == nil && settings.matches(device) }

    /// Whether this device may be taken for it.
    func recognises(_ device: Device) -> Bool {
        if let known = entry.device { return device.address == known.address }
        guard settings.matches(device), !unheard.contains(device.path) || device.isConnected else { return false }
        return register.holder(of: device).map { $0 === self } ?? true
    }

    /// The device to connect to, among those that BlueZ knows: if several have the name, the one that is connected
    /// or bonded, or else the nearest.
    func best(of devices: [Device]) -> Device? {
        // A device whose address changes is there while it is heard; BlueZ only keeps an address that it once had.
        let own = devices.filter { recognises($0) && ($0.hasStableAddress || $0.isConnected || $0.rssi != nil) }
        if own.count > 1, !isAmbiguityTold {
            isAmbiguityTold = true
            let addresses = own.map(\.address).joined(separator: ", ")
            limitedLog.warning("ambiguous \(settings.id)") {
                "sensor \(settings.id): \(own.count) devices have its name (\(addresses)): the settings can name one by its address\($0)"
            }
        }
        func rank(_ device: Device) -> Int {
            (device.isConnected ? 2000 : 0) + (device.isBonded ? 1000 : 0) + (device.rssi ?? -500)
        }
        return own.max { rank($0) < rank($1) }
    }

    /// It is connected: from now on it is this device and no other, if its address stays.
    func recognised(_ device: Device) {
        guard device.hasStableAddress else { return }
        let known = SensorMemory.KnownDevice(
            address: device.address, name: device.name, soughtAs: settings.name, isBonded: device.isBonded)
        if entry.device != known { remember { $0.device = known } }
    }

    /// Whether the agent may say yes. If a bond is remembered and BlueZ has none, it was lost on this side: no bond
    /// is made with the device that has the address now before a person has checked it.
    func mayPair(_ device: Device) -> Bool {
        guard device.path == self.device?.path, settings.bond != .never, !device.isBonded else { return false }
        guard entry.device?.isBonded == true else { return true }
        guard !isRefusalTold else { return false }
        isRefusalTold = true
        let words = """
            BlueZ does not know its bond any more, and it wants a new one. If nobody else is in its place: \
            vitals forget \(settings.id)
            """
        limitedLog.warning("bond lost here \(settings.id)") { "sensor \(settings.id): \(words)\($0)" }
        announcer.tell(.bondLost, about: settings.id, words)
        return false
    }

    /// Another device has the name of one that is known: it is reported once, and not connected to.
    func reportOther(_ device: Device) {
        guard let known = entry.device, let name = settings.name, device.name == name, device.address != known.address,
            device.rssi != nil, others.count < 16, others.insert(device.address).inserted
        else { return }
        let words =
            "\(device.address) calls itself \(name), too, but is not the \(name) that is known (\(known.address)): it is left alone"
        limitedLog.warning("other than \(settings.id)") {
            "sensor \(settings.id): \(words). If it should take its place: vitals forget \(settings.id)\($0)"
        }
        announcer.tell(.otherDevice, about: settings.id, words, device: register.payload(of: device))
    }

    /// A bonded device has ended the link at once. BlueZ says the same of one that has lost its side of the bond and of
    /// one that is busy with somebody else; the former goes on forever. The bond is not simply made again: that is
    /// exactly what an impostor in its place would want.
    func linkWasRefused() {
        bondRefusals += 1
        guard bondRefusals == Self.telltaleRefusals else { return }
        let words = """
            it ends every link at once: it has lost its bond (was it reset?), or another device is in its place. \
            Put it into pairing mode, then: vitals forget \(settings.id)
            """
        limitedLog.warning("bond lost there \(settings.id)") { "sensor \(settings.id): \(words)\($0)" }
        announcer.tell(.bondLost, about: settings.id, words)
    }

    private static let telltaleRefusals = 3
}
