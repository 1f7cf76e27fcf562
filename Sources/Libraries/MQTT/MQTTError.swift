import CMosquitto
import Glibc

/// What went wrong with a broker: what was attempted, what was answered, and what an operator can check.
public struct MQTTError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a program may want to tell apart.
    public enum Kind: Sendable {
        /// There is no connection, or it was lost before an acknowledgement came.
        case notConnected
        /// `Options.outgoingLimit` messages are already waiting.
        case tooManyWaiting
        /// Nothing answers at the address, or not in time, or the connection broke.
        case unreachable
        /// TLS could not be agreed on, or the broker's certificate cannot be trusted.
        case tls
        /// The broker answered no: see `reasonCode`.
        case refused
        /// The other end does not keep to the protocol.
        case protocolViolation
        /// No reply came before its deadline.
        case timeout
        /// An option, a topic or a payload that is not valid.
        case invalid
        /// The receiving side refused a batch.
        case batchRefused
        /// The session was stopped.
        case stopped
    }

    public var kind: Kind
    /// What was attempted, as in "connect to localhost:1883".
    public var attempted: String
    /// What was answered.
    public var reason: String
    /// What to check or to run.
    public var hint: String?
    /// The broker's reason code (MQTT 5, section 2.4, or the return code of MQTT 3.1.1), if it gave one.
    public var reasonCode: UInt8?

    init(_ kind: Kind, _ attempted: String, _ reason: String, hint: String? = nil, reasonCode: UInt8? = nil) {
        self.kind = kind
        self.attempted = attempted
        self.reason = reason
        self.hint = hint
        self.reasonCode = reasonCode
    }

    /// One sentence, and the hint if there is one.
    public var description: String {
        "cannot \(attempted): \(reason)" + (hint.map { " (\($0))" } ?? "")
    }

    /// Whether another session has taken this one's client id over (reason code 0x8E, MQTT 5 only).
    public var isTakenOver: Bool { reasonCode == UInt8(MQTT_RC_SESSION_TAKEN_OVER.rawValue) }
}

extension MQTTError {
    /// A return code of libmosquitto's that is not success.
    /// - Parameter systemError: errno as it was right after the call.
    static func library(_ code: Int32, _ systemError: Int32, _ attempted: String) -> MQTTError {
        let text = String(cString: mosquitto_strerror(code))
        switch mosq_err_t(rawValue: code) {
        case MOSQ_ERR_ERRNO:
            return system(systemError, attempted)
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            return MQTTError(
                .unreachable, attempted, "the name cannot be resolved", hint: "check the host's name and the network")
        case MOSQ_ERR_KEEPALIVE:
            // Version 2.0.11 of the library says "Unknown error".
            return MQTTError(.unreachable, attempted, "nothing was heard for longer than the keep-alive")
        case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_TIMEOUT, MOSQ_ERR_CONN_REFUSED:
            return MQTTError(.unreachable, attempted, text.sentence)
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE, MOSQ_ERR_OCSP:
            return MQTTError(.tls, attempted, text.sentence)
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_DUPLICATE_PROPERTY:
            return MQTTError(.protocolViolation, attempted, text.sentence)
        case MOSQ_ERR_AUTH, MOSQ_ERR_ACL_DENIED, MOSQ_ERR_ADMINISTRATIVE_ACTION:
            return MQTTError(.refused, attempted, text.sentence)
        default:
            return MQTTError(.invalid, attempted, text.sentence)
        }
    }

    /// An error of the system's, most of them with a hint.
    static func system(_ code: Int32, _ attempted: String) -> MQTTError {
        let hint: String? =
            switch code {
            case ECONNREFUSED: "is mosquitto running there? systemctl status mosquitto"
            case ENOENT: "is mosquitto running, with a listener on that path?"
            case EACCES: "may this user open the socket's path?"
            case ENETUNREACH, EHOSTUNREACH, ETIMEDOUT: "check the network and the address"
            default: nil
            }
        return MQTTError(.unreachable, attempted, String(cString: strerror(code)).sentence, hint: hint)
    }

    /// A reason code of the broker's.
    static func refused(_ code: UInt8, _ attempted: String, hint: String? = nil) -> MQTTError {
        let text = String(cString: mosquitto_reason_string(Int32(code)))
        return MQTTError(.refused, attempted, text.sentence, hint: hint, reasonCode: code)
    }
}

/// Every return code of libmosquitto's passes through here.
func check(_ code: Int32, _ attempted: @autoclosure () -> String) throws(MQTTError) {
    let systemError = errno
    // Codes below zero say that something is pending.
    guard code > MOSQ_ERR_SUCCESS.rawValue else { return }
    throw MQTTError.library(Int32(code), systemError, attempted())
}

extension String {
    /// The library's "Not authorized." in the middle of a sentence of ours.
    var sentence: String {
        var text = self
        while let last = text.last, last == "." || last.isNewline { text.removeLast() }
        let second = text.dropFirst().first
        guard let first = text.first, first.isUppercase, second?.isUppercase != true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
