import DBus

/// A characteristic as this program exports it to BlueZ, which asks on behalf of the connected central.
final class LocalCharacteristic {
    let definition: Characteristic
    let path: String
    /// Called with the object path of a device that has read or written.
    var onCentral: ((String) -> Void)?

    private let service: String
    private unowned let peripheral: Peripheral
    private unowned let objects: ObjectServer
    private var value: [UInt8] = []
    private var isNotifying = false

    init(
        _ definition: Characteristic, of peripheral: Peripheral, on objects: ObjectServer, at path: String,
        service: String
    ) {
        self.definition = definition
        self.peripheral = peripheral
        self.objects = objects
        self.path = path
        self.service = service
    }

    /// Sends a notification or indication: BlueZ takes it from the signal.
    func send(_ bytes: [UInt8]) {
        guard isNotifying else { return }
        value = bytes
        changed("Value")
    }

    /// Nobody listens any more, and BlueZ is not there to say so.
    func stop() {
        guard isNotifying else { return }
        isNotifying = false
        peripheral.stopListening(to: definition.uuid)
    }

    var interface: Interface {
        Interface(name: BlueZInterface.characteristic, properties: properties, methods: methods)
    }

    private func changed(_ name: String) {
        objects.changed([name], of: BlueZInterface.characteristic, at: path)
    }

    private var properties: [Property] {
        let properties = [
            Property("UUID", .string(definition.uuid)), Property("Service", .path(service)),
            Property("Flags", .strings(definition.localFlags)),
        ]
        guard definition.isSubscribable else { return properties }
        return properties + [
            Property("Value", "ay", get: { [unowned self] in .bytes(value) }),
            Property("Notifying", "b", get: { [unowned self] in .bool(isNotifying) }),
        ]
    }

    private var methods: [Method] {
        [
            Method("ReadValue", takes: ["options": "a{sv}"], gives: ["value": "ay"]) { [unowned self] in read($0) },
            Method("WriteValue", takes: ["value": "ay", "options": "a{sv}"]) { [unowned self] in write($0) },
            Method("StartNotify") { [unowned self] call in
                guard definition.isSubscribable else { return call.refuse(BlueZError.notSupported) }
                setNotifying(true)
                call.reply()
                peripheral.listen(to: definition.uuid)
            },
            Method("StopNotify") { [unowned self] call in
                peripheral.stopListening(to: definition.uuid)
                setNotifying(false)
                call.reply()
            },
            // An indication has arrived; the next value does not wait for it.
            Method("Confirm") { $0.reply() },
        ]
    }

    private func setNotifying(_ isNotifying: Bool) {
        guard isNotifying != self.isNotifying else { return }
        self.isNotifying = isNotifying
        changed("Notifying")
    }

    private func read(_ call: Call) {
        do throws(ATTError) {
            let options = note(call.arguments[0])
            let bytes = try peripheral.read(definition.uuid)
            let offset = options["offset"]?.asInteger ?? 0
            guard (0...Int64(bytes.count)).contains(offset) else { throw .invalidOffset }
            call.reply([.bytes(Array(bytes.dropFirst(Int(offset))))])
        } catch {
            call.refuse(Self.answer(error))
        }
    }

    private func write(_ call: Call) {
        do throws(ATTError) {
            note(call.arguments[1])
            try peripheral.write(call.arguments[0].asBytes ?? [], to: definition.uuid)
            call.reply()
        } catch {
            call.refuse(Self.answer(error))
        }
    }

    @discardableResult
    private func note(_ options: Value) -> [String: Value] {
        let options = options.asDictionary ?? [:]
        if let device = options["device"]?.asString { onCentral?(device) }
        return options
    }

    /// BlueZ passes an application's own error code on if it is the text of a `Failed`.
    private static func answer(_ error: ATTError) -> DBusError {
        guard case .application(let code) = error else { return BlueZError.att(error) }
        return BlueZError.failed("0x" + String(code, radix: 16))
    }
}

extension Characteristic {
    /// The flags, which also tell BlueZ what needs an encrypted link (its doc/org.bluez.GattCharacteristic.rst).
    var localFlags: [String] { needsEncryption ? flags + flags.map { "encrypt-" + $0 } : flags }
}
