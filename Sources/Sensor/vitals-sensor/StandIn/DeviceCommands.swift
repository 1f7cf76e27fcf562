import Reactor

/// What happens to a sensor on command.
extension Device {
    /// The link is lost, and the device out of reach for a while.
    func drop(for pause: Duration) {
        reachTimer?.cancel()
        loseLink()
        guard pause > .zero else { return comeNear() }
        peripheral.isReachable = false
        reachTimer = loop.after(pause) { [unowned self] in comeNear() }
    }

    private func comeNear() {
        guard !peripheral.isReachable else { return }
        peripheral.isReachable = true
        adapter.renewAddress(of: self).reachabilityChanged()
    }

    /// It no longer advertises, and BlueZ forgets it.
    func vanish() {
        peripheral.hasVanished = true
        remove()
    }

    /// It advertises again, and a known device is back on the bus.
    func reappear() {
        guard peripheral.hasVanished else { return }
        peripheral.hasVanished = false
        let device = adapter.renewAddress(of: self)
        if settings.isKnown, adapter.isPlugged {
            device.keep()
            device.comeBack()
        }
        device.reachabilityChanged()
    }

    /// It ends its link and no longer advertises, but stays known.
    func fallAsleep() {
        peripheral.hasVanished = true
        loseLink()
    }
}
