import Features

// What goes out of a notification, unless its person wants its own text: what kind of thing has happened, and nothing else.

extension Notification.Kind {
    /// Notifications are brought to another address from now on.
    static let pushAdded = Self("push-added")

    /// Kinds that somebody is to hear of before everything else.
    private static let alerts: Set<String> = [
        "battery-low", "entered-area", "heart-rate-range", "help-wanted", "left-area", "no-movement", "no-position",
    ]

    var isAlert: Bool { Self.alerts.contains(name) }

    /// What it says of what has happened, without readings, names and places.
    var neutral: Phrase {
        switch name {
        case "goal-reached": .neutralGoal
        case "workout-goal", "workout-ended": .neutralWorkout
        case "thumbs-up", "thumbs-down": .neutralThumb
        case "friend-request", "friend-accepted": .neutralFriend
        case "sensor-lost": .neutralSensor
        case "storage-full": .neutralStorage
        case "push-added": .neutralAddress
        case "help-wanted": .neutralHelp
        case _ where isAlert: .neutralAlert
        case "code-tries": .neutralGuardian
        case _ where name.hasPrefix("guardian-") || name.hasPrefix("dependent-"): .neutralGuardian
        default: .neutralNews
        }
    }
}

extension Phrase {
    static let neutralNews = Phrase(
        english: "Vitals has news for you.",
        german: "Vitals hat Neuigkeiten für dich.")
    static let neutralGoal = Phrase(
        english: "Vitals has news for you: you have reached a goal.",
        german: "Vitals hat Neuigkeiten für dich: Du hast ein Ziel erreicht.")
    static let neutralWorkout = Phrase(
        english: "Vitals has news for you: a workout has ended.",
        german: "Vitals hat Neuigkeiten für dich: Ein Training ist zu Ende.")
    static let neutralThumb = Phrase(
        english: "Vitals has news for you: somebody thinks of you.",
        german: "Vitals hat Neuigkeiten für dich: Jemand denkt an dich.")
    static let neutralFriend = Phrase(
        english: "Vitals has news for you: it is about your friends.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um deine Freunde.")
    static let neutralSensor = Phrase(
        english: "Vitals has news for you: it is about one of your sensors.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um einen deiner Sensoren.")
    static let neutralStorage = Phrase(
        english: "Vitals has news for you: it is about what may be stored.",
        german: "Vitals hat Neuigkeiten für dich: Es geht darum, was gespeichert werden darf.")
    static let neutralAddress = Phrase(
        english: "Vitals has news for you: your notifications also go to another address now.",
        german: "Vitals hat Neuigkeiten für dich: Deine Nachrichten gehen jetzt auch an eine andere Adresse.")
    static let neutralGuardian = Phrase(
        english: "Vitals has news for you: it is about people who look after each other.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um Menschen, die aufeinander achten.")
    static let neutralAlert = Phrase(
        english: "Vitals has an alert for you. Please look at it.",
        german: "Vitals hat einen Alarm für dich. Bitte sieh nach.")
    static let neutralHelp = Phrase(
        english: "Vitals has an alert for you: somebody wants your help.",
        german: "Vitals hat einen Alarm für dich: Jemand bittet dich um Hilfe.")
    /// {address}
    static let pushAdded = Phrase(
        english: "Your notifications also go to {address} from now on. If that was not you: vitals push remove.",
        german: "Deine Nachrichten gehen ab jetzt auch an {address}. Warst du das nicht: vitals push remove.")
    static let pushTest = Phrase(
        english: "This is a test: Vitals can reach you here.",
        german: "Das ist ein Test: Vitals kann dich hier erreichen.")
}
