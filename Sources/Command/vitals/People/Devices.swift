import Daemon
import Telemetry

/// `vitals devices`: the devices on which a person is signed in.
struct Devices {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("devices/list") }
        let devices = data.list("devices")
        if call.isJSON {
            try Output.write(devices.map(\.line).joined())
        } else {
            let rows = devices.map { device in
                let isThis = device["device"] == call.credential.map { .string($0.device.text) }
                return [
                    isThis ? "*" : "", device.text("device") ?? "-", device.text("name") ?? "-",
                    device.time("created") ?? "-",
                ]
            }
            try Output.write(table(["", "DEVICE", "NAME", "SIGNED IN"], rows))
        }
        return .ok
    }

    func revoke() throws -> ExitCode {
        let device = try arguments.string("DEVICE")
        let data = try Office.visit(call) { office in
            try office.about(.device, device) { (id) throws(Failure) in
                try office.ask("devices/revoke", [("device", .string(id))])
            }
        }
        try Output.write(call.isJSON ? data.line : "\(escaped(device)) is signed out\n")
        if !call.isJSON { Output.note("codes for friends and gateways that you requested are no longer valid either") }
        return .ok
    }

    func name() throws -> ExitCode {
        let (device, name) = (try arguments.string("DEVICE"), try arguments.string("NAME"))
        let data = try Office.visit(call) { office in
            try office.about(.device, device) { (id) throws(Failure) in
                try office.ask("devices/name", [("device", .string(id)), ("name", .string(name))])
            }
        }
        try Output.write(call.isJSON ? data.line : "\(escaped(device)) is now called \(escaped(name))\n")
        return .ok
    }
}
