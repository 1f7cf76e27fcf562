// BlueZ ends and is started again, and the adapter is pulled out and plugged in: the signals come in the order of the
// recordings of BlueZ 5.66.
//
//     unplugged          Powered=false, then the links end, and the devices and the adapter are removed
//     told to end        the links end, then Powered=false, all objects are removed, and the name goes
//     killed             the name goes, without signals. The kernel keeps the links for two seconds more, so that a
//                        new bluetoothd shows a device that is connected and then is not
//
// The connection to the bus is closed in the meantime, as a process's would be: calls under way fail, and the new BlueZ
// has another unique name. BlueZ has again what it keeps on its disk: the devices to which somebody has connected,
// their bonds and names. It does not have what clients had asked for: agents, discovery, StartNotify.

import DBus
import Reactor

extension StandIn {
    /// bluetoothd is told to end, and is there again after a pause.
    func restart(after pause: Duration) {
        guard isServing else { return }
        isServing = false
        withdraw()
        // Once the bus answers, it has passed on everything that was sent.
        connection.callBus("GetId", []) { [weak self] _ in
            guard let self, !isOver else { return }
            connection.close()
            loop.after(pause) { [weak self] in self?.comeBack(isPowered: false) }
        }
    }

    /// bluetoothd is killed, and is there again after a pause.
    func crash(after pause: Duration) {
        guard isServing else { return }
        isServing = false
        // Without objects and agents there is nobody to tell.
        objects.forgetAll()
        agents.forgetAll()
        adapter.orphan()
        connection.close()
        loop.after(pause) { [weak self] in self?.comeBack(isPowered: true) }
    }

    /// All objects go, in the order of a bluetoothd that ends.
    func withdraw() {
        adapter.powerDown()
        agents.release()
        objects.remove(Self.managerPath)
        adapter.takeOff()
    }

    private func comeBack(isPowered: Bool) {
        guard !isOver else { return }
        do throws(DBusError) { try connection.open(settings.bus) } catch { return fail() }
        serve { [weak self] result in
            guard let self, !isOver else { return }
            guard case .success = result else { return fail() }
            addManagers()
            guard !adapter.isPulled else { return }
            adapter.appear(isPowered: isPowered)
            guard !isPowered else { return }
            loop.after(settings.radioDelay) { [weak self] in self?.adapter.setPowered(true) }
        }
    }

    private func fail() { connection.onDisconnected?() }
}

extension Adapter {
    /// Pulled out, and plugged in again after a pause; nil waits for `plug`.
    func unplug(for pause: Duration?) {
        guard !isPulled else { return }
        isPulled = true
        if isPlugged {
            switchOff()
            for device in devices { device.loseLink() }
            takeOff()
        }
        guard let pause else { return }
        standIn.loop.after(pause) { [weak self] in self?.plug() }
    }

    /// Plugged in, and switched on by BlueZ.
    func plug() {
        guard isPulled else { return }
        isPulled = false
        if standIn.isServing { appear(isPowered: true) }
    }

    /// BlueZ switches the adapter off before it ends.
    func powerDown() {
        guard isPlugged else { return }
        for device in devices { device.loseLink() }
        switchOff()
    }

    /// Adapter and devices go; what is remembered of them stays.
    func takeOff() {
        guard isPlugged else { return }
        for device in devices { device.takeOff() }
        leave()
    }
}
