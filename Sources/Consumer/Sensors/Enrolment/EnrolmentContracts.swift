import Contract
import Records

/// What `accounts/enrol`, `gateways/…` and `sensors/…` ask and answer.
extension RequestContract {
    /// 32 bytes.
    private static let key = PayloadSchema.base64(atMost: 32)
    private static let gateway = PayloadSchema.Field.always("gateway", .id)
    private static let sensor = [gateway, .always("sensor", .id)]
    private static let name = PayloadSchema.text(atMost: Enrolment.longestName)
    private static let household = PayloadSchema.bool.about("whether the person sees what the gateway publishes")
    private static let kinds = PayloadSchema.Field.always(
        "kinds", .array(of: .word(ReadingKind.allCases.map(\.rawValue))).about("what is recorded"))

    static let enrol = RequestContract(
        "Enrols a gateway that knows a code: `vitals-gateway enrol` asks this.",
        asks: [
            .always("code_id", .text(atMost: 64)), .always("gateway_key", key.about("its Ed25519 public key")),
            .always("proof", key.about("that it knows the code")),
        ],
        answers: .record([
            gateway, .always("password", .text.about("the gateway's at the broker")),
            .always("consumer", key.about("the consumer's Ed25519 public key")), .always("root", .text),
            .always("proof", key.about("that the consumer knows the code")),
            .always("claim_codes", .only("agreed")),
        ]))

    static let gatewaysInvite = RequestContract(
        "Draws a code for `vitals-gateway enrol`.",
        asks: [
            .known("name", name),
            .known("household", household),
        ],
        answers: .record([.always("code", .text), .always("expires", .time)]))

    static let gatewaysList = RequestContract(
        "Lists the person's gateways.",
        answers: .record([
            .always(
                "gateways",
                .array(
                    of: .object(
                        "EnrolledGateway", "A gateway of a person's.",
                        [gateway, .known("name", .text), .always("household", .bool), .always("enrolled", .time)]),
                    atMost: Int64(Enrolment.mostGateways)))
        ]))

    static let gatewaysRename = RequestContract(
        "Names a gateway; an empty name takes its name away.", asks: [gateway, .always("name", name)],
        answers: .record([gateway, .known("name", .text)]))

    static let gatewaysHousehold = RequestContract(
        "Sets whether the person sees what a gateway publishes, and may ask it.",
        asks: [gateway, .always("household", household)], answers: .record([gateway, .always("household", household)]))

    static let gatewaysRemove = RequestContract(
        "Removes a gateway: nothing from it is accepted any more.", asks: [gateway], answers: .record([gateway]))

    static let sensorsClaim = RequestContract(
        "Has a sensor record for the person.",
        asks: sensor + [.always("code", .text(atMost: 64).about("as the gateway's console shows it"))],
        answers: .record(
            sensor + [
                .known("stream", .text.about("the id of what is recorded from now on")), kinds,
                .known("taken_over", .bool.about("whether it belonged to somebody else")),
            ]))

    static let sensorsRelease = RequestContract(
        "Ends what a sensor records for the person.", asks: sensor, answers: .record(sensor))

    static let sensorsList = RequestContract(
        "Lists the sensors that the person has claimed.",
        answers: .record([
            .always(
                "sensors",
                .array(
                    of: .object(
                        "ClaimedSensor", "A sensor of a person's.", sensor + [.always("claimed", .time), kinds])))
        ]))
}
