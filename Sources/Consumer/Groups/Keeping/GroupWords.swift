package import Features

// What people are told of their groups.

extension Notification.Kind {
    /// To the other members: somebody has joined.
    package static let groupJoined = Self("group-joined", .neutralGroup)
    /// To the other members: a challenge has begun.
    package static let challengeBegun = Self("challenge-begun", .neutralGroup)
    /// To those who compete: it is over, and this is how it went.
    package static let challengeOver = Self("challenge-over", .neutralGroup)

    static let groups = [groupJoined, challengeBegun, challengeOver]
}

extension Phrase {
    static let neutralGroup = Phrase(
        english: "Vitals has news for you: it is about a group of yours.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um eine deiner Gruppen.")
    /// {group}
    static let groupJoined = Phrase(
        english: "Somebody has joined {group}: see vitals groups show GROUP.",
        german: "Jemand ist jetzt auch in {group}: siehe vitals groups show GRUPPE.")
    /// {group}, {measure}, {day}
    static let challengeBegun = Phrase(
        english: "A challenge has begun in {group}: {measure}, until {day}.",
        german: "In {group} hat ein Wettbewerb begonnen: {measure}, bis {day}.")
    /// {group}, {measure}, {day}
    static let challengeBegunUnseen = Phrase(
        english:
            "A challenge has begun in {group}: {measure}, until {day}. You are not competing. To take part: vitals groups compete GROUP on.",
        german:
            "In {group} hat ein Wettbewerb begonnen: {measure}, bis {day}. Du machst noch nicht mit. So machst du mit: vitals groups compete GRUPPE on.")
    /// {group}, {rank}, {count}, {day}
    static let challengeOver = Phrase(
        english: "The challenge in {group} is over: you are in place {rank} of {count}. Late readings count until {day}.",
        german:
            "Der Wettbewerb in {group} ist vorbei: Du bist auf Platz {rank} von {count}. Späte Messwerte zählen bis {day}.")
    /// {group}, {rank}, {count}
    static let challengeFinal = Phrase(
        english: "The challenge in {group} is over: you are in place {rank} of {count}.",
        german: "Der Wettbewerb in {group} ist vorbei: Du bist auf Platz {rank} von {count}.")
    static let measureSteps = Phrase(
        english: "steps",
        german: "Schritte")
    static let measureDistance = Phrase(
        english: "distance on foot",
        german: "Strecke zu Fuß")
    static let measureAllDistance = Phrase(
        english: "distance in all ways",
        german: "Strecke auf alle Arten")
    static let measureMinutes = Phrase(
        english: "minutes of workouts",
        german: "Trainingsminuten")
    static let measureWorkouts = Phrase(
        english: "workouts",
        german: "Trainings")
}

extension Challenge.Measure {
    var phrase: Phrase {
        switch self {
        case .steps: .measureSteps
        case .distance: .measureDistance
        case .allDistance: .measureAllDistance
        case .minutes: .measureMinutes
        case .workouts: .measureWorkouts
        }
    }
}
