import Desk
import Fitness
import Records
import Telemetry
import Whereabouts

// What a guardian wants to be told of, as requests spell it and as it is kept: the same fields.

extension WatchRule.Kind {
    /// The word for it in requests; areas have requests of their own.
    var word: String {
        switch self {
        case .area: "area"
        case .silence: "silence"
        case .battery: "battery"
        case .heartRate: "heart-rate"
        case .stillness: "stillness"
        }
    }

    /// The words of `alerts/set`.
    static let words = ["silence", "battery", "heart-rate", "stillness"]
}

extension WatchRule {
    /// As people see it.
    var json: JSON {
        var members: [JSON.Member] = [
            JSON.Member(area == nil ? "alert" : "area", .string(id.text)),
            JSON.Member("dependent", .string(dependent.text)),
        ]
        if area == nil { members.append(JSON.Member("kind", .string(kind.word))) }
        members += parameters
        members.append(JSON.Member("enabled", .bool(isEnabled)))
        if let escalateMinutes { members.append(JSON.Member("escalate_min", .integer(escalateMinutes))) }
        return .object(members)
    }

    /// As it is kept.
    var kept: JSON {
        .object(
            [JSON.Member("kind", .string(kind.word))] + parameters + [
                JSON.Member("enabled", .bool(isEnabled)),
                JSON.Member("escalate_min", escalateMinutes.map(JSON.integer) ?? .null), JSON.Member("state", state),
                JSON.Member("begin", .integer(begin)),
            ])
    }

    private var parameters: [JSON.Member] {
        let fields: JSON =
            switch kind {
            case .area(let area): area.json
            case .silence(let watch): ["minutes": .integer(watch.minutes)]
            case .battery(let watch): ["below": .integer(watch.below)]
            case .heartRate(let watch):
                .object(present: [
                    "below": watch.below.map(JSON.integer), "above": watch.above.map(JSON.integer),
                    "minutes": .integer(watch.minutes),
                ])
            case .stillness(let watch): ["at": .string(WallClock.text(watch.minute))]
            }
        guard case .object(let members) = fields else { return [] }
        return members
    }

    /// What was kept; nil if it is nothing that this version knows.
    init?(id: ID, for dependent: ID, of guardian: ID, kept json: JSON) {
        guard case .string(let word)? = json["kind"] else { return nil }
        do throws(ReplyError) {
            let kind = word == "area" ? Kind.area(try Area(RuleFields(json))) : try Kind(word, RuleFields(json))
            self.init(id: id, dependent: dependent, guardian: guardian, kind: kind)
        } catch {
            return nil
        }
        isEnabled = json["enabled"] != false
        if case .integer(let minutes)? = json["escalate_min"] { escalateMinutes = minutes }
        if case .integer(let time)? = json["begin"] { begin = time }
        state = json["state"] ?? [:]
    }
}

/// Fields of a request, or of what is kept.
struct RuleFields {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    subscript(name: String) -> JSON? { json[name].flatMap { $0 == .null ? nil : $0 } }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(ReplyError) -> Int64? {
        switch self[name] {
        case nil: return nil
        case .integer(let value)? where range.contains(value): return value
        default:
            let words = "\"\(name)\" has to be a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw ReplyError(.invalid, words, field: name)
        }
    }

    func bool(_ name: String) throws(ReplyError) -> Bool? {
        switch self[name] {
        case nil: return nil
        case .bool(let value)?: return value
        default: throw ReplyError(.badRequest, "\"\(name)\" has to be true or false", field: name)
        }
    }

    /// A minute of the day.
    func minute(_ name: String) throws(ReplyError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value, let minute = WallClock.minute(text) else {
            throw ReplyError(.invalid, "\"\(name)\" has to be a time of day, such as \"08:30\"", field: name)
        }
        return minute
    }

    /// A place of two numbers.
    func place(_ json: JSON?, _ field: String) throws(ReplyError) -> Place {
        guard case .array(let numbers)? = json, numbers.count == 2, let latitude = numbers[0].double,
            let longitude = numbers[1].double, (-90.0...90).contains(latitude), (-180.0...180).contains(longitude)
        else {
            let words = "\"\(field)\" has to be places: each a list of latitude and longitude in degrees"
            throw ReplyError(.invalid, words, field: field)
        }
        return Place(latitude: latitude, longitude: longitude)
    }
}

extension WatchRule.Kind {
    /// What `alerts/set` asks for.
    init(_ word: String, _ fields: RuleFields) throws(ReplyError) {
        switch word {
        case "silence":
            self = .silence(SilenceWatch(minutes: try fields.integer("minutes", in: SilenceWatch.minutes) ?? 60))
        case "battery":
            self = .battery(BatteryWatch(below: try fields.integer("below", in: BatteryWatch.percents) ?? 15))
        case "heart-rate":
            let rates = HeartRateRangeWatch.rates
            let (below, above) = (try fields.integer("below", in: rates), try fields.integer("above", in: rates))
            guard below != nil || above != nil else {
                throw ReplyError(
                    .badRequest, "say below or above which heart rate: \"below\", \"above\"", field: "below")
            }
            guard below ?? 0 < above ?? .max else {
                throw ReplyError(.invalid, "\"below\" has to be less than \"above\"", field: "below")
            }
            let minutes = try fields.integer("minutes", in: HeartRateRangeWatch.minutes) ?? 10
            self = .heartRate(HeartRateRangeWatch(below: below, above: above, minutes: minutes))
        case "stillness": self = .stillness(StillnessWatch(minute: try fields.minute("at") ?? 600))
        default:
            throw ReplyError(.invalid, "\"kind\" is one of \(Self.words.joined(separator: ", "))", field: "kind")
        }
    }
}

