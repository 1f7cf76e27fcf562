package import Features
import Fitness

// What guardians are told when something that they watch has happened.

extension Notification.Kind {
    package static let leftArea = Self("left-area", .neutralAlert, isAlert: true)
    package static let enteredArea = Self("entered-area", .neutralAlert, isAlert: true)
    package static let noPosition = Self("no-position", .neutralAlert, isAlert: true)
    package static let batteryLow = Self("battery-low", .neutralAlert, isAlert: true)
    package static let heartRateRange = Self("heart-rate-range", .neutralAlert, isAlert: true)
    package static let noMovement = Self("no-movement", .neutralAlert, isAlert: true)

    /// All of which guardians are alerted.
    package static let alerts = [
        leftArea, enteredArea, noPosition, batteryLow, heartRateRange, noMovement, helpWanted,
    ]
}

extension Phrase {
    static let neutralAlert = Phrase(
        english: "Vitals has an alert for you. Please look at it.",
        german: "Vitals hat einen Alarm für dich. Bitte sieh nach.")
    /// {name}, {about} the area, {time}
    static let leftArea = Phrase(
        english: "{name} left {about} at {time}.",
        german: "{name} hat {about} um {time} verlassen.")
    static let enteredArea = Phrase(
        english: "{name} entered {about} at {time}.",
        german: "{name} hat {about} um {time} betreten.")
    /// {name}, {time}
    static let noPosition = Phrase(
        english: "Nobody knows where {name} is: the last position is from {time}.",
        german: "Niemand weiß, wo {name} ist: Die letzte Position ist von {time}.")
    /// {name}, {about} percent
    static let batteryLow = Phrase(
        english: "The battery of {name}'s phone is down to {about} %.",
        german: "Der Akku des Telefons von {name} ist auf {about} % gesunken.")
    /// {name}, {time}
    static let heartRateRange = Phrase(
        english: "The heart rate of {name} left your range at {time}. This is no medical device: in doubt, get help.",
        german: "Der Puls von {name} verließ um {time} deinen Bereich. Kein Medizinprodukt: Im Zweifel hole Hilfe.")
    /// {name}, {time}
    static let noMovement = Phrase(
        english: "{name} had not moved today by {time}.",
        german: "{name} hatte sich heute bis {time} nicht bewegt.")
}

extension Alert {
    /// What a guardian is told.
    /// - Parameters:
    ///   - name: of the dependent.
    ///   - clock: the time of day on the dependent's wall when it happened.
    func words(_ language: Language, name: String, clock: String) -> String {
        let phrase: Phrase =
            switch kind {
            case .leftArea: .leftArea
            case .enteredArea: .enteredArea
            case .noPosition: .noPosition
            case .batteryLow: .batteryLow
            case .heartRateRange: .heartRateRange
            case .noMovement: .noMovement
            default: about == nil ? .helpWanted : .helpWantedWords
            }
        return language(phrase, ["name": name, "about": about ?? "", "words": about ?? "", "time": clock])
    }
}
