import Daemon
import Glibc
import MQTT
import Reactor
import Telemetry
import Vault

// `vitals-gateway enrol`.
//
//     gateway                                              consumer
//     accounts/enrol {code_id, gateway_key, proof}  ──►    knows the code by its id, and that the gateway knows it
//     checks the proof, and believes the rest       ◄──    {gateway, password, consumer, proof}
//
// Vault/EnrolmentCode.swift says what the proofs prove. Only a right one makes this gateway pin the consumer's key. The broker
// sees the password that the gateway gets: it is for the broker.

/// Enrols this gateway.
struct EnrolCommand {
    private let settings: GatewaySettings
    private let limit = Duration.seconds(30)

    /// Throws where the settings have an enrolment already: `--again` reads them without.
    init(_ settings: GatewaySettings) throws(Failure) {
        self.settings = settings
        guard let enrolment = settings.enrolment else { return }
        throw Failure(
            .failure, "this gateway is enrolled already, as \(enrolment.gateway)",
            hint: "to enrol it anew, perhaps with another consumer: vitals-gateway enrol --again")
    }

    func run() throws -> ExitCode {
        try Identity.makeFolder(settings.state)
        try checkOwner()
        let key = try Identity(in: settings.state).key.publicKey
        let code = try Self.readCode()
        let (enrolment, password) = try Self.enrolment(ask(code, key), code, key)
        try checkAgreement(enrolment)
        try enrolment.write(in: settings.state, password: password)
        print("enrolled as \(enrolment.gateway)")
        try tellRunning()
        return .ok
    }

    /// What it writes is its owner's alone; were that another user than the gateway's, the gateway could not read it.
    private func checkOwner() throws(Failure) {
        var status = stat()
        guard stat(settings.state, &status) == 0, status.st_uid != geteuid() else { return }
        let owner = Enrolment.owner(of: settings.state) ?? "#\(status.st_uid)"
        throw Failure(
            .configuration, "the state folder \(settings.state) is \(owner)'s",
            hint: "run it as that user: sudo -u \(owner) vitals-gateway enrol")
    }

    private static func readCode() throws(Failure) -> EnrolmentCode {
        if isatty(STDIN_FILENO) == 1 {
            log.notice("the code, as `vitals enrol --show` or `vitals-consumer enrol-code` printed it:")
        }
        do throws(VaultError) { return try EnrolmentCode(readLine() ?? "") } catch {
            throw Failure(
                .usage, "this is no enrolment code: \(error.said)",
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
        let drawn = try RandomBytes.draw(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let reply: Reply
        do {
            let message = try session.requestAndWait(
                request.bytes, to: settings.topics[.account(.request(ID("enrol")))],
                responseTopic: settings.topics[.account(.response(drawn))], within: limit)
            reply = try Reply(payload: message.payload)
        } catch let error as MQTTError where error.kind == .timeout {
            throw Failure(
                .temporary, "no consumer answered at \(settings.broker.address)",
                hint: "does it run, below \(settings.topics.root), and with `accounts` in its settings?")
        } catch let error as MQTTError {
            throw Failure(.failure, "\(error)")
        }
        switch reply.outcome {
        case .ok(let data): return data
        case .error(let error):
            let isLater = error.code == .rateLimited || error.code == .busy
            throw Failure(
                isLater ? .temporary : .failure, "not enrolled: \(error.message)", hint: Self.hint(error.code))
        }
    }

    private static func hint(_ code: ReplyError.Code) -> String? {
        switch code {
        case .wrongCredentials, .expired, .locked:
            "codes are good once, for an hour; for another: vitals enrol, or vitals-consumer enrol-code"
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
        case .some(let error?): throw Failure(.unavailable, "\(error)")
        case nil: throw Failure(.unavailable, "no answer from the broker at \(settings.broker.address)")
        }
    }

    // MARK: Believing

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
                    .failure, "whoever answered does not know the code: nothing was changed",
                    hint: "the broker, or somebody at it, is not what it seems; look there before you try again")
            }
            let enrolment = Enrolment(
                gateway: gateway, consumer: consumer, username: gateway.text, claimKey: try code.claimKey())
            return (enrolment, text("password"))
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(
                .failure, "the consumer's reply is none: \(error)", hint: "are gateway and consumer of one version?")
        }
    }

    /// Refuses what the settings file says otherwise.
    private func checkAgreement(_ enrolment: Enrolment) throws(Failure) {
        let (gateway, consumer) = settings.inFile
        if let consumer, consumer != enrolment.consumer {
            throw Failure(
                .configuration,
                "the code is of another consumer than consumer.identity in the settings: nothing was changed",
                hint: "take that out of the settings if it is to be this one, and enrol with another code")
        }
        if let gateway, gateway != enrolment.gateway {
            throw Failure(
                .configuration,
                "the code enrols gateway \(enrolment.gateway), and the settings say \(gateway): nothing was changed",
                hint:
                    "take `gateway` out of the settings, or get a code with vitals-consumer enrol-code --gateway \(gateway)"
            )
        }
    }

    private func tellRunning() throws(Failure) {
        guard let process = StateLock.holder(of: settings.state) else {
            print("no gateway is running here: start it")
            return
        }
        guard kill(process, SIGHUP) == 0 else {
            throw Failure(
                .failure, "the running gateway, process \(process), was not told: \(String(cString: strerror(errno)))",
                hint: "restart it: systemctl restart vitals-gateway")
        }
        print("the running gateway, process \(process), starts anew with it")
    }
}
