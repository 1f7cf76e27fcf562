// A device as BlueZ shows it: found, connected, resolved.
//
//     absent ──heard──► present ──Connect──► connected ──► resolved
//                          ▲   (waits while     │             │
//                          │    out of reach)   │             │
//                          └──────── link lost, Disconnect ───┘
//
// Attributes stay when a link ends, and so do the clients that listen: after the next connection values flow again
// without another StartNotify.
//
// A device that is neither bonded nor trusted is temporary without a link: it is forgotten half a minute after it was
// last heard or its link has ended, unless somebody connects. A device to which somebody has connected, and that is not
// forgotten yet, is there again with its bond, its name and its trust after the adapter or BlueZ itself has been away.

import DBus
import Reactor

/// An emulated sensor, seen from the adapter.
final class Device {
    let peripheral: Peripheral
    unowned let adapter: Adapter
    /// As BlueZ knows it: the one on the air when it was found, and the identity address once there is a bond.
    private(set) var address: String
    /// It follows the address only when the object is made.
    private(set) var path: String

    private(set) var isPresent = false
    private(set) var isConnected = false
    private(set) var isResolved = false
    private(set) var areServicesKnown = false
    private(set) var rssi: Int16?
    private(set) var isPaired = false
    var alias: String?
    var isTrusted = false
    var isBlocked = false
    var pairing: Pairing?
    /// The Pair that is not answered yet.
    var pairCall: Call?
    /// A link whose pairing has failed carries no further requests: these wait for its end. Nil on any other link.
    var stuck: [Call]?

    private var isTemporary: Bool
    /// Whether BlueZ has it on its disk.
    private var isStored: Bool
    private var beacons = 0
    private var characteristics: [RemoteCharacteristic] = []
    private var paths: [String] = []
    /// The Connect that waits for the device.
    private var connecting: Call?
    private var connectTimer: EventLoop.Timer?
    private var stepTimer: EventLoop.Timer?
    var reachTimer: EventLoop.Timer?
    private var temporaryTimer: EventLoop.Timer?
    private var endTimer: EventLoop.Timer?
    /// The calls that wait for the end of the link that they have asked for.
    private var endings: [Call] = []
    private var isToBeRemoved = false

    /// Whether it is known by a private address that its sensor has given up.
    var isGhost = false

    init(_ peripheral: Peripheral, on adapter: Adapter) {
        self.peripheral = peripheral
        self.adapter = adapter
        isTemporary = !adapter.standIn.settings.isKnown
        isStored = adapter.standIn.settings.isKnown
        address = peripheral.airAddress
        path = adapter.path(of: address)
        peripheral.onValue = { [unowned self] uuid, value in carry(value, of: uuid) }
        peripheral.onBattery = { [unowned self] in
            if isConnected { objects.changed(["Percentage"], of: BlueZInterface.battery, at: path) }
        }
    }

    var objects: ObjectServer { adapter.objects }
    var loop: EventLoop { adapter.standIn.loop }
    var settings: StandInSettings { adapter.standIn.settings }

    /// Whether it can be heard: a device with a link does not advertise.
    var isAdvertising: Bool { peripheral.isReachable && !peripheral.hasVanished && !isConnected && !isGhost }

    func changed(_ names: String...) { changed(names) }

    private func changed(_ names: [String]) { objects.changed(names, of: BlueZInterface.device, at: path) }

    // MARK: Presence

    func appear(rssi: Int16?) {
        self.rssi = rssi
        address = isPaired ? peripheral.address : isGhost ? address : peripheral.airAddress
        path = adapter.path(of: address)
        isPresent = true
        objects.add([interface], at: path)
        if isTemporary { beTemporary() }
    }

    /// The adapter is there again, and so is what it remembers.
    func comeBack() {
        guard !isPresent, isStored else { return }
        keep()
        appear(rssi: nil)
    }

    /// An advertisement was heard; nil when nobody listens any more.
    func heard(rssi: Int16?) {
        if rssi != nil, isTemporary { beTemporary() }
        guard isPresent, rssi != self.rssi else { return }
        self.rssi = rssi
        changed("RSSI")
    }

    /// It is not quite the same each time, as in a real room.
    func nextRSSI() -> Int16 {
        beacons += 1
        return [-50, -53, -48, -56][beacons % 4]
    }

    /// Remembers the device.
    func keep() {
        (isTemporary, isStored) = (false, true)
        temporaryTimer?.cancel()
    }

