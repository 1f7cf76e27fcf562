/// What a calendar has brought its person today: a server could change reminders all day, and have everybody's other notifications
/// thrown away that are kept for this person.
struct CalendarTally {
    /// How many reminders a calendar changes in a day.
    static let mostChanges = 200
    /// Of how many changes a person is told in a day, and of how many of one look.
    private static let mostNews = (day: 10, look: 5)

    private var day = Int64.min
    private var changes = 0
    private var news = 0
    private var isEndTold = false

    private mutating func begin(_ now: Int64) {
        let today = now / 86_400_000
        if today != day { self = CalendarTally(day: today) }
    }

    init() {}

    private init(day: Int64) { self.day = day }

    /// Notes changes of reminders, unless they are too many.
    /// - Parameter now: Unix milliseconds.
    mutating func takes(changes count: Int, now: Int64) -> Bool {
        begin(now)
        guard changes + count <= Self.mostChanges else { return false }
        changes += count
        return true
    }

    /// Notes what there is to be told.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: how much of it is told one by one, and whether it is said that there is more.
    mutating func take(news count: Int, now: Int64) -> (shown: Int, saysMore: Bool) {
        begin(now)
        let shown = min(count, Self.mostNews.look, Self.mostNews.day - news)
        news += shown
        guard shown < count, !isEndTold else { return (shown, false) }
        isEndTold = news == Self.mostNews.day
        return (shown, true)
    }
}
