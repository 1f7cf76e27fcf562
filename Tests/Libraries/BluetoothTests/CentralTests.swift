import Bluetooth
import Foundation
import Reactor
import TestSupport
import Testing

let heartRate = "00002a37-0000-1000-8000-00805f9b34fb"
private let battery = "00002a19-0000-1000-8000-00805f9b34fb"

@Suite("A central")
struct CentralTests {
    @Test("finds a device, connects, and knows its characteristics")
    func connects() throws {
        let bench = try Bench()
        let device = try bench.connected()
        #expect(device.address == "C0:FF:EE:00:00:01")
        let characteristic = try bench.characteristic(heartRate, of: device)
        #expect(characteristic.canNotify && !characteristic.canRead)
    }

    @Test("runs on a loop that others use, too, and leaves it to them when it stops")
    func sharedLoop() throws {
        let bus = try PrivateBus()
        let blueZ = try BlueZ(bus.addressText)
        let (loop, events) = (EventLoop(name: "shared"), Record<Central.Event>())
        let central = Central(on: loop, bus: .address(bus.addressText)) { events.append($0) }
        loop.start()
        defer { loop.stop() }
        central.start()
        #expect(events.device { $0.path == BlueZ.strap } != nil)
        central.stop()
        events.removeAll()
        blueZ.change(BlueZ.strap, "org.bluez.Device1", ["Name": .string("Changed")])
        // A second one hears of it, and so the change has come; the loop still runs.
        let other = Central(on: loop, bus: .address(bus.addressText)) { [events] in
            if case .state = $0 { events.append($0) }
        }
        other.start()
        #expect(events.state { $0 == .ready })
        #expect(!events.all.contains { if case .device = $0 { true } else { false } })
        other.stop()
    }

    @Test("believes only BlueZ and the bus: signals that a stranger sends to it are none")
    func strangers() throws {
        let bench = try Bench()
        let device = try bench.connected()
        // The central was the first on this bus.
        for signal in [
            ["/", "org.freedesktop.DBus.NameOwnerChanged", "string:org.bluez", "string::1.1", "string:"],
            [
                device.path, "org.freedesktop.DBus.ObjectManager.InterfacesRemoved", "objpath:\(device.path)",
                "array:string:org.bluez.Device1",
            ],
        ] {
            let stranger = try RunningProgram(
                "/usr/bin/dbus-send",
                ["--bus=\(bench.bus.addressText)", "--type=signal", "--dest=:1.0"] + signal)
            #expect(stranger.exitStatus() == 0)
        }
        // The bus keeps the order: BlueZ's answer comes after the signals.
        let value = bench.read(try bench.characteristic(battery, of: device))
        #expect(value != nil)
        let (state, count) = bench.central.loop.sync { [central = bench.central] in
            (central.state, central.devices.count)
        }
        #expect(state == .ready)
        #expect(count == 1)
        let isRemoved = bench.events.all.contains { if case .deviceRemoved = $0 { true } else { false } }
        #expect(!isRemoved)
    }

    @Test("delivers a characteristic's values, by signal and by socket", arguments: NotifyMethod.allCases)
    func notifies(method: NotifyMethod) throws {
        let bench = try Bench()
        let device = try bench.connected()
        let characteristic = try bench.characteristic(heartRate, of: device)
        let values = Record<[UInt8]>()
        let subscription = Holder<Subscription>()
        let isSubscribed: Bool? = bench.ask { [central = bench.central] done in
            subscription.value = central.subscribe(to: characteristic, by: method) {
                values.append($0)
            } completion: {
                done((try? $0.get()) != nil)
            }
        }
        #expect(isSubscribed == true)
        try values.wait(for: 5)
        #expect(values.all.allSatisfy { $0.count >= 2 })
        // After the end nothing comes any more, whatever the sensor sends.
        bench.central.loop.sync { subscription.value?.end() }
        values.removeAll()
        bench.command("heart-rate 99")
        _ = bench.read(try bench.characteristic(battery, of: device))
        #expect(values.all.isEmpty)
    }

    @Test("a socket that another program's subscription excludes falls back to signals")
    func socketFallsBack() throws {
        let bench = try Bench()
        let characteristic = try bench.characteristic(heartRate, of: try bench.connected())
        bench.command("fail AcquireNotify org.bluez.Error.NotPermitted")
        let values = Record<[UInt8]>()
        let subscription = Holder<Subscription>()
        bench.central.loop.perform { [central = bench.central] in
            subscription.value = central.subscribe(to: characteristic, by: .socket) {
                values.append($0)
            } completion: { _ in
            }
        }
        try values.wait(for: 2)
    }

