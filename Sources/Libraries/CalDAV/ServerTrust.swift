import CPSL
import Fetch

// Where a calendar server may send us, and what it gets there. A server tells where things are with redirections and with
// addresses in its answers, and whoever runs it must not be able to use us as a door to other machines:
//
// - The scheme stays: what was https is never http.
// - Name and password go only to hosts of the same registrable domain as the address that the person gave: what one owner
//   registers below a public suffix (publicsuffix.org), such as icloud.com for caldav.icloud.com and p34-caldav.icloud.com,
//   or example.co.uk. An address in numbers is a domain of its own. As everything that is asked here needs them, nothing else
//   is gone to at all.
// - To another host than the person's own, only public addresses are connected to, whatever the operator allows for the
//   person's own.
// - Resources are named by their paths, at the calendar's own server.

/// What follows from the address that a person gave.
struct ServerTrust: Sendable {
    private let given: WebAddress

    /// The trust that the owner of this account has in it.
    init(_ given: WebAddress) { self.given = given }

    /// Whether the name and password may be sent to an address.
    func covers(_ address: WebAddress) -> Bool {
        guard address.isSecure == given.isSecure else { return false }
        if address.isSameOrigin(as: given) || address.host == given.host && given.isSecure {
            return true
        }
        guard given.isSecure, let own = Self.registrableDomain(of: given.host) else { return false }
        return Self.registrableDomain(of: address.host) == own
    }

    /// Whether an address may be one of the operator's own network, if the operator allows that.
    func allowsPrivate(_ address: WebAddress) -> Bool { address.host == given.host }

    /// The part of a host's name that its owner has registered; nil for an address in numbers, and for what is a public
    /// suffix itself.
    static func registrableDomain(of host: String) -> String? {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, labels.count > 1, last.contains(where: { !$0.isNumber }),
            !host.hasPrefix("[")
        else { return nil }
        // What libpsl returns is a part of what it was given.
        return host.withCString { host in
            psl_registrable_domain(psl_builtin(), host).map { String(cString: $0) }
        }
    }
}
