package import Features

// What people are told of training partners.

extension Notification.Kind {
    /// Somebody would like to train with the person.
    package static let partnerAsked = Self("partner-asked", .neutralPartner)
    /// Somebody whom the person has asked agrees.
    package static let partnerFound = Self("partner-found", .neutralPartner)
    /// Somebody whom the person has asked declines.
    package static let partnerDeclined = Self("partner-declined", .neutralPartner)

    static let partners = [partnerAsked, partnerFound, partnerDeclined]
}

extension Phrase {
    static let neutralPartner = Phrase(
        english: "Vitals has news for you: it is about training partners.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um Trainingspartner.")
    /// {activity}, {area}
    static let partnerAsked = Phrase(
        english: "Somebody would like to train with you: {activity}, {area}. See vitals partners.",
        german: "Jemand möchte mit dir trainieren: {activity}, {area}. Siehe vitals partners.")
    /// {name}, {activity}
    static let partnerFound = Phrase(
        english: "{name} would like to train with you, too: {activity}. See vitals partners.",
        german: "{name} möchte auch mit dir trainieren: {activity}. Siehe vitals partners.")
    /// {activity}
    static let partnerDeclined = Phrase(
        english: "Somebody you asked does not want to train with you: {activity}.",
        german: "Jemand, den du gefragt hast, möchte nicht gemeinsam trainieren: {activity}.")
}
