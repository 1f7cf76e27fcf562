package import Features

// What people are told of whom they watch over, and of who watches over them.

extension Notification.Kind {
    /// To the dependent: somebody has become their guardian.
    package static let guardianConnected = Self("guardian-connected", .neutralGuardian)
    /// To the dependent: a guardian no longer is one.
    package static let guardianLeft = Self("guardian-left", .neutralGuardian)
    /// To the dependent: their verification code was tried.
    package static let codeTries = Self("code-tries", .neutralGuardian)
    /// To the guardian: a dependent has ended it.
    package static let dependentEnded = Self("dependent-ended", .neutralGuardian)
    /// To the guardian: what they may see has changed.
    package static let dependentConsent = Self("dependent-consent", .neutralGuardian)
    /// To the guardians: a dependent asks for help.
    package static let helpWanted = Self("help-wanted", .neutralHelp, isAlert: true)
}

extension Phrase {
    static let neutralGuardian = Phrase(
        english: "Vitals has news for you: it is about people who look after each other.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um Menschen, die aufeinander achten.")
    static let neutralHelp = Phrase(
        english: "Vitals has an alert for you: somebody wants your help.",
        german: "Vitals hat einen Alarm für dich: Jemand bittet dich um Hilfe.")
    /// {name}
    static let guardianConnected = Phrase(
        english: "{name} is your guardian now. You decide what they see: vitals guardians.",
        german: "{name} passt jetzt auf dich auf. Du entscheidest, was zu sehen ist: vitals guardians.")
    /// {name}
    static let guardianLeft = Phrase(
        english: "{name} is no longer your guardian.",
        german: "{name} passt nicht mehr auf dich auf.")
    /// {count}
    static let codeTries = Phrase(
        english: "Your verification code was tried {count} times, in vain. You can change it: vitals guardians code.",
        german: "Dein Prüfcode wurde {count}-mal vergeblich probiert. Du kannst ihn ändern: vitals guardians code.")
    /// {name}
    static let dependentEnded = Phrase(
        english: "You are no longer the guardian of {name}.",
        german: "Du passt nicht mehr auf {name} auf.")
    /// {name}, {sights}
    static let dependentConsent = Phrase(
        english: "{name} lets you see: {sights}.",
        german: "{name} lässt dich sehen: {sights}.")
    /// {name}
    static let helpWanted = Phrase(
        english: "{name} needs help.",
        german: "{name} braucht Hilfe.")
    /// {name}, {words}
    static let helpWantedWords = Phrase(
        english: "{name} needs help: {words}",
        german: "{name} braucht Hilfe: {words}")
    static let nothing = Phrase(
        english: "nothing",
        german: "nichts")
    static let seesLocation = Phrase(
        english: "where they are",
        german: "den Ort")
    static let seesMotion = Phrase(
        english: "how they move",
        german: "die Bewegung")
    static let seesSteps = Phrase(
        english: "today's steps and distance",
        german: "Schritte und Strecke des Tages")
    static let seesHeartRate = Phrase(
        english: "alerts about their heart rate",
        german: "Warnungen zum Puls")
}

extension Sight {
    var phrase: Phrase {
        switch self {
        case .location: .seesLocation
        case .motion: .seesMotion
        case .steps: .seesSteps
        case .heartRate: .seesHeartRate
        }
    }
}
