import Features

// What people are told of the addresses to which their notifications go.

extension Notification.Kind {
    /// Notifications are brought to another address from now on.
    static let pushAdded = Self("push-added", .neutralAddress)
}

extension Phrase {
    static let neutralAddress = Phrase(
        english: "Vitals has news for you: your notifications also go to another address now.",
        german: "Vitals hat Neuigkeiten für dich: Deine Nachrichten gehen jetzt auch an eine andere Adresse.")
    /// {address}
    static let pushAdded = Phrase(
        english: "Your notifications also go to {address} from now on. If that was not you: vitals push remove.",
        german: "Deine Nachrichten gehen ab jetzt auch an {address}. Warst du das nicht: vitals push remove.")
    static let pushTest = Phrase(
        english: "This is a test: Vitals can reach you here.",
        german: "Das ist ein Test: Vitals kann dich hier erreichen.")
}