// MARK: Areas

extension WatchRule.Area {
    /// Characters of a name.
    private static let longestName = 64

    /// What `areas/set` asks for, with the shape in it.
    init(_ fields: RuleFields) throws(ReplyError) {
        guard case .string(let text)? = fields["name"], !text.trimmed.isEmpty, text.count <= Self.longestName,
            text.unicodeScalars.contains(where: \.isVisible), PlainText.isHarmless(text)
        else {
            let words = "\"name\" has to be a text of 1 to \(Self.longestName) characters, \(PlainText.refused)"
            throw ReplyError(.invalid, words, field: "name")
        }
        self.init(name: text.trimmed, shape: try Self.shape(fields))
        if case .string(let region)? = fields["region"] { self.region = region }
        isToldOfLeaving = try fields.bool("leave") ?? true
        isToldOfEntering = try fields.bool("enter") ?? false
        guard isToldOfLeaving || isToldOfEntering else {
            throw ReplyError(
                .invalid, "\"leave\" or \"enter\" has to be true: otherwise nothing is told", field: "leave")
        }
        hours = try Self.hours(fields)
    }

    private static func shape(_ fields: RuleFields) throws(ReplyError) -> AreaShape {
        let (circle, polygon) = (fields["circle"], fields["polygon"])
        guard (circle == nil) != (polygon == nil) else {
            throw ReplyError(.badRequest, "an area is either a \"circle\" or a \"polygon\"", field: "circle")
        }
        do {
            if let circle {
                let middle = try fields.place(.array([circle["lat"] ?? .null, circle["lon"] ?? .null]), "circle")
                guard let radius = circle["radius_m"]?.double else { throw AreaProblem.radius }
                return try AreaShape(middle: middle, radiusMetres: radius)
            }
            guard case .array(let corners)? = polygon, AreaShape.corners.contains(corners.count) else {
                throw AreaProblem.corners
            }
            return try AreaShape(corners: corners.map { try fields.place($0, "polygon") })
        } catch let error as ReplyError { throw error } catch let problem as AreaProblem {
            throw ReplyError(.invalid, words(problem), field: circle == nil ? "polygon" : "circle")
        } catch {
            throw ReplyError(.invalid, "this is no area", field: "circle")
        }
    }

    private static func words(_ problem: AreaProblem) -> String {
        switch problem {
        case .radius:
            "\"radius_m\" has to be from \(Int(AreaShape.radii.lowerBound)) to \(Int(AreaShape.radii.upperBound)) metres"
        case .corners:
            """
            "polygon" has to have \(AreaShape.corners.lowerBound) to \(AreaShape.corners.upperBound) corners, the last different from \
            the first
            """
        case .crossing: "the sides of the polygon must not cross: name its corners in their order"
        case .tooWide: "no area may be wider than \(Int(AreaShape.widest / 1000)) km"
        }
    }

    private static func hours(_ fields: RuleFields) throws(ReplyError) -> WatchHours? {
        let (from, to) = (try fields.minute("from"), try fields.minute("to"))
        let weekdays = try weekdays(fields["weekdays"])
        guard (from == nil) == (to == nil) else {
            throw ReplyError(.badRequest, "\"from\" and \"to\" come together", field: from == nil ? "from" : "to")
        }
        guard from != nil || !weekdays.isEmpty else { return nil }
        return WatchHours(from: from ?? 0, to: to ?? 0, weekdays: weekdays)
    }

    private static func weekdays(_ json: JSON?) throws(ReplyError) -> Set<Int> {
        guard let json else { return [] }
        let wrong = ReplyError(
            .invalid, "\"weekdays\" has to be a list of \(WatchHours.names.joined(separator: ", "))", field: "weekdays")
        guard case .array(let values) = json, (1...7).contains(values.count) else { throw wrong }
        return try Set(
            values.map { value throws(ReplyError) in
                guard case .string(let name) = value, let day = WatchHours.names.firstIndex(of: name) else {
                    throw wrong
                }
                return day
            })
    }

    var json: JSON {
        let days = hours.map { hours in hours.weekdays.count == 7 ? [] : hours.weekdays.sorted() } ?? []
        let hasTimes = hours.map { $0.from != $0.to } ?? false
        var shown: (circle: JSON?, polygon: JSON?) = (nil, nil)
        switch shape.form {
        case .circle(let middle, let radius):
            shown.circle = [
                "lat": .number(middle.latitude), "lon": .number(middle.longitude), "radius_m": .number(radius),
            ]
        case .polygon(let corners):
            shown.polygon = .array(corners.map { .array([.number($0.latitude), .number($0.longitude)]) })
        }
        return .object(present: [
            "name": .string(name), "circle": shown.circle, "polygon": shown.polygon, "region": region.map(JSON.string),
            "leave": .bool(isToldOfLeaving), "enter": .bool(isToldOfEntering),
            "from": hasTimes ? hours.map { .string(WallClock.text($0.from)) } : nil,
            "to": hasTimes ? hours.map { .string(WallClock.text($0.to)) } : nil,
            "weekdays": days.isEmpty ? nil : .array(days.map { .string(WatchHours.names[$0]) }),
        ])
    }
}
