package import Features

// What people are told of friends.

extension Notification.Kind {
    package static let thumbsUp = Self("thumbs-up", .neutralThumb)
    package static let thumbsDown = Self("thumbs-down", .neutralThumb)
    /// Somebody would like to be a friend.
    package static let friendRequest = Self("friend-request", .neutralFriend)
    package static let friendAccepted = Self("friend-accepted", .neutralFriend)
}

extension Phrase {
    static let neutralThumb = Phrase(
        english: "Vitals has news for you: somebody thinks of you.",
        german: "Vitals hat Neuigkeiten für dich: Jemand denkt an dich.")
    static let neutralFriend = Phrase(
        english: "Vitals has news for you: it is about your friends.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um deine Freunde.")
    /// {name}
    package static let friendRequest = Phrase(
        english: "{name} would like to be your friend.",
        german: "{name} möchte mit dir befreundet sein.")
    package static let friendAccepted = Phrase(
        english: "{name} and you are friends now.",
        german: "{name} und du seid jetzt befreundet.")
    /// {name}; thumbs by how far the friend has come: nothing is known, less than a quarter, half, three quarters,
    /// all; the goal is reached.
    package static let upUnknown = Phrase(
        english: "{name} gives you a thumbs up!",
        german: "{name} gibt dir einen Daumen hoch!")
    package static let upStart = Phrase(
        english: "{name} gives you a thumbs up: a day begins with its first step.",
        german: "{name} gibt dir einen Daumen hoch: Jeder Tag beginnt mit dem ersten Schritt.")
    package static let upQuarter = Phrase(
        english: "{name} gives you a thumbs up: you are well on your way.",
        german: "{name} gibt dir einen Daumen hoch: Du bist gut unterwegs.")
    package static let upHalf = Phrase(
        english: "{name} gives you a thumbs up: more than half is done.",
        german: "{name} gibt dir einen Daumen hoch: Mehr als die Hälfte ist geschafft.")
    package static let upNear = Phrase(
        english: "{name} gives you a thumbs up: not many steps are missing.",
        german: "{name} gibt dir einen Daumen hoch: Es fehlen nicht mehr viele Schritte.")
    package static let upReached = Phrase(
        english: "{name} gives you a thumbs up: you have reached your goal, well done!",
        german: "{name} gibt dir einen Daumen hoch: Ziel erreicht, gut gemacht!")
    package static let downUnknown = Phrase(
        english: "{name} gives you a thumbs down. Show them!",
        german: "{name} gibt dir einen Daumen runter. Zeig, was du kannst!")
    package static let downStart = Phrase(
        english: "{name} gives you a thumbs down: time to get up.",
        german: "{name} gibt dir einen Daumen runter: Zeit, aufzustehen.")
    package static let downQuarter = Phrase(
        english: "{name} gives you a thumbs down: there is a way to go yet.",
        german: "{name} gibt dir einen Daumen runter: Da fehlt noch einiges.")
    package static let downHalf = Phrase(
        english: "{name} gives you a thumbs down: do not stop half way.",
        german: "{name} gibt dir einen Daumen runter: Nicht auf halbem Weg stehen bleiben!")
    package static let downNear = Phrase(
        english: "{name} gives you a thumbs down: a few steps are missing still.",
        german: "{name} gibt dir einen Daumen runter: Ein paar Schritte fehlen noch.")
    package static let downReached = Phrase(
        english: "{name} gives you a thumbs down, but you have reached your goal.",
        german: "{name} gibt dir einen Daumen runter, aber du hast dein Ziel erreicht.")
}
