import Features

// What people are told of the addresses to which their notifications go.

extension Notification.Kind {
    /// Notifications are brought to another address from now on.
    static let pushAdded = Self("push-added", .neutralAddress)
    /// The password was reset: notifications are brought nowhere until their addresses are confirmed.
    static let pushOff = Self("push-off", .neutralReset)
}

extension Phrase {
    static let neutralAddress = Phrase(
        english: "Vitals has news for you: your notifications also go to another address now.",
        german: "Vitals hat Neuigkeiten für dich: Deine Nachrichten gehen jetzt auch an eine andere Adresse.")
    static let neutralReset = Phrase(
        english: "Vitals has news for you: your password was reset. Confirm this address to get more here.",
        german: "Vitals hat Neuigkeiten für dich: Passwort zurückgesetzt. Bestätige diese Adresse, damit mehr kommt.")
    /// {address}
    static let pushAdded = Phrase(
        english: "Your notifications also go to {address} from now on. If that was not you: vitals push remove.",
        german: "Deine Nachrichten gehen ab jetzt auch an {address}. Warst du das nicht: vitals push remove.")
    static let pushOff = Phrase(
        english: "Your password was reset. Notifications go to no address until you confirm it: vitals push confirm.",
        german:
            "Passwort zurückgesetzt. Nachrichten gehen an keine Adresse, bis du sie bestätigst: vitals push confirm.")
    static let pushTest = Phrase(
        english: "This is a test: Vitals can reach you here.",
        german: "Das ist ein Test: Vitals kann dich hier erreichen.")
}
