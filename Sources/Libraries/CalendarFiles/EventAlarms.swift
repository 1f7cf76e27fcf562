import CICal
import Fitness

/// The alarms of an event.
struct EventAlarms {
    let event: OpaquePointer

    /// How many minutes before the event its alarm comes; nil if it has none that is before it or at its time.
    /// Of several, the one nearest to it counts, in whatever order they stand.
    var minutes: Int? {
        let length = length
        return ours.compactMap { Self.minutes($0, ofSeconds: length) }.min()
    }

    /// Those that show or play something: an alarm may also send mail, or do nothing, as Apple's that stand for "none".
    var ours: [OpaquePointer] {
        components(ICAL_VALARM_COMPONENT, of: event).filter { alarm in
            guard let action = properties(ICAL_ACTION_PROPERTY, of: alarm).first else { return false }
            return [ICAL_ACTION_DISPLAY, ICAL_ACTION_AUDIO].contains(icalproperty_get_action(action))
        }
    }

    /// No alarm is longer before its event: four weeks, in seconds.
    private static let earliest: Int64 = 28 * 86_400

    private static func minutes(_ alarm: OpaquePointer, ofSeconds length: Int64?) -> Int? {
        guard let property = properties(ICAL_TRIGGER_PROPERTY, of: alarm).first else { return nil }
        var fromStart: Int64? = 0
        if let parameter = icalproperty_get_first_parameter(property, ICAL_RELATED_PARAMETER),
            icalparameter_get_related(parameter) == ICAL_RELATED_END
        {
            fromStart = length
        }
        let trigger = icalproperty_get_trigger(property)
        // A moment instead of a distance: it cannot come each week.
        guard let fromStart, icaltime_is_null_time(trigger.time) != 0, let distance = seconds(trigger.duration) else {
            return nil
        }
        let seconds = fromStart + distance
        guard (-earliest...0).contains(seconds) else { return nil }
        return Int(-seconds / 60)
    }

    /// How long the event is, in seconds, by the clock on the wall; nil if nobody can tell.
    private var length: Int64? {
        if let property = properties(ICAL_DURATION_PROPERTY, of: event).first {
            return Self.seconds(icalproperty_get_duration(property)).flatMap {
                (0...Self.longest).contains($0) ? $0 : nil
            }
        }
        guard let start = properties(ICAL_DTSTART_PROPERTY, of: event).first else { return nil }
        // RFC 5545, 3.6.1: without an end it ends when it begins.
        guard let end = properties(ICAL_DTEND_PROPERTY, of: event).first else { return 0 }
        guard Self.zone(start) == Self.zone(end), let from = Self.wallSeconds(icalproperty_get_dtstart(start)),
            let to = Self.wallSeconds(icalproperty_get_dtend(end)), (0...Self.longest).contains(to - from)
        else { return nil }
        return to - from
    }

    /// No event is longer, in seconds.
    private static let longest: Int64 = 366 * 86_400

    private static func zone(_ property: OpaquePointer) -> String? {
        icalproperty_get_first_parameter(property, ICAL_TZID_PARAMETER).flatMap { icalparameter_get_tzid($0) }.map {
            String(cString: $0)
        }
    }

    /// Of a time on the wall. An event in UTC is not read at all.
    private static func wallSeconds(_ time: icaltimetype) -> Int64? {
        guard time.is_date == 0, icaltime_is_utc(time) == 0, let minute = minuteOfDay(time),
            let day = CalendarDay(year: Int(time.year), month: Int(time.month), day: Int(time.day))
        else { return nil }
        return day.daysSince1970 * 86_400 + Int64(minute) * 60
    }

    /// A distance in time; nil if it is not valid.
    private static func seconds(_ duration: icaldurationtype) -> Int64? {
        guard icaldurationtype_is_bad_duration(duration) == 0 else { return nil }
        let days = Int64(duration.weeks) * 7 + Int64(duration.days)
        let clock = Int64(duration.hours) * 3600 + Int64(duration.minutes) * 60 + Int64(duration.seconds)
        let seconds = days * 86_400 + clock
        return duration.is_neg != 0 ? -seconds : seconds
    }
}
