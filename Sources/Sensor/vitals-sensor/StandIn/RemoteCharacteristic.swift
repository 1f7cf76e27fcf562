import DBus

/// A characteristic of a device, and the clients that listen to it: any number of clients by StartNotify, or one by
/// AcquireNotify.
final class RemoteCharacteristic {
    private static let mtu: UInt16 = 517

    let definition: Characteristic
    let path: String
    private let service: String
    private unowned let device: Device
    /// The last value that was read or arrived.
    private var value: [UInt8] = []
    /// Clients that have called StartNotify. They stay when the link ends.
    private var listeners: [String] = []
    private var isNotifying = false
    private var acquired: NotifySocket?

    init(_ definition: Characteristic, of device: Device, at path: String, service: String) {
        self.definition = definition
        self.device = device
        self.path = path
        self.service = service
    }

    /// A notification or indication of the sensor's. It is passed on even if the value is the same as before.
    func arrived(_ bytes: [UInt8]) {
        if let acquired { return acquired.send(bytes) }
        guard !listeners.isEmpty else { return }
        value = bytes
        changed("Value")
    }

    /// After a reconnection the clients that listened before listen again.
    func linkBegan() { if !listeners.isEmpty { device.peripheral.listen(to: definition.uuid) } }

    /// A socket ends with its link, a StartNotify does not.
    func linkEnded() { release() }

    func forget(client: String) {
        if acquired?.owner == client { release() }
        if listeners.contains(client) { remove(client) }
    }

    // MARK: Methods

    /// Carries an operation out if there is a link, encrypted if it must be.
    private func onLink(_ call: Call, _ operate: @escaping (RemoteCharacteristic) -> Void) {
        guard device.isResolved else { return call.refuse(BlueZError.failed("Not connected")) }
        if device.stuck != nil {
            device.stuck?.append(call)
            return
        }
        guard definition.needsEncryption else { return operate(self) }
        device.encrypt(for: call) { [weak self] in if let self { operate(self) } }
    }

    private func read(_ call: Call) {
        onLink(call) { $0.answerRead(call) }
    }

    private func answerRead(_ call: Call) {
        do throws(ATTError) {
            let bytes = try device.peripheral.read(definition.uuid)
            let offset = call.arguments[0].asDictionary?["offset"]?.asInteger ?? 0
            guard (0...Int64(bytes.count)).contains(offset) else { throw .invalidOffset }
            value = bytes
            changed("Value")
            call.reply([.bytes(Array(bytes.dropFirst(Int(offset))))])
        } catch {
            call.refuse(BlueZError.att(error))
        }
    }

    private func write(_ call: Call) {
        guard definition.access.contains(.write) else { return call.refuse(BlueZError.notSupported) }
        onLink(call) { $0.answerWrite(call) }
    }

    private func answerWrite(_ call: Call) {
        do throws(ATTError) {
            try device.peripheral.write(call.arguments[0].asBytes ?? [], to: definition.uuid)
            call.reply()
        } catch {
            call.refuse(BlueZError.att(error))
        }
    }

    private func startNotify(_ call: Call) {
        guard acquired == nil else { return call.refuse(BlueZError.notPermitted("Notify acquired")) }
        guard definition.isSubscribable else { return call.refuse(BlueZError.notSupported) }
        if listeners.contains(call.sender) {
            return device.isResolved ? call.reply() : call.refuse(BlueZError.inProgress)
        }
        // Without a link it is remembered for the next one.
        guard device.isResolved else {
            listeners.append(call.sender)
            return call.reply()
        }
        onLink(call) { $0.notify(call) }
    }

    private func notify(_ call: Call) {
        listeners.append(call.sender)
        if !isNotifying {
            isNotifying = true
            changed("Notifying")
        }
        call.reply()
        device.peripheral.listen(to: definition.uuid)
    }

    private func stopNotify(_ call: Call) {
        if acquired?.owner == call.sender {
            release()
            return call.reply()
        }
        guard listeners.contains(call.sender) else {
            return call.refuse(BlueZError.failed("No notify session started"))
        }
        remove(call.sender)
        call.reply()
    }

    private func remove(_ client: String) {
        listeners.removeAll { $0 == client }
        guard listeners.isEmpty else { return }
        device.peripheral.stopListening(to: definition.uuid)
        guard isNotifying else { return }
        isNotifying = false
        changed("Notifying")
    }

    private func acquireNotify(_ call: Call) {
        onLink(call) { $0.answerAcquireNotify(call) }
    }

    private func answerAcquireNotify(_ call: Call) {
        guard acquired == nil else { return call.refuse(BlueZError.notPermitted("Notify acquired")) }
        guard listeners.isEmpty else { return call.refuse(BlueZError.inProgress) }
        guard definition.access.contains(.notify) else { return call.refuse(BlueZError.notSupported) }
        let loop = device.adapter.standIn.loop
        var theirs: NotifySocket.Descriptor?
        let socket = NotifySocket(of: call.sender, on: loop, theirs: &theirs) { [unowned self] in release() }
        guard let socket, let theirs else { return call.refuse(BlueZError.failed("Cannot create a socket")) }
        acquired = socket
        changed("NotifyAcquired")
        call.reply([.descriptor(theirs.number), .uint16(Self.mtu)])
        device.peripheral.listen(to: definition.uuid)
    }

    private func release() {
        guard let acquired else { return }
        self.acquired = nil
        acquired.close()
        device.peripheral.stopListening(to: definition.uuid)
        changed("NotifyAcquired")
    }

    // MARK: org.bluez.GattCharacteristic1

    private func changed(_ name: String) { device.objects.changed([name], of: BlueZInterface.characteristic, at: path) }

    var interface: Interface {
        Interface(name: BlueZInterface.characteristic, properties: properties, methods: methods)
    }

    private var properties: [Property] {
        var properties = [
            Property("UUID", .string(definition.uuid)), Property("Service", .path(service)),
            Property("Value", "ay", get: { [unowned self] in .bytes(value) }),
        ]
        if definition.isSubscribable {
            properties.append(Property("Notifying", "b", get: { [unowned self] in .bool(isNotifying) }))
        }
        properties.append(Property("Flags", .strings(definition.flags)))
        if definition.access.contains(.notify) {
            properties.append(Property("NotifyAcquired", "b", get: { [unowned self] in .bool(acquired != nil) }))
        }
        return properties + [Property("MTU", .uint16(Self.mtu))]
    }

    private var methods: [Method] {
        [
            Method("ReadValue", takes: ["options": "a{sv}"], gives: ["value": "ay"]) { [unowned self] in read($0) },
            Method("WriteValue", takes: ["value": "ay", "options": "a{sv}"]) { [unowned self] in write($0) },
            Method("AcquireWrite", takes: ["options": "a{sv}"], gives: ["fd": "h", "mtu": "q"]) {
                $0.refuse(BlueZError.notSupported)
            },
            Method("AcquireNotify", takes: ["options": "a{sv}"], gives: ["fd": "h", "mtu": "q"]) {
                [unowned self] in acquireNotify($0)
            },
            Method("StartNotify") { [unowned self] in startNotify($0) },
            Method("StopNotify") { [unowned self] in stopNotify($0) },
        ]
    }
}
