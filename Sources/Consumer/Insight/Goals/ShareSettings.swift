package import Daemon
package import Fitness
import Readings

/// What people share of a day.
package struct ShareSettings: FeatureSettings {
    package static let key = "share_link"
    package static let isTakenAtOnce = false
    /// A link that goes with it: the same for all people, except for `{day}` and `{goal}`. Nil for none.
    private let template: String?

    package init(_ settings: Section) throws(SettingsError) {
        template = try settings.string(Self.key, default: nil)
        guard let link = template, !Self.isLink(link) else { return }
        throw settings.refusal(
            of: Self.key, "\"\(link)\" is no link",
            hint: "it begins with https:// and has no spaces: \"https://example.org/#{goal}\"")
    }

    /// The link that goes with what is shared; nil for none.
    /// - Parameter subject: what `{goal}` stands for: the goal, or what else it is, such as `workout`.
    package func link(day: CalendarDay, subject: String) -> String? {
        template.map { template in
            [("{day}", "\(day)"), ("{goal}", subject)].reduce(template) { link, filled in
                link.split(separator: filled.0, omittingEmptySubsequences: false).joined(separator: filled.1)
            }
        }
    }

    private static func isLink(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 1000
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
