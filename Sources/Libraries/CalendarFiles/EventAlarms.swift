import CICal

/// The alarms of an event.
struct EventAlarms {
    let event: OpaquePointer

    /// How many minutes before the event its alarm comes; nil if it has none that is before it or at its time.
    /// Of several, the one nearest to it counts, in whatever order they stand.
    var minutes: Int? { ours.compactMap(Self.minutes).min() }

    /// Those that show or play something: an alarm may also send mail, or do nothing, as Apple's that stand for "none".
    var ours: [OpaquePointer] {
        components(ICAL_VALARM_COMPONENT, of: event).filter { alarm in
            guard let action = properties(ICAL_ACTION_PROPERTY, of: alarm).first else { return false }
            return [ICAL_ACTION_DISPLAY, ICAL_ACTION_AUDIO].contains(icalproperty_get_action(action))
        }
    }

    /// No alarm is longer before its event: four weeks, in seconds.
    private static let earliest: Int64 = 28 * 86_400

    private static func minutes(_ alarm: OpaquePointer) -> Int? {
        guard let property = properties(ICAL_TRIGGER_PROPERTY, of: alarm).first else { return nil }
        if let parameter = icalproperty_get_first_parameter(property, ICAL_RELATED_PARAMETER),
            icalparameter_get_related(parameter) == ICAL_RELATED_END
        {
            return nil
        }
        let trigger = icalproperty_get_trigger(property)
        // A moment instead of a distance: it cannot come each week.
        guard icaltime_is_null_time(trigger.time) != 0,
            icaldurationtype_is_bad_duration(trigger.duration) == 0
        else {
            return nil
        }
        let duration = trigger.duration
        let days = Int64(duration.weeks) * 7 + Int64(duration.days)
        let seconds =
            days * 86_400 + Int64(duration.hours) * 3600 + Int64(duration.minutes) * 60
            + Int64(duration.seconds)
        guard seconds == 0 || duration.is_neg != 0, seconds <= earliest else { return nil }
        return Int(seconds / 60)
    }
}
