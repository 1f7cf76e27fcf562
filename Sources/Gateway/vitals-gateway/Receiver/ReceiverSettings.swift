import Daemon
import Positioning
import ProgramSettings
import Telemetry

/// `receiver`: a satellite receiver that gpsd reads, on this machine or near it.
struct ReceiverSettings {
    /// The sensor that it is to everybody else.
    let id: ID
    /// Where gpsd listens.
    let address: ReceiverAddress

    init(_ section: Section) throws(SettingsError) {
        id = try section.validated("id", default: "receiver") { (text) throws(MalformedValue) in try ID(text) }
        let host = try section.string("host", default: ReceiverAddress.usual.host)
        let port = try section.integer("port", in: 1...65_535, default: Int(ReceiverAddress.usual.port))
        guard let address = ReceiverAddress(host: host, port: UInt16(port)) else {
            throw section.refusal(
                of: "host", "\"\(host)\" is not an address", hint: "such as \"127.0.0.1\": gpsd has no name here")
        }
        self.address = address
    }
}