    /// It is forgotten some time later. A device that did not pair goes together with its link, and no signal reports
    /// that.
    func beTemporary() {
        isTemporary = true
        temporaryTimer?.cancel()
        temporaryTimer = loop.after(settings.forgetAfter) { [unowned self] in
            guard isPresent, isTemporary, pairing == nil else { return }
            // Clients that discover still hear it.
            if adapter.isDiscovering, isAdvertising { return beTemporary() }
            stuck = []
            if isConnected { breakLink() }
            remove()
        }
    }

    /// BlueZ forgets the device, its link and its bond.
    func remove() {
        guard isPresent else { return }
        isToBeRemoved = false
        if isConnected { loseLink() }
        takeOff()
        (isTemporary, isStored) = (true, false)
        (isPaired, isTrusted, alias) = (false, false, nil)
    }

    /// Takes the device and its attributes off the bus, for a device that is remembered until it comes back.
    func takeOff() {
        failConnect(BlueZError.connectionAborted)
        failPairing()
        temporaryTimer?.cancel()
        for path in paths { objects.remove(path) }
        forgetObjects()
        objects.remove(path)
    }

    private func forgetObjects() {
        (paths, characteristics, areServicesKnown, isPresent, rssi) = ([], [], false, false, nil)
    }

    /// BlueZ has died. The kernel keeps the link for a while, with nobody to use it.
    func orphan() {
        for timer in [connectTimer, stepTimer, temporaryTimer, endTimer] { timer?.cancel() }
        (connecting, endings, isToBeRemoved) = (nil, [], false)
        abandonPairing()
        for characteristic in characteristics { characteristic.linkEnded() }
        for uuid in peripheral.listened { peripheral.stopListening(to: uuid) }
        forgetObjects()
        (isResolved, stuck) = (false, nil)
        guard isConnected else { return }
        stepTimer = loop.after(settings.lingering) { [unowned self] in
            isConnected = false
            changed("Connected")
            if !isPaired, !isTrusted { beTemporary() }
            reachabilityChanged()
        }
    }

    /// The keys are on both sides, and with them the identity; the object keeps its path until it is made again.
    func setBonded() {
        isPaired = true
        peripheral.hasBond = true
        keep()
        let names = address == peripheral.address ? [] : ["Address", "AddressType"]
        address = peripheral.address
        // Before the services are known, Paired is signalled together with them.
        changed(names + (isResolved ? ["Bonded", "Paired"] : ["Bonded"]))
    }

    func forget(client: String) { for characteristic in characteristics { characteristic.forget(client: client) } }

    // MARK: The link

    func connect(_ call: Call) {
        guard adapter.isPowered else { return call.refuse(BlueZError.failed("Input/output error")) }
        guard !isConnected else { return call.reply() }
        guard connecting == nil else { return call.refuse(BlueZError.failed("Operation already in progress")) }
        keep()
        connecting = call
        awaitLink()
    }

    /// Waits for the device, and ends the waiting at a limit.
    func awaitLink() {
        connectTimer?.cancel()
        connectTimer = loop.after(settings.connectTimeout) { [unowned self] in
            failConnect(BlueZError.connectionAborted)
            failPairing()
        }
        reachabilityChanged()
    }

    /// A Connect or Pair that waits continues once the device can be heard.
    func reachabilityChanged() {
        guard isAwaited else { return }
        stepTimer?.cancel()
        stepTimer = loop.after(settings.radioDelay) { [unowned self] in
            // It may have gone again in the meantime.
            if isAwaited { beginLink() }
        }
    }

    private var isAwaited: Bool { (connecting != nil || pairCall != nil) && adapter.isPowered && isAdvertising }

    private func beginLink() {
        let isRefused = peripheral.isRefusing || isPaired && !peripheral.hasBond
        if settings.isBusy, !isRefused { answerConnect() }
        isConnected = true
        if isRefused || !settings.isBusy { changed("Connected") }
        if isRefused {
            stepTimer = loop.after(settings.radioDelay) { [unowned self] in endRefusedLink() }
            return
        }
        answerConnect()
        pairOnNewLink()
        stepTimer = loop.after(settings.radioDelay) { [unowned self] in resolve() }
    }

    private func answerConnect() {
        connectTimer?.cancel()
        connecting?.reply()
        connecting = nil
    }

