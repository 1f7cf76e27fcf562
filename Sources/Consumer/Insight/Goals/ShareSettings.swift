package import Daemon
import Readings

/// What people share of a day.
package struct ShareSettings: FeatureSettings {
    package static let key = "share_link"
    package static let isTakenAtOnce = false
    /// A link that goes with it: the same for all people, except for `{day}` and `{goal}`. Nil for none.
    package let link: String?

    package init(_ settings: Section) throws(SettingsError) {
        link = try settings.string(Self.key, default: nil)
        guard let link, !Self.isLink(link) else { return }
        throw settings.refusal(
            of: Self.key, "\"\(link)\" is no link",
            hint: "it begins with https:// and has no spaces: \"https://example.org/#{goal}\"")
    }

    private static func isLink(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 1000
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
