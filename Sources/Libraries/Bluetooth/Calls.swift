// The calls that a central makes to BlueZ, each with a time limit of its own, since BlueZ may answer late or never.

internal import DBus

extension Central {
    public func disconnect(_ device: Device, completion: @escaping Completion<Void>) {
        call("disconnect from \(device.address)", device.path, Objects.deviceInterface, "Disconnect") {
            completion($0.map { _ in })
        }
    }

    public func read(
        _ characteristic: Characteristic, limit: Duration? = nil, completion: @escaping Completion<[UInt8]>
    ) {
        let attempt = "read \(characteristic.uuid)"
        call(
            attempt, characteristic.path, Objects.characteristicInterface, "ReadValue", [.properties([:])], limit: limit
        ) { result in
            completion(
                result.flatMap { reply in
                    guard let bytes = reply.reader.bytes() else {
                        let words = "the answer is not an array of bytes"
                        let error = DBusError(name: DBusError.Name.invalidArguments, message: words)
                        return .failure(BluetoothError(attempt, error))
                    }
                    return .success(bytes)
                })
        }
    }

    public func write(_ bytes: [UInt8], to characteristic: Characteristic, completion: @escaping Completion<Void>) {
        call(
            "write \(characteristic.uuid)", characteristic.path, Objects.characteristicInterface, "WriteValue",
            [.bytes(bytes), .properties(["type": .string("request")])]
        ) { completion($0.map { _ in }) }
    }

    /// Looks for devices for as long as the token lives, whatever BlueZ does in the meantime.
    public func discover() -> Discovery.Token { discovery.begin() }

    /// Restarts a running discovery: some controllers stop hearing devices in a long one.
    public func restartDiscovery() { discovery.restart() }

    /// Switches the adapter in use on or off.
    public func setPowered(_ isPowered: Bool, completion: @escaping Completion<Void>) {
        let attempt = "switch the Bluetooth adapter \(isPowered ? "on" : "off")"
        guard let adapter else {
            let error = DBusError(name: DBusError.Name.unknownObject, message: "there is no adapter")
            loop.after(.zero) { completion(.failure(BluetoothError(attempt, error))) }
            return
        }
        if !isPowered { isOffByUs = true }
        set(attempt, adapter.path, Objects.adapterInterface, "Powered", .bool(isPowered)) { [weak self] result in
            // After a time-out it may still go off.
            if isPowered || result.isRefusal { self?.isOffByUs = false }
            // A failure may be due to rfkill, or another adapter may be used instead.
            if result.isFailure { self?.settle() }
            completion(result)
        }
    }

    /// Sets a property.
    func set(
        _ attempt: String, _ path: String, _ interface: String, _ name: String, _ value: Value,
        _ completion: @escaping Completion<Void>
    ) {
        call(
            attempt, path, "org.freedesktop.DBus.Properties", "Set",
            [.string(interface), .string(name), .variant(value)]
        ) { completion($0.map { _ in }) }
    }

    func call(
        _ attempt: String, _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [],
        limit: Duration? = nil, completion: @escaping (Result<Message, BluetoothError>) -> Void
    ) {
        callCount += 1
        let number = callCount
        openCalls[number] = OpenCall(attempt: attempt, path: path, completion: completion)
        connection.call("org.bluez", path, interface, member, arguments, limit: limit ?? limits.call) { [weak self] in
            // If the call is no longer open, the device went first.
            guard let call = self?.openCalls.removeValue(forKey: number) else { return }
            call.completion($0.mapError { BluetoothError(attempt, $0) })
        }
    }

    /// BlueZ never answers calls that were under way with a device that it has removed.
    func failCalls(about device: Device) {
        let lost = openCalls.filter { $0.value.path == device.path || $0.value.path.hasPrefix(device.path + "/") }
        for (number, call) in lost.sorted(by: { $0.key < $1.key }) {
            openCalls[number] = nil
            let error = DBusError(name: DBusError.Name.unknownObject, message: "BlueZ has removed the device")
            call.completion(.failure(BluetoothError(call.attempt, error)))
        }
    }
}

/// A call that BlueZ has not answered yet.
struct OpenCall {
    let attempt: String
    let path: String
    let completion: (Result<Message, BluetoothError>) -> Void
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Result where Failure == BluetoothError {
    /// BlueZ will not do it.
    fileprivate var isRefusal: Bool { if case .failure(let error) = self { !error.isTimeout } else { false } }
}
