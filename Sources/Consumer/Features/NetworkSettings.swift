package import Daemon
package import Fetch

extension Section {
    /// Addresses and networks that are not in the public internet, and that people's own servers may be in all the same; none if
    /// nothing is said.
    package func networks(_ key: String) throws(SettingsError) -> [NetworkRange] {
        var ranges: [NetworkRange] = []
        for text in try strings(key, default: []) {
            guard let range = NetworkRange(text) else {
                throw refusal(
                    of: key, "\"\(text)\" is neither an address nor a network",
                    hint: "such as \"192.168.1.5\" or \"192.168.1.0/24\"")
            }
            ranges.append(range)
        }
        return ranges
    }
}
