import Telemetry

/// The texts of a home in settings: one gateway, one consumer, one person, one sensor, and a broker for this machine
/// alone. `SetupTests` compare them with what `deploy/broker` writes.
struct Home {
    /// Ids, which are also names at the broker.
    static let (gateway, consumer, sensor) = ("home", "consumer", "strap")

    let answers: Answers
    let places: Places

    // MARK: Settings

    /// - Parameter consumer: the consumer's public key; nil while nobody knows it.
    func gatewaySettings(consumer: String?) -> String {
        let enrolment = consumer.map { "consumer: { identity: \(quoted($0)) }," } ?? ""
        let sensor = answers.sensor.map { "\(Self.sensor): { name: \(quoted($0)) }," }
        return """
            // Settings of vitals-gateway, written by `vitals setup`. Change them as you like: setup keeps a file that was changed.
            // After a change: systemctl reload vitals-gateway
            {
              gateway: "\(Self.gateway)",
              // The consumer that this gateway is enrolled with: its public key, as `vitals-consumer identity` prints it.
              \(enrolment)
              state: \(quoted(places.gatewayState)),
              broker: {
                host: "127.0.0.1", port: \(answers.port),
                username: "\(Self.gateway)", password_file: \(quoted(places.password(Self.gateway))),
              },
              bluetooth: { bus: \(quoted(answers.bus)) },
              // Without a sensor here: vitals scan; vitals connect DEVICE --sensor \(Self.sensor)
              sensors: { \(sensor ?? "") },
            }

            """
    }

    /// - Parameter gateway: the gateway's public key; nil while nobody knows it.
    func consumerSettings(gateway: String?) -> String {
        let gateways = gateway.map { "gateways: { \(Self.gateway): { identity: \(quoted($0)) } }," } ?? ""
        let people = "people: { \(quoted(answers.person)): { sensors: [\"\(Self.gateway)/\(Self.sensor)\"] } },"
        return """
            // Settings of vitals-consumer, written by `vitals setup`. Change them as you like: setup keeps a file that was changed.
            // After a change: systemctl reload vitals-consumer
            {
              state: \(quoted(places.consumerState)),
              // Keep a copy of this key apart from the data: without it, no backup can be opened.
              root_key_file: \(quoted(places.rootKey)),
              broker: {
                host: "127.0.0.1", port: \(answers.port),
                username: "\(Self.consumer)", password_file: \(quoted(places.password(Self.consumer))),
              },
              // Enrolled gateways: the public key that `vitals-gateway identity` prints.
              \(gateways)
              // The person to whom each sensor belongs: gateway/sensor.
              \(gateway == nil ? "" : people)
            }

            """
    }

    private func quoted(_ text: String) -> String { String(decoding: JSON.string(text).bytes, as: UTF8.self) }

    // MARK: The broker

    /// Names at the broker that have a password.
    var users: [String] { [Self.gateway, Self.consumer, answers.person] }

    /// As mosquitto/vitals.conf, whose comments say why.
    var brokerConfiguration: String {
        """
        # Written by `vitals setup`; /usr/share/doc/vitals-consumer/examples/mosquitto/vitals.conf explains each line.
        listener \(answers.port) 127.0.0.1
        allow_anonymous true
        password_file \(places.brokerPasswords)
        acl_file \(places.brokerRules)
        persistence false
        set_tcp_nodelay true
        max_queued_messages 10000
        message_size_limit 131072
        max_packet_size 196608
        max_inflight_bytes 1048576
        max_queued_bytes 16777216
        memory_limit 268435456

        """
    }

    /// As mosquitto/vitals.acl, whose comments say why.
    var brokerRules: String {
        ([
            "# Written by `vitals setup`; /usr/share/doc/vitals-consumer/examples/mosquitto/vitals.acl explains each line.",
            "# The household: clients without a name.",
        ] + Self.household + [
            "", "user \(Self.consumer)", "topic readwrite vitals/v1/#",
            "", "user \(Self.gateway)", "topic readwrite vitals/v1/gateways/\(Self.gateway)/#",
            "topic read vitals/v1/stores/+/consumers/+",
            "", "user \(answers.person)", "topic read vitals/v1/users/\(answers.person)/#",
            "topic write vitals/v1/users/\(answers.person)/requests/+/+",
        ] + Self.household).joined(separator: "\n") + "\n"
    }

    /// What clients without a name may do: the same as in mosquitto/vitals.acl.
    static let household =
        ["blocks", "live", "control", "grants"].map { "topic deny vitals/v1/gateways/+/\($0)" }
        + ["topic read vitals/v1/gateways/#"]
        + (GatewayRequest.allCases.map(\.rawValue) + MusicRequest.allCases.map { MusicRequest.prefix + $0.rawValue })
        .map { "topic write vitals/v1/gateways/+/requests/\($0)" }
        + SensorTopic.requests.map { "topic write vitals/v1/gateways/+/sensors/+/\($0.rawValue)" }
}
