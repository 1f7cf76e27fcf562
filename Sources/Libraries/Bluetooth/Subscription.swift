internal import DBus
internal import Glibc
internal import Reactor

/// How a characteristic's values come.
public enum NotifyMethod: String, Sendable, CaseIterable {
    /// `StartNotify`: as signals on the bus. Any number of programs may do so.
    case signal
    /// `AcquireNotify`: through a socket, one packet a value, nothing on the bus. Excludes every other program from
    /// this characteristic.
    case socket
}

/// The values of one characteristic, until `end()`, the link's end or bluetoothd's. Belongs to the central's loop.
public final class Subscription {
    public let characteristic: Characteristic
    private unowned let central: Central
    private var onValue: (([UInt8]) -> Void)?
    private var socket: EventLoop.Watch?

    fileprivate init(_ characteristic: Characteristic, _ central: Central, _ onValue: @escaping ([UInt8]) -> Void) {
        self.characteristic = characteristic
        self.central = central
        self.onValue = onValue
    }

    /// Whether it is the central's subscription to its characteristic.
    var isActive: Bool { onValue != nil }

    func deliver(_ value: [UInt8]) { onValue?(value) }

    /// Ends it at BlueZ, too.
    public func end() {
        guard onValue != nil else { return }
        let wasSocket = socket != nil
        forget()
        if central.subscribers[characteristic.path] === self { central.subscribers[characteristic.path] = nil }
        guard !wasSocket else { return }  // Closing the socket was the end.
        central.call(
            "end the notifications of \(characteristic.uuid)", characteristic.path, Objects.characteristicInterface,
            "StopNotify"
        ) { _ in }  // If the link is gone, so are the notifications.
    }

    /// The link or BlueZ is gone: there is nothing to end.
    func forget() {
        onValue = nil
        closeSocket()
    }

    fileprivate func receive(from descriptor: Int32) {
        // One packet a value; an attribute is at most 512 bytes long (Core Specification, Vol 3, Part F, 3.2.9).
        socket = central.loop.watch(descriptor, for: .readable) { [weak self] _ in
            guard let self else { return }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return deliver(Array(buffer.prefix(count))) }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            closeSocket()  // End of file: the link is lost; the device's own signal tells.
        }
    }

    private func closeSocket() {
        guard let socket else { return }
        socket.cancel()
        close(socket.descriptor)
        self.socket = nil
    }
}

extension Central {
    /// Asks for a characteristic's values. There is one subscription for each characteristic: a new one replaces the
    /// old. If another program has acquired it, or the sensor offers no socket, signals are used.
    ///
    /// - Parameter completion: called when values can be expected, or with what BlueZ said; not at all if the
    ///   subscription was ended or replaced before.
    public func subscribe(
        to characteristic: Characteristic, by method: NotifyMethod = .signal,
        onValue: @escaping ([UInt8]) -> Void, completion: @escaping Completion<Void>
    ) -> Subscription {
        let subscription = Subscription(characteristic, self, onValue)
        subscribers[characteristic.path]?.forget()
        // Before BlueZ answers: after a reconnection, values come before the answer.
        subscribers[characteristic.path] = subscription
        switch method {
        case .signal: startNotify(subscription, completion)
        case .socket: acquireNotify(subscription, completion)
        }
        return subscription
    }

    private func startNotify(_ subscription: Subscription, _ completion: @escaping Completion<Void>) {
        let characteristic = subscription.characteristic
        call(
            "subscribe to \(characteristic.uuid)", characteristic.path, Objects.characteristicInterface, "StartNotify"
        ) { result in
            // InProgress: this connection's notifications are on already.
            if case .failure(let error) = result, error.name == "org.bluez.Error.InProgress" {
                return completion(.success(()))
            }
            completion(result.map { _ in })
        }
    }

    private func acquireNotify(_ subscription: Subscription, _ completion: @escaping Completion<Void>) {
        let characteristic = subscription.characteristic
        call(
            "acquire \(characteristic.uuid)", characteristic.path, Objects.characteristicInterface, "AcquireNotify",
            [.properties([:])]
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure where subscribers[characteristic.path] !== subscription: break  // It has ended.
            case .success(let reply):
                guard let descriptor = reply.arguments.first?.asDescriptor else {
                    return startNotify(subscription, completion)
                }
                guard subscribers[characteristic.path] === subscription else {
                    close(descriptor)  // It has ended in the meantime.
                    return
                }
                subscription.receive(from: descriptor)
                completion(.success(()))
            case .failure(let error) where error.isUnsupported:
                startNotify(subscription, completion)
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }
}
