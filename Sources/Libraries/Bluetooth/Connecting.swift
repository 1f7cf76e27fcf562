// Connecting. BlueZ's answer alone does not say how it went:
//
//     out of reach        an error after 41 s; Connected was never true
//     refused             Connected is true for a moment, then the same error, or another one with the same meaning
//     bond lost           just as refused, each time
//     done                success, and Connected true; now and then half a second after the success; and if several
//                         devices are connected to at once, BlueZ 5.82 has it true and never says so
//
// So what BlueZ signalled about the link in the meantime is kept with the call, and if it signalled nothing, it is
// asked.

internal import DBus
internal import Reactor

/// A Connect under way.
struct ConnectAttempt {
    /// Which one it is: an answer to an earlier Connect of the same device does not count for this one.
    let number: Int
    /// Connected was true since it began.
    var isLinkSeen = false
    /// BlueZ has answered that it is done, and this is called when it says Connected, too.
    var completion: Central.Completion<Void>?
    var timer: EventLoop.Timer?
}

extension Central {
    /// How many times BlueZ is asked about the link after its success, and how long to wait in between.
    private static let mostLooks = 6
    private static let lookPause = Duration.seconds(1)

    /// Connects; success once the link is there. BlueZ then discovers the services, and `Device.isResolved` says when
    /// it has.
    public func connect(_ device: Device, completion: @escaping Completion<Void>) {
        let attempt = "connect to \(device.address)"
        let path = device.path
        // An attempt that BlueZ has answered, and that its caller has given up.
        endConnecting(path, .failure(Self.noLink(attempt, "it was begun again")))
        let number = callCount
        connecting[path] = ConnectAttempt(number: number)
        call(attempt, path, Objects.deviceInterface, "Connect", limit: limits.connect) { [weak self] result in
            guard let self else { return }
            guard connecting[path]?.number == number else {
                return completion(result.flatMap { _ in .failure(Self.noLink(attempt, "it was begun again")) })
            }
            let isLinkSeen = connecting[path]?.isLinkSeen ?? false
            switch result {
            case .success where self.device(at: path)?.isConnected == true:
                connecting[path] = nil
                completion(.success(()))
            case .success where isLinkSeen:
                connecting[path] = nil
                completion(.failure(Self.noLink(attempt, "the link has ended again")))
            case .success:
                connecting[path]?.completion = completion
                lookForLink(path, attempt, number, Self.mostLooks)
            case .failure(var error):
                connecting[path] = nil
                // BlueZ keeps trying after our limit, and would refuse the next Connect as InProgress.
                if error.isTimeout, !owner.isEmpty { disconnect(device) { _ in } }
                error.isBondLost = isLinkSeen && device.isBonded && error.isLinkFailure
                completion(.failure(error))
            }
        }
    }

    /// Asks about the link that BlueZ says is there: its signal comes a little later, or (5.82) not at all.
    private func lookForLink(_ path: String, _ attempt: String, _ number: Int, _ looks: Int) {
        call(
            attempt, path, "org.freedesktop.DBus.Properties", "GetAll", [.string(Objects.deviceInterface)]
        ) { [weak self] result in
            guard let self, connecting[path]?.number == number else { return }
            if case .success(let reply) = result {
                deviceChanged(path, reply.arguments.first?.asDictionary ?? [:])
            }
            guard connecting[path]?.number == number else { return }  // There it is.
            guard looks > 1 else {
                return endConnecting(
                    path, .failure(Self.noLink(attempt, "BlueZ says that it is done, but there is no link")))
            }
            connecting[path]?.timer = loop.after(Self.lookPause) { [weak self] in
                self?.lookForLink(path, attempt, number, looks - 1)
            }
        }
    }

    /// A device is connected.
    func linkSeen(_ path: String) {
        guard connecting[path] != nil else { return }
        connecting[path]?.isLinkSeen = true
        endConnecting(path, .success(()))
    }

    /// There will be no link: the device is gone, or BlueZ.
    func giveUpConnecting(_ path: String? = nil) {
        for path in path.map({ [$0] }) ?? Array(connecting.keys) {
            endConnecting(path, .failure(Self.noLink("connect", "BlueZ has forgotten the device")))
        }
    }

    /// Ends an attempt that BlueZ has answered; others end with the answer.
    private func endConnecting(_ path: String, _ result: Result<Void, BluetoothError>) {
        guard let completion = connecting[path]?.completion else { return }
        connecting[path]?.timer?.cancel()
        connecting[path] = nil
        completion(result)
    }

    private static func noLink(_ attempt: String, _ words: String) -> BluetoothError {
        BluetoothError(attempt: attempt, name: "org.bluez.Error.NotConnected", message: words)
    }
}
