// Bonds: made and forgotten.
//
// BlueZ makes a bond by itself when a characteristic answers that it needs encryption, provided that there is an agent
// to ask. `pair` makes one beforehand, if it is known that one will be needed.

internal import DBus

extension Central {
    /// Makes a bond, over a connection that BlueZ makes if there is none. Success if there is one already.
    public func pair(_ device: Device, completion: @escaping Completion<Void>) {
        // Asked to pair with a device that is bonded, BlueZ 5.66 does not answer, and may never do so.
        if self.device(at: device.path)?.isBonded == true {
            loop.after(.zero) { completion(.success(())) }
            return
        }
        let attempt = "pair with \(device.address)"
        call(attempt, device.path, Objects.deviceInterface, "Pair", limit: limits.pair) { [weak self] result in
            switch result {
            case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists": completion(.success(()))
            case .failure(let error):
                // BlueZ keeps trying after our limit, and would refuse the next Pair as InProgress.
                if let self, error.isTimeout, !owner.isEmpty { cancelPairing(device) }
                completion(.failure(error))
            case .success: completion(.success(()))
            }
        }
    }

    /// Takes a device away: its link, its bond and all that BlueZ remembers of it. Success if BlueZ knows no such
    /// device.
    public func remove(_ device: Device, completion: @escaping Completion<Void>) {
        call(
            "forget \(device.address)", device.adapterPath, Objects.adapterInterface, "RemoveDevice",
            [.path(device.path)]
        ) { result in
            if case .failure(let error) = result, error.name == "org.bluez.Error.DoesNotExist" {
                return completion(.success(()))
            }
            completion(result.map { _ in })
        }
    }

    private func cancelPairing(_ device: Device) {
        call("end the pairing with \(device.address)", device.path, Objects.deviceInterface, "CancelPairing") { _ in }
    }
}
