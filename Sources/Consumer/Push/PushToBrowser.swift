import Fetch
import Telemetry
import Vault
import WebPush

// A browser gets its messages from the push service of its maker, which cannot read them: see the library WebPush. The address of that
// service comes from the person's browser, or from whoever pretends to be one. So it may lead to the Internet and to `private_hosts`, as
// libcurl asks before each connection; a redirection is not followed, of an answer only the status counts, and it has its time.

/// Hands messages to browsers' push services.
struct PushToBrowser {
    /// The key that push services know us by: people's browsers subscribe with its public half.
    let key: P256KeyPair
    let settings: PushSettings
    let now: @Sendable () -> Int64

    /// The longest answer that is read: nothing of it is needed.
    private static let longestAnswer = 64 * 1024
    /// How long a push service keeps a message for a browser that is not there, in seconds.
    private static let lifetime = Int(PushQueue.lifetime / 1000)

    /// What limits where a message leads; another thread may cancel it.
    func fetcher() -> Fetcher {
        Fetcher(
            Fetcher.Limits(
                length: Self.longestAnswer, duration: settings.apprise.timeLimit,
                reach: Reach(privateHosts: settings.apprise.privateHosts)))
    }

    /// Hands a message over, and waits for the outcome.
    func send(_ message: PushMessage, to subscription: PushSubscription, with fetcher: Fetcher) -> PushOutcome {
        let sender = PushSender(key: key, contact: settings.contact, now: now)
        do {
            let answer = try sender.post(
                Self.payload(message), to: subscription, lifetime: Self.lifetime,
                urgency: message.isAlert ? .high : .normal, with: fetcher)
            return switch answer {
            case .taken: .sent
            case .gone: .gone
            case .refused: .notTaken
            }
        } catch let error as FetchError {
            return switch error.reason {
            case .notPublic: .isPrivate
            case .timeout: .tookTooLong
            case .cancelled: .cancelled
            // Never in its own words, which have the address.
            case .address, .unreachable, .untrusted, .tooLarge, .status, .failed: .notTaken
            }
        } catch { return .failed("it could not be encrypted") }
    }

    /// What the page's worker shows.
    static func payload(_ message: PushMessage) -> [UInt8] {
        var text = String(message.text.prefix(PushMessage.longestText))
        while true {
            let payload: JSON = [
                "id": .string(message.id), "title": .string(PushMessage.title), "text": .string(text),
                "alert": .bool(message.isAlert),
            ]
            let bytes = payload.bytes
            guard bytes.count > PushSender.longestMessage, !text.isEmpty else { return bytes }
            text.removeLast(max(1, text.count / 8))
        }
    }
}
