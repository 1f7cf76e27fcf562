public import Fetch

/// Somebody's account at a calendar server.
public struct CalDAVAccount: Sendable {
    /// What the person was told to give: a host, or a calendar's home.
    public var address: WebAddress
    /// The user's name there.
    public var user: String
    /// The password, which is best one that the server made for this program alone.
    public var password: String

    /// An account from its parts.
    public init(address: WebAddress, user: String, password: String) {
        self.address = address
        self.user = user
        self.password = password
    }
}
