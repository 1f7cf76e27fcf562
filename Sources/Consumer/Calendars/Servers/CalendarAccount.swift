/// Where a person's calendar is, and how to get there.
struct CalendarAccount: Hashable, Sendable {
    /// The server's, as the person has given it.
    let address: String
    let user: String
    let password: String
}

extension CalendarAccount {
    /// The server's name, for people.
    var host: String {
        let rest = address.split(separator: "/", omittingEmptySubsequences: true)
        return rest.count > 1 ? String(rest[1]) : address
    }

    /// Whether it is the same one, perhaps with another password.
    func isSame(as other: CalendarAccount) -> Bool { (address, user) == (other.address, other.user) }
}
