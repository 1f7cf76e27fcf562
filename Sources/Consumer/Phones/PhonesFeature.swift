package import Daemon
package import Features
import Files
import Fitness
import OwnTracks
import Readings
import Records
import Telemetry

extension Feature {
    /// Phones that tell where their person is, and how many steps they took.
    package static let phones = Feature(
        name: "phones",
        documents: [
            FeatureDocument(
                // A reset keeps them with the devices that they are. Among what hangs on an account, they are devices.
                name: PhoneList.document, isKeptByReset: true, hangsByItself: true, exported: .shown(in: "phones.json"))
        ],
        exports: [
            .document(
                "phones.json",
                """
                The phones that you have connected. Their passwords and secrets are left out: the request `phones/link` shows them. The \
                positions that they have sent are with your other readings.
                """
            ) { source throws(VaultError) in
                let phones = try PhoneList(documents: source.documents).phones(of: source.user).map { phone in
                    JSON.object([
                        JSON.Member("phone", .string(phone.id.text)),
                        JSON.Member("encrypted", .bool(phone.secret != nil)),
                        JSON.Member("created", .string(iso8601(unixMilliseconds: phone.created))),
                    ])
                }
                return phones.isEmpty ? nil : ["phones": .array(phones)]
            }
        ],
        service: { parts in
            // The people of settings have no devices at the broker.
            guard parts.context.settings.hasAccounts else { return nil }
            return Phones(parts.context)
        }, settings: PhonesSetting.self)
}

/// `phones` of the settings: where phones reach the broker.
package struct PhonesSetting: FeatureSettings {
    package static let key = "phones"
    package static let isTakenAtOnce = true
    /// Nil: no phone can be connected.
    let place: Place?

    /// Where phones reach the broker, from wherever they are.
    struct Place: Equatable {
        let host: String
        let port: Int
        let usesTLS: Bool
        let usesWebSocket: Bool
    }

    package init(_ settings: Section) throws(SettingsError) {
        place = try settings.section(Self.key, default: nil).map(Place.init)
    }
}

extension PhonesSetting.Place {
    fileprivate init(_ section: Section) throws(SettingsError) {
        guard let host = try section.string("host", default: nil) else {
            throw section.refusal(
                of: "host", "is missing", hint: "the name by which phones reach the broker from the Internet")
        }
        (usesTLS, usesWebSocket) = (
            try section.bool("tls", default: true), try section.bool("websocket", default: false)
        )
        let usual = usesWebSocket ? (usesTLS ? 443 : 80) : (usesTLS ? 8883 : 1883)
        port = try section.integer("port", in: 1...65_535, default: usual)
        self.host = host
        do throws(OwnTracksError) {
            _ = try PhoneConfiguration(
                host: host, port: port, username: "u", password: "p", deviceID: "d", clientID: "c", topic: "t")
        } catch {
            throw section.refusal(of: "host", "\(error)", hint: "such as \"vitals.example.org\"")
        }
    }
}
