import Features

// What people share, in words: each is the beginning of a sentence, or a part of it.

extension Phrase {
    /// {what}, {day}
    static let sharedOnDay = Phrase(
        english: "{what} on {day}",
        german: "{what} am {day}")
    static let sharedRun = Phrase(
        english: "Run",
        german: "Lauf")
    static let sharedWalk = Phrase(
        english: "Walk",
        german: "Spaziergang")
    static let sharedRide = Phrase(
        english: "Ride",
        german: "Radtour")
    /// {day}
    static let sharedDay = Phrase(
        english: "My day, {day}",
        german: "Mein Tag, {day}")
    /// {from}, {to}
    static let sharedWeek = Phrase(
        english: "My week from {from} to {to}",
        german: "Meine Woche vom {from} bis zum {to}")
    /// {month}, {year}
    static let sharedMonth = Phrase(
        english: "My {month} {year}",
        german: "Mein {month} {year}")
    /// {figures}
    static let sharedPost = Phrase(
        english: "In that week: {figures}.",
        german: "In der Woche: {figures}.")
    static let sharedPicture = Phrase(
        english: "A picture",
        german: "Ein Bild")
    static let sharedWorkouts = Phrase(
        english: "All my workouts",
        german: "Alle meine Trainings")
    static let sharedReached = Phrase(
        english: "step goal reached",
        german: "Schrittziel erreicht")
    /// {number}, {days}
    static let sharedReachedDays = Phrase(
        english: "step goal reached on {number} of {days} days",
        german: "Schrittziel an {number} von {days} Tagen erreicht")
    static let sharedOneWorkout = Phrase(
        english: "1 workout",
        german: "1 Training")
    /// {number}
    static let sharedManyWorkouts = Phrase(
        english: "{number} workouts",
        german: "{number} Trainings")
    /// {way}
    static let sharedByBicycle = Phrase(
        english: "{way} by bicycle",
        german: "{way} mit dem Rad")
    static let sharedSwimming = Phrase(
        english: "{way} swimming",
        german: "{way} geschwommen")
    static let sharedOtherwise = Phrase(
        english: "{way} in other ways",
        german: "{way} auf andere Weise")
    static let sharedFarthest = Phrase(
        english: "farthest {way}",
        german: "am weitesten {way}")
    /// {time}
    static let sharedLongest = Phrase(
        english: "longest {time}",
        german: "am längsten {time}")
}
