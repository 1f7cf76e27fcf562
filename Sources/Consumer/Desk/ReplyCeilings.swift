import Daemon
import Telemetry

// How much the desk replies.
//
// The broker sends a reply to every connection that has subscribed to its topic, and it keeps what a connection does not
// read. Mosquitto 2.0.11 limits only the number of messages for subscriptions of QoS 0, not their bytes. So what the desk replies costs the
// broker that much memory for every such connection, however little was asked. An allowance of requests does not limit
// this, because the refusal of one request too many is a reply, too. That is why refusals and bytes have ceilings here.
//
// Guests: a refusal takes less than 500 bytes at the broker, with at most 64 bytes of Correlation Data. There are seven
// verbs, unknown names and requests that come too often, so nine lines, each with a burst of 40 and then 2 a second: 180 KB, and then
// 9 KB a second for each connection. Their other replies come on top, within the guests' allowance of 20 a second for
// each verb.
//
// A person: replies have at most 64 KiB. The page asks for 10 to 60 things when somebody walks about, and for files and
// takeouts in parts, one after another. 8 MiB at once and 1 MiB a second let a person
// fetch 100 MB in 90 seconds.

/// How much may be replied to guests and to each person. Belongs to the desk's thread.
struct ReplyCeilings {
    /// What refusals are counted together.
    enum Line: Hashable {
        /// Of requests that come too often. They must not take the place of refusals that say what is wrong.
        case tooMany
        /// Of requests with this name; nil for all that have no line of their own.
        case verb(String?)
    }

    private struct PersonalLine: Hashable {
        let user: ID
        let line: Line
    }

    /// The maximum length of Correlation Data that is carried back to guests. A random number or a UUID as text fits.
    static let longestCorrelationDataOfGuests = 64

    private var guests = Allowance<Line>(perSecond: 2, burst: 40)
    private var persons = Allowance<PersonalLine>(perSecond: 2, burst: 60)
    /// In KiB.
    private var sizes = Allowance<ID>(perSecond: 1024, burst: 8192)

    /// Whether this request may be refused with a reply; if not, it gets none.
    mutating func mayRefuse(_ asker: Asker, _ line: Line, now: UInt64) -> Bool {
        switch asker {
        case .guest: guests.take(line, now: now) == nil
        case .person(let user): persons.take(PersonalLine(user: user, line: line), now: now) == nil
        }
    }

    /// How many seconds a person has to wait because of what was replied; nil if there is room. Takes the first KiB of
    /// the reply.
    mutating func secondsToWait(_ user: ID, now: UInt64) -> Int? { sizes.take(user, now: now) }

    /// Takes the rest of a reply, which is sent in any case: the next ones wait for what is more than there was.
    mutating func spend(_ bytes: Int, _ asker: Asker, now: UInt64) {
        guard case .person(let user) = asker else { return }
        sizes.charge(user, (bytes - 1) >> 10, now: now)
    }

    /// What to reply to a guest whose Correlation Data is too long to be carried back; nil if it is not.
    static func refusal(ofCorrelationData data: [UInt8]?, _ asker: Asker) -> ReplyError? {
        guard asker == .guest, let data, data.count > longestCorrelationDataOfGuests else {
            return Request.refusal(ofCorrelationData: data)
        }
        let words = "without a sign-in, Correlation Data has at most \(longestCorrelationDataOfGuests) bytes"
        return ReplyError(.badRequest, words, field: "correlation data")
    }
}

extension Reply.Outcome {
    var isError: Bool {
        switch self {
        case .ok: false
        case .error: true
        }
    }
}
