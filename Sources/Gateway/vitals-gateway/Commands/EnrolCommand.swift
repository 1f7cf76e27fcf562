import Daemon
import Glibc
import MQTT
import Reactor
import Telemetry
import Vault

// `vitals-gateway enrol`.
//
//     gateway                                              consumer
//     accounts/enrol {code_id, gateway_key, proof}  ──►    finds the code by its id, and sees that the gateway knows it
//     checks the proof, and believes the rest       ◄──    {gateway, password, consumer, proof}
//
// Vault/EnrolmentCode.swift says what the proofs prove. Only a valid one makes this gateway pin the consumer's key. The
// broker sees the password that the gateway gets, because the password is for the broker.

/// Enrols this gateway.
struct EnrolCommand {
    private let settings: GatewaySettings
    /// How long to wait for the broker, and for the consumer.
    private let limit: Duration

    /// Throws if the settings already have an enrolment: `--again` reads them without it.
    init(_ settings: GatewaySettings, within limit: Duration) throws(Failure) {
        (self.settings, self.limit) = (settings, limit)
        guard let enrolment = settings.enrolment else { return }
        throw Failure(
            .usage, "this gateway is already enrolled, as \(enrolment.gateway)",
            hint: "to enrol it again, perhaps with another consumer: vitals-gateway enrol --again")
    }

    func run() throws -> ExitCode {
        try Identity.makeFolder(settings.state)
        let key = try Identity(in: settings.state).key.publicKey
        let code = try Self.readCode()
        let (enrolment, password) = try Self.enrolment(ask(code, key), code, key)
        try checkAgreement(enrolment)
        try enrolment.write(in: settings.state, password: password)
        print("enrolled as \(enrolment.gateway)")
        try tellRunning()
        return .ok
    }

    private static func readCode() throws(Failure) -> EnrolmentCode {
        if isatty(STDIN_FILENO) == 1 {
            log.notice("the code, as `vitals enrol --show` or `vitals-consumer enrol-code` printed it:")
        }
        do throws(VaultError) { return try EnrolmentCode(readLine() ?? "") } catch {
            throw Failure(
                .data, "this is not an enrolment code: \(error.said)",
                hint: "it looks like 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E, and is read from standard input")
        }
    }

    // MARK: Asking

    /// The data of the consumer's reply.
    private func ask(_ code: EnrolmentCode, _ key: [UInt8]) throws -> JSON {
        let request: JSON = [
            "code_id": .string(code.id), "gateway_key": .string(KeyFile.text(of: key)),
            "proof": .string(KeyFile.text(of: try code.requestProof(gatewayKey: key))),
        ]
        let session = Session(settings.asGuest)
        defer { session.stop(within: .seconds(1)) }
        try connect(session)
        let drawn = hexadecimal(try RandomBytes.draw(16))
        let reply: Reply
        do {
            let message = try session.requestAndWait(
                request.bytes, to: settings.topics[.account(.request(ID("enrol")))],
                responseTopic: settings.topics[.account(.response(drawn))], within: limit)
            reply = try Reply(payload: message.payload)
        } catch let error as MQTTError where error.kind == .timeout {
            throw Failure(
                .temporary, "no consumer answered at \(settings.broker.address)",
                hint: "is it running, below \(settings.topics.root), and with `accounts` in its settings?")
        } catch let error as MQTTError {
            throw Failure(error.kind == .refused ? .refused : .unavailable, "\(error)")
        }
        switch reply.outcome {
        case .ok(let data): return data
        case .error(let error):
            let isLater = error.code == .rateLimited || error.code == .busy
            throw Failure(
                isLater ? .temporary : .refused, "not enrolled: \(error.message)", hint: Self.hint(error.code))
        }
    }

    private static func hint(_ code: ReplyError.Code) -> String? {
        switch code {
        case .wrongCredentials, .expired, .locked:
            "a code works once, within an hour; to get another: vitals enrol, or vitals-consumer enrol-code"
        default: nil
        }
    }

    private func connect(_ session: Session) throws(Failure) {
        let answer = Answer<MQTTError?>()
        session.start(
            Handlers(stateChanged: { state in
                switch state {
                case .connected: answer.set(nil)
                case .waiting(let reason, _): answer.set(reason)
                default: break
                }
            }))
        switch answer.wait(atMost: limit) {
        case .some(nil): return
        case .some(let error?):
            throw Failure(error.kind == .refused ? .refused : .unavailable, "\(error)")
        case nil: throw Failure(.unavailable, "no answer from the broker at \(settings.broker.address)")
        }
    }

    // MARK: Checking the reply

    private static func enrolment(
        _ data: JSON, _ code: EnrolmentCode, _ key: [UInt8]
    ) throws -> (Enrolment, password: String) {
        func text(_ name: String) -> String { if case .string(let text) = data[name] { text } else { "" } }
        do {
            let gateway = try ID(text("gateway"))
            let consumer = try KeyFile.bytes(of: text("consumer"))
            let right = try code.replyProof(gateway: gateway.text, consumerKey: consumer, gatewayKey: key)
            guard isEqualInConstantTime(right, try KeyFile.bytes(of: text("proof"))) else {
                throw Failure(
                    .refused, "the answer came from somebody who does not know the code: nothing was changed",
                    hint: "the broker, or somebody who controls it, is not what it seems; check it before you try again"
                )
            }
            let enrolment = Enrolment(
                gateway: gateway, consumer: consumer, username: gateway.text, codeKey: try code.codeKey(),
                isAgreed: data["claim_codes"] == "agreed")
            return (enrolment, text("password"))
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(
                .protocolError, "the consumer's answer cannot be understood: \(error)",
                hint: "are the gateway and the consumer of the same version?")
        }
    }

    /// Refuses an enrolment that contradicts the settings file.
    private func checkAgreement(_ enrolment: Enrolment) throws(Failure) {
        let (gateway, consumer) = settings.inFile
        if let consumer, consumer != enrolment.consumer {
            throw Failure(
                .configuration,
                "the code is from a consumer that is not consumer.identity in the settings: nothing was changed",
                hint: "remove that from the settings if this consumer is the right one, and enrol with another code")
        }
        if let gateway, gateway != enrolment.gateway {
            throw Failure(
                .configuration,
                "the code enrols gateway \(enrolment.gateway), and the settings say \(gateway): nothing was changed",
                hint:
                    "remove `gateway` from the settings, or get a code with vitals-consumer enrol-code --gateway \(gateway)"
            )
        }
    }

    private func tellRunning() throws(Failure) {
        guard let holder = try StateLock.holder(of: settings.state) else {
            print("no gateway is running here: start it")
            return
        }
        do throws(Failure) { try holder.signal(.hangUp) } catch {
            throw Failure(
                .inputOutput, "the running gateway was not told: \(error.message)",
                hint: "restart it: systemctl restart vitals-gateway")
        }
        print("the running gateway (process \(holder.process)) restarts with it")
    }
}