    @Test("reads a value, and gives BlueZ's own error if it cannot be read")
    func reads() throws {
        let bench = try Bench()
        let device = try bench.connected()
        let percent = try #require(bench.read(try bench.characteristic(battery, of: device))?.get())
        #expect(percent.count == 1 && percent[0] <= 100)
        guard case .failure(let error) = bench.read(try bench.characteristic(heartRate, of: device)) else {
            return #expect(Bool(false), "2A37 cannot be read")
        }
        #expect(error.name == "org.bluez.Error.NotPermitted")
        #expect(error.isUnsupported && !error.isOffline && !error.isTimeout)
        #expect(error.attempt == "read \(heartRate)")
    }

    @Test("writes a value, and gives the sensor's refusal: its control point knows one command")
    func writes() throws {
        let bench = try Bench()
        let controlPoint = "00002a39-0000-1000-8000-00805f9b34fb"
        let characteristic = try bench.characteristic(controlPoint, of: try bench.connected())
        func write(_ bytes: [UInt8]) -> BluetoothError?? {
            bench.ask { [central = bench.central] done in
                central.write(bytes, to: characteristic) { result in
                    if case .failure(let error) = result { done(error) } else { done(nil) }
                }
            }
        }
        #expect(write([1]) == .some(nil))
        let refusal = write([2])
        #expect((refusal ?? nil)?.name == "org.bluez.Error.Failed")
        #expect((refusal ?? nil)?.message.contains("0x80") == true)
    }

    @Test("a call that is never answered ends at its limit")
    func timesOut() throws {
        let bench = try Bench()
        let characteristic = try bench.characteristic(battery, of: try bench.connected())
        bench.command("hang on")
        let result: Result<[UInt8], BluetoothError>? = bench.ask { [central = bench.central] done in
            central.read(characteristic, limit: .milliseconds(50)) { done($0) }
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "it answered") }
        #expect(error.isTimeout)
    }

    @Test("tells that the link is lost, and connects again")
    func linkLost() throws {
        let bench = try Bench()
        let device = try bench.connected()
        bench.events.removeAll()
        bench.command("drop")
        #expect(bench.events.device { !$0.isConnected && !$0.isResolved } != nil)
        let isBack: Bool? = bench.ask { [central = bench.central] done in
            central.connect(device) { done((try? $0.get()) != nil) }
        }
        #expect(isBack == true)
        #expect(bench.events.device { $0.isConnected && $0.isResolved } != nil)
    }

    @Test("a refused connection is BlueZ's error, with what to check")
    func refused() throws {
        let bench = try Bench()
        let device = try bench.connected()
        bench.command("drop")
        bench.command("refuse on")
        let error: BluetoothError?? = bench.ask { [central = bench.central] done in
            central.connect(device) { if case .failure(let error) = $0 { done(error) } else { done(nil) } }
        }
        let thrown: BluetoothError? = error ?? nil
        let refusal = try #require(thrown)
        #expect(refusal.message == "le-connection-abort-by-local")
        #expect(refusal.hint?.contains("awake") == true)
    }

    @Test("an adapter that is off is waited for, and discovery continues when it is on again")
    func adapterOff() throws {
        let bench = try Bench()
        #expect(bench.events.state { $0 == .ready })
        let token = Holder<Discovery.Token>()
        bench.central.loop.perform { [central = bench.central] in token.value = central.discover() }
        #expect(bench.events.device { $0.name == "Vitals HRM" } != nil)
        bench.command("power off")
        #expect(bench.events.state { $0 == .adapterOff("hci0") })
        bench.events.removeAll()
        bench.command("power on")
        #expect(bench.events.state { $0 == .ready })
        let device = bench.central.loop.sync { [central = bench.central] in central.devices.first }
        #expect(device != nil || bench.events.device { $0.name == "Vitals HRM" } != nil)
    }

    @Test("starts in any order, and outlives bluetoothd and the bus")
    func anyOrder() throws {
        let bench = try Bench(startsSensor: false)
        #expect(bench.events.state { $0 == .waitingForBlueZ })
        try bench.startSensor()
        #expect(bench.events.state { $0 == .ready })
        bench.events.removeAll()
        bench.sensor?.end(SIGKILL)
        #expect(bench.events.state { $0 == .waitingForBlueZ })
        try bench.startSensor()
        #expect(bench.events.state { $0 == .ready })
        bench.events.removeAll()
        bench.bus.kill()
        #expect(bench.events.state { if case .waitingForBus = $0 { true } else { false } })
    }
}
