import Fetch
package import Telemetry
import WebPush

/// An address of a person's, as Apprise understands it: `ntfys://ntfy.example.org/topic`; or a browser of theirs, as it is kept:
/// `webpush:` and its subscription. It may hold passwords and tokens anywhere.
package struct PushAddress: Hashable, Sendable {
    /// No address is longer, in bytes; of a browser, what it posts to.
    package static let maximumLength = 1024

    package let text: String
    package let scheme: String
    /// Nil if it is for Apprise.
    let subscription: PushSubscription?
    /// Of the server that it leads to; nil if it leads to a service of its own.
    private let host: String?

    /// - Throws: why it is not allowed, in words that show nothing of it but its scheme and the names of parameters.
    package init(_ text: String, _ settings: AppriseSettings) throws(ReplyError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Self.refusal("the address has more than \(Self.maximumLength) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal("the address has a blank or a character that is not ASCII: write it as %20 and so on")
        }
        guard let end = text.firstRange(of: "://") else {
            throw Self.refusal("the address has no scheme: expected an address such as ntfys://ntfy.sh/topic")
        }
        let scheme = text[..<end.lowerBound].lowercased()
        let allowed = settings.schemes.subtracting([PushSchemes.browser])
        guard allowed.contains(scheme) else {
            let known = allowed.sorted().joined(separator: ", ")
            let name = scheme.utf8.count <= 16 && scheme.utf8.allSatisfy(Self.isWordByte) ? " \(scheme)" : ""
            throw Self.refusal("the scheme\(name) is not one that this home allows: \(known)")
        }
        let rest = text[end.upperBound...]
        let query = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
        try Self.check(query, scheme)
        (self.text, self.scheme, subscription) = (text, scheme, nil)
        host = PushSchemes.toServers.contains(scheme) ? try Self.host(rest, settings) : nil
    }

    /// The address of a browser.
    /// - Throws: why it is not allowed.
    init(_ subscription: PushSubscription, _ settings: PushSettings) throws(ReplyError) {
        try settings.requireBrowsers()
        guard subscription.endpoint.text.utf8.count <= Self.maximumLength else {
            throw ReplyError(.invalid, "it has more than \(Self.maximumLength) bytes", field: "endpoint")
        }
        do throws(ReplyError) { host = try Self.host(subscription.endpoint.host[...], settings.apprise) } catch {
            throw ReplyError(error.code, error.message, field: "endpoint")
        }
        scheme = PushSchemes.browser
        text = "\(scheme):\(subscription.text)"
        self.subscription = subscription
    }

    /// An address as it is kept, which the settings may no longer allow.
    init(kept text: String, _ settings: PushSettings) throws(ReplyError) {
        let start = "\(PushSchemes.browser):"
        guard text.hasPrefix(start), !text.hasPrefix("\(start)//") else {
            try self.init(text, settings.apprise)
            return
        }
        let subscription: PushSubscription
        do throws(PushSubscription.Refusal) { subscription = try PushSubscription(text.dropFirst(start.count)) } catch {
            throw Self.refusal("this is no subscription of a browser")
        }
        try self.init(subscription, settings)
    }

    /// What may be shown of it, because it holds no secret.
    package var masked: String { "\(scheme)://\(host.map { "\($0)/" } ?? "")…" }

    private static func refusal(_ words: String) -> ReplyError { ReplyError(.invalid, words, field: "address") }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func check(_ query: Substring, _ scheme: String) throws(ReplyError) {
        for part in query.split(whereSeparator: { "&;".contains($0) }) {
            let name = part.prefix { $0 != "=" }.lowercased()
            // Headers and fields of the person's own.
            if PushSchemes.withHeaders.contains(scheme), let first = name.first, "+-:".contains(first) { continue }
            guard PushSchemes.parameters.contains(name) else {
                let shown = name.utf8.count <= 16 && name.utf8.allSatisfy(isWordByte) ? " \(name)" : ""
                throw refusal("the parameter\(shown) of an address is not allowed here")
            }
        }
    }

    /// The host of an address of a server, in lower case.
    private static func host(_ rest: Substring, _ settings: AppriseSettings) throws(ReplyError) -> String {
        let authority = rest.prefix { !"/?#".contains($0) }
        var host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        var isBracketed = false
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw refusal("the address names no server") }
            host = host[host.index(after: host.startIndex)..<end]
            isBracketed = true
        } else {
            host = host.prefix { $0 != ":" }
        }
        let name = host.lowercased()
        guard name.utf8.count <= 253, !name.isEmpty else {
            throw refusal("the address names no server")
        }
        if let address = NetworkAddress(name) {
            // `AppriseProgram` looks again, at each connection.
            guard address.isPublic || settings.privateHosts.contains(where: { $0.contains(address) }) else {
                throw refusal("the address leads into a private network, which this home does not allow")
            }
            return isBracketed ? "[\(name)]" : name
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "-") }
        }
        // A word without a dot may also be a token or a topic, which nobody should see.
        guard !isBracketed, isName, labels.count > 1 || !settings.privateHosts.isEmpty else {
            throw refusal("the address names no server: expected an address such as ntfys://ntfy.sh/topic")
        }
        let isOwn = labels.last == "localhost" || labels.last == "local" || labels.last == "internal"
        guard !isOwn || !settings.privateHosts.isEmpty else {
            throw refusal("the address leads into a private network, which this home does not allow")
        }
        return name
    }
}
