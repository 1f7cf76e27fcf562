package import Daemon
package import OpenID
import Readings

/// `accounts` of the settings.
package struct AccountsSetting: FeatureSettings {
    package static let key = "accounts"
    package static let isTakenAtOnce = false
    /// Nil: nobody can sign up or in.
    package let accounts: AccountSettings?

    package init(_ settings: Section) throws(SettingsError) {
        accounts = try settings.section(Self.key, default: nil).map(AccountSettings.init)
    }
}

/// `accounts`: who may become a person here, and how.
package struct AccountSettings: Equatable {
    /// Whether strangers may sign up.
    let allowsSignUp: Bool
    /// A program that takes a whole mail on its standard input, and its arguments; nil if mails are not sent.
    let mailCommand: [String]?
    /// Whether codes go to people's addresses, so that these can be verified.
    package var sendsMail: Bool { mailCommand != nil }
    /// The providers that may vouch for people, by name.
    package let providers: [String: ProviderSettings]

    package init(_ section: Section) throws(SettingsError) {
        allowsSignUp = try section.bool("sign_up", default: true)
        let command = try section.strings("mail_command", default: [])
        guard command.first?.hasPrefix("/") ?? true else {
            throw section.refusal(
                of: "mail_command", "\"\(command[0])\" is not an absolute path",
                hint: "no shell looks for the program: [\"/usr/sbin/sendmail\", \"-t\"]")
        }
        mailCommand = command.isEmpty ? nil : command
        providers = try ProviderSettings.all(section)
    }
}
