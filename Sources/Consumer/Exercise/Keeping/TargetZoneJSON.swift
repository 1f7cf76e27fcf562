import Days
import Fitness
import Telemetry
import Workouts

extension TargetZone {
    /// `{"zone":2,"said":["above",…,…]}`
    var kept: JSON {
        .object(present: [
            "zone": .integer(Int64(zone)),
            "said": said.map { [.string($0.place.rawValue), .integer($0.time), .integer($0.left)] },
        ])
    }

    /// Reads a kept target zone; nil if the JSON is not one.
    init?(kept json: JSON) {
        guard case .integer(let zone)? = json["zone"] else { return nil }
        var said: Said?
        if case .array(let parts)? = json["said"], parts.count == 3, case .string(let name) = parts[0],
            let place = Place(rawValue: name), case .integer(let time) = parts[1], case .integer(let left) = parts[2]
        {
            said = Said(place, at: time, left: left)
        }
        self.init(zone: Int(clamping: zone), said: said)
    }

    /// As people get it.
    /// - Parameters:
    ///   - zones: of the person, in this activity.
    ///   - heart: the zone of the heart rate now; nil if it is not known, or does not count.
    func json(_ zones: HeartRateZones?, heart: Int? = nil) -> JSON {
        let range = zones?.range(of: zone)
        return .object(present: [
            "zone": .integer(Int64(zone)), "from": range.map { .integer(Int64($0.from.rounded(.up))) },
            "to": range?.to.map { .integer(Int64($0.rounded(.up))) },
            "now": heart.map { .string(Place($0, seenFrom: zone).rawValue) },
            "said": said.map { .string($0.place.rawValue) }, "said_at": said.map { .integer($0.time) },
        ])
    }
}