    /// The sensor has ended the link that was just made, or the adapter has, because the sensor does not know the key.
    /// Connect fails before the signal that the link has ended.
    private func endRefusedLink() {
        failConnect(settings.isBusy ? BlueZError.connectionCanceled : BlueZError.connectionAborted)
        endLink()
    }

    /// The services are known from now on. The first time their objects appear before `ServicesResolved`, or after it
    /// from a BlueZ that is busy; later values may flow before it.
    private func resolve() {
        isResolved = true
        defer { answerPairing() }
        var names = ["ServicesResolved"]
        // What was not signalled before is signalled now.
        if settings.isBusy { names.insert("Connected", at: 0) }
        if isPaired, pairCall != nil { names.append("Paired") }
        if areServicesKnown {
            objects.add([battery], at: path)
            for characteristic in characteristics { characteristic.linkBegan() }
            return changed(names)
        }
        areServicesKnown = true
        names.insert("UUIDs", at: 0)
        let table = AttributeTable(of: self)
        characteristics = table.characteristics
        paths = table.pathsInnermostFirst
        if settings.isBusy { changed(names) }
        for (path, interface) in table.objects { objects.add([interface], at: path) }
        if !settings.isBusy { changed(names) }
        objects.add([battery], at: path)
    }

    private var battery: Interface { Battery.interface(of: peripheral) }

    /// The link ends, whichever side ended it; a Connect that waits keeps waiting.
    func loseLink() { if isConnected { endLink() } }

    /// The radio was switched.
    func powerChanged() {
        if adapter.isPowered { return reachabilityChanged() }
        // As if the link had been made: src/device.c does not treat the abortion as an error.
        answerConnect()
        failPairing()
    }

    private func endLink(_ end: LinkEnd = .lost) {
        let wasResolved = isResolved
        let waiting = endings
        endings = []
        endTimer?.cancel()
        breakLink()
        switch end {
        case .lost where wasResolved:
            changed("ServicesResolved", "Connected")
            objects.remove(BlueZInterface.battery, from: path)
        case .lost:
            changed("Connected")
        case .asked:
            if wasResolved { changed("ServicesResolved") }
            for call in waiting { call.reply() }
            changed("Connected")
        }
        // A link that was lost in the meantime has ended, too.
        if end == .lost { for call in waiting { call.reply() } }
        if isToBeRemoved { remove() } else if !isPaired, !isTrusted, connecting == nil { beTemporary() }
    }

    /// What ended a link; the order of the signals depends on it. Disconnect and RemoveDevice are answered before
    /// `Connected` changes. (bleak 0.22 leaves the bus when it sees that signal, and would never see the answer.)
    private enum LinkEnd { case lost, asked }

    /// Ends the link, and tells only the callers that wait for something on it.
    private func breakLink() {
        stepTimer?.cancel()
        (isConnected, isResolved) = (false, false)
        endPairing()
        for call in stuck ?? [] { call.refuse(BlueZError.att(.unlikely)) }
        stuck = nil
        for characteristic in characteristics { characteristic.linkEnded() }
        for uuid in peripheral.listened { peripheral.stopListening(to: uuid) }
    }

    private func failConnect(_ error: DBusError) {
        guard let call = connecting else { return }
        stepTimer?.cancel()
        connectTimer?.cancel()
        connecting = nil
        call.refuse(error)
    }

    func disconnect(_ call: Call) {
        if !isConnected, connecting == nil { return call.refuse(BlueZError.notConnected) }
        failConnect(BlueZError.connectionCanceled)
        if isConnected { hangUp(call) } else { call.reply() }
    }

    /// Adapter1.RemoveDevice.
    func remove(_ call: Call) {
        failConnect(BlueZError.connectionCanceled)
        guard isConnected else {
            remove()
            return call.reply()
        }
        isToBeRemoved = true
        hangUp(call)
    }

    /// BlueZ waits a little before it ends a link.
    private func hangUp(_ call: Call) {
        endings.append(call)
        guard endings.count == 1 else { return }
        objects.remove(BlueZInterface.battery, from: path)
        endTimer = loop.after(settings.disconnectDelay) { [unowned self] in if isConnected { endLink(.asked) } }
    }

    private func carry(_ value: [UInt8], of uuid: String) {
        guard isResolved else { return }
        characteristics.first { $0.definition.uuid == uuid }?.arrived(value)
    }
}
