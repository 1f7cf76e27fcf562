import Days
import Files
import Fitness
import Records
import Telemetry

extension Guardians {
    /// Notes that a guardian was shown where a dependent is: once a day.
    func noteLook(_ guardian: ID, at dependent: ID) {
        guard let day = watched[dependent]?.day else { return }
        let look = "\(guardian) \(dependent)"
        guard noted[look] != day else { return }
        if noted.count >= 65_536 { noted = [:] }
        noted[look] = day
        attempt(dependent) { () throws(VaultError) in
            try context.store.change(dependent) { () throws(VaultError) in try addLook(guardian, at: dependent, on: day)
            }
        }
    }

    /// Notes that a guardian has asked where a dependent is or was, within a transaction.
    func addLook(_ guardian: ID, at dependent: ID, on day: CalendarDay? = nil) throws(VaultError) {
        let today: CalendarDay
        if let day {
            today = day
        } else {
            today = try histories.history(of: dependent).localDays.day(of: context.now())
        }
        var looks = try Looks.read(context.documents, of: dependent)
        looks.add(guardian, on: today)
        try looks.write(context.documents, of: dependent)
    }
}
