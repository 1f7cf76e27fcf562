/// How much more energy an activity takes than rest, by speed (2024 Adult Compendium of Physical Activities).
///
/// The table has gaps between its rows; a speed in a gap takes the row below it. If the table says nothing, nothing
/// is known.
public enum MetabolicEquivalent {
    /// Which table a result is from: to be kept with it.
    public static let table = "Compendium of Physical Activities 2024"

    /// What the table has speeds for.
    public enum Activity: String, CaseIterable, Hashable, Sendable, Codable {
        /// Walking, on the level.
        case walking
        /// Running.
        case running
        /// Cycling.
        case cycling
    }

    /// Metabolic equivalents at a speed in miles an hour; nil if the table has no row.
    public static func value(_ activity: Activity, milesPerHour speed: Double) -> Double? {
        let rows = rows(activity)
        guard speed > 0, speed.isFinite, speed <= rows.end else { return nil }
        return rows.starts.last { $0.speed <= speed }?.value
    }

    /// Where each row begins, and where the last one ends.
    private static func rows(_ activity: Activity) -> (starts: [(speed: Double, value: Double)], end: Double) {
        switch activity {
        case .walking: ([(2.5, 3.0), (2.8, 3.8), (3.5, 4.8), (4.0, 5.5), (4.5, 7.0), (5.0, 8.5)], 5.5)
        case .running:
            (
                [
                    (4, 6.5), (4.3, 7.8), (5, 8.5), (5.5, 9.0), (6, 9.3), (6.7, 10.5), (7, 11.0), (7.5, 11.8),
                    (8, 12.0),
                    (8.6, 12.5), (9, 13.0), (9.3, 14.8), (11, 16.8), (12, 18.5), (13, 19.8), (14, 23.0),
                ], 14
            )
        // "Less than 10" and "more than 20" have no other end.
        case .cycling:
            ([(0, 4.0), (10, 6.8), (12, 8.0), (14, 10.0), (16, 12.0), (20.0.nextUp, 16.8)], .infinity)
        }
    }
}
